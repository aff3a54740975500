// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/hooke.h"
#include "limber/fem/lame.h"
#include "limber/fem/materials/projective.h"
#include "limber/fem/principal.h"
#include "limber/fem/rotation/rotation.h"

namespace limber {

/// Corotated linear elasticity: Hooke's law (fem/hooke.h, Dahl & Bargteil 2019, Eqs. (3)-(8)) in
/// the frame of the polar rotation R of F. R is inversion-safe, so energy and stress are continuous
/// through det F = 0 wherever R is.
template <class P>
struct CorotatedElasticOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = CorotatedElasticOf<Q>;
    static constexpr std::string_view name = "corotated";
    static constexpr std::string_view help =
        "linear in the turning frame of each element; no ghost forces under rotation";
    static constexpr bool corotational = true;
    static constexpr bool hooke = true;  // fem/hooke.h with the moduli of small_strain()
    static constexpr int n_raw = 0;
    P mu{}, lambda{};     // Lamé parameters [Pa]
    bool frozen = false;  // the tangent: R held fixed, or changing with F

    static CorotatedElasticOf from(const Lame& lame) { return {lame.mu, lame.lambda}; }
    LIMBER_HD LameOf<P> small_strain() const { return {mu, lambda}; }
    template <class Q>
    With<Q> in() const {
        return {Q(mu), Q(lambda), frozen};
    }

    template <class T>
    LIMBER_HD static Mat3<T> rotation(const Mat3<T>& F) {
        return rotation_exact(F, Mat3<T>::identity());
    }
    /// ψ = μ ‖RᵀF − I‖² + λ/2 tr²(RᵀF − I)   [J/m³]
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        return hooke_energy(T(mu), T(lambda), transpose(rotation(F)) * F);
    }
    /// P = R (2 μ ε + λ tr(ε) I)   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        return stress(F, rotation(F));
    }
    /// The same with R given.
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F, const Mat3<T>& R) const {
        return R * hooke_stress(T(mu), T(lambda), transpose(R) * F);
    }
    /// Kavan's notes, Eq. (40): ψ = μ Σ (s_i − 1)² + λ/2 (Σ s_i − 3)². A frozen R takes the twists
    /// out.
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s) const {
        const T l(lambda), two_mu(P(2) * mu), pressure = T(lambda) * (s.x + s.y + s.z - T(3));
        PrincipalCurvature<T> c{
            Mat3<T>::diagonal(two_mu, two_mu, two_mu), {}, {two_mu, two_mu, two_mu}};
        for (T& entry : c.stretch.a) entry += l;
        for (int k = 0; k < 3 && !frozen; ++k) {
            const T sum = principal_detail::safe_sum(s[(k + 1) % 3], s[(k + 2) % 3]);
            c.twist[k] = two_mu + T(2) * (pressure - two_mu) / sum;
        }
        return c;
    }
    /// ∂P/∂F of the chosen tangent. Not projected: the exact one is indefinite where the turning
    /// outweighs 2μ, and does not exist where s₁ + s₂ = 0.   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const SignedSvd<T> svd = signed_svd(F);
        return assemble_hessian(svd, curvature(svd.s));
    }
    /// ∂P/∂F with R held fixed: what linearly implicit corotation uses, Eq. (8).   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian_frozen(const Mat3<T>& R) const {
        return hooke_hessian(T(mu), T(lambda), R);
    }
};
using CorotatedElastic = CorotatedElasticOf<double>;

}  // namespace limber
