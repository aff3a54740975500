// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/lame.h"
#include "limber/fem/materials/projective.h"
#include "limber/fem/principal.h"
#include "limber/fem/rotation/rotation.h"

namespace limber {

/// Corotated linear elasticity: the linear law in the frame of the polar rotation R of F.
/// Dahl & Bargteil 2019, Eqs. (3)-(5). With F = R S: ε = S − I. R is inversion-safe, so energy and
/// stress are continuous through det F = 0 wherever R is.
struct CorotatedElastic {
    static constexpr std::string_view name = "corotated";
    static constexpr std::string_view help =
        "linear in the turning frame of each element; no ghost forces under rotation";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 0;
    double mu = 0, lambda = 0;  // Lamé parameters [Pa]
    bool frozen = false;        // the tangent: R held fixed, or changing with F

    static CorotatedElastic from(const Lame& lame) { return {lame.mu, lame.lambda}; }
    Lame small_strain() const { return {mu, lambda}; }

    template <class T>
    LIMBER_HD static Mat3<T> rotation(const Mat3<T>& F) {
        return rotation_exact(F, Mat3<T>::identity());
    }
    /// ε = sym(RᵀF) − I, for any rotation R near the polar one.
    template <class T>
    LIMBER_HD static Mat3<T> strain(const Mat3<T>& F, const Mat3<T>& R) {
        const Mat3<T> S = transpose(R) * F;
        return T(0.5) * (S + transpose(S)) - Mat3<T>::identity();
    }
    /// ψ = μ ‖RᵀF − I‖² + λ/2 tr²(RᵀF − I)   [J/m³]
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Mat3<T> e = strain(F, rotation(F));
        return T(mu) * contract(e, e) + T(0.5 * lambda) * trace(e) * trace(e);
    }
    /// P = R (2 μ ε + λ tr(ε) I)   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        return stress(F, rotation(F));
    }
    /// The same with R given.
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F, const Mat3<T>& R) const {
        const Mat3<T> e = strain(F, R);
        const T pressure = T(lambda) * trace(e);
        return R * (T(2 * mu) * e + Mat3<T>::diagonal(pressure, pressure, pressure));
    }
    /// Kavan's notes, Eq. (40): ψ = μ Σ (s_i − 1)² + λ/2 (Σ s_i − 3)². A frozen R takes the twists
    /// out.
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s) const {
        const T l(lambda), two_mu(2 * mu), pressure = T(lambda) * (s.x + s.y + s.z - T(3));
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
    /// ∂P/∂F with R held fixed: dP = μ (dF + R dFᵀ R) + λ (R : dF) R. What linearly implicit
    /// corotation uses, Eq. (8); positive semidefinite always.   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian_frozen(const Mat3<T>& R) const {
        Mat9<T> H;
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                for (int l = 0; l < 3; ++l)
                    for (int k = 0; k < 3; ++k) {
                        // d P_ij / d F_kl; (R dFᵀ R)_ij = R_il dF_kl R_kj
                        T sum = T(mu) * R(i, l) * R(k, j) + T(lambda) * R(i, j) * R(k, l);
                        if (i == k && j == l) sum += T(mu);
                        H(i + 3 * j, k + 3 * l) = sum;
                    }
        return H;
    }
};

}  // namespace limber
