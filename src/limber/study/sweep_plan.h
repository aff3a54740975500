// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sweep that several processes work on, with nothing between them but a file: sweep.json names
// the runs, each run has a folder that is named by what decides its results, and whoever has done
// one leaves it there.

#include <string>
#include <vector>

#include "limber/study/sweep.h"

namespace limber {

struct SweepPlan {
    std::string scene;              // absolute
    std::vector<std::string> sets;  // of all runs
    std::vector<SweepAxis> axes;
    std::vector<SweepPoint> points;  // folder: 16 hexadecimal digits, the same for the same run
};

/// Every combination is loaded and checked. The folder of a run is a hash of the scene with all
/// files that it names, of its steps and its output.
SweepPlan plan_sweep(const std::string& scene, const std::vector<std::string>& sets,
                     const std::vector<SweepAxis>& axes);

/// DIR/sweep.json. InputError where it is no plan.
void write_plan(const std::string& dir, const SweepPlan& plan);
SweepPlan read_plan(const std::string& dir);

/// "2/8": the second of eight shares of the runs, which are dealt out one by one.
struct SweepShare {
    std::size_t number = 1, of = 1;
    bool has(std::size_t point) const { return point % of == number - 1; }
};
SweepShare parse_share(const std::string& text);

/// Whether a run folder holds a run that came to its end, whichever that was.
bool run_is_over(const std::string& folder);

}  // namespace limber
