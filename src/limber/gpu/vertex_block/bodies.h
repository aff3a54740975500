// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies of vertex block descent: an element as one of its nodes sees it, and a node that moves.
// Values leave out what does not depend on the node, as those of NodeObjective do.

#include "limber/gpu/descent/contact.h"
#include "limber/solve/newton_step.h"

namespace limber::gpu {

/// An energy over the position of one node (fem/node_potential.h).
struct NodeTerms {
    double energy = 0;  // [J]
    double scale = 0;   // of what was added up to it [J]
    Vec3d gradient;     // [N]
    Mat3d block;        // not projected [N/m]
    LIMBER_HD NodeTerms& operator+=(const NodeTerms& b) {
        energy += b.energy;
        scale += b.scale;
        gradient += b.gradient;
        block += b.block;
        return *this;
    }
};

/// A node on its way: from the sweep's iterate by `length` times `step`.
struct NodeMove {
    Vec3d step;         // [m]
    double length = 0;  // 0: it stays
    double before = 0;  // its energy there [J]
    double slope = 0;   // g·d [J]
    double noise = 0;   // of energies [J]
};

/// Nodes that still look for a length.
struct Moving {
    int nodes = 0;
    LIMBER_HD Moving& operator+=(const Moving& b) {
        nodes += b.nodes;
        return *this;
    }
};

/// The entries of one kind in one colour.
struct EntryView {
    const Index *slot = nullptr, *place = nullptr;  // of an entry
    Index begin = 0;                                // first entry of the colour
    Index first_slot = 0;                           // of the colour
};

/// Tets of one material as their nodes see them.
template <class Real>
struct NodeTetView {
    TetPlanes<Real> tets;               // of entries, the node as corner 0
    const Index* corner = nullptr;      // 4 * tet of the group + corner of it
    const Real* interpolant = nullptr;  // of the group's tets; null: no conversion

    LIMBER_HD Mat3<Real> gradient(const Vec3<Real>* x, const Vec3<Real>& own, Index e) const {
        return Mat3<Real>::from_columns(tets.corner(x, 1, e) - own, tets.corner(x, 2, e) - own,
                                        tets.corner(x, 3, e) - own) *
               tets.rest(e);
    }
    LIMBER_HD Real held(Index e) const {
        return interpolant ? interpolant[corner[e] / 4] : Real(0);
    }
};

/// What a tet gives its node.
template <class Law, class Real>
struct NodeTet {
    PointLaw<Law> law;
    NodeTetView<Real> of;
    double mu;  // small-strain [Pa]

    LIMBER_HD NodeTerms terms(const Vec3<Real>* x, Index e) const {
        const auto& own = law_of_tet(law, of.tets, e);
        const Mat3<Real> F = of.gradient(x, of.tets.corner(x, 0, e), e), Dm_inv = of.tets.rest(e);
        const Vec3<Real> g = -(Dm_inv.row(0) + Dm_inv.row(1) + Dm_inv.row(2));
        const Real V = of.tets.volume[e], l = of.held(e);
        NodeTerms out;
        out.energy = static_cast<double>(V * own.energy(F, l));
        // Terms of 3μ/2 cancel at rest.
        out.scale = std::abs(out.energy) + 1.5 * mu * static_cast<double>(V);
        out.gradient = rounded<double>(V * (own.stress(F, l) * g));
        const Mat3<Real> K = V * own.block(F, l, g);
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s <= r; ++s)
                out.block(r, s) = out.block(s, r) = static_cast<double>(K(r, s));
        return out;
    }
    LIMBER_HD double energy(const Vec3<Real>* x, const Vec3<Real>& at, Index e) const {
        const auto& own = law_of_tet(law, of.tets, e);
        return static_cast<double>(of.tets.volume[e] *
                                   own.energy(of.gradient(x, at, e), of.held(e)));
    }
};

/// Its parts that are quadratic in the step's motion: stiffness damping and consistent mass.
template <class Real>
struct NodeTetQuadratic {
    TetGroupView<Real> group;
    const Index* corner;
    const Vec3<Real>* start;
    const StepNumbers* numbers;

    /// B u at the corner, with the corner's own block, for the node at `at`.
    LIMBER_HD void apply(const Vec3<Real>* x, const Vec3<Real>* at, Index e, Vec3<Real>& f,
                         Vec3<Real>& own, Mat3<Real>& D) const {
        const Index t = corner[e] / 4;
        const int c = corner[e] % 4;
        Vec3<Real> u[4], all[4];
        for (int k = 0; k < 4; ++k)
            u[k] = group.tets.corner(x, k, t) - group.tets.corner(start, k, t);
        if (at) u[c] = *at - group.tets.corner(start, c, t);
        TetQuadratic<Real>{group}.apply(*numbers, u, t, all);
        f = all[c];
        own = u[c];
        Mat3<Real> blocks[4];
        TetQuadratic<Real>{group}.diagonals(*numbers, t, blocks);
        D = blocks[c];
    }
    LIMBER_HD NodeTerms terms(const Vec3<Real>* x, Index e) const {
        Vec3<Real> f, u;
        Mat3<Real> D;
        apply(x, nullptr, e, f, u, D);
        NodeTerms out;
        out.energy = static_cast<double>(dot(u, f) - Real(0.5) * dot(u, D * u));
        out.scale = std::abs(out.energy);
        out.gradient = rounded<double>(f);
        for (int i = 0; i < 9; ++i) out.block.a[i] = static_cast<double>(D.a[i]);
        return out;
    }
    LIMBER_HD double energy(const Vec3<Real>* x, const Vec3<Real>& at, Index e) const {
        Vec3<Real> f, u;
        Mat3<Real> D;
        apply(x, &at, e, f, u, D);
        return static_cast<double>(dot(u, f) - Real(0.5) * dot(u, D * u));
    }
};

/// An element of cloth.
template <class Real, class Element>
struct NodeElement {
    static constexpr int N = Element::n_nodes;
    const Element* elements;
    const Index* corner;  // element * N + corner

    LIMBER_HD NodeTerms terms(const Vec3<Real>* x, Index e) const {
        const Element& element = elements[corner[e] / N];
        const int c = corner[e] % N;
        const auto at = corners_of<Real>(element, x);
        NodeTerms out;
        out.energy = static_cast<double>(element.energy(at));
        out.scale = std::abs(out.energy);
        out.gradient = rounded<double>(element.gradient(at)[c]);
        const Mat3<Real> K = element.hessian(at, HessianKind::exact)[BlockScatter<N>::pair(c, c)];
        for (int i = 0; i < 9; ++i) out.block.a[i] = static_cast<double>(K.a[i]);
        return out;
    }
    LIMBER_HD double energy(const Vec3<Real>* x, const Vec3<Real>& at, Index e) const {
        const Element& element = elements[corner[e] / N];
        auto moved = corners_of<Real>(element, x);
        moved[corner[e] % N] = at;
        return static_cast<double>(element.energy(moved));
    }
};

/// Viscous damping along an edge.
template <class Real>
struct NodeDamper {
    const EdgeDamper* dampers;
    const Index* corner;  // damper * 2 + corner
    const Vec3<Real>* start;
    const StepNumbers* numbers;

    LIMBER_HD double strength(Index e) const {
        return numbers->sigma / numbers->h * dampers[corner[e] / 2].c;
    }
    LIMBER_HD Vec3d apart(const Vec3<Real>* x, const Vec3<Real>& at, Index e) const {
        const auto& nodes = dampers[corner[e] / 2].nodes;
        const int c = corner[e] % 2;
        return rounded<double>((at - start[nodes[c]]) - (x[nodes[1 - c]] - start[nodes[1 - c]]));
    }
    /// Without ½ c |u_j|², which the node has no part in.
    LIMBER_HD double energy(const Vec3<Real>* x, const Vec3<Real>& at, Index e) const {
        const auto& nodes = dampers[corner[e] / 2].nodes;
        const int c = corner[e] % 2;
        const Vec3d u = rounded<double>(at - start[nodes[c]]), d = apart(x, at, e);
        return strength(e) * (dot(u, d) - 0.5 * dot(u, u));
    }
    LIMBER_HD NodeTerms terms(const Vec3<Real>* x, Index e) const {
        const Vec3<Real> at = x[dampers[corner[e] / 2].nodes[corner[e] % 2]];
        NodeTerms out;
        out.energy = energy(x, at, e);
        out.scale = std::abs(out.energy);
        const double c = strength(e);
        out.gradient = c * apart(x, at, e);
        out.block = Mat3d::diagonal(c, c, c);
        return out;
    }
};

template <class T>
struct CopyNumber {
    const T* from;
    T* to;
    LIMBER_HD void operator()(Index i) const { to[i] = from[i]; }
};

/// An entry's terms into its slot; `adds`: to what is there.
template <class Real, class Kind>
struct PutTerms {
    Kind kind;
    EntryView entries;
    const Vec3<Real>* x;
    NodeTerms* out;
    bool adds;
    const DescentControl* control;

    LIMBER_HD void operator()(Index k) const {
        if (!control->live) return;
        const Index e = entries.begin + k;
        NodeTerms& to = out[entries.slot[e] - entries.first_slot];
        if (adds)
            to += kind.terms(x, e);
        else
            to = kind.terms(x, e);
    }
};
/// An entry's energy with its node where it tries to go.
template <class Real, class Kind>
struct PutEnergy {
    Kind kind;
    EntryView entries;
    const Vec3<Real>* x;
    const Vec3<Real>* to;  // of a place
    const NodeMove* move;  // of a place
    double* out;
    bool adds;

    LIMBER_HD void operator()(Index k) const {
        const Index e = entries.begin + k, place = entries.place[e];
        if (move[place].length == 0) return;
        double& sum = out[entries.slot[e] - entries.first_slot];
        const double energy = kind.energy(x, to[place], e);
        sum = adds ? sum + energy : energy;
    }
};

/// What a node has beside elements: inertia, loads and contact.
template <class Real>
struct NodeOwn {
    NodeView<Real> nodes;
    ContactView contact;
    const Index* touched;  // of a node its number in `contact`, -1: none; null: no contact
    const StepNumbers* numbers;

    LIMBER_HD NodeTerms terms(Index i) const {
        const Vec3d u = rounded<double>(nodes.x[i]) - rounded<double>(nodes.start[i]);
        const Vec3d q = rounded<double>(nodes.linear[i]);
        const double w = static_cast<double>(nodes.weight[i]);
        const double inertia = 0.5 * w * dot(u, u), work = dot(q, u);
        NodeTerms out;
        out.energy = inertia - work;
        out.scale = inertia + std::abs(work);
        out.gradient = w * u - q;
        out.block = Mat3d::diagonal(w, w, w);
        const double per_h = 1 / numbers->h, sigma = numbers->sigma;
        each_touch(i, [&](const ContactTerm& term, double weight) {
            const Vec3d v = velocity_at(term, nodes.x, nodes.start, numbers->h);
            out.energy += sigma * term.energy(v);
            if (!term.acts(v)) return;
            const Vec3d Bv = term.block * v;
            out.scale += sigma * (0.5 * dot(v, Bv) + std::abs(dot(term.impulse, v)));
            out.gradient += (sigma * per_h * weight) * (Bv - term.impulse);
            out.block += (sigma * per_h * per_h * weight * weight) * term.block;
        });
        return out;
    }
    LIMBER_HD double energy(Index i, const Vec3<Real>& at) const {
        const Vec3d u = rounded<double>(at) - rounded<double>(nodes.start[i]);
        double sum = 0.5 * static_cast<double>(nodes.weight[i]) * dot(u, u) -
                     dot(rounded<double>(nodes.linear[i]), u);
        const Vec3d moved = (1 / numbers->h) * (rounded<double>(at) - rounded<double>(nodes.x[i]));
        each_touch(i, [&](const ContactTerm& term, double weight) {
            const Vec3d v = velocity_at(term, nodes.x, nodes.start, numbers->h) + weight * moved;
            sum += numbers->sigma * term.energy(v);
        });
        return sum;
    }

  private:
    template <class F>
    LIMBER_HD void each_touch(Index i, F&& f) const {
        if (!touched || touched[i] < 0) return;
        for (Index k = contact.begin[touched[i]]; k < contact.begin[touched[i] + 1]; ++k) {
            const ContactTerm& term = contact.terms[contact.entry[k] / 4];
            f(term, term.at.weight[contact.entry[k] % 4]);
        }
    }
};

namespace vertex_block {
inline constexpr double sufficient = 1e-4;           // Armijo's constant
inline constexpr double shortest = 1.0 / (1 << 29);  // 30 tries
inline constexpr double ulps = 16 * 2.220446049250313e-16;
}  // namespace vertex_block

/// Newton's step of one node from its terms; it will be tried at full length.
template <class Real>
LIMBER_HD void start_move(const NodeView<Real>& nodes, Index i, const NodeTerms& all,
                          NodeMove& move, Vec3<Real>& to) {
    move.step = newton_step(all.block, all.gradient, nodes.pinned[i]);
    move.slope = dot(all.gradient, move.step);
    move.before = all.energy;
    move.noise = vertex_block::ulps * all.scale;
    move.length = move.slope < 0 ? 1 : 0;
    to = rounded<Real>(rounded<double>(nodes.x[i]) + move.step);
}
/// Its energy at `to` is known: it goes there, or tries half the way, or stays.
template <class Real>
LIMBER_HD void try_move(const NodeView<Real>& nodes, Index i, double value, NodeMove& move,
                        Vec3<Real>& to) {
    if (value <= move.before + vertex_block::sufficient * move.length * move.slope + move.noise) {
        nodes.x[i] = to;
        move.length = 0;
        return;
    }
    move.length = move.length > vertex_block::shortest ? 0.5 * move.length : 0;
    to = rounded<Real>(rounded<double>(nodes.x[i]) + move.length * move.step);
}

/// Places of nodes, and the slots of their entries.
struct PlaceView {
    const Index* node = nullptr;        // of a place; -1: none
    const Index* slot_begin = nullptr;  // of each 32 places, and the end
    const Index* slot_entry = nullptr;  // -1: nobody owns the slot
    const char* tied = nullptr;         // of a node: it moves with those that contact ties it to
    Index begin = 0, first_slot = 0;    // of the colour

    LIMBER_HD bool moves(Index place) const {
        return node[place] >= 0 && !(tied && tied[node[place]]);
    }
    /// f(slot, entry) for the entries of a place, in their order.
    template <class F>
    LIMBER_HD void each_entry(Index place, F&& f) const {
        const Index group = place / slot_lanes, end = slot_begin[group + 1];
        for (Index k = slot_begin[group] + place % slot_lanes; k < end; k += slot_lanes)
            if (slot_entry[k] >= 0) f(k, slot_entry[k]);
    }
    template <class T>
    LIMBER_HD T sum(const T* value, Index place) const {
        T total{};
        each_entry(place, [&](Index slot, Index) { total += value[slot - first_slot]; });
        return total;
    }
};
template <class Real>
struct StartMoves {
    NodeOwn<Real> own;
    PlaceView places;
    const NodeTerms* terms;
    NodeMove* move;
    Vec3<Real>* to;
    const DescentControl* control;

    LIMBER_HD Moving operator()(Index k) const {
        const Index place = places.begin + k;
        move[place].length = 0;
        if (!control->live || !places.moves(place)) return {};
        NodeTerms all = own.terms(places.node[place]);
        all += places.sum(terms, place);
        start_move(own.nodes, places.node[place], all, move[place], to[place]);
        return {move[place].length > 0 ? 1 : 0};
    }
};
template <class Real>
struct TryMoves {
    NodeOwn<Real> own;
    PlaceView places;
    const double* energy;
    NodeMove* move;
    Vec3<Real>* to;

    LIMBER_HD Moving operator()(Index k) const {
        const Index place = places.begin + k;
        if (move[place].length == 0) return {};
        const Index i = places.node[place];
        const double value = own.energy(i, to[place]) + places.sum(energy, place);
        try_move(own.nodes, i, value, move[place], to[place]);
        return {move[place].length > 0 ? 1 : 0};
    }
};
/// Whether lengths are still looked for.
struct SetMoving {
    bool* go;
    LIMBER_HD void operator()(const Moving& moving) const { *go = moving.nodes > 0; }
};

/// The iterate before a sweep is kept.
template <class Real>
struct BeginSweep {
    NodeView<Real> nodes;
    const DescentControl* control;
    LIMBER_HD void operator()(Index i) const {
        if (control->live) nodes.trial[i] = nodes.x[i];
    }
};
/// q = q̄ + w (q̄ − q_{k−1}), with q̄ in x, q_{k−1} in `reference` and q_k in `trial`.
template <class Real>
struct EndSweep {
    NodeView<Real> nodes;
    const DescentControl* control;
    LIMBER_HD void operator()(Index i) const {
        if (!control->live) return;
        const Real weight = static_cast<Real>(control->plan.weight[0]);
        const Vec3<Real> bar = nodes.x[i];
        nodes.x[i] = bar + weight * (bar - nodes.reference[i]);
        nodes.reference[i] = nodes.trial[i];
    }
};
/// A look at the energy: sweeps alone never raise it, so that only momentum is taken back. `again`:
/// the checkpoint's value was summed up again, under the interpolants of the iterate.
struct JudgeSweeps {
    DescentControl* control;
    bool again;
    LIMBER_HD void operator()() const {
        DescentControl& c = *control;
        if (!c.live) return;
        if (again && c.now_converted) c.look.value = c.value();
        const bool momentum = c.momentum.kind != AccelerationKind::none;
        if (momentum && !(c.now_value <= c.look.value + c.now_noise)) {
            c.verdict = LookVerdict::taken_back;
            c.momentum.restart();
        } else {
            c.verdict = LookVerdict::accepted;
            c.look.value = c.now_value;
        }
    }
};

}  // namespace limber::gpu
