// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of one node each: the start of a step, first guesses, values, sweeps and the end.

#include "limber/contact/contact_method.h"
#include "limber/gpu/descent/quadratic.h"

namespace limber::gpu {

/// A vector in another precision.
template <class To, class From>
LIMBER_HD Vec3<To> rounded(const Vec3<From>& a) {
    return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

/// Bits of the axes that a pin prescribes.
LIMBER_HD inline bool is_free(unsigned char pinned, int axis) {
    return !(pinned >> axis & 1);
}

/// The arrays of a model's nodes. Lengths are all n; iterates are seen from a point of each body
/// (solve/objective.h).
template <class Real>
struct NodeView {
    Index n = 0;
    // the state, and what acts on it
    Vec3d *x_n = nullptr, *v_n = nullptr, *v_before = nullptr;   // v_{t-1}
    const Vec3d *external = nullptr, *external_start = nullptr;  // [N]
    const Vec3d* pin_velocity = nullptr;                         // [m/s]
    // the model
    const double *mass = nullptr, *damping = nullptr;  // lumped [kg], [kg/s]
    const double* stiffness = nullptr;                 // of the diagonal block at rest [N/m]
    const unsigned char* pinned = nullptr;
    const Index* origin = nullptr;  // the node that its body is seen from
    // the step (solve/objective.h)
    Vec3<Real>*start = nullptr, *linear = nullptr;
    Real* weight = nullptr;
    Vec3<Real>*x = nullptr, *trial = nullptr;
    Vec3<Real>*reference = nullptr, *checkpoint = nullptr;  // of sweeps
    Vec3<Real>* inverse = nullptr;                          // of the diagonal, jacobi; null: blocks
    Mat3<Real>* inverse_block = nullptr;                    // block_jacobi
    Vec3d* reaction = nullptr;                              // [N]
    // gradients of elements
    SlotView slots;
    const Vec3<Real>* slot_value = nullptr;
    SlotView quadratic;  // of TetQuadratic; its value null: there are none
    const Vec3<Real>* quadratic_value = nullptr;
    const Vec3<Real>* touched = nullptr;  // gradient of contact terms; null: there are none

    LIMBER_HD Vec3<Real> elastic_gradient(Index i) const { return slots.sum(slot_value, i); }
    /// ∂ε/∂x at node i, the elements' parts being in the slots.
    LIMBER_HD Vec3<Real> gradient(const Vec3<Real>* at, Index i) const {
        Vec3<Real> g = elastic_gradient(i);
        if (quadratic_value) g += quadratic.sum(quadratic_value, i);
        if (touched) g += touched[i];
        return g + (weight[i] * (at[i] - start[i]) - linear[i]);
    }
    LIMBER_HD Vec3<Real> direction(const Vec3<Real>& g, Index i) const {
        if (inverse_block) return -(inverse_block[i] * g);
        const Vec3<Real> P = inverse[i];
        return {-P.x * g.x, -P.y * g.y, -P.z * g.z};
    }
};

/// x_n as iterates see it, the loads q and the weights of inertia (Objective::begin).
template <class Real>
struct BeginNodes {
    NodeView<Real> nodes;
    const StepNumbers* numbers;

    LIMBER_HD void operator()(Index i) const {
        const NodeView<Real>& a = nodes;
        const double kappa = numbers->kappa, sigma = numbers->sigma, h = numbers->h;
        Vec3d from{};
        if constexpr (sizeof(Real) < sizeof(double)) from = a.x_n[a.origin[i]];
        a.start[i] = rounded<Real>(a.x_n[i] - from);
        a.weight[i] = static_cast<Real>(kappa * a.mass[i] + sigma / h * a.damping[i]);
        a.linear[i] = rounded<Real>(kappa * h * a.mass[i] * a.v_n[i] + a.external[i]);
    }
};
/// The trapezoid's forces at the start, with the elements' gradient at x_n in the slots.
template <class Real>
struct AddStartForces {
    NodeView<Real> nodes;
    LIMBER_HD void operator()(Index i) const {
        nodes.linear[i] += rounded<Real>(nodes.external_start[i]) - nodes.elastic_gradient(i);
    }
};
/// Momentum of a consistent mass, in the slots of quadratic parts.
template <class Real>
struct AddMomentum {
    NodeView<Real> nodes;
    LIMBER_HD void operator()(Index i) const {
        nodes.linear[i] += nodes.quadratic.sum(nodes.quadratic_value, i);
    }
};

/// Step 0 of Algorithm 1 (solve/descent/initial.h); pins at the end of their way.
template <class Real>
struct Guess {
    NodeView<Real> nodes;
    const StepNumbers* numbers;
    Vec3<Real>* out;
    bool at_start;  // q_t

    LIMBER_HD void operator()(Index i) const {
        const NodeView<Real>& a = nodes;
        const double ahead = at_start ? 0 : numbers->ahead, share = at_start ? 0 : numbers->share;
        Vec3d move = ahead * a.v_n[i];
        if (share > 0) move += share * (a.v_n[i] - a.v_before[i]);
        Vec3<Real> x = a.start[i] + rounded<Real>(move);
        for (int k = 0; k < 3; ++k)
            if (!is_free(a.pinned[i], k))
                x[k] = a.start[i][k] + static_cast<Real>(numbers->h * a.pin_velocity[i][k]);
        out[i] = x;
    }
};
/// Both guesses: that of the options as x, q_t as the trial.
template <class Real>
struct Guesses {
    Guess<Real> guess, start;
    LIMBER_HD void operator()(Index i) const {
        guess(i);
        start(i);
    }
};
/// The better of two guesses becomes the iterate; nothing is remembered yet.
template <class Real>
struct Choose {
    NodeView<Real> nodes;
    const DescentControl* control;
    LIMBER_HD void operator()(Index i) const {
        if (!control->from_guess) nodes.x[i] = nodes.trial[i];
        nodes.checkpoint[i] = nodes.reference[i] = nodes.x[i];
    }
};

/// Inertia, damping by weights and the work of loads (Objective::value).
template <class Real>
struct NodeValue {
    NodeView<Real> nodes;
    const Vec3<Real>* x;
    const DescentControl* control;

    LIMBER_HD ValueSum operator()(Index i) const {
        return control->live ? of(nodes, x[i], i) : ValueSum{};
    }
    LIMBER_HD static ValueSum of(const NodeView<Real>& nodes, const Vec3<Real>& x, Index i) {
        const Vec3d u = rounded<double>(x) - rounded<double>(nodes.start[i]);
        const double work = dot(rounded<double>(nodes.linear[i]), u);
        const double inertia = 0.5 * static_cast<double>(nodes.weight[i]) * dot(u, u);
        return {inertia - work, inertia + std::abs(work)};
    }
};

/// After a look: what was accepted is kept, or the iterate goes back to what was.
template <class Real>
struct ApplyLook {
    NodeView<Real> nodes;
    const DescentControl* control;
    LIMBER_HD void operator()(Index i) const {
        if (!control->live && control->verdict == LookVerdict::accepted) return;
        if (control->verdict == LookVerdict::accepted)
            nodes.checkpoint[i] = nodes.x[i];
        else
            nodes.x[i] = nodes.reference[i] = nodes.checkpoint[i];
    }
};

/// 1 / the diagonal of the Hessian, the elements' parts being in the slots; held above a share of
/// its value at rest (solve/descent/direction.cpp).
template <class Real>
struct InvertDiagonal {
    NodeView<Real> nodes;
    const Vec3<Real>* contact;  // diagonals of contact; null: none
    double least_share;
    const DescentControl* control;

    LIMBER_HD void operator()(Index i) const {
        if (!control->live) return;
        const NodeView<Real>& a = nodes;
        Vec3<Real> d = a.elastic_gradient(i);
        if (a.quadratic_value) d += a.quadratic.sum(a.quadratic_value, i);
        if (contact) d += contact[i];
        a.inverse[i] = inverse_of(a, i, d, least_share);
    }
    /// `sum` over the elements at node i.
    LIMBER_HD static Vec3<Real> inverse_of(const NodeView<Real>& a, Index i, const Vec3<Real>& sum,
                                           double least_share) {
        const double share = least_share * a.stiffness[i], least = share > 1e-30 ? share : 1e-30;
        Vec3<Real> out;
        for (int k = 0; k < 3; ++k) {
            const double own = static_cast<double>(sum[k] + a.weight[i]);
            out[k] = is_free(a.pinned[i], k) ? static_cast<Real>(1 / (own > least ? own : least))
                                             : Real(0);
        }
        return out;
    }
};
template <class Real>
struct InvertBlocks {
    NodeView<Real> nodes;
    const Mat3<Real>*block, *quadratic_block;  // slots of them; quadratic null: none
    const Mat3<Real>* contact;
    double least_share;
    const DescentControl* control;

    LIMBER_HD void operator()(Index i) const {
        if (!control->live) return;
        const NodeView<Real>& a = nodes;
        Mat3<Real> sum = a.slots.sum(block, i);
        if (quadratic_block) sum += a.quadratic.sum(quadratic_block, i);
        if (contact) sum += contact[i];
        a.inverse_block[i] = inverse_of(a, i, sum, least_share);
    }
    LIMBER_HD static Mat3<Real> inverse_of(const NodeView<Real>& a, Index i, const Mat3<Real>& sum,
                                           double least_share) {
        const double own = static_cast<double>(a.weight[i]) + least_share * a.stiffness[i];
        Mat3d D = Mat3d::diagonal(own, own, own);
        for (int e = 0; e < 9; ++e) D.a[e] += static_cast<double>(sum.a[e]);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                if (!is_free(a.pinned[i], r) || !is_free(a.pinned[i], c)) D(r, c) = r == c;
        Mat3d B = limber::inverse(D);
        for (int r = 0; r < 3; ++r)
            if (!is_free(a.pinned[i], r)) B(r, r) = 0;
        Mat3<Real> out;
        for (int e = 0; e < 9; ++e) out.a[e] = static_cast<Real>(B.a[e]);
        return out;
    }
};

/// Steps 1, 3 and 4 of Algorithm 1 for sweep `j` of the plan: the gradient is the slots'.
template <class Real>
struct Sweep {
    NodeView<Real> nodes;
    const SweepPlan* plan;
    int j;

    LIMBER_HD void operator()(Index i) const {
        if (j >= plan->n) return;
        const NodeView<Real>& a = nodes;
        const Real alpha = static_cast<Real>(plan->alpha);
        const Real weight = static_cast<Real>(plan->weight[j]);
        const Vec3<Real> x = a.x[i];
        const Vec3<Real> bar = x + alpha * a.direction(a.gradient(a.x, i), i);
        a.x[i] = bar + weight * (bar - a.reference[i]);
        a.reference[i] = x;
    }
};
/// The same with momentum from the iterate before it, Nesterov's; returns g·(q̄ − r).
struct Slope {
    double value = 0;
    LIMBER_HD Slope& operator+=(const Slope& b) {
        value += b.value;
        return *this;
    }
};
template <class Real>
struct NesterovSweep {
    NodeView<Real> nodes;
    const SweepPlan* plan;
    int j;

    LIMBER_HD Slope operator()(Index i) const {
        if (j >= plan->n) return {};
        const NodeView<Real>& a = nodes;
        const Vec3<Real> g = a.gradient(a.x, i);
        const Vec3<Real> bar = a.x[i] + static_cast<Real>(plan->alpha) * a.direction(g, i);
        const Vec3<Real> ahead = bar - a.reference[i];
        a.x[i] = bar + static_cast<Real>(plan->weight[0]) * ahead;
        a.reference[i] = bar;
        return {dot(rounded<double>(g), rounded<double>(ahead))};
    }
};

/// Squares of loads and elastic forces at x_n: what gradients are compared with.
template <class Real>
struct LoadNorm {
    NodeView<Real> nodes;
    LIMBER_HD NormSum operator()(Index i) const {
        return {squared_norm(rounded<double>(nodes.linear[i])),
                squared_norm(rounded<double>(nodes.elastic_gradient(i))), 0, 0};
    }
};
/// Squares of the gradient at free and prescribed degrees of freedom.
template <class Real>
struct GradientNorm {
    NodeView<Real> nodes;
    LIMBER_HD NormSum operator()(Index i) const {
        const Vec3d g = rounded<double>(nodes.gradient(nodes.x, i));
        NormSum sum;
        for (int k = 0; k < 3; ++k)
            (is_free(nodes.pinned[i], k) ? sum.free : sum.pinned) += g[k] * g[k];
        return sum;
    }
};

/// The step ends at x: velocity averaged over it, reactions at pins, and the state (Objective::
/// finish and integrate).
template <class Real>
struct EndNodes {
    NodeView<Real> nodes;
    const StepNumbers* numbers;
    bool trapezoid, quasi_static;

    LIMBER_HD NormSum operator()(Index i) const {
        const NodeView<Real>& a = nodes;
        const Vec3d g = rounded<double>(a.gradient(a.x, i));
        NormSum sum;
        Vec3d held;
        for (int k = 0; k < 3; ++k) {
            const bool free = is_free(a.pinned[i], k);
            if (!free) held[k] = g[k] / numbers->sigma;
            (free ? sum.free : sum.pinned) += g[k] * g[k];
        }
        a.reaction[i] = held;
        const Vec3d u = rounded<double>(a.x[i]) - rounded<double>(a.start[i]);
        const Vec3d end = a.x_n[i] + u, v = (1 / numbers->h) * (end - a.x_n[i]);
        const Vec3d before = a.v_n[i];
        a.v_before[i] = before;
        a.x_n[i] = end;
        a.v_n[i] = trapezoid ? 2.0 * v - before : quasi_static ? Vec3d{} : v;
        return sum;
    }
};

}  // namespace limber::gpu
