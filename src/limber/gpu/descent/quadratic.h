// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of what is quadratic in the motion u of a step: stiffness damping and consistent mass a
// tet, viscous damping an edge.

#include "limber/gpu/descent/cloth.h"

namespace limber::gpu {

/// The parts of a tet that are quadratic in the step's motion u: stiffness damping and consistent
/// mass with its damping. Σ_b B_ab u_b at corner a.
template <class Real>
struct TetQuadratic {
    TetGroupView<Real> group;

    /// Values of u at the corners in, of B u out.
    LIMBER_HD void apply(const StepNumbers& numbers, const Vec3<Real> (&u)[4], Index t,
                         Vec3<Real> (&f)[4]) const {
        for (auto& entry : f) entry = {};
        const Index n = group.tets.n;
        if (group.damping) {
            const Vec3<Real> d[3] = {u[1] - u[0], u[2] - u[0], u[3] - u[0]};
            int at = 0;
            for (int a = 0; a < 3; ++a)
                for (int b = a; b < 3; ++b, ++at) {
                    const Mat3<Real> K = group.damping[at * n + t];
                    f[a + 1] += K * d[b];
                    if (a != b) f[b + 1] += transpose(K) * d[a];
                }
            f[0] = -(f[1] + f[2] + f[3]);
        }
        if (group.mass) {
            const double a = group.mass_damping[t];
            const Real m = Real(group.mass[t] * (numbers.kappa + numbers.sigma / numbers.h * a));
            const Vec3<Real> all = u[0] + u[1] + u[2] + u[3];
            for (int c = 0; c < 4; ++c) f[c] += m * (u[c] + all);
        }
    }
    /// The diagonal blocks of B.
    LIMBER_HD void diagonals(const StepNumbers& numbers, Index t, Mat3<Real> (&D)[4]) const {
        const Index n = group.tets.n;
        for (auto& block : D) block = {};
        if (group.damping) {
            Mat3<Real> K[6];
            for (int pair = 0; pair < 6; ++pair) K[pair] = group.damping[pair * n + t];
            const Mat3<Real> rest = K[1] + K[2] + K[4];
            D[0] = K[0] + K[3] + K[5] + rest + transpose(rest);
            D[1] = K[0];
            D[2] = K[3];
            D[3] = K[5];
        }
        if (group.mass) {
            const Real m = Real(2 * group.mass[t] *
                                (numbers.kappa + numbers.sigma / numbers.h *
                                                     static_cast<double>(group.mass_damping[t])));
            for (auto& block : D) block += Mat3<Real>::diagonal(m, m, m);
        }
    }
};
template <class Real>
struct TetQuadraticGradient {
    TetGroupView<Real> group;
    const Index* slot;  // of its own
    const Vec3<Real>*x, *start;
    Vec3<Real>* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live) return;
        Vec3<Real> u[4], f[4];
        for (int c = 0; c < 4; ++c)
            u[c] = group.tets.corner(x, c, t) - group.tets.corner(start, c, t);
        TetQuadratic<Real>{group}.apply(*numbers, u, t, f);
        for (int c = 0; c < 4; ++c) out[slot[c * group.tets.n + t]] = f[c];
    }
};
/// ½ uᵀ B u.
template <class Real>
struct TetQuadraticEnergy {
    TetGroupView<Real> group;
    const Vec3<Real>*x, *start;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD ValueSum operator()(Index t) const {
        if (!control->live) return {};
        Vec3<Real> u[4], f[4];
        for (int c = 0; c < 4; ++c)
            u[c] = group.tets.corner(x, c, t) - group.tets.corner(start, c, t);
        TetQuadratic<Real>{group}.apply(*numbers, u, t, f);
        double sum = 0;
        for (int c = 0; c < 4; ++c) sum += 0.5 * static_cast<double>(dot(u[c], f[c]));
        return {sum, 0};
    }
};
/// κ h M v of a consistent mass.
template <class Real>
struct TetMomentum {
    TetGroupView<Real> group;
    const Index* slot;
    const Vec3d* v;
    Vec3<Real>* out;
    const StepNumbers* numbers;

    LIMBER_HD void operator()(Index t) const {
        const Index n = group.tets.n;
        const double m = group.mass[t] * numbers->kappa * numbers->h;
        Vec3d all;
        for (int c = 0; c < 4; ++c) all += v[group.tets.node[c * n + t]];
        for (int c = 0; c < 4; ++c) {
            const Vec3d f = m * (v[group.tets.node[c * n + t]] + all);
            out[slot[c * n + t]] = {Real(f.x), Real(f.y), Real(f.z)};
        }
    }
};
/// The diagonals of B, as vectors or as blocks.
template <class Real, class Block>
struct TetQuadraticDiagonal {
    TetGroupView<Real> group;
    const Index* slot;
    Block* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live) return;
        Mat3<Real> D[4];
        TetQuadratic<Real>{group}.diagonals(*numbers, t, D);
        for (int c = 0; c < 4; ++c) put_block(D[c], out[slot[c * group.tets.n + t]]);
    }
};

/// Viscous damping along an edge as an element of the step's motion: c/(2h) |u_i − u_j|².
struct EdgeDamper {
    static constexpr int n_nodes = 2;
    std::array<Index, 2> nodes{};
    double c = 0;  // [kg/s]
};
template <class Real>
struct DamperGradient {
    const EdgeDamper* dampers;
    Index n;
    const Index* slot;
    const Vec3<Real>*x, *start;
    Vec3<Real>* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index e) const {
        if (!control->live) return;
        const auto a = corners_of<Real>(dampers[e], x), b = corners_of<Real>(dampers[e], start);
        const Real c = Real(numbers->sigma / numbers->h * dampers[e].c);
        const Vec3<Real> f = c * ((a[0] - b[0]) - (a[1] - b[1]));
        out[slot[e]] = f;
        out[slot[n + e]] = -f;
    }
};
template <class Real>
struct DamperEnergy {
    const EdgeDamper* dampers;
    const Vec3<Real>*x, *start;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD ValueSum operator()(Index e) const {
        if (!control->live) return {};
        const auto a = corners_of<Real>(dampers[e], x), b = corners_of<Real>(dampers[e], start);
        const Vec3<Real> u = (a[0] - b[0]) - (a[1] - b[1]);
        return {
            0.5 * numbers->sigma / numbers->h * dampers[e].c * static_cast<double>(squared_norm(u)),
            0};
    }
};
template <class Real, class Block>
struct DamperDiagonal {
    const EdgeDamper* dampers;
    Index n;
    const Index* slot;
    Block* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index e) const {
        if (!control->live) return;
        const Real c = Real(numbers->sigma / numbers->h * dampers[e].c);
        for (int k = 0; k < 2; ++k) put_block(Mat3<Real>::diagonal(c, c, c), out[slot[k * n + e]]);
    }
};

}  // namespace limber::gpu
