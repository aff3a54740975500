// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// Compressible Mooney-Rivlin, ψ = s0 (J^(-2/3) I − 3) + s1 (J − 1)² + s2 (J^(-4/3) II − 3) with
/// II = |cof F|².  Wang & Yang 2016, Eq. (14), with the volume term corrected as in neo_hookean.h,
/// which also says what J <= 0 gives. Shear modulus 2 (s0 + s2), bulk modulus 2 s1.
template <class P>
struct MooneyRivlinOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = MooneyRivlinOf<Q>;
    static constexpr std::string_view name = "mooney_rivlin";
    static constexpr std::string_view help =
        "rubber: neo_hookean and a second shape term s2 (J^(-4/3) II - 3)";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 3;  // s0, s1, ... of a scene
    P s0{}, s1{}, s2{};              // [Pa]

    static MooneyRivlinOf from(const Lame& lame) { return from(lame, lame.mu / 4); }
    /// With the part of s2 given.
    static MooneyRivlinOf from(const Lame& lame, double s2) {
        return {lame.mu / 2 - s2, lame.bulk() / 2, s2};
    }
    LIMBER_HD LameOf<P> small_strain() const {
        return LameOf<P>::from_bulk(P(2) * (s0 + s2), P(2) * s1);
    }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1), Q(s2)};
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), m = c * c, d = v.J - T(1);
        const T W = T(s0) * (m * v.I - T(3)) + T(s2) * (m * m * v.II - T(3)) + T(s1) * d * d;
        return invariant_detail::or_infinity(v.J, W);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const GradientColumns<T> columns(F);
        const Invariants<T> v{columns.I(), columns.II(), columns.J()};
        return stress_of(columns, v.I, slopes(v));
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), m = c * c, inv_J = m * c;
        const T W_I = T(s0) * m, W_II = T(s2) * (m * m);
        return {W_I, W_II,
                T(P(2) * s1) * (v.J - T(1)) -
                    (T(2.0 / 3) * W_I * v.I + T(4.0 / 3) * W_II * v.II) * inv_J};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), m = c * c, inv_J = m * c;
        const T a = T(s0) * m * inv_J, b = T(s2) * (m * m) * inv_J;
        return {T(0), T(-2.0 / 3) * a, T(-4.0 / 3) * b,
                T(P(2) * s1) + (T(10.0 / 9) * a * v.I + T(28.0 / 9) * b * v.II) * inv_J};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using MooneyRivlin = MooneyRivlinOf<double>;

}  // namespace limber
