// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/core/simd_math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// Compressible neo-Hookean, ψ = s0 (J^(-2/3) I − 3) + s1 (J − 1)².  Wang & Yang 2016, Eq. (13).
/// Deviation: the printed s1 (III^(-1/2) − 1) is not stress-free at rest. Shear modulus 2 s0, bulk
/// modulus 2 s1. Flat or inverted, J <= 0: ψ is +infinity, and the derivatives, taken at a tiny
/// volume, are finite and of no use.
struct NeoHookean {
    static constexpr std::string_view name = "neo_hookean";
    static constexpr std::string_view help =
        "rubber: shape and volume apart, J^(-2/3) I and (J - 1)^2; does not go through J = 0";
    static constexpr bool corotational = true;
    double s0 = 0, s1 = 0;  // [Pa]

    static NeoHookean from(const Lame& lame) { return {lame.mu / 2, lame.bulk() / 2}; }
    Lame small_strain() const { return Lame::from_bulk(2 * s0, 2 * s1); }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const T J = determinant(F), d = J - T(1);
        const T c = inverse_cbrt(invariant_detail::safe_J(J));
        const T W = T(s0) * (c * c * contract(F, F) - T(3)) + T(s1) * d * d;
        return invariant_detail::or_infinity(J, W);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const Mat3<T> cof = cofactor(F);
        const T J = dot(F.col(0), cof.col(0));
        const InvariantSlopes<T> W = slopes(Invariants<T>{contract(F, F), T(0), J});
        return (W.I + W.I) * F + W.J * cof;
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        const T J = invariant_detail::safe_J(v.J), c = inverse_cbrt(J), W_I = T(s0) * c * c;
        return {W_I, T(0), T(2 * s1) * (v.J - T(1)) - T(2.0 / 3) * W_I * v.I / J};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>& v) const {
        const T J = invariant_detail::safe_J(v.J), c = inverse_cbrt(J);
        const T per_J = T(s0) * c * c / J;
        return {T(0), T(-2.0 / 3) * per_J, T(0), T(10.0 / 9) * per_J * v.I / J + T(2 * s1)};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};

}  // namespace limber
