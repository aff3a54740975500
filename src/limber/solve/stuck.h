// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "limber/solve/objective.h"

namespace limber {

/// Steps in a row in which nothing changed while tets were held by the invertible conversion: such
/// a body has come to rest in a state that the conversion cannot bring it out of.
struct QuietSteps {
    static constexpr int most = 1 << 30;
    int count = 0;

    /// With the elastic energies of both ends of a step [J]. True: it is stuck.
    bool add(bool converted, double begin, double end) {
        constexpr int patience = 3;         // a body that turns about is quiet for one step as well
        constexpr double no_change = 1e-4;  // of the elastic energy in a step
        const bool still = converted && std::abs(end - begin) <= no_change * end;
        count = still ? std::min(count + 1, most) : 0;
        return count >= patience;
    }
};

/// After a step that ended at x: counts it, and flags the first body with a tet that is held where
/// it is stuck. Energies are of both ends under the interpolants of the end.
template <class Real>
bool look_for_stuck(Objective<Real>& objective, std::span<const Vec3<Real>> x, const Model& model,
                    QuietSteps& quiet, StepReport& report);

}  // namespace limber
