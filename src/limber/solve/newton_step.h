// SPDX-License-Identifier: Apache-2.0
#pragma once

// The step of one node in vertex block descent (Chen et al. 2024), for host and device.

#include <cmath>

#include "limber/core/math.h"
#include "limber/fem/psd.h"

namespace limber {

namespace newton_step_detail {

LIMBER_HD inline double larger(double a, double b) {
    return a < b ? b : a;
}

/// L Lᵀ d = −g where H is safely positive definite. False: it is not.
LIMBER_HD inline bool solve_definite(const Mat3d& H, const Vec3d& g, Vec3d& d) {
    const double floor = 1e-8 * (std::abs(H(0, 0)) + std::abs(H(1, 1)) + std::abs(H(2, 2)));
    const double d0 = H(0, 0);
    if (!(d0 > floor)) return false;
    const double l1 = H(1, 0) / d0, l2 = H(2, 0) / d0;
    const double d1 = H(1, 1) - l1 * H(1, 0);
    if (!(d1 > floor)) return false;
    const double m = H(2, 1) - l2 * H(1, 0), l3 = m / d1;
    const double d2 = H(2, 2) - l2 * H(2, 0) - l3 * m;
    if (!(d2 > floor)) return false;
    const double y0 = -g.x, y1 = -g.y - l1 * y0, y2 = -g.z - l2 * y0 - l3 * y1;
    d.z = y2 / d2;
    d.y = y1 / d1 - l3 * d.z;
    d.x = y0 / d0 - l1 * d.y - l2 * d.z;
    return true;
}

}  // namespace newton_step_detail

/// Solves H d = −g over the axes whose bit in `pinned` is 0 with |H|: eigenvalues by their absolute
/// values, none below 1e-10 of the largest. g·d < 0 unless g is 0 there.
LIMBER_HD inline Vec3d newton_step(const Mat3d& H, const Vec3d& g, unsigned char pinned) {
    using newton_step_detail::larger;
    Mat3d A = H;
    Vec3d r = g, d;
    const double own = trace(H) / 3;  // does not matter: its row and column are empty
    for (int k = 0; k < 3; ++k) {
        if (!(pinned >> k & 1)) continue;
        for (int j = 0; j < 3; ++j) A(k, j) = A(j, k) = 0;
        A(k, k) = own > 0 ? own : 1;
        r[k] = 0;
    }
    if (newton_step_detail::solve_definite(A, r, d)) return d;
    Mat3d Q = Mat3d::identity();
    for (int sweep = 0; sweep < 10; ++sweep) {
        psd_detail::diagonalise_plane<0, 1>(A, Q);
        psd_detail::diagonalise_plane<0, 2>(A, Q);
        psd_detail::diagonalise_plane<1, 2>(A, Q);
    }
    const double largest = larger(std::abs(A(0, 0)), larger(std::abs(A(1, 1)), std::abs(A(2, 2))));
    if (!(largest > 1e-200)) return -r;
    d = {};
    for (int k = 0; k < 3; ++k) {
        const Vec3d q = Q.col(k);
        d -= (dot(q, r) / larger(std::abs(A(k, k)), 1e-10 * largest)) * q;
    }
    for (int k = 0; k < 3; ++k)
        if (pinned >> k & 1) d[k] = 0;
    return d;
}

}  // namespace limber
