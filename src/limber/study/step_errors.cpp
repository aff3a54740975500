// SPDX-License-Identifier: Apache-2.0
#include "limber/study/step_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/core/distance.h"
#include "limber/study/contestant.h"

namespace limber {

namespace {

constexpr double close = 1e-4;  // to be of the same minimum

/// Of x from the end of a step of `exact`, which begins its search at x where `near`; infinite
/// where that step fails.
double distance_to_minimum(World& exact, const Snapshot& from, std::span<const Vec3d> x, bool near,
                           StepReport& step) {
    restart(exact, from);
    exact.stepper().reset();
    if (near && !exact.stepper().start_next_at(x)) return INFINITY;
    step = exact.step();
    if (step.failed || step.has(StepFlag::iteration_cap)) return INFINITY;
    return distance(x, exact.state().x) / distance(exact.state().x, from.state.x);
}

/// What rounding leaves of the difference of two elastic energies: laws add up terms of 3μ/2 a tet
/// that cancel at rest, with errors independent from tet to tet, four of them at most. In a stiff
/// body that is more than a billionth of what its motion holds.   [J]
double energy_rounding(const Model& model) {
    double squares = 0;
    for (Index t = 0; t < model.n_tets(); ++t) {
        const Material& material = model.materials[model.tet_material[t]];
        const double terms = 1.5 * small_strain(material).mu * model.elements.tets.volume(t);
        squares += terms * terms;
    }
    return 4 * std::numeric_limits<double>::epsilon() * std::sqrt(squares);
}

}  // namespace

StepErrors step_errors(World& world, World& exact, int steps, int every) {
    StepErrors out;
    double before = 0, largest = 0;
    const double rounding = energy_rounding(world.model());
    for (int k = 1; k <= steps; ++k) {
        const Snapshot from = snapshot_of(world);
        const StepReport step = world.step();
        if (step.failed) {
            // No failure of the run's where there is nothing to be found.
            StepReport by_itself;
            distance_to_minimum(exact, from, from.state.x, false, by_itself);
            out.failed = !by_itself.failed;
            break;
        }
        largest = std::max(largest, step.kinetic + step.elastic);
        const double rise = total_energy(step) - std::exchange(before, total_energy(step));
        if (k > 1) out.rise = std::max(out.rise, rise);
        if (k % every != 0) continue;
        StepReport by_itself, from_there;
        double error = distance_to_minimum(exact, from, world.state().x, false, by_itself);
        const double own = total_energy(by_itself) - (total_energy(step) - rise);
        if (k > 1 && !by_itself.failed)
            out.beyond = std::max(out.beyond, (rise - std::max(own, 0.0) - rounding) / largest);
        if (error > close)
            error = std::min(error,
                             distance_to_minimum(exact, from, world.state().x, true, from_there));
        if (!std::isfinite(error)) {
            ++out.unmeasured;
            out.untold += !step.has(StepFlag::iteration_cap) && !step.has(StepFlag::inverted) &&
                          !step.has(StepFlag::energy_gained);
            continue;
        }
        out.mean += error;
        out.worst = std::max(out.worst, error);
        const bool flagged = step.has(StepFlag::iteration_cap);
        out.flagged += flagged;
        if (!flagged && !step.has(StepFlag::energy_gained))
            out.unflagged = std::max(out.unflagged, error);
        ++out.count;
    }
    out.mean /= std::max(out.count, 1);
    return out;
}

}  // namespace limber
