// SPDX-License-Identifier: Apache-2.0
#include "limber/study/step_errors.h"

#include <algorithm>
#include <utility>

#include "limber/core/distance.h"
#include "limber/study/contestant.h"

namespace limber {

StepErrors step_errors(World& world, World& exact, int steps, int every) {
    StepErrors out;
    double before = 0, largest = 0;
    for (int k = 1; k <= steps && !out.failed; ++k) {
        const Snapshot from = snapshot_of(world);
        const StepReport step = world.step();
        out.failed = step.failed;
        largest = std::max(largest, step.kinetic + step.elastic);
        const double rise = total_energy(step) - std::exchange(before, total_energy(step));
        if (k > 1) out.rise = std::max(out.rise, rise);
        if (k % every != 0) continue;
        restart(exact, from);
        exact.stepper().reset();
        const double own = total_energy(exact.step()) - (total_energy(step) - rise);
        if (k > 1) out.beyond = std::max(out.beyond, (rise - std::max(own, 0.0)) / largest);
        const double error =
            distance(world.state().x, exact.state().x) / distance(exact.state().x, from.state.x);
        out.mean += error;
        out.worst = std::max(out.worst, error);
        const bool flagged = step.has(StepFlag::iteration_cap);
        out.flagged += flagged;
        if (!flagged) out.unflagged = std::max(out.unflagged, error);
        ++out.count;
    }
    out.mean /= std::max(out.count, 1);
    return out;
}

}  // namespace limber
