// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of contact terms (contact/contact_method.h), which the host hands in with each step: a
// term, and a node that some term touches.

#include "limber/gpu/descent/nodes.h"

namespace limber::gpu {

struct ContactView {
    const ContactTerm* terms = nullptr;
    const Index* node = nullptr;   // that a term touches, ascending
    const Index* begin = nullptr;  // of each its entries, and the end
    const Index* entry = nullptr;  // term * 4 + place in its stencil, ascending
};

/// The velocity that a term sees.
template <class Real>
LIMBER_HD Vec3d velocity_at(const ContactTerm& term, const Vec3<Real>* x, const Vec3<Real>* start,
                            double h) {
    Vec3d sum;
    for (int k = 0; k < term.at.n; ++k) {
        const Index i = term.at.node[k];
        sum += term.at.weight[k] * (rounded<double>(x[i]) - rounded<double>(start[i]));
    }
    return (1 / h) * sum;
}

/// A step begins: nothing is touched.
template <class T>
struct Clear {
    T* out;
    LIMBER_HD void operator()(Index i) const { out[i] = T{}; }
};

/// σ/h Σ w_k (B w − p) at a node.
template <class Real>
struct TouchedGradient {
    ContactView contact;
    const Vec3<Real>*x, *start;
    Vec3<Real>* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index s) const {
        if (s >= numbers->n_touched || !control->live) return;
        Vec3d sum;
        for (Index e = contact.begin[s]; e < contact.begin[s + 1]; ++e) {
            const ContactTerm& term = contact.terms[contact.entry[e] / 4];
            const Vec3d w = velocity_at(term, x, start, numbers->h);
            if (!term.acts(w)) continue;
            sum += (numbers->sigma / numbers->h * term.at.weight[contact.entry[e] % 4]) *
                   (term.block * w - term.impulse);
        }
        out[contact.node[s]] = rounded<Real>(sum);
    }
};

/// What terms add to the diagonal blocks of a node, or to their diagonals.
template <class Real, class Block>
struct TouchedDiagonal {
    ContactView contact;
    const Vec3<Real>*x, *start;
    Block* out;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD void operator()(Index s) const {
        if (s >= numbers->n_touched || !control->live) return;
        Mat3d sum;
        for (Index e = contact.begin[s]; e < contact.begin[s + 1]; ++e) {
            const ContactTerm& term = contact.terms[contact.entry[e] / 4];
            if (!term.acts(velocity_at(term, x, start, numbers->h))) continue;
            const double w = term.at.weight[contact.entry[e] % 4];
            sum += (numbers->sigma / (numbers->h * numbers->h) * w * w) * term.block;
        }
        Mat3<Real> K;
        for (int e = 0; e < 9; ++e) K.a[e] = static_cast<Real>(sum.a[e]);
        put_block(K, out[contact.node[s]]);
    }
};

template <class Real>
struct TermEnergy {
    ContactView contact;
    const Vec3<Real>*x, *start;
    const StepNumbers* numbers;
    const DescentControl* control;

    LIMBER_HD ValueSum operator()(Index t) const {
        if (t >= numbers->n_terms || !control->live) return {};
        const ContactTerm& term = contact.terms[t];
        return {numbers->sigma * term.energy(velocity_at(term, x, start, numbers->h)), 0};
    }
};

/// Squares of what springs exert on a body at rest: they may be all that acts on it.
struct TermSprings {
    ContactView contact;
    const StepNumbers* numbers;

    LIMBER_HD ValueSum operator()(Index t) const {
        if (t >= numbers->n_terms) return {};
        const ContactTerm& term = contact.terms[t];
        double sum = 0;
        if (term.acts(Vec3d{}))
            for (int k = 0; k < term.at.n; ++k)
                sum +=
                    squared_norm((numbers->sigma / numbers->h * term.at.weight[k]) * term.impulse);
        return {sum, 0};
    }
};

}  // namespace limber::gpu
