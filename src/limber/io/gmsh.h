// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Gmsh 2.2 and 4.1 share: the header, sections, physical names and cell types.
// Gmsh reference manual, "MSH file format".

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/io/mesh_builder.h"
#include "limber/io/mesh_reader.h"
#include "limber/io/text_scanner.h"

namespace limber {

struct GmshCellType {
    int type;
    int dimension;
    int n_nodes;
    std::string_view name;  // plural
    bool tet = false;       // the first four nodes are the corners of a tetrahedron
};

/// One file being read.
struct GmshInput {
    TextScanner scan;
    MeshBuilder builder;
    const ReadMeshOptions& options;
    std::string section = {};  // with its dollar sign
    int section_line = 0;
    std::vector<FileId> cell_nodes = {};  // scratch
    /// 4.1: physical groups of (dimension, entity tag); entities not listed have none.
    std::map<std::pair<int, FileId>, std::vector<FileId>> entity_groups = {};

    /// Moves to entry i of n; a section or file that ends before is a fault that gives both
    /// numbers.
    void next_entry(std::string_view what, std::size_t i, std::size_t n);
    /// The next line closes the section; `n` entries were announced and read.
    void end_section(std::string_view what, std::size_t n);
    /// The row of a cell type number in field i; unknown numbers and refused kinds are faults.
    const GmshCellType& cell_type(std::size_t i);
    /// The cell whose node ids are the last type.n_nodes fields of the line.
    void add_cell(const GmshCellType& type, FileId id, std::span<const FileId> physical);
};

struct GmshSection {
    std::string_view name;  // "$Nodes"
    void (*read)(GmshInput& in);
};
void read_physical_names(GmshInput& in);
std::span<const GmshSection> gmsh22_sections();
std::span<const GmshSection> gmsh41_sections();

}  // namespace limber
