// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/run.h"

#include <optional>

#include "limber/sim/checkpoint.h"
#include "limber/sim/decisions.h"

namespace limber {

RunResult run(World& world, const RunOptions& options) {
    const bool saving = !options.dir.empty();
    std::optional<DecisionLog> log;
    std::optional<DecisionReplay> replay;
    if (saving && world.clocked()) log.emplace(options.dir + "/decisions.csv", world.state().step);
    if (!options.replay_decisions.empty()) replay.emplace(options.replay_decisions);
    RunResult result;
    std::int64_t saved_step = -1;
    const auto save = [&] {
        if (!saving || saved_step == world.state().step) return;
        write_checkpoint(options.dir, world, options.scene_hash);
        saved_step = world.state().step;
    };
    world.begin();
    while (world.state().step < options.last_step) {
        try {
            const StopScope scope(options.stop);
            stop_if_requested();
            if (replay) world.replay(replay->at(world.state().step + 1));
            result.last = world.step();
        } catch (const Stopped&) {
            result.outcome = RunOutcome::interrupted;
            break;
        }
        if (result.last.failed) {
            result.outcome = RunOutcome::failed;
            break;
        }
        if (log) log->record(result.last.step, world.decisions());
        if (options.checkpoint_every > 0 && result.last.step % options.checkpoint_every == 0)
            save();
    }
    save();
    world.end();
    return result;
}

}  // namespace limber
