// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/sim/world.h"

namespace limber {

/// What the steps of a run leave, each against a converged solver from the state that the run is
/// really in. Distances in parts of the motion of the step, |x - x*| / |x* - x_n|. A step may have
/// several minima: x* is the nearer of the one the converged solver finds by itself and, where that
/// is Newton's method, the one it finds from x.
struct StepErrors {
    double mean = 0, worst = 0;
    double unflagged = 0;  // the worst of steps without the flag iteration_cap
    int count = 0, flagged = 0;
    int unmeasured = 0;  // the converged solver failed
    int untold = 0;      // ... and the run's step had no flag of its own that something is wrong
    double rise = 0;     // the largest of the total energy in any step [J]
    double beyond = 0;   // the largest in a measured step above that of the converged solver's own
                         // step and of rounding, in parts of the most that motion and strain held
    bool failed =
        false;  // a step that the converged solver can do; the run ends with any that fails
};
/// `world` goes `steps` steps on; `exact`, a world of the same model, repeats every `every`-th.
StepErrors step_errors(World& world, World& exact, int steps, int every);

}  // namespace limber
