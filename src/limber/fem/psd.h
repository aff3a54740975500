// SPDX-License-Identifier: Apache-2.0
#pragma once

// The positive semidefinite matrix nearest to a symmetric one in the Frobenius norm: the same
// eigenvectors, negative eigenvalues set to zero (Higham 1988, "Computing a nearest symmetric
// positive semidefinite matrix", Theorem 2.1).

#include <cmath>

#include "limber/core/lanes.h"
#include "limber/core/math.h"

namespace limber {

/// By a general eigen-decomposition: for what has no eigen-system of its own.
Mat9d nearest_psd(const Mat9d& H);

namespace psd_detail {

/// Turns rows and columns P, Q of the symmetric A until A_PQ = 0, and the columns of `vectors`
/// alike: Jacobi's rotation.
template <int P, int Q, class T>
LIMBER_HD void diagonalise_plane(Mat3<T>& A, Mat3<T>& vectors) {
    using std::abs;
    using std::sqrt;
    const T d = A(Q, Q) - A(P, P), g = A(P, Q);
    const T size = abs(d) + sqrt(d * d + T(4) * g * g);
    const auto ok = size > T(0);
    T t = T(2) * g / select(ok, size, T(1));
    t = select(d < T(0), -t, t);
    const T c = T(1) / sqrt(T(1) + t * t), s = c * t;
    for (int k = 0; k < 3; ++k) {
        const T ap = A(k, P), aq = A(k, Q), vp = vectors(k, P), vq = vectors(k, Q);
        A(k, P) = c * ap - s * aq;
        A(k, Q) = s * ap + c * aq;
        vectors(k, P) = c * vp - s * vq;
        vectors(k, Q) = s * vp + c * vq;
    }
    for (int k = 0; k < 3; ++k) {
        const T ap = A(P, k), aq = A(Q, k);
        A(P, k) = c * ap - s * aq;
        A(Q, k) = s * ap + c * aq;
    }
}

}  // namespace psd_detail

/// The same for 3x3, by Jacobi's rotations. A matrix that is semidefinite comes back unchanged.
template <class T>
LIMBER_HD Mat3<T> nearest_psd(const Mat3<T>& matrix) {
    using namespace psd_detail;
    Mat3<T> A = matrix, Q = Mat3<T>::identity();
    const T limit = T(is_single<T> ? 1e-15 : 1e-33) * contract(A, A);
    for (int sweep = 0; sweep < 10; ++sweep) {
        if (!any(A(0, 1) * A(0, 1) + A(0, 2) * A(0, 2) + A(1, 2) * A(1, 2) > limit)) break;
        diagonalise_plane<0, 1>(A, Q);
        diagonalise_plane<0, 2>(A, Q);
        diagonalise_plane<1, 2>(A, Q);
    }
    const T zero(0);
    const auto definite = (A(0, 0) >= zero) & (A(1, 1) >= zero) & (A(2, 2) >= zero);
    if (!any(!definite)) return matrix;
    Mat3<T> out;
    for (int k = 0; k < 3; ++k)
        out += outer(Q.col(k), Q.col(k)) * select(A(k, k) > zero, A(k, k), zero);
    for (int i = 0; i < 9; ++i) out.a[i] = select(definite, matrix.a[i], out.a[i]);
    return out;
}

}  // namespace limber
