// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rotation R of F = R S, S symmetric, det R = +1: the maximiser of tr(RᵀF). For det F < 0 the
// smallest singular value takes the sign (Irving, Teran & Fedkiw 2004, "Invertible finite elements
// for robust simulation of large deformation", section 5), which is the same maximiser.
//
// Kernels are templates on T: double, or a packet of elements. They do not branch on lanes; loops
// end when every lane is done, and a lane that is done is not changed any more in a way that
// matters. An F that is zero, not finite or beyond 1e290 gives R_previous, which must be a
// rotation.

#include <cmath>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/rotation/svd.h"

namespace limber {

/// Rotation matrix of the quaternion (w, v), of any length but zero.
template <class T>
LIMBER_HD Mat3<T> matrix_of_quaternion(const T& w, const Vec3<T>& v) {
    const T f = T(2) / (w * w + dot(v, v));
    const Vec3<T> u = f * v;
    const T wx = w * u.x, wy = w * u.y, wz = w * u.z;
    const T xx = v.x * u.x, yy = v.y * u.y, zz = v.z * u.z;
    const T xy = v.x * u.y, xz = v.x * u.z, yz = v.y * u.z;
    return Mat3<T>::from_columns({T(1) - (yy + zz), xy + wz, xz - wy},
                                 {xy - wz, T(1) - (xx + zz), yz + wx},
                                 {xz + wy, yz - wx, T(1) - (xx + yy)});
}

namespace rotation_detail {

// Asymmetry |S - Sᵀ| / |S| at which a capped kernel stops. The angle left enters the stress of a
// strained element in proportion, far below the tolerance of any solve, and a ghost strain of an
// unstrained one squared: 1e-12.
inline constexpr double symmetric_enough = 1e-6;

/// (S_32 − S_23, S_13 − S_31, S_21 − S_12): the gradient of tr(exp(−[ω]) S) at ω = 0.
template <class T>
LIMBER_HD Vec3<T> axial(const Mat3<T>& S) {
    return {S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
}

/// The rotation in the plane of axes I, J that brings the most trace into the block (I, J) of
/// S = RᵀF: with a = S_II + S_JJ and b = S_JI − S_IJ the trace is a cos φ + b sin φ, so
/// (cos φ, sin φ) = (a, b) / |(a, b)|, and the block becomes symmetric.
template <int I, int J, class T>
LIMBER_HD void solve_plane(Mat3<T>& S, Mat3<T>& R) {
    using std::sqrt;
    const T a = S(I, I) + S(J, J), b = S(J, I) - S(I, J), n2 = a * a + b * b;
    const auto ok = n2 > T(1e-100);
    const T inv = T(1) / sqrt(select(ok, n2, T(1)));
    const T c = select(ok, a * inv, T(1)), s = select(ok, b * inv, T(0));
    for (int k = 0; k < 3; ++k) {
        const T si = S(I, k), sj = S(J, k), ri = R(k, I), rj = R(k, J);
        S(I, k) = c * si + s * sj;
        S(J, k) = c * sj - s * si;
        R(k, I) = c * ri + s * rj;
        R(k, J) = c * rj - s * ri;
    }
}

/// Newton's direction H⁻¹g of max tr(RᵀF) with H = tr(S) I − sym S, scaled by det H; g where H is
/// not positive definite.
template <class T>
LIMBER_HD Vec3<T> ascent_direction(const Mat3<T>& S, const Vec3<T>& g) {
    const T half(0.5);
    const T h00 = S(1, 1) + S(2, 2), h11 = S(0, 0) + S(2, 2), h22 = S(0, 0) + S(1, 1);
    const T h01 = -half * (S(0, 1) + S(1, 0)), h02 = -half * (S(0, 2) + S(2, 0)),
            h12 = -half * (S(1, 2) + S(2, 1));
    const T c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    const T c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const T det = h00 * c00 + h01 * c01 + h02 * c02;
    const T tr = h00 + h11 + h22;
    const auto definite = (h00 > T(1e-12) * tr) & (c22 > T(1e-14) * tr * tr) &
                          (det > T(1e-16) * tr * tr * tr) & (tr > T(0));
    return select_vector(
        definite,
        Vec3<T>{c00 * g.x + c01 * g.y + c02 * g.z, c01 * g.x + c11 * g.y + c12 * g.z,
                c02 * g.x + c12 * g.y + c22 * g.z},
        g);
}

}  // namespace rotation_detail

/// R and S = RᵀF of the same F.
template <class T>
struct Polar {
    Mat3<T> R, S;
};

namespace rotation_detail {

/// True where S is far from symmetric and where Σ S² = `size` can be compared with.
template <class T>
LIMBER_HD auto is_asymmetric(const Mat3<T>& S, const T& size) {
    return squared_norm(axial(S)) > T(symmetric_enough * symmetric_enough) * size;
}

/// Rounding turns a product of rotations into a random walk away from orthonormal: |R|² has left 3
/// by more than one product can explain.
template <class T>
LIMBER_HD auto has_drifted(const Mat3<T>& R) {
    using std::abs;
    return abs(contract(R, R) - T(3)) > T(1e-14);
}
template <class T>
LIMBER_HD void call_back(Mat3<T>& R) {
    if (any(has_drifted(R))) R = orthonormalised(R);
}

template <class T>
LIMBER_HD void jacobi_sweeps(Mat3<T>& S, Mat3<T>& R, int iterations) {
    const T size = contract(S, S);
    int sweep = 0;
    for (; sweep < iterations && any(is_asymmetric(S, size)); ++sweep) {
        solve_plane<0, 1>(S, R);
        solve_plane<1, 2>(S, R);
        solve_plane<2, 0>(S, R);
    }
    if (sweep > 0) call_back(R);
}

/// False where F is too far from order one for plain sweeps, or R must be called back; R and S then
/// are of no use.
template <class T>
LIMBER_HD bool usual_sweeps(int iterations, Mat3<T>& R, Mat3<T>& S) {
    const T size = contract(S, S);
    if (any(needs_scaling(size))) return false;
    for (int k = 0; k < iterations && any(is_asymmetric(S, size)); ++k) {
        solve_plane<0, 1>(S, R);
        solve_plane<1, 2>(S, R);
        solve_plane<2, 0>(S, R);
    }
    return !any(has_drifted(R));
}

/// One turn by the exact line search along the ascent direction; lanes with `turn` false rest.
template <class T, class Mask>
LIMBER_HD Mat3<T> searched_turn(const Mat3<T>& S, const Mask& turn) {
    using std::sqrt;
    const Vec3<T> g = axial(S);
    const Vec3<T> d = select_vector(turn, ascent_direction(S, g), Vec3<T>{T(1), T(0), T(0)});
    const T inv = T(1) / dot(d, d), b_over_d = select(turn, dot(g, d) * inv, T(0));
    const T a = trace(S) - dot(d, S * d) * inv;
    const T r = sqrt(a * a + b_over_d * b_over_d * dot(d, d));
    return matrix_of_quaternion(select(turn, r + a, T(1)), b_over_d * d);
}

/// Newton with the exact line search, for S of any shape scaled to order one.
template <class T>
LIMBER_HD void searched_turns(Mat3<T>& S, Mat3<T>& R, int iterations) {
    const T size = contract(S, S);
    for (int k = 0; k < iterations; ++k) {
        const auto turn = is_asymmetric(S, size);
        if (!any(turn)) break;
        const Mat3<T> D = searched_turn(S, turn);
        R = R * D;
        S = transpose(D) * S;
    }
    call_back(R);
}

/// Newton's plain step where every lane is near its solution: the quaternion (1, ω/2), ω = H⁻¹g.
/// False, and nothing done, where some lane is not: H not safely positive definite or |ω| > 1/2.
template <class T>
LIMBER_HD bool short_turn(Mat3<T>& S, Mat3<T>& R) {
    const Vec3<T> g = axial(S);
    const T half(0.5);
    const T h00 = S(1, 1) + S(2, 2), h11 = S(0, 0) + S(2, 2), h22 = S(0, 0) + S(1, 1);
    const T h01 = -half * (S(0, 1) + S(1, 0)), h02 = -half * (S(0, 2) + S(2, 0)),
            h12 = -half * (S(1, 2) + S(2, 1));
    const T c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    const T c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const T det = h00 * c00 + h01 * c01 + h02 * c02;
    const Vec3<T> d{c00 * g.x + c01 * g.y + c02 * g.z, c01 * g.x + c11 * g.y + c12 * g.z,
                    c02 * g.x + c12 * g.y + c22 * g.z};  // = det ω
    const T d2 = dot(d, d), four_det2 = T(4) * det * det;
    const auto safe = (h00 > T(0)) & (c22 > T(0)) & (det > T(0)) & (T(4) * d2 < det * det);
    if (any(!safe)) return false;
    // matrix_of_quaternion(1, ω/2) with the two divisions in one.
    const T inv = T(1) / (four_det2 + d2);
    const Vec3<T> e = inv * d;  // D = I + 4 det [e] + 2 [d][e]
    const T w = T(4) * det, two(2);
    const T wx = w * e.x, wy = w * e.y, wz = w * e.z;
    const Vec3<T> d_2 = two * d;
    const T xx = d_2.x * e.x, yy = d_2.y * e.y, zz = d_2.z * e.z;
    const T xy = d_2.x * e.y, xz = d_2.x * e.z, yz = d_2.y * e.z;
    const Mat3<T> D = Mat3<T>::from_columns({T(1) - (yy + zz), xy + wz, xz - wy},
                                            {xy - wz, T(1) - (xx + zz), yz + wx},
                                            {xz + wy, yz - wx, T(1) - (xx + yy)});
    R = R * D;
    S = transpose(D) * S;
    return true;
}

/// R and S by short turns alone; false where that is not enough: F far from order one, a lane far
/// from its solution, or R to be called back. R and S then are of no use.
template <class T>
LIMBER_HD bool short_turns(int iterations, Mat3<T>& R, Mat3<T>& S) {
    const T size = contract(S, S);
    if (any(needs_scaling(size))) return false;
    for (int k = 0; k < iterations && any(is_asymmetric(S, size)); ++k)
        if (!short_turn(S, R)) return false;
    return !any(has_drifted(R));
}

// The rare paths below are kept out of line and take their matrices by value: inlined, they would
// push those of the usual path out of the registers.

template <class T>
[[gnu::noinline]] LIMBER_HD Polar<T> polar_jacobi_scaled(Mat3<T> F, Mat3<T> R, int iterations) {
    Mat3<T> S = transpose(R) * scaled_or(F, R);
    jacobi_sweeps(S, R, iterations);
    return {R, transpose(R) * F};
}

template <class T>
[[gnu::noinline]] LIMBER_HD Polar<T> polar_searched_scaled(Mat3<T> F, Mat3<T> R, int iterations) {
    Mat3<T> S = transpose(R) * scaled_or(F, R);
    searched_turns(S, R, iterations);
    return {R, transpose(R) * F};
}

template <class T>
[[gnu::noinline]] LIMBER_HD Polar<T> polar_searched(Mat3<T> R, Mat3<T> S, int iterations) {
    searched_turns(S, R, iterations);
    return {R, S};
}

}  // namespace rotation_detail

/// Capped Jacobi iteration, warm-started from R_previous: planes (0,1), (1,2), (2,0) are solved in
/// closed form, `iterations` sweeps at most, until S = RᵀF is symmetric enough. Dahl & Bargteil
/// 2019, section 3.3 (after Bridson). Every plane solve increases tr(RᵀF).
/// On entry R is R_previous and S = RᵀF; S stays RᵀF.
template <class T>
LIMBER_HD void polar_jacobi(const Mat3<T>& F, int iterations, Mat3<T>& R, Mat3<T>& S) {
    using namespace rotation_detail;
    if (any(needs_scaling(contract(S, S)))) {
        const Polar<T> p = polar_jacobi_scaled(F, R, iterations);
        R = p.R;
        S = p.S;
        return;
    }
    jacobi_sweeps(S, R, iterations);
}
template <class T>
LIMBER_HD Mat3<T> rotation_jacobi(const Mat3<T>& F, const Mat3<T>& R_previous, int iterations) {
    Mat3<T> R = R_previous, S = transpose(R) * F;
    polar_jacobi(F, iterations, R, S);
    return R;
}

/// Newton's method for max tr(RᵀF) on unit quaternions, warm-started, with the exact line search:
/// about the unit axis n the trace is  const + a cos φ + b sin φ,  a = tr S − n·Sn,  b = g·n,
/// so the best turn is the quaternion (|(a, b)| + a, b n). The direction is H⁻¹g (quadratic
/// convergence, exact for a pure rotation) or g where H is not positive definite, so the trace
/// never falls. Near the solution the plain step is as good and costs less. After Müller, Bender,
/// Chentanez & Macklin 2016, "A robust method to extract the rotational part of deformations", and
/// Kugelstadt, Koschier & Bender 2018, "Fast corotated FEM using operator splitting", whose step
/// lengths are approximations of this one.
/// On entry R is R_previous and S = RᵀF; S stays RᵀF.
template <class T>
LIMBER_HD void polar_quaternion(const Mat3<T>& F, int iterations, Mat3<T>& R, Mat3<T>& S) {
    using namespace rotation_detail;
    const T size = contract(S, S);
    if (any(needs_scaling(size))) {
        const Polar<T> p = polar_searched_scaled(F, R, iterations);
        R = p.R;
        S = p.S;
        return;
    }
    for (int k = 0; k < iterations && any(is_asymmetric(S, size)); ++k)
        if (!short_turn(S, R)) {
            const Polar<T> p = polar_searched(R, S, iterations - k);
            R = p.R;
            S = p.S;
            return;
        }
    call_back(R);
}
template <class T>
LIMBER_HD Mat3<T> rotation_quaternion(const Mat3<T>& F, const Mat3<T>& R_previous, int iterations) {
    Mat3<T> R = R_previous, S = transpose(R) * F;
    polar_quaternion(F, iterations, R, S);
    return R;
}

}  // namespace limber
