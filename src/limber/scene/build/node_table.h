// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors node by node from a CSV file: loads, prescribed and initial displacements, velocities.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "limber/scene/build/selection.h"

namespace limber {

struct NodeRow {
    FileId node = 0;
    Vec3d value{0, 0, 0};
    int line = 0;
};
struct NodeTable {
    std::vector<NodeRow> rows;
    std::array<bool, 3> given{true, true, true};  // which coordinates have a column
};

/// What the columns of such a file are called and measured in: "fx", "fy", "fz" and "N".
struct NodeColumns {
    char letter;  // f, u or v
    std::string_view unit;
    bool all = true;  // every coordinate needs its column
};
inline constexpr NodeColumns force_columns{'f', "N"};
inline constexpr NodeColumns displacement_columns{'u', "m"};
inline constexpr NodeColumns velocity_columns{'v', "m/s"};
inline constexpr NodeColumns held_columns{'u', "m", false};

/// Reads `node` and the columns in the order that the header line says; without a header (the first
/// line begins with a number) node and all three in turn. Blank lines and lines that begin with #
/// are skipped. InputError with file and line for other columns, for what is no number and for an
/// empty file.
NodeTable read_node_table(const std::string& path, const NodeColumns& columns);

/// The rows by node of the body, ascending. InputError at the row for a node that the body does not
/// have or that is given twice; `key` names the file in the scene ("force[0].file").
std::vector<std::pair<Index, NodeRow>> rows_of_body(const NodeTable& table, const std::string& path,
                                                    const PlacedBody& body, const std::string& key);

}  // namespace limber
