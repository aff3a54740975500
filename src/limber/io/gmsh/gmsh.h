// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the versions of Gmsh files share: the header, sections, physical names and cell types.
// Gmsh reference manual, "MSH file format".

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/io/binary_scanner.h"
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

/// Our 4.1 writer puts tets without a group into a physical group of this name.
constexpr std::string_view gmsh_rest_group = "limber:rest";

/// One file being read.
struct GmshInput {
    TextScanner scan;
    MeshBuilder builder;
    const ReadMeshOptions& options;
    std::string section = {};             // with its dollar sign
    std::int64_t section_begin = 0;       // line or byte
    std::string end_prefix = "$End";      // version 1: "$END"
    bool binary = false, swap = false;    // swap: big-endian
    std::vector<FileId> cell_nodes = {};  // scratch
    /// 4.0 and 4.1: physical groups of (dimension, entity tag); entities not listed have none.
    std::map<std::pair<int, FileId>, std::vector<FileId>> entity_groups = {};

    std::string end_marker() const { return end_prefix + section.substr(1); }
    /// "begun in line 4" or "begun at byte 60".
    std::string begun() const;

    /// Moves to entry i of n; a section or file that ends before is a fault that gives both
    /// numbers.
    void next_entry(std::string_view what, std::size_t i, std::size_t n);
    /// The next line closes the section; `n` entries were announced and read.
    void end_section(std::string_view what, std::size_t n);
    /// The row of a cell type number in field i; unknown numbers and refused kinds are faults.
    const GmshCellType& cell_type(std::size_t i);
    /// The cell whose node ids are the last type.n_nodes fields of the line.
    void add_cell(const GmshCellType& type, FileId id, std::span<const FileId> physical);

    /// Binary data begins behind the current line, and ends where the scanner stopped.
    BinaryScanner begin_binary() const;
    void end_binary(const BinaryScanner& data, std::string_view what, std::size_t n);
};

/// Null for an unknown number.
const GmshCellType* find_gmsh_cell(std::int64_t number);
/// Why cells of this row are not read, or "".
std::string gmsh_cell_refusal(const GmshCellType* type, std::int64_t number, bool linearise);
int gmsh_dimension(const TextScanner& scan, std::size_t i);  // of an entity, 0 to 3

struct GmshSection {
    std::string_view name;  // "$Nodes"
    void (*read)(GmshInput& in);
};
void read_physical_names(GmshInput& in);
constexpr std::size_t gmsh_shortest_entry = 8;  // of versions 1 and 2: "1 0 0 0\n"
/// The text of $NOD (version 1) and $Nodes (version 2): a count, then "id x y z" lines.
void read_gmsh_numbered_nodes(GmshInput& in);
std::span<const GmshSection> gmsh1_sections();
std::span<const GmshSection> gmsh22_sections();
std::span<const GmshSection> gmsh40_sections();
std::span<const GmshSection> gmsh41_sections();
std::span<const GmshSection> gmsh22_binary_sections();
std::span<const GmshSection> gmsh40_binary_sections();
std::span<const GmshSection> gmsh41_binary_sections();

/// A line of $Entities: the field that holds the number of physical groups is `at`.
void read_gmsh_entity(GmshInput& in, int dimension, std::size_t at);

}  // namespace limber
