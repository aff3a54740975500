// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace limber {

/// A cell type of VTK, in both of its file formats. VTK file formats, "Linear cell types".
struct VtkCellType {
    std::int64_t type;
    int dimension;
    int n_nodes;  // -1: any number
    std::string_view name;
    bool tet = false;   // the first four nodes are the corners of a tetrahedron
    bool face = false;  // the nodes are the corners of a polygon
};
/// Null for numbers that are not in our table.
const VtkCellType* find_vtk_cell(std::int64_t type);

constexpr std::int64_t vtk_tetra = 10;
constexpr std::int64_t last_vtk_type = 81;  // VTK 9.5: VTK_BEZIER_PYRAMID

}  // namespace limber
