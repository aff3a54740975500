// SPDX-License-Identifier: Apache-2.0
#pragma once

// One scene over values of its keys: every combination is a run of its own, and their summaries
// stand side by side.

#include <string>
#include <vector>

namespace limber {

/// Cuts at commas outside quotes and brackets, blanks around the pieces removed. `place` stands in
/// front of the message where a quote or bracket is left open.
std::vector<std::string> split_list(const std::string& list, const std::string& place);

/// "solver.max_iterations=1,2,5"
struct SweepAxis {
    std::string path;
    std::vector<std::string> values;  // as of --set
};
SweepAxis parse_sweep(const std::string& argument);

/// One combination.
struct SweepPoint {
    std::vector<std::string> values;  // one an axis
    std::vector<std::string> sets;    // "path=value", one an axis
    std::string folder;               // "03-5_zero": its number, then the values
};
/// The product of all axes, the last one running fastest. InputError beyond 10 000.
std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes);

/// What summary.json of each run says, a row a point; runs without one say so.
struct SweepTable {
    std::string markdown, csv;
};
SweepTable sweep_table(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                       const std::string& dir);

}  // namespace limber
