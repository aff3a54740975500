// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bending of a sheet at an edge (nodes 0 and 1) between two triangles (with nodes 2 and 3). Both
// forms store
//
//   E = D/2 |e|²/A (θ − θ₀)²
//
// near rest, with the bending rigidity D [N m], the length |e| of the edge, the area A of both
// triangles and the angle θ between their normals. The factor: a sheet of equilateral triangles
// bent into a cylinder of curvature κ about any axis in its plane then holds D κ²/2 per area, as a
// plate does, and so does one of squares cut in two bent along its sides. (Grinspun et al. 2003 and
// Bergou et al. 2006 leave the factor to the user; Seung & Nelson 1988 have it for the equilateral
// lattice.)
//
// Two forms, because the first is by far the cheaper and cannot have a bent rest shape:
// - FlatHinge, for flat rest: quadratic in x, its Hessian is constant and positive semidefinite.
// - Hinge, for any rest angle: by the angle itself.

#include <array>
#include <cmath>

#include "limber/core/math.h"
#include "limber/fem/block_scatter.h"
#include "limber/fem/potential.h"

namespace limber {

/// Quadratic bending (Bergou et al. 2006): with t_1 and t_2 the unit vectors from nodes 2 and 3
/// straight to the edge, |e| (t_1 + t_2) = Σ c_a x_a as long as the triangles keep their shape; it
/// has length 2 |e| sin(θ/2). E = ½ |Σ w_a x_a|² with w = sqrt(D/A) c.
struct FlatHinge {
    static constexpr int n_nodes = 4;
    std::array<Index, 4> nodes{};
    std::array<double, 4> w{};  // [sqrt(N/m)], add up to 0

    /// `x`: the nodes at rest; the rigidity in N m. The triangles' shapes count, not their angle.
    static FlatHinge make(const std::array<Index, 4>& nodes, const std::array<Vec3d, 4>& x,
                          double rigidity);

    template <class T>
    LIMBER_HD Vec3<T> bend(const std::array<Vec3<T>, 4>& x) const {
        const Vec3<T>& o = x[0];  // differences first: they are small in float
        return T(w[1]) * (x[1] - o) + T(w[2]) * (x[2] - o) + T(w[3]) * (x[3] - o);
    }
    template <class T>
    LIMBER_HD T energy(const std::array<Vec3<T>, 4>& x) const {
        return T(0.5) * squared_norm(bend(x));
    }
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 4> gradient(const std::array<Vec3<T>, 4>& x) const {
        const Vec3<T> b = bend(x);
        return {T(w[0]) * b, T(w[1]) * b, T(w[2]) * b, T(w[3]) * b};
    }
    template <class T>
    LIMBER_HD std::array<Mat3<T>, 10> hessian(const std::array<Vec3<T>, 4>&, HessianKind) const {
        std::array<Mat3<T>, 10> K;
        for (int a = 0; a < 4; ++a)
            for (int b = a; b < 4; ++b) {
                const T k = T(w[a]) * T(w[b]);
                K[BlockScatter<4>::pair(a, b)] = Mat3<T>::diagonal(k, k, k);
            }
        return K;
    }
    std::array<Mat3d, 10> upper_hessian() const {
        return hessian(std::array<Vec3d, 4>{}, HessianKind::exact);
    }
};

/// E = k/2 (θ − θ₀)² with k = D |e|²/A of the rest shape; the difference of angles is taken within
/// ±π, so that a sheet that folds through itself changes side.
struct Hinge {
    static constexpr int n_nodes = 4;
    std::array<Index, 4> nodes{};
    double stiffness = 0;   // k [N m]
    double angle = 0;       // θ₀ [rad]
    double edge_floor = 0;  // of |e|² [m²] and of the squared normals [m⁴]: a hundredth
    std::array<double, 2>
        normal_floor{};  // of the lengths at rest; below, derivatives stay bounded

    static Hinge make(const std::array<Index, 4>& nodes, const std::array<Vec3d, 4>& x,
                      double rigidity);

    /// Zero when flat; positive when nodes 2 and 3 lie below the edge, seen from where the normals
    /// point.
    template <class T>
    LIMBER_HD static T angle_of(const std::array<Vec3<T>, 4>& x) {
        using std::atan2;
        const Vec3<T> e = x[1] - x[0];
        const Vec3<T> n1 = cross(e, x[2] - x[0]), n2 = cross(x[3] - x[0], e);
        return atan2(dot(cross(n1, n2), e), norm(e) * dot(n1, n2));
    }
    /// ∂θ/∂x: nodes 2 and 3 turn about the edge with arms |n|/|e|; the edge takes up the balance.
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 4> angle_gradient(const std::array<Vec3<T>, 4>& x) const {
        using std::sqrt;
        const Vec3<T> e = x[1] - x[0], u = x[2] - x[0], v = x[3] - x[0];
        const Vec3<T> n1 = cross(e, u), n2 = cross(v, e);
        const T ee = at_least(dot(e, e), edge_floor);
        const T length = sqrt(ee);
        const Vec3<T> g2 = -(length / at_least(dot(n1, n1), normal_floor[0])) * n1;
        const Vec3<T> g3 = -(length / at_least(dot(n2, n2), normal_floor[1])) * n2;
        const T s = dot(u, e) / ee, t = dot(v, e) / ee;
        const Vec3<T> g1 = -(s * g2 + t * g3);
        return {-(g1 + g2 + g3), g1, g2, g3};
    }
    template <class T>
    LIMBER_HD T bend(const std::array<Vec3<T>, 4>& x) const {
        using std::remainder;
        return remainder(angle_of(x) - T(angle), T(6.283185307179586));
    }
    template <class T>
    LIMBER_HD T energy(const std::array<Vec3<T>, 4>& x) const {
        const T b = bend(x);
        return T(0.5 * stiffness) * b * b;
    }
    template <class T>
    LIMBER_HD std::array<Vec3<T>, 4> gradient(const std::array<Vec3<T>, 4>& x) const {
        const T moment = T(stiffness) * bend(x);
        std::array<Vec3<T>, 4> out = angle_gradient(x);
        for (Vec3<T>& f : out) f *= moment;
        return out;
    }
    /// k ∇θ ∇θᵀ, positive semidefinite.
    template <class T>
    LIMBER_HD std::array<Mat3<T>, 10> projected_hessian(const std::array<Vec3<T>, 4>& x) const {
        const std::array<Vec3<T>, 4> g = angle_gradient(x);
        std::array<Mat3<T>, 10> K;
        for (int a = 0; a < 4; ++a)
            for (int b = a; b < 4; ++b)
                K[BlockScatter<4>::pair(a, b)] = T(stiffness) * outer(g[a], g[b]);
        return K;
    }
    /// k (∇θ ∇θᵀ + (θ − θ₀) ∇²θ); projected: the first part alone.
    std::array<Mat3d, 10> hessian(const std::array<Vec3d, 4>& x, HessianKind kind) const;

  private:
    template <class T>
    LIMBER_HD static T at_least(const T& value, double floor) {
        return value > T(floor) ? value : T(floor);
    }
};

}  // namespace limber
