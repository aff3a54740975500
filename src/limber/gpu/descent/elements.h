// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of one tet each: what the tets of one material put into the slots of their nodes
// (gpu/slots.h), by the functions that the CPU calls.

#include "limber/gpu/descent/control.h"
#include "limber/gpu/element_bodies.h"
#include "limber/gpu/slots.h"

namespace limber::gpu {

/// A block, or the diagonal of it.
template <class Real>
LIMBER_HD void put_block(const Mat3<Real>& K, Mat3<Real>& to) {
    to = K;
}
template <class Real>
LIMBER_HD void put_block(const Mat3<Real>& K, Vec3<Real>& to) {
    to = {K(0, 0), K(1, 1), K(2, 2)};
}

/// Tets of one material.
template <class Real>
struct TetGroupView {
    TetPlanes<Real> tets;
    const Index* slot = nullptr;    // 4 planes
    Real* interpolant = nullptr;    // of the invertible conversion; null: the material has none
    Real* kept = nullptr;           // 1 where it stays 1 in this step of time
    Mat3<Real>* damping = nullptr;  // σ/h b V K at x_n, pairs 11 12 13 22 23 33; null: none [N/m]
    const Real* b = nullptr;        // of a tet [s]
    const Real* mass = nullptr;     // consistent, m/20 [kg]; null: lumped
    const Real* mass_damping = nullptr;  // a of C = a M + b K [1/s]

    LIMBER_HD Real held(Index t) const { return interpolant ? interpolant[t] : Real(0); }
    /// The same vector with the opposite sign, summed, at corner 0.
    LIMBER_HD void put(const Mat3<Real>& columns, Index t, Vec3<Real>* out) const {
        out[slot[t]] = -(columns.col(0) + columns.col(1) + columns.col(2));
        for (int c = 0; c < 3; ++c) out[slot[(c + 1) * tets.n + t]] = columns.col(c);
    }
};

/// ∂E/∂x at its corners. `hold`: the conversion's memory moves on first (Potential::hold).
template <class Law, class Real, bool converts>
struct TetGradient {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;
    Vec3<Real>* out;
    bool hold;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live) return;
        const auto& own = law_of_tet(law, group.tets, t);
        const Mat3<Real> F = group.tets.gradient(x, t), Dm_inv = group.tets.rest(t);
        Real l(0);
        if constexpr (converts) {
            if (hold) {
                l = own.interpolant(F, group.interpolant[t]);
                if (group.kept[t] > l) l = group.kept[t];
                group.interpolant[t] = l;
            } else {
                l = group.interpolant[t];
            }
        }
        group.put((group.tets.volume[t] * own.stress(F, l)) * transpose(Dm_inv), t, out);
    }
};

/// The conversion's memory alone.
template <class Law, class Real>
struct TetHold {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live || !control->holds) return;
        const Real l = law.interpolant(group.tets.gradient(x, t), group.interpolant[t]);
        group.interpolant[t] = group.kept[t] > l ? group.kept[t] : l;
    }
};

/// A step of time begins: tets that ended the last one inverted stay handed over.
template <class Law, class Real>
struct TetKeep {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;

    LIMBER_HD void operator()(Index t) const {
        const bool keeps = law.keeps(group.tets.gradient(x, t), group.kept[t] > Real(0));
        group.kept[t] = group.interpolant[t] = keeps ? Real(1) : Real(0);
    }
};

template <class Law, class Real>
struct TetEnergy {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;
    const DescentControl* control;

    LIMBER_HD ElasticSum operator()(Index t) const {
        if (!control->live) return {};
        const auto& own = law_of_tet(law, group.tets, t);
        const Mat3<Real> F = group.tets.gradient(x, t);
        const Real l = group.held(t), V = group.tets.volume[t];
        return {static_cast<double>(V * own.energy(F, l)), l > Real(0) ? 1.0 : 0.0};
    }
};

/// The diagonal of the Hessian, not projected.
template <class Law, class Real>
struct TetDiagonal {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;
    Vec3<Real>* out;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live) return;
        const auto& own = law_of_tet(law, group.tets, t);
        const Index n = group.tets.n;
        const Mat3<Real> F = group.tets.gradient(x, t), Dm_inv = group.tets.rest(t);
        Vec3<Real> at[4];
        of(own, F, Dm_inv, group.held(t), group.tets.volume[t], at);
        for (int c = 0; c < 4; ++c) out[group.slot[c * n + t]] = at[c];
    }
    /// Of a tet with volume V and interpolant l.
    LIMBER_HD static void of(const PointLaw<Law>& law, const Mat3<Real>& F,
                             const Mat3<Real>& Dm_inv, Real l, Real V, Vec3<Real> (&at)[4]) {
        const Vec3<Real> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
        at[0] = V * law.block_diagonal(F, l, -(g[0] + g[1] + g[2]));
        for (int c = 0; c < 3; ++c) at[c + 1] = V * law.block_diagonal(F, l, g[c]);
    }
};

/// The projected blocks of the pairs of corners 1, 2, 3, by stretches; of linear elasticity they
/// are what they are.
template <class Law>
inline constexpr bool has_device_blocks = StretchProjectedLaw<Law> || HookesLaw<Law>;
template <class Law, class Real>
LIMBER_HD void device_blocks(const PointLaw<Law>& law, const Mat3<Real>& F, Real l,
                             const Vec3<Real> (&g)[3], Mat3<Real> (&K)[6]) {
    if constexpr (StretchProjectedLaw<Law>) {
        law.projected_blocks(F, l, g, K);
    } else {
        const auto lame = law.law.small_strain();
        int pair = 0;
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b, ++pair)
                K[pair] = hooke_block(Real(lame.mu), Real(lame.lambda), g[a], g[b]);
    }
}

/// The projected 3x3 blocks of its corners.
template <class Law, class Real>
struct TetBlocks {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* x;
    Mat3<Real>* out;
    const DescentControl* control;

    LIMBER_HD void operator()(Index t) const {
        if (!control->live) return;
        const auto& own = law_of_tet(law, group.tets, t);
        const Index n = group.tets.n;
        const Mat3<Real> Dm_inv = group.tets.rest(t);
        Mat3<Real> at[4];
        of(own, group.tets.gradient(x, t), Dm_inv, group.held(t), group.tets.volume[t], at);
        for (int c = 0; c < 4; ++c) out[group.slot[c * n + t]] = at[c];
    }
    LIMBER_HD static void of(const PointLaw<Law>& law, const Mat3<Real>& F,
                             const Mat3<Real>& Dm_inv, Real l, Real V, Mat3<Real> (&at)[4]) {
        const Vec3<Real> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
        Mat3<Real> K[6];
        device_blocks(law, F, l, g, K);
        const Mat3<Real> rest = K[1] + K[2] + K[4];
        at[0] = V * (K[0] + K[3] + K[5] + rest + transpose(rest));
        at[1] = V * K[0];
        at[2] = V * K[3];
        at[3] = V * K[5];
    }
};

/// Stiffness damping, frozen at the start of the step: σ/h b V K(x_n).
template <class Law, class Real>
struct TetDamping {
    PointLaw<Law> law;
    TetGroupView<Real> group;
    const Vec3<Real>* start;
    const StepNumbers* numbers;

    LIMBER_HD void operator()(Index t) const {
        const auto& own = law_of_tet(law, group.tets, t);
        const Index n = group.tets.n;
        const Mat3<Real> Dm_inv = group.tets.rest(t);
        const Vec3<Real> g[3] = {Dm_inv.row(0), Dm_inv.row(1), Dm_inv.row(2)};
        Mat3<Real> K[6];
        device_blocks(own, group.tets.gradient(start, t), group.held(t), g, K);
        const Real scale = Real(numbers->sigma / numbers->h) * group.b[t] * group.tets.volume[t];
        for (int pair = 0; pair < 6; ++pair) group.damping[pair * n + t] = scale * K[pair];
    }
};

}  // namespace limber::gpu
