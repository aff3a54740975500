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

#include "limber/core/math.h"
#include "limber/core/simd.h"

namespace limber {

namespace rotation_detail {

// Asymmetry |S - Sᵀ| / |F| at which a capped kernel stops. Strain sees the square of the angle
// that is left, so this is below rounding there.
inline constexpr double symmetric_enough = 1e-8;

template <class Mask, class T>
LIMBER_HD Mat3<T> select_matrix(const Mask& mask, const Mat3<T>& a, const Mat3<T>& b) {
    Mat3<T> out;
    for (int i = 0; i < 9; ++i) out.a[i] = select(mask, a.a[i], b.a[i]);
    return out;
}

template <class Mask, class T>
LIMBER_HD Vec3<T> select_vector(const Mask& mask, const Vec3<T>& a, const Vec3<T>& b) {
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

/// F scaled to Σ|F_ij| = 1, or `otherwise` where F has no direction. R does not depend on scale,
/// and scaled entries can be squared without overflow.
template <class T>
LIMBER_HD Mat3<T> scaled_or(const Mat3<T>& F, const Mat3<T>& otherwise) {
    using std::abs;
    T sum = abs(F.a[0]);
    for (int i = 1; i < 9; ++i) sum += abs(F.a[i]);
    const auto usable = (sum > T(1e-290)) & (sum < T(1e290));  // false for NaN
    const T scale = T(1) / select(usable, sum, T(1));
    Mat3<T> out;
    for (int i = 0; i < 9; ++i) out.a[i] = select(usable, F.a[i] * scale, otherwise.a[i]);
    return out;
}

/// One Newton step for RᵀR = I: the error e of a nearly orthonormal R becomes 3/4 e².
template <class T>
LIMBER_HD Mat3<T> orthonormalised(const Mat3<T>& R) {
    const T half(0.5);
    const Vec3<T> c0 = R.col(0), c1 = R.col(1), c2 = R.col(2);
    const T e01 = half * dot(c0, c1), e02 = half * dot(c0, c2), e12 = half * dot(c1, c2);
    const T d0 = T(1.5) - half * dot(c0, c0), d1 = T(1.5) - half * dot(c1, c1),
            d2 = T(1.5) - half * dot(c2, c2);
    return Mat3<T>::from_columns(d0 * c0 - e01 * c1 - e02 * c2, d1 * c1 - e01 * c0 - e12 * c2,
                                 d2 * c2 - e02 * c0 - e12 * c1);
}

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
    const auto ok = n2 > T(1e-280);
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
    // Entries are of order one (scaled_or): thresholds are absolute.
    const auto definite = (h00 > T(1e-12)) & (c22 > T(1e-14)) & (det > T(1e-16));
    return select_vector(
        definite,
        Vec3<T>{c00 * g.x + c01 * g.y + c02 * g.z, c01 * g.x + c11 * g.y + c12 * g.z,
                c02 * g.x + c12 * g.y + c22 * g.z},
        g);
}

/// Turns columns p, q of B (and of V alike) until they are orthogonal: one-sided Jacobi (Hestenes).
template <int P, int Q, class T>
LIMBER_HD void orthogonalise_columns(Mat3<T>& B, Mat3<T>& V) {
    using std::abs;
    using std::sqrt;
    const Vec3<T> p = B.col(P), q = B.col(Q);
    const T gamma = dot(p, q), d = dot(q, q) - dot(p, p);
    const T size = abs(d) + sqrt(d * d + T(4) * gamma * gamma);
    const auto ok = size > T(1e-280);
    T t = T(2) * gamma / select(ok, size, T(1));
    t = select(ok, select(d < T(0), -t, t), T(0));
    t = select(t > T(1), T(1), select(t < T(-1), T(-1), t));  // |t| <= 1 but for underflow
    const T c = T(1) / sqrt(T(1) + t * t), s = c * t;
    for (int k = 0; k < 3; ++k) {
        const T bp = B(k, P), bq = B(k, Q), vp = V(k, P), vq = V(k, Q);
        B(k, P) = c * bp - s * bq;
        B(k, Q) = s * bp + c * bq;
        V(k, P) = c * vp - s * vq;
        V(k, Q) = s * vp + c * vq;
    }
}

/// Brings the longer of columns p, q of B first; the other is negated, so that det V stays +1.
template <int P, int Q, class T>
LIMBER_HD void longer_first(Mat3<T>& B, Mat3<T>& V) {
    const auto swap = dot(B.col(P), B.col(P)) < dot(B.col(Q), B.col(Q));
    for (int k = 0; k < 3; ++k) {
        const T bp = B(k, P), bq = B(k, Q), vp = V(k, P), vq = V(k, Q);
        B(k, P) = select(swap, bq, bp);
        B(k, Q) = select(swap, -bp, bq);
        V(k, P) = select(swap, vq, vp);
        V(k, Q) = select(swap, -vp, vq);
    }
}

/// A lane whose columns P, Q are not yet orthogonal to rounding.
template <int P, int Q, class T>
LIMBER_HD auto not_orthogonal(const Mat3<T>& B) {
    const T gamma = dot(B.col(P), B.col(Q));
    const T limit = dot(B.col(P), B.col(P)) * dot(B.col(Q), B.col(Q));
    return gamma * gamma > T(1e-31) * limit + T(1e-280);
}

/// The unit vector along w made orthogonal to the unit vector u, or some unit vector orthogonal to
/// u where w is along u or zero.
template <class T>
LIMBER_HD Vec3<T> unit_orthogonal(const Vec3<T>& u, Vec3<T> w) {
    using std::abs;
    using std::sqrt;
    w -= dot(u, w) * u;
    T n2 = dot(w, w);
    const auto ok = n2 > T(1e-280);
    // Along the axis that u points along least.
    const T ax = abs(u.x), ay = abs(u.y), az = abs(u.z);
    const auto use_x = (ax <= ay) & (ax <= az);
    const T x = select(use_x, T(1), T(0));
    const T y = select(use_x, T(0), select(ay <= az, T(1), T(0)));
    const Vec3<T> axis{x, y, T(1) - x - y};
    w = select_vector(ok, w, axis);
    w *= T(1) / sqrt(dot(w, w));
    w -= dot(u, w) * u;  // again: the first time may have cancelled most digits
    return w * (T(1) / sqrt(dot(w, w)));
}

}  // namespace rotation_detail

/// Capped Jacobi iteration, warm-started from R_previous: planes (0,1), (1,2), (2,0) are solved in
/// closed form, `iterations` sweeps at most, until S = RᵀF is symmetric enough. Dahl & Bargteil
/// 2019, section 3.3 (after Bridson). Every plane solve increases tr(RᵀF).
template <class T>
LIMBER_HD Mat3<T> rotation_jacobi(const Mat3<T>& F, const Mat3<T>& R_previous, int iterations) {
    using namespace rotation_detail;
    Mat3<T> R = R_previous;
    Mat3<T> S = transpose(R) * scaled_or(F, R_previous);
    for (int sweep = 0; sweep < iterations; ++sweep) {
        if (!any(squared_norm(axial(S)) > T(symmetric_enough * symmetric_enough))) break;
        solve_plane<0, 1>(S, R);
        solve_plane<1, 2>(S, R);
        solve_plane<2, 0>(S, R);
    }
    return orthonormalised(R);  // else rounding would add up over the steps of a run
}

/// Newton's method for max tr(RᵀF) on unit quaternions, warm-started, with the exact line search:
/// about the unit axis n the trace is  const + a cos φ + b sin φ,  a = tr S − n·Sn,  b = g·n,
/// so the best turn is the quaternion (|(a, b)| + a, b n). The direction is H⁻¹g (quadratic
/// convergence, exact for a pure rotation) or g where H is not positive definite, so the trace
/// never falls. After Müller, Bender, Chentanez & Macklin 2016, "A robust method to extract the
/// rotational part of deformations", and Kugelstadt, Koschier & Bender 2018, "Fast corotated FEM
/// using operator splitting", whose step lengths are approximations of this one.
template <class T>
LIMBER_HD Mat3<T> rotation_quaternion(const Mat3<T>& F, const Mat3<T>& R_previous, int iterations) {
    using namespace rotation_detail;
    using std::sqrt;
    Mat3<T> R = R_previous;
    Mat3<T> S = transpose(R) * scaled_or(F, R_previous);
    for (int k = 0; k < iterations; ++k) {
        const Vec3<T> g = axial(S);
        const auto turn = squared_norm(g) > T(symmetric_enough * symmetric_enough);
        if (!any(turn)) break;
        Vec3<T> d = select_vector(turn, ascent_direction(S, g), Vec3<T>{T(1), T(0), T(0)});
        const T inv = T(1) / dot(d, d), b_over_d = select(turn, dot(g, d) * inv, T(0));
        const T a = trace(S) - dot(d, S * d) * inv;
        const T r = sqrt(a * a + b_over_d * b_over_d * dot(d, d));
        // a < 0 and b = 0 would be a turn by π about any axis; `turn` excludes it.
        const T w = select(turn, r + a, T(1));
        const Mat3<T> D = matrix_of_quaternion(w, b_over_d * d);
        R = R * D;
        S = transpose(D) * S;
    }
    return orthonormalised(R);
}

/// From the singular value decomposition F = U Σ Vᵀ by one-sided Jacobi, R = U Vᵀ with det U =
/// det V = +1. Converges from any start: `iterations` and the warm start are not used, but
/// R_previous stands in where F has no direction. Irving et al. 2004, section 5.
template <class T>
LIMBER_HD Mat3<T> rotation_svd(const Mat3<T>& F, const Mat3<T>& R_previous, int = 0) {
    using namespace rotation_detail;
    using std::sqrt;
    Mat3<T> B = scaled_or(F, R_previous), V = Mat3<T>::identity();
    for (int sweep = 0; sweep < 12; ++sweep) {  // 4 to 6 are usual: the last ones converge
                                                // quadratically
        if (!any(not_orthogonal<0, 1>(B) | not_orthogonal<0, 2>(B) | not_orthogonal<1, 2>(B)))
            break;
        orthogonalise_columns<0, 1>(B, V);
        orthogonalise_columns<0, 2>(B, V);
        orthogonalise_columns<1, 2>(B, V);
    }
    longer_first<0, 1>(B, V);
    longer_first<1, 2>(B, V);
    longer_first<0, 1>(B, V);
    const Vec3<T> u0 = B.col(0) * (T(1) / sqrt(dot(B.col(0), B.col(0))));
    const Vec3<T> u1 = unit_orthogonal(u0, B.col(1));
    return orthonormalised(Mat3<T>::from_columns(u0, u1, cross(u0, u1)) * transpose(V));
}

/// R without iteration on matrices: s = tr S is the largest root of
///   s⁴ − 2 I s² − 8 J s + I² − 4 II = 0,  I = |F|², II = |cof F|², J = det F,
/// (from s² = I + 2m, m² = II + 2Js, with m the second invariant of S), and its gradient is the
/// rotation:  R = ∂s/∂F = ((s² + I) F + 2 s cof F − 2 F FᵀF) / (s³ − I s − 2J).
/// The denominator is 2 (σ₁+σ₂)(σ₁+σ₃)(σ₂+σ₃): where it is small the SVD takes over.
template <class T>
LIMBER_HD Mat3<T> rotation_exact(const Mat3<T>& F_any_scale, const Mat3<T>& R_previous) {
    using namespace rotation_detail;
    using std::abs;
    using std::sqrt;
    const Mat3<T> F = scaled_or(F_any_scale, R_previous), C = transpose(F) * F, cof = cofactor(F);
    const T I = trace(C), II = contract(cof, cof), J = dot(F.col(0), cof.col(0));
    const T constant = I * I - T(4) * II;
    T s = sqrt(T(3) * I);  // >= the root; the quartic is convex from there on: Newton is monotone
    T step(0);
    for (int k = 0; k < 12; ++k) {
        const T p = ((s * s - T(2) * I) * s - T(8) * J) * s + constant;
        const T slope = T(4) * ((s * s - I) * s - T(2) * J);
        step = p / select(slope > T(1e-12), slope, T(1));
        s -= step;
        if (!any(abs(step) > T(1e-9))) break;  // quadratic: the next step would be 1e-17
    }
    const T denominator = (s * s - I) * s - T(2) * J;
    // Rounding reaches R as 1e-16 / denominator²; a lane still on its way is left to the SVD too.
    const auto ok = (denominator > T(1e-2) * I * sqrt(I)) & (abs(step) <= T(1e-9));
    const T inv = T(1) / select(ok, denominator, T(1));
    const Mat3<T> R = orthonormalised(inv * ((s * s + I) * F + (T(2) * s) * cof - T(2) * (F * C)));
    if (!any(!ok)) return R;
    return select_matrix(ok, R, rotation_svd(F_any_scale, R_previous));
}

}  // namespace limber
