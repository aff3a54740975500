// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rotation R of F = R S by methods that need no start: the singular value decomposition and the
// closed form. fem/rotation/rotation.h says what R is and what all kernels have in common.

#include <cmath>

#include "limber/core/lanes.h"
#include "limber/core/math.h"

namespace limber {

namespace rotation_detail {

/// Thresholds of the number type of T.
template <class T>
struct Thresholds {
    // Sums and squared lengths below have no direction.
    static constexpr double smallest = is_single<T> ? 1e-30 : 1e-290;
    static constexpr double largest = is_single<T> ? 1e30 : 1e290;
    static constexpr double squared_length = is_single<T> ? 1e-36 : 1e-280;
    // Squares inside these need no scaling.
    static constexpr double plain_lo = is_single<T> ? 1e-8 : 1e-30;
    static constexpr double plain_hi = is_single<T> ? 1e8 : 1e30;
    // Squared cosine of columns that are orthogonal to rounding.
    static constexpr double squared_cosine = is_single<T> ? 1e-13 : 1e-31;
    // Relative step after which the next one of Newton's is below rounding.
    static constexpr double root_step = is_single<T> ? 1e-4 : 1e-9;
    // Rounding reaches R as ε / denominator².
    static constexpr double denominator = is_single<T> ? 0.25 : 1e-2;
};

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
    const auto usable =
        (sum > T(Thresholds<T>::smallest)) & (sum < T(Thresholds<T>::largest));  // false for NaN
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

/// Lanes whose squares may overflow, underflow or are not finite.
template <class T>
LIMBER_HD auto needs_scaling(const T& size) {
    return !((size > T(Thresholds<T>::plain_lo)) & (size < T(Thresholds<T>::plain_hi)));
}

/// Turns columns p, q of B (and of V alike) until they are orthogonal: one-sided Jacobi (Hestenes).
template <int P, int Q, class T>
LIMBER_HD void orthogonalise_columns(Mat3<T>& B, Mat3<T>& V) {
    using std::abs;
    using std::sqrt;
    const Vec3<T> p = B.col(P), q = B.col(Q);
    const T gamma = dot(p, q), d = dot(q, q) - dot(p, p);
    const T size = abs(d) + sqrt(d * d + T(4) * gamma * gamma);
    const auto ok = size > T(Thresholds<T>::squared_length);
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
    return gamma * gamma >
           T(Thresholds<T>::squared_cosine) * limit + T(Thresholds<T>::squared_length);
}

/// The unit vector along w made orthogonal to the unit vector u, or some unit vector orthogonal to
/// u where w is along u or zero.
template <class T>
LIMBER_HD Vec3<T> unit_orthogonal(const Vec3<T>& u, Vec3<T> w) {
    using std::abs;
    using std::sqrt;
    w -= dot(u, w) * u;
    T n2 = dot(w, w);
    const auto ok = n2 > T(Thresholds<T>::squared_length);
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

/// F = U diag(s) Vᵀ with rotations U and V: s₀ >= s₁ >= |s₂|, and s₂ takes the sign of det F.
template <class T>
struct SignedSvd {
    Mat3<T> U, V;
    Vec3<T> s;
};

namespace rotation_detail {

/// U and V by one-sided Jacobi, from any start; those of `otherwise` where F has no direction.
template <class T>
LIMBER_HD void svd_frames(const Mat3<T>& F, const Mat3<T>& otherwise, Mat3<T>& U, Mat3<T>& V) {
    using std::sqrt;
    Mat3<T> B = scaled_or(F, otherwise);
    V = Mat3<T>::identity();
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
    U = Mat3<T>::from_columns(u0, u1, cross(u0, u1));
}

}  // namespace rotation_detail

/// The singular value decomposition with the sign in s₂. Irving et al. 2004, section 5.
template <class T>
LIMBER_HD SignedSvd<T> signed_svd(const Mat3<T>& F) {
    SignedSvd<T> out;
    rotation_detail::svd_frames(F, Mat3<T>::identity(), out.U, out.V);
    const Mat3<T> FV = F * out.V;
    out.s = {dot(out.U.col(0), FV.col(0)), dot(out.U.col(1), FV.col(1)),
             dot(out.U.col(2), FV.col(2))};
    return out;
}

/// R = U Vᵀ of the signed decomposition. `iterations` and the warm start are not used, but
/// R_previous stands in where F has no direction.
template <class T>
LIMBER_HD Mat3<T> rotation_svd(const Mat3<T>& F, const Mat3<T>& R_previous, int = 0) {
    Mat3<T> U, V;
    rotation_detail::svd_frames(F, R_previous, U, V);
    return rotation_detail::orthonormalised(U * transpose(V));
}

namespace rotation_detail {

/// Out of line, and by value: inlined it would push the matrices of the usual path of its caller
/// out of the registers.
template <class T>
[[gnu::noinline]] LIMBER_HD Mat3<T> rotation_svd_apart(Mat3<T> F, Mat3<T> R_previous) {
    return rotation_svd(F, R_previous);
}

}  // namespace rotation_detail

/// R without iteration on matrices: s = tr S is the largest root of
///   s⁴ − 2 I s² − 8 J s + I² − 4 II = 0,  I = |F|², II = |cof F|², J = det F,
/// (from s² = I + 2m, m² = II + 2Js, with m the second invariant of S), and its gradient is the
/// rotation:  R = ∂s/∂F = ((s² + I) F + 2 s cof F − 2 F FᵀF) / (s³ − I s − 2J).
/// The denominator is 2 (σ₁+σ₂)(σ₁+σ₃)(σ₂+σ₃): where it is small in a lane the SVD does them all.
template <class T>
LIMBER_HD Mat3<T> rotation_exact(const Mat3<T>& F, const Mat3<T>& R_previous) {
    using namespace rotation_detail;
    using std::abs;
    using std::sqrt;
    const Mat3<T> cof = cofactor(F);
    const T I = contract(F, F), II = contract(cof, cof), J = dot(F.col(0), cof.col(0));
    if (any(needs_scaling(I))) return rotation_svd_apart(F, R_previous);
    const T constant = I * I - T(4) * II;
    T s = sqrt(T(3) * I);  // >= the root; the quartic is convex from there on: Newton is monotone
    const T tolerance = T(Thresholds<T>::root_step) * s;
    T step(0);
    for (int k = 0; k < 12; ++k) {
        const T p = ((s * s - T(2) * I) * s - T(8) * J) * s + constant;
        const T slope = T(4) * ((s * s - I) * s - T(2) * J);
        step = p / select(slope > T(0), slope, T(1));
        s -= step;
        if (!any(abs(step) > tolerance)) break;  // quadratic: the next is below rounding
    }
    const T denominator = (s * s - I) * s - T(2) * J;
    // A lane still on its way is left to the SVD too.
    const auto ok =
        (denominator > T(Thresholds<T>::denominator) * I * sqrt(I)) & (abs(step) <= tolerance);
    if (any(!ok)) return rotation_svd_apart(F, R_previous);
    const T inv = T(1) / denominator, f = inv * (s * s + I), c = T(2) * inv * s, t = T(-2) * inv;
    const Mat3<T> C = transpose(F) * F;
    return orthonormalised(f * F + c * cof + t * (F * C));
}

}  // namespace limber
