// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step of vertex block descent (Chen et al. 2024) as a list of bodies: what VertexBlockStepper
// does (solve/vertex_block_descent.cpp). Every element of a colour works at once, then every node;
// lengths that are too long are halved in a loop whose end the device decides.

#include "limber/gpu/descent/core.h"
#include "limber/gpu/vertex_block/data.h"
#include "limber/gpu/vertex_block/tied.h"

namespace limber::gpu {

template <class Queue>
struct NodeEntryArrays {
    typename Queue::template Array<Index> slot, place;
    std::vector<Index> begin;  // of each colour, on the host
    Index first = 0, n = 0;

    void make(Queue& queue, const NodeEntries& from) {
        fill(queue, slot, from.slot);
        fill(queue, place, from.place);
        begin = from.begin;
        first = from.first;
        n = from.n();
    }
    EntryView colour(Index c, Index first_slot) const {
        return {slot.data(), place.data(), begin[c], first_slot};
    }
    Index size(Index c) const { return begin[c + 1] - begin[c]; }
};

/// VertexBlockData in the memory of a queue, and what sweeps work on.
template <class Queue, class Real>
struct VertexBlockArrays {
    template <class T>
    using Array = typename Queue::template Array<T>;
    struct Tets : NodeEntryArrays<Queue> {
        Array<Index> node, corner;
        Array<Real> Dm_inv, volume, data, interpolant;  // the last a tet of the group
        TetPlanes<Real> planes;
        bool converts = false;
    };
    struct Elements : NodeEntryArrays<Queue> {
        Array<Index> corner;
    };
    std::deque<Tets> tets;
    Elements springs, membranes, flat_hinges, dampers;
    Array<Index> node, place, slot_begin, slot_entry;
    Array<NodeTerms> terms;
    Array<double> energy;
    Array<NodeMove> move;
    Array<Vec3<Real>> to;
    Array<SweepLoops> loops;
    // contact, as much as there is room for
    Array<Index> touched_of, tied_node, tied_begin;
    Array<char> tied;
    Array<NodeTerms> tied_terms;
    Array<double> tied_energy;

    void make(Queue& queue, const VertexBlockData<Real>& from, const DescentData<Real>& descent) {
        for (const auto& kind : from.tets) {
            Tets& to_kind = tets.emplace_back();
            to_kind.make(queue, kind);
            fill(queue, to_kind.node, kind.node);
            fill(queue, to_kind.corner, kind.corner);
            fill(queue, to_kind.Dm_inv, kind.Dm_inv);
            fill(queue, to_kind.volume, kind.volume);
            fill(queue, to_kind.data, kind.data);
            const auto& group = descent.groups[kind.group];
            to_kind.converts = group.converts();
            if (group.converts()) queue.resize(to_kind.interpolant, group.tets.size());
            to_kind.planes = {to_kind.n, to_kind.node.data(), to_kind.Dm_inv.data(),
                              to_kind.volume.data(), nullptr};
            if (!kind.data.empty()) to_kind.planes.data = to_kind.data.data();
        }
        const auto elements = [&](const NodeElementData& kind, Elements& to_kind) {
            to_kind.make(queue, kind);
            fill(queue, to_kind.corner, kind.corner);
        };
        elements(from.springs, springs);
        elements(from.membranes, membranes);
        elements(from.flat_hinges, flat_hinges);
        elements(from.dampers, dampers);
        fill(queue, node, from.node);
        fill(queue, place, from.place);
        fill(queue, slot_begin, from.slot_begin);
        fill(queue, slot_entry, from.slot_entry);
        const std::size_t slots = static_cast<std::size_t>(from.most_slots());
        queue.resize(terms, slots);
        queue.resize(energy, slots);
        queue.resize(move, from.node.size());
        queue.resize(to, from.node.size());
        queue.resize(loops, 1);
    }
};

template <class Queue, class Real>
class VertexBlockProgram : public DescentCore<Queue, Real> {
  public:
    using Core = DescentCore<Queue, Real>;
    VertexBlockProgram(Queue& queue, DescentData<Real> data, VertexBlockData<Real> blocks,
                       const DescentSetup& setup)
        : Core(queue, std::move(data), setup),
          blocks_(std::move(blocks)),
          levels_(data_.n_nodes, blocks_.row_begin, blocks_.column) {
        b_.make(queue_, blocks_, data_);
    }
    void put_contact(const TouchedNodes& contact) override;

  private:
    void step(bool contact, bool spectrum) override;
    void make_room_for_contact(std::size_t terms, std::size_t nodes) override;
    void look();
    void sweep();
    void move_colour(Index c);
    void move_tied();
    template <class F>
    void each_kind(F&& f);
    PlaceView places(Index c) const;
    TiedView tied() const;

    VertexBlockData<Real> blocks_;
    VertexBlockArrays<Queue, Real> b_;
    TiedLevels levels_;
    NodeOwn<Real> own_{};  // of the program that is being listed

    using Core::a_, Core::contact_, Core::control_, Core::data_, Core::node_room_, Core::nodes_,
        Core::numbers_, Core::queue_, Core::setup_;
};

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::make_room_for_contact(std::size_t, std::size_t nodes) {
    const std::size_t n = static_cast<std::size_t>(data_.n_nodes);
    queue_.resize(b_.tied_node, nodes);
    queue_.resize(b_.tied_begin, nodes + 1);
    queue_.resize(b_.tied_terms, nodes);
    queue_.resize(b_.tied_energy, nodes);
    if (b_.tied.size() > 0) return;
    queue_.resize(b_.touched_of, n);
    queue_.resize(b_.tied, n);
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::put_contact(const TouchedNodes& contact) {
    Core::put_contact(contact);
    if (contact.terms.empty()) return;
    const TiedNodes& nodes = levels_.find(contact.terms);
    queue_.put(std::span<const Index>(nodes.node), b_.tied_node);
    queue_.put(std::span<const Index>(nodes.begin), b_.tied_begin);
    const SweepLoops loops{.n_levels = nodes.n_levels()};
    queue_.put(std::span<const SweepLoops>(&loops, 1), b_.loops);
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::step(bool contact, bool) {
    this->open(contact);
    own_ = {nodes_, contact_, contact ? b_.touched_of.data() : nullptr, numbers_};
    this->begin();
    if (contact) {
        queue_.each(data_.n_nodes, ForgetTouched{b_.touched_of.data()});
        queue_.each(data_.n_nodes, Clear<char>{b_.tied.data()});
        queue_.each(node_room_, NumberTouched{contact_, numbers_, b_.touched_of.data()});
        queue_.each(node_room_, MarkTied<char>{b_.tied_node.data(), b_.tied_begin.data(),
                                               b_.loops.data(), b_.tied.data()});
    }
    queue_.once(BeginRules{control_});
    // A step begins with the interpolants that last through it.
    for (std::size_t g = 0; g < b_.tets.size(); ++g)
        if (b_.tets[g].converts)
            queue_.each(a_.groups[g].n,
                        CopyNumber<Real>{a_.groups[g].kept.data(), b_.tets[g].interpolant.data()});
    this->guess();
    for (int k = 0; k < setup_.iterations; ++k) {
        if (k % setup_.rules.check_every == 0) look();
        sweep();
    }
    look();
    queue_.once(Revive{control_});
    this->end();
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::look() {
    this->hold(nodes_.x);
    const JudgeSweeps judge{control_, data_.converts()};
    this->value(nodes_.x, KeepNow{control_});
    if (data_.converts())
        this->value(nodes_.checkpoint, judge);
    else
        queue_.once(judge);
    queue_.each(data_.n_nodes, ApplyLook<Real>{nodes_, control_});
    if (setup_.rules.rel_tolerance <= 0) return;
    this->gradient(nodes_.x, false);
    queue_.template sum<NormSum>(data_.n_nodes, GradientNorm<Real>{nodes_}, Measure{control_});
    queue_.once(StopWhereSmall{control_, setup_.rules});
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::sweep() {
    for (std::size_t g = 0; g < b_.tets.size(); ++g) {
        if (!b_.tets[g].converts) continue;
        auto view = a_.groups[g].view;
        view.interpolant = b_.tets[g].interpolant.data();
        visit_law(a_.groups[g].material, [&]<class Law>(const PointLaw<Law>& law) {
            using Own = typename Law::template With<Real>;
            queue_.each(a_.groups[g].n,
                        TetHold<Own, Real>{law.template in<Real>(), view, nodes_.x, control_});
        });
    }
    queue_.once(PlanSweeps{control_, setup_.rules, 1});
    queue_.each(data_.n_nodes, BeginSweep<Real>{nodes_, control_});
    for (Index c = 0; c < blocks_.n_colours; ++c) move_colour(c);
    if (nodes_.touched) move_tied();
    queue_.each(data_.n_nodes, EndSweep<Real>{nodes_, control_});
}

/// Calls f(entries, kind, adds) for everything that has a say in a node's energy; `adds`: to what
/// the kind before it has put into the same slots.
template <class Queue, class Real>
template <class F>
void VertexBlockProgram<Queue, Real>::each_kind(F&& f) {
    for (std::size_t g = 0; g < b_.tets.size(); ++g) {
        auto& kind = b_.tets[g];
        const auto& group = a_.groups[g];
        visit_law(group.material, [&]<class Law>(const PointLaw<Law>& law) {
            using Own = typename Law::template With<Real>;
            const NodeTetView<Real> view{kind.planes, kind.corner.data(),
                                         kind.converts ? kind.interpolant.data() : nullptr};
            f(kind, NodeTet<Own, Real>{law.template in<Real>(), view, law.law.small_strain().mu},
              false);
        });
        if (group.quadratic_slot)
            f(kind, NodeTetQuadratic<Real>{group.view, kind.corner.data(), nodes_.start, numbers_},
              true);
    }
    const auto cloth = [&]<class Element>(auto& kind, const auto& from, Element) {
        if (kind.n > 0)
            f(kind, NodeElement<Real, Element>{from.elements.data(), kind.corner.data()}, false);
    };
    cloth(b_.springs, a_.springs, Spring{});
    cloth(b_.membranes, a_.membranes, Membrane{});
    cloth(b_.flat_hinges, a_.flat_hinges, FlatHinge{});
    if (b_.dampers.n > 0)
        f(b_.dampers,
          NodeDamper<Real>{a_.dampers.elements.data(), b_.dampers.corner.data(), nodes_.start,
                           numbers_},
          false);
}

template <class Queue, class Real>
PlaceView VertexBlockProgram<Queue, Real>::places(Index c) const {
    return {b_.node.data(),          b_.slot_begin.data(),
            b_.slot_entry.data(),    nodes_.touched ? b_.tied.data() : nullptr,
            blocks_.colour_begin[c], blocks_.first_slot(c)};
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::move_colour(Index c) {
    const Index n = blocks_.colour_begin[c + 1] - blocks_.colour_begin[c];
    const PlaceView at = places(c);
    NodeMove* move = b_.move.data();
    Vec3<Real>* to = b_.to.data();
    bool* moving = &b_.loops.data()->moving;
    each_kind([&]<class Kind>(const auto& entries, const Kind& kind, bool adds) {
        queue_.each(entries.size(c),
                    PutTerms<Real, Kind>{kind, entries.colour(c, at.first_slot), nodes_.x,
                                         b_.terms.data(), adds, control_});
    });
    queue_.template sum<Moving>(n, StartMoves<Real>{own_, at, b_.terms.data(), move, to, control_},
                                SetMoving{moving});
    queue_.repeat(moving, [&] {
        each_kind([&]<class Kind>(const auto& entries, const Kind& kind, bool adds) {
            queue_.each(entries.size(c),
                        PutEnergy<Real, Kind>{kind, entries.colour(c, at.first_slot), nodes_.x, to,
                                              move, b_.energy.data(), adds});
        });
        queue_.template sum<Moving>(n, TryMoves<Real>{own_, at, b_.energy.data(), move, to},
                                    SetMoving{moving});
    });
}

template <class Queue, class Real>
TiedView VertexBlockProgram<Queue, Real>::tied() const {
    return {b_.tied_node.data(), b_.tied_begin.data(), b_.place.data(), places(0), b_.loops.data()};
}

template <class Queue, class Real>
void VertexBlockProgram<Queue, Real>::move_tied() {
    const TiedView at = tied();
    NodeMove* move = b_.move.data();
    Vec3<Real>* to = b_.to.data();
    NodeTerms* terms = b_.tied_terms.data();
    double* energy = b_.tied_energy.data();
    SweepLoops* loops = b_.loops.data();
    queue_.once(FirstLevel{loops});
    queue_.repeat(&loops->levels, [&] {
        queue_.each(node_room_, BeginTied<Real>{own_, at, terms, control_});
        each_kind([&]<class Kind>(const auto& entries, const Kind& kind, bool) {
            queue_.each(node_room_, TiedTerms<Real, Kind>{kind, at, entries.first, entries.n,
                                                          nodes_.x, terms, control_});
        });
        queue_.template sum<Moving>(node_room_,
                                    StartTied<Real>{nodes_, at, terms, move, to, control_},
                                    SetMoving{&loops->moving});
        queue_.repeat(&loops->moving, [&] {
            queue_.each(node_room_, BeginTiedEnergy<Real>{own_, at, to, move, energy});
            each_kind([&]<class Kind>(const auto& entries, const Kind& kind, bool) {
                queue_.each(node_room_, TiedEnergy<Real, Kind>{kind, at, entries.first, entries.n,
                                                               nodes_.x, to, move, energy});
            });
            queue_.template sum<Moving>(node_room_, TryTied<Real>{nodes_, at, energy, move, to},
                                        SetMoving{&loops->moving});
        });
        queue_.once(NextLevel{loops});
    });
}

}  // namespace limber::gpu
