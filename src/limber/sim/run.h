// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "limber/sim/world.h"

namespace limber {

enum class RunOutcome { done, failed, interrupted };

struct RunOptions {
    std::int64_t last_step = 0;  // run until this step is complete
    std::string dir;             // for checkpoints and decisions; empty: write neither
    std::int64_t checkpoint_every =
        0;  // steps; 0: only at the end, on an interrupt and before a failure
    std::uint64_t scene_hash = 0;
    std::string replay_decisions;    // decisions.csv of a recorded run; empty: none
    const StopFlag* stop = nullptr;  // set by a signal: leave the step, save, return
};

struct RunResult {
    RunOutcome outcome = RunOutcome::done;
    StepReport last;  // of the last step tried
};

/// Steps the world to last_step. Whatever ends it, the last good state is in a checkpoint and the
/// observers have been told.
RunResult run(World& world, const RunOptions& options);

}  // namespace limber
