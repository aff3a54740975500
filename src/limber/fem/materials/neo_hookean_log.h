// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// Neo-Hookean with logarithms, ψ = μ/2 (I − 3) − μ ln J + λ/2 ln² J (Bonet & Wood 1997, section
/// 5.4.3). Flat or inverted, J <= 0: ψ is +infinity, and the derivatives, taken at a tiny volume,
/// are finite and of no use.
template <class P>
struct NeoHookeanLogOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = NeoHookeanLogOf<Q>;
    static constexpr std::string_view name = "neo_hookean_log";
    static constexpr std::string_view help =
        "neo-Hookean of engineering texts, with ln J; does not go through J = 0";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 2;  // s0, s1, ... of a scene
    P s0{}, s1{};                    // μ, λ [Pa]

    static NeoHookeanLogOf from(const Lame& lame) { return {lame.mu, lame.lambda}; }
    LIMBER_HD LameOf<P> small_strain() const { return {s0, s1}; }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1)};
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        using std::log;
        const T J = determinant(F), ln_J = log(invariant_detail::safe_J(J));
        const T W =
            T(P(0.5) * s0) * (contract(F, F) - T(3)) + (T(P(0.5) * s1) * ln_J - T(s0)) * ln_J;
        return invariant_detail::or_infinity(J, W);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const GradientColumns<T> columns(F);
        return stress_without_II(columns, slopes(Invariants<T>{T(0), T(0), columns.J()}));
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        using std::log;
        const T J = invariant_detail::safe_J(v.J);
        return {T(P(0.5) * s0), T(0), (T(s1) * log(J) - T(s0)) / J};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>& v) const {
        using std::log;
        const T J = invariant_detail::safe_J(v.J);
        return {T(0), T(0), T(0), (T(s0 + s1) - T(s1) * log(J)) / (J * J)};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using NeoHookeanLog = NeoHookeanLogOf<double>;

}  // namespace limber
