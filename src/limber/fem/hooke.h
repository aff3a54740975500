// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hooke's law in the frame of a rotation R that is held: functions of S = RᵀF (linear elasticity is
// R = I). Dahl & Bargteil 2019, Eqs. (4)-(8). Every solver's force, energy and tangent of
// corotational and linear tets comes from here: change an equation and all of them change.
//
// All are linear in μ and λ, so −V μ and −V λ give −V σ, and k V μ, k V λ a stiffness times k V.

#include "limber/core/math.h"

namespace limber {

namespace hooke_detail {

/// 2 μ ε + λ tr(ε) I with ε = sym(S) − rest I.
template <int rest, class T>
LIMBER_HD Mat3<T> stress(const T& mu, const T& lambda, const Mat3<T>& S) {
    const T two_mu = mu + mu, one(rest), pressure = lambda * (trace(S) - T(3 * rest));
    // Not as loops over a matrix: packets that are indexed leave the registers.
    const T s01 = mu * (S(0, 1) + S(1, 0)), s02 = mu * (S(0, 2) + S(2, 0)),
            s12 = mu * (S(1, 2) + S(2, 1));
    return {{two_mu * (S(0, 0) - one) + pressure, s01, s02, s01,
             two_mu * (S(1, 1) - one) + pressure, s12, s02, s12,
             two_mu * (S(2, 2) - one) + pressure}};
}

}  // namespace hooke_detail

/// ε = sym(S) − I, Eq. (4).
template <class T>
LIMBER_HD Mat3<T> hooke_strain(const Mat3<T>& S) {
    return T(0.5) * (S + transpose(S)) - Mat3<T>::identity();
}

/// σ = 2 μ ε + λ tr(ε) I in the frame of R, Eq. (5); P = R σ.   [Pa]
template <class T>
LIMBER_HD Mat3<T> hooke_stress(const T& mu, const T& lambda, const Mat3<T>& S) {
    return hooke_detail::stress<1>(mu, lambda, S);
}
/// How σ changes with S while R is held, Eq. (8): dσ = μ (dS + dSᵀ) + λ tr(dS) I.   [Pa]
template <class T>
LIMBER_HD Mat3<T> hooke_stress_change(const T& mu, const T& lambda, const Mat3<T>& dS) {
    return hooke_detail::stress<0>(mu, lambda, dS);
}

/// ψ = μ ε:ε + λ/2 tr²ε   [J/m³]
template <class T>
LIMBER_HD T hooke_energy(const T& mu, const T& lambda, const Mat3<T>& S) {
    const T one(1), e0 = S(0, 0) - one, e1 = S(1, 1) - one, e2 = S(2, 2) - one;
    const T s01 = S(0, 1) + S(1, 0), s02 = S(0, 2) + S(2, 0), s12 = S(1, 2) + S(2, 1);
    const T ee = e0 * e0 + e1 * e1 + e2 * e2 + T(0.5) * (s01 * s01 + s02 * s02 + s12 * s12);
    const T tr = trace(S) - T(3);
    return mu * ee + T(0.5) * lambda * tr * tr;
}

/// Eq. (8), our sign: the 3x3 block of a pair of nodes per volume,
///   K_ab = λ γ_a γ_bᵀ + μ γ_b γ_aᵀ + μ (γ_a·γ_b) I,   γ = R g the turned gradients of their shape
/// functions.   [Pa/m²]
template <class T>
LIMBER_HD Mat3<T> hooke_block(const T& mu, const T& lambda, const Vec3<T>& a, const Vec3<T>& b) {
    const T shear = mu * dot(a, b);
    return lambda * outer(a, b) + mu * outer(b, a) + Mat3<T>::diagonal(shear, shear, shear);
}

/// ∂P/∂F with R held: dP = μ (dF + R dFᵀ R) + λ (R : dF) R, over column-major vec(F); positive
/// semidefinite always.   [Pa]
template <class T>
LIMBER_HD Mat9<T> hooke_hessian(const T& mu, const T& lambda, const Mat3<T>& R) {
    Mat9<T> H;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            for (int l = 0; l < 3; ++l)
                for (int k = 0; k < 3; ++k) {
                    // d P_ij / d F_kl; (R dFᵀ R)_ij = R_il dF_kl R_kj
                    T sum = mu * R(i, l) * R(k, j) + lambda * R(i, j) * R(k, l);
                    if (i == k && j == l) sum += mu;
                    H(i + 3 * j, k + 3 * l) = sum;
                }
    return H;
}

}  // namespace limber
