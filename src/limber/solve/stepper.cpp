// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/stepper.h"

#include "limber/core/parallel.h"

namespace limber {

void Stepper::integrate(const StepInput& in, State& state) const {
    parallel_for(static_cast<Index>(state.x.size()), 4096,
                 [&](Index i) { state.x[i] += in.h * state.v[i]; });  // Dahl & Bargteil 2019 (10)
}

}  // namespace limber
