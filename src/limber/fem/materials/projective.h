// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/lame.h"
#include "limber/fem/principal.h"
#include "limber/fem/rotation/rotation.h"

namespace limber {

namespace principal_detail {

/// (s_i + s_j), held away from zero: at s_i = −s_j the rotation of F jumps and the laws that read
/// it have no second derivative.
template <class T>
LIMBER_HD T safe_sum(const T& a, const T& b) {
    const T sum = a + b, floor(1e-6);
    return select(sum > floor, sum, floor);
}

}  // namespace principal_detail

/// The energy of projective dynamics, ψ = k Σ (s_i − 1)² = k |F − R|², s₂ with sign: finite and
/// bounded below for every F, minimal at rotations only. Wang & Yang 2016, Eq. (16).
/// Deviation: the source prints no modulus k. Shear modulus k, Poisson's ratio 0.
template <class P>
struct ProjectiveElasticOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = ProjectiveElasticOf<Q>;
    static constexpr std::string_view name = "projective";
    static constexpr std::string_view help =
        "distance to the nearest rotation, as in projective dynamics; Poisson's ratio 0";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 1;  // s0, s1, ... of a scene
    P s0{};                          // k [Pa]

    static ProjectiveElasticOf from(const Lame& lame) { return {lame.mu}; }
    LIMBER_HD LameOf<P> small_strain() const { return {s0, P(0)}; }
    template <class Q>
    With<Q> in() const {
        return {Q(s0)};
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Mat3<T> D = F - rotation_exact(F, Mat3<T>::identity());
        return T(s0) * contract(D, D);
    }
    /// P = 2 k (F − R)   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        return T(P(2) * s0) * (F - rotation_exact(F, Mat3<T>::identity()));
    }
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s) const {
        const T two_k(P(2) * s0);
        PrincipalCurvature<T> c{Mat3<T>::diagonal(two_k, two_k, two_k), {}, {two_k, two_k, two_k}};
        for (int k = 0; k < 3; ++k) {
            const T sum = principal_detail::safe_sum(s[(k + 1) % 3], s[(k + 2) % 3]);
            c.twist[k] = two_k * (T(1) - T(2) / sum);
        }
        return c;
    }
    /// ∂P/∂F with the change of R   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const SignedSvd<T> svd = signed_svd(F);
        return assemble_hessian(svd, curvature(svd.s));
    }
};
using ProjectiveElastic = ProjectiveElasticOf<double>;

}  // namespace limber
