// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// Isotropic Fung tissue, ψ = s0 (Ī − 3) + s1 (J − 1)² + s2 (exp(s3 (Ī − 3)) − 1) with
/// Ī = J^(-2/3) I.  Wang & Yang 2016, Eq. (15), with the volume term corrected as in neo_hookean.h,
/// which also says what J <= 0 gives. Shear modulus 2 (s0 + s2 s3), bulk modulus 2 s1. An exponent
/// beyond what the number type holds counts as J <= 0 does.
template <class P>
struct FungOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = FungOf<Q>;
    static constexpr std::string_view name = "fung";
    static constexpr std::string_view help =
        "soft tissue: neo_hookean that stiffens exponentially, s2 (exp(s3 (I - 3)) - 1)";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 4;  // s0, s1, ... of a scene
    P s0{}, s1{}, s2{};              // [Pa]
    P s3 = P(1);                     // speed of the stiffening

    /// Half of the shear modulus at rest by the exponential term, of speed s3.
    static FungOf from(const Lame& lame, double s3 = 1) {
        return {lame.mu / 4, lame.bulk() / 2, lame.mu / (4 * s3), s3};
    }
    LIMBER_HD LameOf<P> small_strain() const {
        return LameOf<P>::from_bulk(P(2) * (s0 + s2 * s3), P(2) * s1);
    }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1), Q(s2), Q(s3)};
    }

    template <class T>
    static constexpr double largest_exponent = is_single<T> ? 40 : 400;
    template <class T>
    LIMBER_HD static T bounded_exp(const T& exponent) {
        using std::exp;
        const T limit(largest_exponent<T>);
        return exp(select(exponent < limit, exponent, limit));
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const T J = determinant(F), d = J - T(1);
        const T c = inverse_cbrt(invariant_detail::safe_J(J)), x = c * c * contract(F, F) - T(3);
        const T exponent = T(s3) * x;
        const T W = T(s0) * x + T(s1) * d * d + T(s2) * (bounded_exp(exponent) - T(1));
        return invariant_detail::or_infinity(select(exponent < T(largest_exponent<T>), J, T(-1)),
                                             W);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const GradientColumns<T> columns(F);
        return stress_without_II(columns, slopes(Invariants<T>{columns.I(), T(0), columns.J()}));
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), m = c * c, inv_J = m * c;
        const T dW = T(s0) + T(s2 * s3) * bounded_exp(T(s3) * (m * v.I - T(3)));  // ∂ψ/∂Ī
        const T W_I = dW * m;
        return {W_I, T(0), T(P(2) * s1) * (v.J - T(1)) - T(2.0 / 3) * W_I * v.I * inv_J};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>& v) const {
        const T c = inverse_cbrt(invariant_detail::safe_J(v.J)), m = c * c, inv_J = m * c;
        const T x = m * v.I, e = T(s2 * s3) * bounded_exp(T(s3) * (x - T(3)));
        const T dW = T(s0) + e, ddW = T(s3) * e;  // ∂ψ/∂Ī, ∂²ψ/∂Ī²
        const T dx = T(-2.0 / 3) * x * inv_J;     // ∂Ī/∂J
        return {ddW * m * m, ddW * m * dx - T(2.0 / 3) * dW * m * inv_J, T(0),
                ddW * dx * dx + T(10.0 / 9) * dW * x * inv_J * inv_J + T(P(2) * s1)};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using Fung = FungOf<double>;

}  // namespace limber
