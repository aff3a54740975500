// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sweep that several processes work on, with nothing between them but a file: sweep.json names
// the runs, each run has a folder that is named by what decides its results, and whoever has done
// one leaves it there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/study/sweep.h"

namespace limber {

/// Until when each run goes, instead of its scene's end; at most one of the two.
struct SweepEnd {
    std::optional<std::int64_t> steps;
    std::optional<double> time;  // [s]
};

struct SweepPlan {
    std::string scene;              // absolute
    std::vector<std::string> sets;  // of all runs
    SweepEnd end;                   // of all runs
    bool sandbox = false;           // no files outside the scene's folder
    std::vector<SweepAxis> axes;
    std::vector<SweepPoint> points;  // folder: 16 hexadecimal digits, the same for the same run
};

/// Every combination is loaded and checked, and becomes one of the points. The folder of a run is a
/// hash of the scene with all files that it names, of its steps and its output.
SweepPlan plan_sweep(SweepPlan wanted);

/// DIR/sweep.json. InputError where it is no plan.
void write_plan(const std::string& dir, const SweepPlan& plan);
SweepPlan read_plan(const std::string& dir);

/// Whether a plan names the folders of its runs so.
bool is_run_name(const std::string& folder);

/// "2/8": the second of eight shares of the runs, which are dealt out one by one.
struct SweepShare {
    std::size_t number = 1, of = 1;
    bool has(std::size_t point) const { return point % of == number - 1; }
};
SweepShare parse_share(const std::string& text);

/// How the run in a folder ended, "done" or "failed"; empty where there is none, or one that did
/// not come to its end.
std::string run_outcome(const std::string& folder);

}  // namespace limber
