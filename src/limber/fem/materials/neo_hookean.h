// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// Compressible neo-Hookean, ψ = s0 (J^(-2/3) I − 3) + s1 (J − 1)².  Wang & Yang 2016, Eq. (13).
/// Deviation: the printed s1 (III^(-1/2) − 1) is not stress-free at rest. Shear modulus 2 s0, bulk
/// modulus 2 s1. Flat or inverted, J <= 0: ψ is +infinity, and the derivatives, taken at a tiny
/// volume, are finite and of no use.
template <class P>
struct NeoHookeanOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = NeoHookeanOf<Q>;
    static constexpr std::string_view name = "neo_hookean";
    static constexpr std::string_view help =
        "rubber: shape and volume apart, J^(-2/3) I and (J - 1)^2; does not go through J = 0";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 2;  // s0, s1, ... of a scene
    P s0{}, s1{};                    // [Pa]

    static NeoHookeanOf from(const Lame& lame) { return {lame.mu / 2, lame.bulk() / 2}; }
    LIMBER_HD LameOf<P> small_strain() const { return LameOf<P>::from_bulk(P(2) * s0, P(2) * s1); }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1)};
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const T J = determinant(F), d = J - T(1);
        const T c = inverse_cbrt(invariant_detail::safe_J(J));
        const T W = T(s0) * (c * c * contract(F, F) - T(3)) + T(s1) * d * d;
        return invariant_detail::or_infinity(J, W);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const GradientColumns<T> columns(F);
        return stress_without_II(columns, slopes(Invariants<T>{columns.I(), T(0), columns.J()}));
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), W_I = T(s0) * c * c;
        const T inv_J = c * c * c;
        return {W_I, T(0), T(P(2) * s1) * (v.J - T(1)) - T(2.0 / 3) * W_I * v.I * inv_J};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), inv_J = c * c * c;
        const T a = T(s0) * c * c * inv_J;
        return {T(0), T(-2.0 / 3) * a, T(0), T(10.0 / 9) * a * v.I * inv_J + T(P(2) * s1)};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using NeoHookean = NeoHookeanOf<double>;

}  // namespace limber
