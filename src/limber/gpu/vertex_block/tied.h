// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes that a contact ties to others move after all colours, level by level (TiedLevels), a thread
// a node.

#include "limber/gpu/vertex_block/bodies.h"

namespace limber::gpu {

/// What the device knows of a sweep's loops.
struct SweepLoops {
    bool moving = false;  // some node still looks for a length
    bool levels = false;  // some level of tied nodes is still to come
    Index level = 0, n_levels = 0;
};

struct TiedView {
    const Index *node = nullptr, *begin = nullptr;  // by level (TiedNodes)
    const Index* place = nullptr;                   // of a node; -1: it does not move
    PlaceView places;
    const SweepLoops* loops = nullptr;

    /// The place of the k-th node of the level; -1: there is none, or it does not move.
    LIMBER_HD Index place_of(Index k) const {
        if (loops->level >= loops->n_levels) return -1;
        const Index s = begin[loops->level] + k;
        return s < begin[loops->level + 1] ? place[node[s]] : -1;
    }
};

/// The terms of a kind's entries, added up a node.
template <class Real, class Kind>
struct TiedTerms {
    Kind kind;
    TiedView tied;
    Index first, n;  // entries of the kind
    const Vec3<Real>* x;
    NodeTerms* out;  // of the k-th node
    const DescentControl* control;

    LIMBER_HD void operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place < 0 || !control->live) return;
        tied.places.each_entry(place, [&](Index, Index e) {
            if (e >= first && e < first + n) out[k] += kind.terms(x, e - first);
        });
    }
};
template <class Real, class Kind>
struct TiedEnergy {
    Kind kind;
    TiedView tied;
    Index first, n;
    const Vec3<Real>*x, *to;
    const NodeMove* move;
    double* out;

    LIMBER_HD void operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place < 0 || move[place].length == 0) return;
        tied.places.each_entry(place, [&](Index, Index e) {
            if (e >= first && e < first + n) out[k] += kind.energy(x, to[place], e - first);
        });
    }
};
/// Inertia, loads and contact come first.
template <class Real>
struct BeginTied {
    NodeOwn<Real> own;
    TiedView tied;
    NodeTerms* out;
    const DescentControl* control;

    LIMBER_HD void operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place >= 0 && control->live) out[k] = own.terms(tied.places.node[place]);
    }
};
template <class Real>
struct BeginTiedEnergy {
    NodeOwn<Real> own;
    TiedView tied;
    const Vec3<Real>* to;
    const NodeMove* move;
    double* out;

    LIMBER_HD void operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place >= 0 && move[place].length > 0)
            out[k] = own.energy(tied.places.node[place], to[place]);
    }
};
template <class Real>
struct StartTied {
    NodeView<Real> nodes;
    TiedView tied;
    const NodeTerms* terms;
    NodeMove* move;
    Vec3<Real>* to;
    const DescentControl* control;

    LIMBER_HD Moving operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place < 0) return {};
        move[place].length = 0;
        if (!control->live) return {};
        start_move(nodes, tied.places.node[place], terms[k], move[place], to[place]);
        return {move[place].length > 0 ? 1 : 0};
    }
};
template <class Real>
struct TryTied {
    NodeView<Real> nodes;
    TiedView tied;
    const double* energy;
    NodeMove* move;
    Vec3<Real>* to;

    LIMBER_HD Moving operator()(Index k) const {
        const Index place = tied.place_of(k);
        if (place < 0 || move[place].length == 0) return {};
        try_move(nodes, tied.places.node[place], energy[k], move[place], to[place]);
        return {move[place].length > 0 ? 1 : 0};
    }
};
struct FirstLevel {
    SweepLoops* loops;
    LIMBER_HD void operator()() const {
        loops->level = 0;
        loops->levels = loops->n_levels > 0;
    }
};
struct NextLevel {
    SweepLoops* loops;
    LIMBER_HD void operator()() const {
        ++loops->level;
        loops->levels = loops->level < loops->n_levels;
    }
};
/// Marks nodes of a list, which `end` of its begins ends.
template <class T>
struct MarkTied {
    const Index *node, *begin;
    const SweepLoops* loops;
    T* out;
    LIMBER_HD void operator()(Index k) const {
        if (k < begin[loops->n_levels]) out[node[k]] = 1;
    }
};
/// Which number a touched node has in the view of contact.
struct NumberTouched {
    ContactView contact;
    const StepNumbers* numbers;
    Index* out;
    LIMBER_HD void operator()(Index s) const {
        if (s < numbers->n_touched) out[contact.node[s]] = s;
    }
};
struct ForgetTouched {
    Index* out;
    LIMBER_HD void operator()(Index i) const { out[i] = -1; }
};

}  // namespace limber::gpu
