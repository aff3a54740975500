// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/invariants.h"
#include "limber/fem/lame.h"

namespace limber {

/// St. Venant-Kirchhoff, ψ = μ E:E + λ/2 tr² E with E = (FᵀF − I)/2. Wang & Yang 2016, Eq. (12):
/// s0/2 (I − 3)² + s1/4 (tr C² − 2I + 3). Deviation: the source calls s0 and s1 Lamé's parameters;
/// term by term s0 = λ/4 and s1 = μ. Bounded below; weak in compression, and a mirrored element is
/// stress-free.
template <class P>
struct StVenantKirchhoffOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = StVenantKirchhoffOf<Q>;
    static constexpr std::string_view name = "stvk";
    static constexpr std::string_view help =
        "St. Venant-Kirchhoff: linear in Green's strain; gives way under strong compression";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 2;  // s0, s1, ... of a scene
    P s0{}, s1{};                    // λ/4, μ [Pa]

    static StVenantKirchhoffOf from(const Lame& lame) { return {lame.lambda / 4, lame.mu}; }
    LIMBER_HD LameOf<P> small_strain() const { return {s1, P(4) * s0}; }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1)};
    }

    template <class T>
    LIMBER_HD static Mat3<T> strain(const Mat3<T>& F) {
        return T(0.5) * (transpose(F) * F - Mat3<T>::identity());
    }
    /// μ E:E + λ/2 tr² E   [J/m³]
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Mat3<T> E = strain(F);
        return T(s1) * contract(E, E) + T(P(2) * s0) * trace(E) * trace(E);
    }
    /// P = F (2 μ E + λ tr(E) I)   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const Vec3<T> f0 = F.col(0), f1 = F.col(1), f2 = F.col(2);
        const T mu(s1), E00 = T(0.5) * (dot(f0, f0) - T(1)), E11 = T(0.5) * (dot(f1, f1) - T(1)),
                        E22 = T(0.5) * (dot(f2, f2) - T(1));
        const T pressure = T(P(4) * s0) * (E00 + E11 + E22), two_mu = mu + mu;
        const T S00 = pressure + two_mu * E00, S11 = pressure + two_mu * E11,
                S22 = pressure + two_mu * E22;
        const T S01 = mu * dot(f0, f1), S02 = mu * dot(f0, f2), S12 = mu * dot(f1, f2);
        return Mat3<T>::from_columns(S00 * f0 + S01 * f1 + S02 * f2, S01 * f0 + S11 * f1 + S12 * f2,
                                     S02 * f0 + S12 * f1 + S22 * f2);
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        return {T(s0) * (v.I - T(3)) + T(P(0.5) * s1) * (v.I - T(1)), T(P(-0.5) * s1), T(0)};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>&) const {
        return {T(s0 + P(0.5) * s1), T(0), T(0), T(0)};
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using StVenantKirchhoff = StVenantKirchhoffOf<double>;

}  // namespace limber
