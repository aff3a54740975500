// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/rotation.h"

namespace limber {

/// Corotated linear elasticity: the linear law in the frame of the polar rotation R of F.
/// Dahl & Bargteil 2019, Eqs. (3)-(5). With F = R S: ε = S − I. R is inversion-safe, so energy and
/// stress are continuous through det F = 0 wherever R is.
struct CorotatedElastic {
    static constexpr std::string_view name = "corotated";
    static constexpr std::string_view help =
        "linear in the turning frame of each element; no ghost forces under rotation";
    static constexpr bool corotational = true;
    double mu = 0, lambda = 0;  // Lamé parameters [Pa]

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
    /// ∂P/∂F with the change of R: 2μ I₉ + λ r rᵀ + (λ tr ε − 2μ) Σ_kl H⁻¹_kl q_k q_lᵀ, where
    /// r = vec R, q_k = vec(R [e_k]×) and H = tr(S) I − S; the sum is ∂R/∂F.   [Pa]
    /// Not projected: indefinite where the bracket outweighs 2μ. Singular where σ₂ + σ₃ = 0.
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Mat3<T> R = rotation(F), S = strain(F, R) + Mat3<T>::identity();
        const T tr = trace(S), spin = T(lambda) * (tr - T(3)) - T(2 * mu);
        const Mat3<T> H_inv = inverse(Mat3<T>::diagonal(tr, tr, tr) - S);
        Vec3<T> zero;
        const Vec3<T> r0 = R.col(0), r1 = R.col(1), r2 = R.col(2);
        const Mat3<T> q[3] = {Mat3<T>::from_columns(zero, r2, -r1),   // R [e_0]×
                              Mat3<T>::from_columns(-r2, zero, r0),   // R [e_1]×
                              Mat3<T>::from_columns(r1, -r0, zero)};  // R [e_2]×
        Mat9<T> H;
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i) {
                T sum = T(lambda) * R.a[i] * R.a[j];
                if (i == j) sum += T(2 * mu);
                for (int k = 0; k < 3; ++k)
                    for (int l = 0; l < 3; ++l) sum += spin * H_inv(k, l) * (q[k].a[i] * q[l].a[j]);
                H(i, j) = sum;
            }
        return H;
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
