// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the text and the binary form of Medit files share: the keywords of cells.
// P. Frey, "Medit: an interactive mesh visualization software", INRIA RT-0253; numbers of keywords
// as in libMeshb (GmfKwdCod).

#include <cstdint>
#include <span>
#include <string_view>

#include "limber/io/mesh_builder.h"
#include "limber/io/mesh_reader.h"

namespace limber {

struct MeditCell {
    std::string_view keyword;
    std::int32_t code;
    int dimension;
    int n_nodes;
    std::string_view name;  // plural
    bool tet = false;
};
std::span<const MeditCell> medit_cells();

constexpr std::int32_t medit_dimension = 3, medit_vertices = 4, medit_end = 54;

/// Reference 0 is no label.
void add_medit_vertex(MeshBuilder& builder, const Vec3d& position, FileId reference,
                      std::int64_t where);
void add_medit_cell(MeshBuilder& builder, const MeditCell& cell, FileId id,
                    std::span<const FileId> nodes, FileId reference, std::int64_t where);

}  // namespace limber
