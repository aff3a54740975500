// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/solve/descent/options.h"
#include "limber/solve/objective.h"

namespace limber {

/// q⁽⁰⁾ of Algorithm 1, Wang & Yang 2016, section 4.4; pins at the end of their way.
///   position      q_t
///   velocity      q_t + h v_t
///   acceleration  q_t + h v_t + η h (v_t − v_{t−1})   (the formula is lost in the text)
///   optimal       q_t + d v_t, d from Eq. (10)
/// An empty `v_before` stands for v_t.
template <class Real>
void initial_guess(InitialKind kind, double eta, Objective<Real>& objective, const State& state,
                   std::span<const Vec3d> v_before, std::span<Vec3<Real>> x);

/// The same, or q_t where that has less energy, or the guess none: no step ends above where it
/// began. Returns the energy [J].
template <class Real>
double initial_guess_with_value(InitialKind kind, double eta, Objective<Real>& objective,
                                const State& state, std::span<const Vec3d> v_before,
                                std::span<Vec3<Real>> x) {
    const auto put = [&](InitialKind wanted) {
        initial_guess(wanted, eta, objective, state, v_before, x);
    };
    put(kind);
    objective.hold(x);
    const double guessed = objective.value(x);
    if (kind == InitialKind::position) return guessed;
    put(InitialKind::position);
    if (std::isfinite(guessed) && !(objective.value(x) < guessed))
        put(kind);
    else
        objective.hold(x);
    return objective.value(x);
}

}  // namespace limber
