// SPDX-License-Identifier: Apache-2.0
#pragma once

// Isotropic laws in principal stretches: W(F) = W(s₀, s₁, s₂) with F = U diag(s) Vᵀ, the sign of
// det F in s₂. In the basis u_i v_jᵀ the Hessian ∂²W/∂F² falls apart into (Teran et al. 2005,
// "Robust quasistatic finite elements and flesh simulation", section 8; Smith et al. 2019,
// "Analytic eigensystems for isotropic distortion energies"):
//   stretch   3x3, ∂²W/∂s_i∂s_j, on the u_i v_iᵀ
//   twist_k   (W_i + W_j) / (s_i + s_j), on (u_i v_jᵀ − u_j v_iᵀ) / √2
//   flip_k    (W_i − W_j) / (s_i − s_j), on (u_i v_jᵀ + u_j v_iᵀ) / √2
// with W_i = ∂W/∂s_i and {i, j, k} = {0, 1, 2}. A law gives the quotients with the division done by
// hand, so that equal stretches cost no digits.

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/psd.h"
#include "limber/fem/rotation/svd.h"

namespace limber {

/// ∂²W/∂F² in the principal basis [Pa]; component k of twist and flip belongs to the other two.
template <class T>
struct PrincipalCurvature {
    Mat3<T> stretch;
    Vec3<T> twist, flip;
};

template <class T>
LIMBER_HD PrincipalCurvature<T> operator+(PrincipalCurvature<T> a, const PrincipalCurvature<T>& b) {
    a.stretch += b.stretch;
    a.twist += b.twist;
    a.flip += b.flip;
    return a;
}
template <class T>
LIMBER_HD PrincipalCurvature<T> operator*(const T& f, PrincipalCurvature<T> a) {
    a.stretch *= f;
    a.twist *= f;
    a.flip *= f;
    return a;
}

namespace principal_detail {

template <class T>
LIMBER_HD Vec3<T> positive_part(const Vec3<T>& v) {
    const T zero(0);
    return {select(v.x > zero, v.x, zero), select(v.y > zero, v.y, zero),
            select(v.z > zero, v.z, zero)};
}

template <class T>
LIMBER_HD void add_outer(const T& f, const Mat3<T>& a, const Mat3<T>& b, Mat9<T>& H) {
    for (int j = 0; j < 9; ++j) {
        const T fb = f * b.a[j];
        for (int i = 0; i < 9; ++i) H(i, j) += a.a[i] * fb;
    }
}

}  // namespace principal_detail

/// The nearest positive semidefinite one: the basis is orthonormal, so each block by itself.
template <class T>
LIMBER_HD PrincipalCurvature<T> nearest_psd(const PrincipalCurvature<T>& c) {
    return {nearest_psd(c.stretch), principal_detail::positive_part(c.twist),
            principal_detail::positive_part(c.flip)};
}

/// The 9x9 over column-major vec(F).
template <class T>
LIMBER_HD Mat9<T> assemble_hessian(const SignedSvd<T>& svd, const PrincipalCurvature<T>& c) {
    using principal_detail::add_outer;
    Mat9<T> H;
    Mat3<T> stretch[3];
    for (int i = 0; i < 3; ++i) stretch[i] = outer(svd.U.col(i), svd.V.col(i));
    for (int i = 0; i < 3; ++i) {
        Mat3<T> row = c.stretch(i, 0) * stretch[0];
        row += c.stretch(i, 1) * stretch[1];
        row += c.stretch(i, 2) * stretch[2];
        add_outer(T(1), stretch[i], row, H);
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Mat3<T> a = outer(svd.U.col(i), svd.V.col(j)), b = outer(svd.U.col(j), svd.V.col(i));
        add_outer(T(0.5) * c.twist[k], a - b, a - b, H);
        add_outer(T(0.5) * c.flip[k], a + b, a + b, H);
    }
    return H;
}

/// d²W along e_r gᵀ for r = 0, 1, 2: the diagonal of the 3x3 block of a node whose shape function
/// has the gradient g, per volume.   [Pa |g|²]
template <class T>
LIMBER_HD Vec3<T> block_diagonal(const SignedSvd<T>& svd, const PrincipalCurvature<T>& c,
                                 const Vec3<T>& g) {
    const Vec3<T> b{dot(svd.V.col(0), g), dot(svd.V.col(1), g), dot(svd.V.col(2), g)};
    Vec3<T> out;
    for (int r = 0; r < 3; ++r) {
        const Vec3<T> a = svd.U.row(r), d{a.x * b.x, a.y * b.y, a.z * b.z};
        T sum = dot(d, c.stretch * d);
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const T ij = a[i] * b[j], ji = a[j] * b[i];
            sum +=
                T(0.5) * (c.twist[k] * (ij - ji) * (ij - ji) + c.flip[k] * (ij + ji) * (ij + ji));
        }
        out[r] = sum;
    }
    return out;
}

/// The whole block: in the basis of U a direction e_p gᵀ has the entries b = Vᵀg in row p.
template <class T>
LIMBER_HD Mat3<T> block(const SignedSvd<T>& svd, const PrincipalCurvature<T>& c, const Vec3<T>& g) {
    const Vec3<T> b = transpose(svd.V) * g;
    Mat3<T> H;
    for (int q = 0; q < 3; ++q)
        for (int p = 0; p < 3; ++p) H(p, q) = c.stretch(p, q) * b[p] * b[q];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const T mean = T(0.5) * (c.flip[k] + c.twist[k]);
        const T mixed = T(0.5) * (c.flip[k] - c.twist[k]) * b[i] * b[j];
        H(i, i) += mean * b[j] * b[j];
        H(j, j) += mean * b[i] * b[i];
        H(i, j) += mixed;
        H(j, i) += mixed;
    }
    return svd.U * H * transpose(svd.U);
}

}  // namespace limber
