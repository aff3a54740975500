// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "limber/core/math.h"
#include "limber/fem/block_scatter.h"
#include "limber/fem/lame.h"
#include "limber/fem/potential.h"

namespace limber {

/// A triangle of a thin sheet that resists stretching alone: St. Venant-Kirchhoff in plane stress,
///
///   E = V (μ E:E + λ*/2 tr²E),   E = ½ (FᵀF − I),   F = Σ x_a g_aᵀ  (3x2),
///
/// with V = area times thickness and λ* = 2 λ μ / (λ + 2 μ): the sheet is free to become thinner,
/// so that nothing presses on its faces.
struct Membrane {
    static constexpr int n_nodes = 3;
    struct Vec2 {
        double x = 0, y = 0;
    };
    /// S = 2 μ E + λ* tr(E) I, symmetric [Pa].
    template <class T>
    struct Stress2 {
        T xx, xy, yy;
    };

    std::array<Index, 3> nodes{};
    std::array<Vec2, 3> g{};  // gradients of the shape functions in the rest plane [1/m]
    double volume = 0;        // [m³]
    double mu = 0;            // [Pa]
    double lambda = 0;        // λ* [Pa]

    /// `x`: the corners at rest.
    static Membrane make(const std::array<Index, 3>& nodes, const std::array<Vec3d, 3>& x,
                         double thickness, const Lame& lame);

    template <class T>
    LIMBER_HD T energy(const std::array<Vec3<T>, 3>& x) const {
        const Stress2<T> e = strain(columns(x));
        const T tr = e.xx + e.yy;
        return T(volume) * (T(mu) * (e.xx * e.xx + e.yy * e.yy + T(2) * e.xy * e.xy) +
                            T(0.5 * lambda) * tr * tr);
    }

    /// ∂E/∂x_a = V F S g_a
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 3> gradient(const std::array<Vec3<T>, 3>& x) const {
        const std::array<Vec3<T>, 2> F = columns(x);
        const Stress2<T> s = stress(strain(F));
        const Vec3<T> p = T(volume) * (F[0] * s.xx + F[1] * s.xy);
        const Vec3<T> q = T(volume) * (F[0] * s.xy + F[1] * s.yy);
        std::array<Vec3<T>, 3> out;
        for (int a = 0; a < 3; ++a) out[a] = p * T(g[a].x) + q * T(g[a].y);
        return out;
    }

    /// K_ab = V ((g_aᵀ S g_b) I + μ ((g_a·g_b) F Fᵀ + p_b p_aᵀ) + λ* p_a p_bᵀ),  p_a = F g_a.
    /// The terms with μ and λ* are positive semidefinite together; projection drops the compressive
    /// eigenvalues of S from the first, which makes it so as well.
    template <class T>
    LIMBER_HD std::array<Mat3<T>, 6> hessian(const std::array<Vec3<T>, 3>& x,
                                             HessianKind kind) const {
        const std::array<Vec3<T>, 2> F = columns(x);
        Stress2<T> s = stress(strain(F));
        if (kind == HessianKind::projected) s = tensile_part(s);
        const Mat3<T> FFt = outer(F[0], F[0]) + outer(F[1], F[1]);
        std::array<Vec3<T>, 3> p;
        for (int a = 0; a < 3; ++a) p[a] = T(g[a].x) * F[0] + T(g[a].y) * F[1];
        std::array<Mat3<T>, 6> K;
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b) {
                const T ax(g[a].x), ay(g[a].y), bx(g[b].x), by(g[b].y);
                const T initial = s.xx * ax * bx + s.yy * ay * by + s.xy * (ax * by + ay * bx);
                const T gg = ax * bx + ay * by;
                K[BlockScatter<3>::pair(a, b)] =
                    T(volume) *
                    (Mat3<T>::diagonal(initial, initial, initial) +
                     T(mu) * (gg * FFt + outer(p[b], p[a])) + T(lambda) * outer(p[a], p[b]));
            }
        return K;
    }
    /// The part of a symmetric 2x2 matrix with eigenvalues >= 0.
    template <class T>
    LIMBER_HD static Stress2<T> tensile_part(const Stress2<T>& s) {
        const T mean = T(0.5) * (s.xx + s.yy), half = T(0.5) * (s.xx - s.yy);
        const T radius = std::hypot(half, s.xy);
        const T high = mean + radius, low = mean - radius;
        if (low >= T(0)) return s;
        if (high <= T(0)) return {T(0), T(0), T(0)};
        // high n nᵀ, with n nᵀ = (S − low I) / (high − low)
        const T scale = high / (T(2) * radius);
        return {scale * (s.xx - low), scale * s.xy, scale * (s.yy - low)};
    }

    /// Columns of F.
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 2> columns(const std::array<Vec3<T>, 3>& x) const {
        const Vec3<T> u = x[1] - x[0], v = x[2] - x[0];  // Σ g_a = 0
        return {u * T(g[1].x) + v * T(g[2].x), u * T(g[1].y) + v * T(g[2].y)};
    }
    template <class T>
    LIMBER_HD Stress2<T> strain(const std::array<Vec3<T>, 2>& F) const {
        return {T(0.5) * (dot(F[0], F[0]) - T(1)), T(0.5) * dot(F[0], F[1]),
                T(0.5) * (dot(F[1], F[1]) - T(1))};
    }
    template <class T>
    LIMBER_HD Stress2<T> stress(const Stress2<T>& e) const {
        const T p = T(lambda) * (e.xx + e.yy);
        return {T(2 * mu) * e.xx + p, T(2 * mu) * e.xy, T(2 * mu) * e.yy + p};
    }
};

/// What output needs of a triangle of cloth.
struct MembraneMeasure {
    double area_ratio = 1;  // of the area now to that at rest
    double von_mises = 0;   // of the Cauchy stress of the sheet [Pa]; 0 without area
};
MembraneMeasure measure(const Membrane& membrane, const std::array<Vec3d, 3>& x);

}  // namespace limber
