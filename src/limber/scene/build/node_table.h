// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors node by node from a CSV file: loads, prescribed and initial displacements, velocities;
// and tet by tet: directions of fibres.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "limber/scene/build/selection.h"

namespace limber {

struct NodeRow {
    FileId id = 0;  // of the node or the tet
    Vec3d value{0, 0, 0};
    int line = 0;
};
struct NodeTable {
    std::vector<NodeRow> rows;
    std::array<bool, 3> given{true, true, true};  // which coordinates have a column
};

/// What the columns of such a file are called and measured in: "node", "fx", "fy", "fz" and "N".
struct NodeColumns {
    std::string_view letter;  // f, u, v or none
    std::string_view unit;    // none: a direction
    bool all = true;          // every coordinate needs its column
    std::string_view id = "node";
};
inline constexpr NodeColumns force_columns{"f", "N"};
inline constexpr NodeColumns displacement_columns{"u", "m"};
inline constexpr NodeColumns velocity_columns{"v", "m/s"};
inline constexpr NodeColumns held_columns{"u", "m", false};
inline constexpr NodeColumns fibre_columns{"", "", true, "tet"};

/// Reads the id and the columns in the order that the header line says; without a header (the first
/// line begins with a number) id and all three in turn. Blank lines and lines that begin with #
/// are skipped. InputError with file and line for other columns, for what is no number and for an
/// empty file.
NodeTable read_node_table(const std::string& path, const NodeColumns& columns);

/// The rows by node of the body, ascending. InputError at the row for a node that the body does not
/// have or that is given twice; `key` names the file in the scene ("force[0].file").
std::vector<std::pair<Index, NodeRow>> rows_of_body(const NodeTable& table, const std::string& path,
                                                    const PlacedBody& body, const std::string& key);

}  // namespace limber
