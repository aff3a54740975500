// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step of descent (Wang & Yang 2016, Algorithm 1) as a list of bodies: what DescentLoop does
// (solve/descent/descent.cpp), with every decision taken where the numbers are.

#include "limber/gpu/descent/core.h"
#include "limber/gpu/descent/spectrum.h"
#include "limber/gpu/descent/tile_sweeps.h"

namespace limber::gpu {

/// Directions jacobi and block_jacobi.
template <class Queue, class Real>
class DescentProgram : public DescentCore<Queue, Real> {
  public:
    using Core = DescentCore<Queue, Real>;
    using Core::Core;

  private:
    void step(bool contact, bool spectrum) override;
    void make_room_for_contact(std::size_t terms, std::size_t nodes) override;
    void find_spectrum();
    void iterate(int k);
    void diagonal(const Vec3<Real>* x);
    template <class Block>
    void put_diagonals(const Vec3<Real>* x, Block* slot, Block* quadratic, Block* touched);
    void look(bool measured);
    void sweeps(int n);
    void measure();
    /// Whether whole chunks of sweeps run as one body (gpu/descent/tile_sweeps.h).
    bool goes_by_tiles(bool contact) const {
        return a_.tiles.view.n_tiles > 0 && !contact && !setup_.rules.nesterov &&
               setup_.rules.rel_tolerance == 0 && setup_.refresh % setup_.rules.check_every == 0 &&
               setup_.rules.check_every <= SweepPlan::most;
    }
    void sweep_tiles();
    template <int kept, class Inverse>
    void put_tiles(Inverse* inverse);
    bool blocks() const { return setup_.method == DescentMethod::block_jacobi; }

    using Core::a_, Core::contact_, Core::control_, Core::data_, Core::node_room_, Core::nodes_,
        Core::numbers_, Core::queue_, Core::setup_;
    using Core::begin, Core::end, Core::gradient, Core::guess, Core::hold, Core::open, Core::value;
};

template <class Queue, class Real>
void DescentProgram<Queue, Real>::make_room_for_contact(std::size_t, std::size_t) {
    const std::size_t n = static_cast<std::size_t>(data_.n_nodes);
    if (a_.touched_block.size() + a_.touched_diagonal.size() > 0) return;
    if (blocks())
        queue_.resize(a_.touched_block, n);
    else
        queue_.resize(a_.touched_diagonal, n);
}

template <class Queue, class Real>
void DescentProgram<Queue, Real>::step(bool contact, bool spectrum) {
    open(contact);
    begin();
    if (contact) {
        if (blocks())
            queue_.each(data_.n_nodes, Clear<Mat3<Real>>{a_.touched_block.data()});
        else
            queue_.each(data_.n_nodes, Clear<Vec3<Real>>{a_.touched_diagonal.data()});
    }
    if (spectrum) find_spectrum();
    if (goes_by_tiles(contact)) {
        sweep_tiles();
        this->finish();
        return;
    }
    queue_.once(BeginRules{control_});
    guess();
    for (int k = 0; k < setup_.iterations;) {
        iterate(k);
        int n = setup_.rules.check_every - k % setup_.rules.check_every;
        n = std::min(
            {n, setup_.refresh - k % setup_.refresh, setup_.iterations - k, SweepPlan::most});
        sweeps(n);
        k += n;
    }
    hold(nodes_.x);
    look(false);
    queue_.once(Revive{control_});
    end();
}

template <class Queue, class Real>
void DescentProgram<Queue, Real>::find_spectrum() {
    const Index n = data_.n_nodes;
    queue_.each(n, RandomDirection<Real>{nodes_});
    hold(nodes_.x);
    diagonal(nodes_.x);
    gradient(nodes_.x, false);
    queue_.each(n, KeepGradient<Real>{nodes_});
    for (int round = 0; round < power_rounds; ++round) {
        queue_.template sum<Largest>(n, LargestEntry<Real>{nodes_}, SetLargest{control_});
        queue_.template sum<Slope>(n, TryDirection<Real>{nodes_, setup_.probe, control_},
                                   SetBefore{control_});
        gradient(nodes_.trial, false);
        queue_.template sum<Slope>(n, NextDirection<Real>{nodes_}, SetEigenvalue{control_});
    }
    queue_.once(SetLongest{control_});
}

/// What comes before sweep k.
template <class Queue, class Real>
void DescentProgram<Queue, Real>::iterate(int k) {
    const bool looks = k % setup_.rules.check_every == 0,
               measures = looks && setup_.rules.rel_tolerance > 0;
    if (looks) hold(nodes_.x);
    if (measures) measure();
    if (looks && k > 0) {
        look(measures);
        if (measures) {
            hold(nodes_.x);
            measure();
        }
    }
    if (measures) queue_.once(StopWhereSmall{control_, setup_.rules});
    if (k % setup_.refresh == 0) diagonal(nodes_.x);
}

template <class Queue, class Real>
void DescentProgram<Queue, Real>::measure() {
    gradient(nodes_.x, false);
    queue_.template sum<NormSum>(data_.n_nodes, GradientNorm<Real>{nodes_}, Measure{control_});
}

/// Interpolants are those of x.
template <class Queue, class Real>
void DescentProgram<Queue, Real>::look(bool measured) {
    const Judge judge{control_, setup_.rules, data_.converts(), measured};
    if (data_.converts()) {
        value(nodes_.x, KeepNow{control_});
        value(nodes_.checkpoint, judge);
    } else {
        value(nodes_.x, KeepNowAndJudge{{control_}, judge});
    }
    queue_.each(data_.n_nodes, ApplyLook<Real>{nodes_, control_});
}

template <class Queue, class Real>
void DescentProgram<Queue, Real>::sweeps(int n) {
    queue_.once(PlanSweeps{control_, setup_.rules, n});
    const SweepPlan* plan = &control_->plan;
    for (int j = 0; j < n; ++j) {
        gradient(nodes_.x, true);
        if (setup_.rules.nesterov)
            queue_.template sum<Slope>(data_.n_nodes, NesterovSweep<Real>{nodes_, plan, j},
                                       NextNesterov<Slope>{control_, j});
        else
            queue_.each(data_.n_nodes, Sweep<Real>{nodes_, plan, j});
    }
}

template <class Queue, class Real>
void DescentProgram<Queue, Real>::sweep_tiles() {
    const Guess<Real> guess{nodes_, numbers_, nodes_.x, setup_.at_start};
    const Guess<Real> start{nodes_, numbers_, nodes_.trial, true};
    if (setup_.at_start)
        queue_.each(data_.n_nodes, guess);
    else
        queue_.each(data_.n_nodes, Guesses<Real>{guess, start});
    auto& tiles = a_.tiles;
    if constexpr (std::is_same_v<Real, float>) {
        if (tiles.kept == 1)
            return blocks() ? put_tiles<1>(tiles.inverse_block.data())
                            : put_tiles<1>(tiles.inverse.data());
        if (tiles.kept == 2) return put_tiles<2>(tiles.inverse.data());
    }
    blocks() ? put_tiles<0>(tiles.inverse_block.data()) : put_tiles<0>(tiles.inverse.data());
}

template <class Queue, class Real>
template <int kept, class Inverse>
void DescentProgram<Queue, Real>::put_tiles(Inverse* inverse) {
    this->each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        const TileSweeps<Law, Real, Inverse, kept> body{
            {{law, group.view, nodes_, a_.tiles.view, inverse},
             control_,
             setup_.rules,
             setup_.least_share},
            setup_.iterations,
            setup_.refresh,
            setup_.at_start,
            data_.any_pinned};
        queue_.template grid<(kept > 0)>(a_.tiles.view.n_tiles, a_.tiles.shared, body);
    });
}

/// P⁻¹ of the directions: the Hessian's diagonal or its 3x3 blocks.
template <class Queue, class Real>
void DescentProgram<Queue, Real>::diagonal(const Vec3<Real>* x) {
    const bool contact = nodes_.touched, quadratic = data_.quadratic();
    if (blocks()) {
        Mat3<Real>* touched = contact ? a_.touched_block.data() : nullptr;
        put_diagonals(x, a_.slot_block.data(), a_.quadratic_block.data(), touched);
        queue_.each(data_.n_nodes,
                    InvertBlocks<Real>{nodes_, a_.slot_block.data(),
                                       quadratic ? a_.quadratic_block.data() : nullptr, touched,
                                       setup_.least_share, control_});
    } else {
        Vec3<Real>* touched = contact ? a_.touched_diagonal.data() : nullptr;
        put_diagonals(x, a_.slot_value.data(), a_.quadratic_value.data(), touched);
        queue_.each(data_.n_nodes,
                    InvertDiagonal<Real>{nodes_, touched, setup_.least_share, control_});
    }
}

template <class Queue, class Real>
template <class Block>
void DescentProgram<Queue, Real>::put_diagonals(const Vec3<Real>* x, Block* slot, Block* quadratic,
                                                Block* touched) {
    this->each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        if constexpr (std::is_same_v<Block, Vec3<Real>>)
            queue_.each(group.n, TetDiagonal<Law, Real>{law, group.view, x, slot, control_});
        else if constexpr (has_device_blocks<Law>)
            this->queue_.each(group.n,
                              TetBlocks<Law, Real>{law, group.view, x, slot, this->control_});
        if (group.quadratic_slot)
            queue_.each(group.n, TetQuadraticDiagonal<Real, Block>{group.view, group.quadratic_slot,
                                                                   quadratic, numbers_, control_});
    });
    this->each_cloth([&]<class Element>(auto& cloth, Element) {
        queue_.each(cloth.n,
                    ElementDiagonal<Real, Element, Block>{cloth.elements.data(), cloth.n,
                                                          cloth.slot.data(), x, slot, control_});
    });
    if (a_.dampers.n > 0)
        queue_.each(a_.dampers.n,
                    DamperDiagonal<Real, Block>{a_.dampers.elements.data(), a_.dampers.n,
                                                a_.dampers.slot.data(), slot, numbers_, control_});
    if (touched)
        queue_.each(node_room_, TouchedDiagonal<Real, Block>{contact_, x, nodes_.start, touched,
                                                             numbers_, control_});
}

}  // namespace limber::gpu
