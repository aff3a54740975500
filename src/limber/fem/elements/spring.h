// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "limber/core/math.h"
#include "limber/fem/potential.h"

namespace limber {

/// A line element under Hooke's law, E = k/2 (|x_1 − x_0| − L)² (Wang & Yang 2016, section 5). Two
/// nodes in one place exert no force on each other: the direction is lost.
struct Spring {
    static constexpr int n_nodes = 2;
    std::array<Index, 2> nodes{};
    double stiffness = 0;  // k [N/m]
    double length = 0;     // L, at rest [m]

    template <class T>
    LIMBER_HD T energy(const std::array<Vec3<T>, 2>& x) const {
        const T stretch = norm(x[1] - x[0]) - T(length);
        return T(0.5 * stiffness) * stretch * stretch;
    }

    /// ∂E/∂x_1 = k (l − L) n = −∂E/∂x_0 with the direction n from node 0 to node 1.
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 2> gradient(const std::array<Vec3<T>, 2>& x) const {
        const Vec3<T> d = x[1] - x[0];
        const T l = norm(d);
        if (!(l > T(0))) return {};
        const Vec3<T> f = (T(stiffness) * (l - T(length)) / l) * d;
        return {-f, f};
    }

    /// k (n nᵀ + (1 − L/l) (I − n nᵀ)). The second part is negative in a compressed spring alone,
    /// which buckles sideways: without it the matrix is the nearest positive semidefinite one.
    template <class T>
    LIMBER_HD std::array<Mat3<T>, 3> hessian(const std::array<Vec3<T>, 2>& x,
                                             HessianKind kind) const {
        const Vec3<T> d = x[1] - x[0];
        const T l = norm(d);
        if (!(l > T(0))) return {};
        const Mat3<T> along = (T(1) / (l * l)) * outer(d, d);
        T across = T(1) - T(length) / l;
        if (kind == HessianKind::projected && across < T(0)) across = T(0);
        const Mat3<T> K = T(stiffness) * (along + across * (Mat3<T>::identity() - along));
        return {K, T(-1) * K, K};
    }

    /// The constant matrix above every Hessian of the element: that of projective dynamics.
    std::array<Mat3d, 3> upper_hessian() const {
        const Mat3d K = Mat3d::diagonal(stiffness, stiffness, stiffness);
        return {K, -1.0 * K, K};
    }
};

}  // namespace limber
