// SPDX-License-Identifier: Apache-2.0
#pragma once

// The capped kernels of fem/rotation/rotation.h stop where a step of time cannot tell the
// difference any more. Who allows them more than the usual iterations gets R to rounding; and in
// either case R is the maximum of tr(RᵀF), not the symmetric S that lies half a turn away from it.

#include "limber/fem/rotation/rotation.h"

namespace limber {

/// Up to so many iterations kernels stop at an asymmetry of 1e-6, with more at rounding.
inline constexpr int usual_iterations = 4;

namespace rotation_detail {

// Asymmetry |S - Sᵀ| / |S| where rounding begins to show, and what no iteration gets below.
template <class T>
inline constexpr double nearly_rounding = is_single<T> ? 1e-5 : 1e-12;
template <class T>
inline constexpr double rounding = is_single<T> ? 1e-8 : 1e-16;

/// Half a turn away from the answer S is symmetric as well, and turns about no axis raise the trace
/// at first order. At the maximum it is at least the largest singular value; half a turn away it is
/// negative, unless F is far from unstrained.
template <class T>
LIMBER_HD auto is_half_turned(const Mat3<T>& S) {
    return trace(S) < T(0);
}

/// Whether H = tr(S) I − sym S is positive definite: R, where S is symmetric, is the maximum.
template <class T>
LIMBER_HD auto is_maximum(const Mat3<T>& S) {
    const T half(0.5);
    const T h00 = S(1, 1) + S(2, 2), h11 = S(0, 0) + S(2, 2), h22 = S(0, 0) + S(1, 1);
    const T h01 = -half * (S(0, 1) + S(1, 0)), h02 = -half * (S(0, 2) + S(2, 0)),
            h12 = -half * (S(1, 2) + S(2, 1));
    const T c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    return (h00 > T(0)) & (h00 * h11 > h01 * h01) & (h00 * c00 + h01 * c01 + h02 * c02 > T(0));
}

/// Turns until rounding ends the descent of the asymmetry, or `iterations` do. S is taken afresh
/// from F after each, so that rounding does not add up. `turn(lanes, S, R)` turns R.
template <class T, class Turn>
LIMBER_HD Polar<T> polar_to_rounding(const Mat3<T>& F, Mat3<T> R, int iterations, Turn&& turn) {
    const Mat3<T> B = scaled_or(F, R);
    Mat3<T> S = transpose(R) * B;
    T before(1e30);
    for (int k = 0; k < iterations; ++k) {
        const T size = contract(S, S), now = squared_norm(axial(S));
        const auto above = [&](double limit) { return now > T(limit * limit) * size; };
        const auto going =
            above(rounding<T>) & (above(nearly_rounding<T>) | (now < T(0.98) * before));
        if (!any(going)) break;
        before = now;
        turn(going, S, R);
        R = orthonormalised(R);
        S = transpose(R) * B;
    }
    const auto elsewhere = !(is_asymmetric(S, contract(S, S)) | is_maximum(S));
    if (any(elsewhere)) R = select_matrix(elsewhere, rotation_svd_apart(B, R), R);
    return {R, transpose(R) * F};
}

template <class T>
[[gnu::noinline]] LIMBER_HD Polar<T> polar_searched_to_rounding(Mat3<T> F, Mat3<T> R,
                                                                int iterations) {
    const auto turn = [](const auto& lanes, const Mat3<T>& S, Mat3<T>& turned) {
        turned = turned * searched_turn(S, lanes);
    };
    return polar_to_rounding(F, R, iterations, turn);
}

template <class T>
[[gnu::noinline]] LIMBER_HD Polar<T> polar_jacobi_to_rounding(Mat3<T> F, Mat3<T> R,
                                                              int iterations) {
    const auto turn = [](const auto&, Mat3<T> S, Mat3<T>& turned) {
        solve_plane<0, 1>(S, turned);
        solve_plane<1, 2>(S, turned);
        solve_plane<2, 0>(S, turned);
    };
    return polar_to_rounding(F, R, iterations, turn);
}

/// R and S of the maximum where a lane is half a turn away from it.
template <class T>
LIMBER_HD void leave_half_turn(const Mat3<T>& F, Mat3<T>& R, Mat3<T>& S) {
    const auto wrong = is_half_turned(S);
    if (!any(wrong)) return;
    R = select_matrix(wrong, rotation_svd_apart(F, R), R);
    S = transpose(R) * F;
}

}  // namespace rotation_detail

/// polar_quaternion(), to rounding with more than the usual iterations.
/// On entry R is R_previous and S = RᵀF; S stays RᵀF.
template <class T>
LIMBER_HD void find_polar_quaternion(const Mat3<T>& F, int iterations, Mat3<T>& R, Mat3<T>& S) {
    if (iterations > usual_iterations) {
        const Polar<T> p = rotation_detail::polar_searched_to_rounding(F, R, iterations);
        R = p.R;
        S = p.S;
        return;
    }
    polar_quaternion(F, iterations, R, S);
    if (iterations > 0) rotation_detail::leave_half_turn(F, R, S);
}

/// polar_jacobi() likewise.
template <class T>
LIMBER_HD void find_polar_jacobi(const Mat3<T>& F, int iterations, Mat3<T>& R, Mat3<T>& S) {
    if (iterations > usual_iterations) {
        const Polar<T> p = rotation_detail::polar_jacobi_to_rounding(F, R, iterations);
        R = p.R;
        S = p.S;
        return;
    }
    polar_jacobi(F, iterations, R, S);
    if (iterations > 0) rotation_detail::leave_half_turn(F, R, S);
}

}  // namespace limber
