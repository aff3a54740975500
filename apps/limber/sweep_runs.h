// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs of a planned sweep, done here: limber sweep run and limber run --sweep.

#include <string>
#include <vector>

#include "limber/study/sweep_plan.h"

namespace limber::app {

struct SweepWork {
    std::string dir;
    std::string only;                  // "2/8": of that share; empty: of all
    std::string threads;               // of each run, as --threads has it
    int jobs = 1;                      // side by side
    bool resume = false;               // interrupted runs go on; else they start anew
    bool again = false;                // those that are over, too
    bool here = false;                 // their words go where ours go, and not into logs/
    bool quiet = false;                // no words of our own
    std::vector<std::string> options;  // of limber run, for each of them
};

/// Does the runs that are not there yet, each in a process of its own. The worst exit code among
/// them, a run that failed earlier having 1; after SIGINT or SIGTERM, by which what runs is saved,
/// the signal's.
int run_plan(const SweepPlan& plan, const SweepWork& work);

/// Beside the run folders, whose names are hashes, links by number and values: "03-5_zero". Gives
/// the points with these for folders.
std::vector<SweepPoint> link_by_values(const SweepPlan& plan, const std::string& dir);

/// DIR/sweep.csv and sweep.md, and the text of the latter.
std::string write_sweep_table(const std::vector<SweepAxis>& axes,
                              const std::vector<SweepPoint>& points, const std::string& dir);

}  // namespace limber::app
