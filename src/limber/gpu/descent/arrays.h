// SPDX-License-Identifier: Apache-2.0
#pragma once

// DescentData in the memory of a queue (gpu/queue.h).

#include <deque>

#include "limber/gpu/descent/contact.h"
#include "limber/gpu/descent/data.h"
#include "limber/gpu/descent/run.h"
#include "limber/gpu/descent/tile_memory.h"
#include "limber/gpu/queue.h"

namespace limber::gpu {

/// Fills an array from numbers of the host.
template <class Queue, class T>
void fill(Queue& queue, typename Queue::template Array<T>& array, const std::vector<T>& values) {
    queue.resize(array, values.size());
    if (!values.empty()) queue.put(std::span<const T>(values), array);
}

template <class Queue, class Real>
struct TetGroupArrays {
    template <class T>
    using Array = typename Queue::template Array<T>;
    Material material;
    Index n = 0;
    TetGroupView<Real> view;
    const Index* quadratic_slot = nullptr;  // null: nothing is quadratic
    bool converts = false;
    Array<Index> node, slot, own_slot;
    Array<Real> Dm_inv, volume, data, interpolant, kept, b, mass, mass_damping;
    Array<Mat3<Real>> damping;

    void make(Queue& queue, const TetGroupData<Real>& from) {
        material = from.material;
        n = from.n();
        converts = from.converts();
        fill(queue, node, from.node);
        fill(queue, slot, from.slot);
        fill(queue, own_slot, from.quadratic_slot);
        fill(queue, Dm_inv, from.Dm_inv);
        fill(queue, volume, from.volume);
        fill(queue, data, from.data);
        fill(queue, b, from.b);
        fill(queue, mass, from.mass);
        fill(queue, mass_damping, from.mass_damping);
        view.tets = {n, node.data(), Dm_inv.data(), volume.data(), nullptr};
        view.slot = slot.data();
        if (!from.data.empty()) view.tets.data = data.data();
        if (!from.quadratic_slot.empty()) quadratic_slot = own_slot.data();
        if (!from.b.empty()) {
            queue.resize(damping, static_cast<std::size_t>(6 * n));
            view.damping = damping.data();
            view.b = b.data();
        }
        if (!from.mass.empty()) {
            view.mass = mass.data();
            view.mass_damping = mass_damping.data();
        }
        if (!converts) return;
        queue.resize(interpolant, static_cast<std::size_t>(n));
        queue.resize(kept, static_cast<std::size_t>(n));
        view.interpolant = interpolant.data();
        view.kept = kept.data();
    }
};

template <class Queue, class Element>
struct ElementArrays {
    typename Queue::template Array<Element> elements;
    typename Queue::template Array<Index> slot;
    Index n = 0;

    void make(Queue& queue, const ElementData<Element>& from) {
        n = from.n();
        fill(queue, elements, from.elements);
        fill(queue, slot, from.slot);
    }
};

/// Tiles, and what their blocks keep from sweep to sweep.
template <class Queue, class Real>
struct TileArrays {
    template <class T>
    using Array = typename Queue::template Array<T>;
    TileView<Real> view;
    int kept = 0;            // vertices of a tile in each thread, where blocks keep their tiles
    std::size_t shared = 0;  // of a block's memory [bytes]
    Array<TileRange> tile;
    Array<Index> node;
    Array<unsigned char> owner;
    Array<TileSlots> slots;
    Array<TileExchange> exchange;
    Array<TileCorners> corner, slot;
    Array<Quad<Real>> sums;
    Array<unsigned> epoch;
    Array<TileValue> value;
    Array<Quad<Real>> x, reference, target;
    Array<Vec3<Real>> inverse;
    Array<Mat3<Real>> inverse_block;

    void make(Queue& queue, const TileLayout& from, const DescentSetup& setup, bool converts) {
        fill(queue, tile, from.tile);
        fill(queue, node, from.node);
        fill(queue, owner, from.owner);
        fill(queue, slots, from.slots);
        fill(queue, exchange, from.exchange);
        fill(queue, corner, from.corner);
        fill(queue, slot, from.slot);
        queue.resize(epoch, 1);
        queue.resize(value, 2 * static_cast<std::size_t>(from.n_tiles()));
        view.n_tiles = from.n_tiles();
        view.most_tets = from.most_tets;
        view.most_vertices = from.most_vertices;
        view.most_slots = from.most_slots;
        view.tile = tile.data();
        view.node = node.data();
        view.owner = owner.data();
        view.slots = slots.data();
        view.exchange = exchange.data();
        view.corner = corner.data();
        view.slot = slot.data();
        view.n_sums = from.n_sums;
        view.epoch = epoch.data();
        view.value = value.data();
        TileMemory<Real> memory{};
        if constexpr (sizeof(Real) == sizeof(float)) {
            shared = memory.lay(nullptr, view, true, converts);
            if (queue.keeps(from.n_tiles(), shared))
                kept = kept_vertices(from.most_vertices, Queue::most_grid_threads,
                                     setup.method == DescentMethod::block_jacobi);
        }
        queue.resize(sums, static_cast<std::size_t>(from.n_sums) *
                               static_cast<std::size_t>(tile_places(setup.rules, kept > 0)));
        view.sums = sums.data();
        if (kept > 0) return;
        shared = memory.lay(nullptr, view, false, converts);
        const std::size_t n = static_cast<std::size_t>(from.n_copies());
        for (auto* array : {&x, &reference, &target}) queue.resize(*array, n);
        if (setup.method == DescentMethod::block_jacobi)
            queue.resize(inverse_block, n);
        else
            queue.resize(inverse, n);
        view.x = x.data();
        view.reference = reference.data();
        view.target = target.data();
    }
};

/// Everything a step reads and writes.
template <class Queue, class Real>
struct DescentArrays {
    template <class T>
    using Array = typename Queue::template Array<T>;
    std::deque<TetGroupArrays<Queue, Real>> groups;
    TileArrays<Queue, Real> tiles;
    ElementArrays<Queue, Spring> springs;
    ElementArrays<Queue, Membrane> membranes;
    ElementArrays<Queue, FlatHinge> flat_hinges;
    ElementArrays<Queue, Hinge> hinges;
    ElementArrays<Queue, EdgeDamper> dampers;
    Array<Index> slot_begin, quadratic_begin, origin;
    Array<Vec3<Real>> slot_value, quadratic_value;
    Array<Mat3<Real>> slot_block, quadratic_block;  // block_jacobi
    Array<double> mass, node_damping, stiffness;
    Array<unsigned char> pinned;
    Array<Vec3d> x_n, v_n, v_before, external, external_start, pin_velocity, reaction;
    Array<Vec3<Real>> start, linear, x, reference, checkpoint, trial, inverse;
    Array<Vec3<Real>> touched, touched_diagonal;
    Array<Mat3<Real>> inverse_block, touched_block;
    Array<Real> weight;
    Array<StepNumbers> numbers;
    Array<DescentControl> control;
    Array<double> rho;
    Array<int> phase_end;
    // contact, as much as there is room for
    Array<ContactTerm> terms;
    Array<Index> touched_node, touched_begin, touched_entry;

    void make(Queue& queue, const DescentData<Real>& data, const DescentSetup& setup) {
        const DescentMethod method = setup.method;
        const bool blocks = method == DescentMethod::block_jacobi;
        for (const auto& group : data.groups) groups.emplace_back().make(queue, group);
        if (!data.tiles.empty() && method != DescentMethod::vertex_block)
            tiles.make(queue, data.tiles, setup, data.converts());
        springs.make(queue, data.springs);
        membranes.make(queue, data.membranes);
        flat_hinges.make(queue, data.flat_hinges);
        hinges.make(queue, data.hinges);
        dampers.make(queue, data.dampers);
        fill(queue, slot_begin, data.slot_begin);
        fill(queue, quadratic_begin, data.quadratic_begin);
        fill(queue, origin, data.origin);
        fill(queue, mass, data.mass);
        fill(queue, node_damping, data.damping);
        fill(queue, stiffness, data.stiffness);
        fill(queue, pinned, data.pinned);
        const std::size_t n = static_cast<std::size_t>(data.n_nodes);
        const std::size_t slots = static_cast<std::size_t>(data.slot_begin.back());
        const std::size_t own =
            data.quadratic() ? static_cast<std::size_t>(data.quadratic_begin.back()) : 0;
        queue.resize(slot_value, slots);
        queue.resize(quadratic_value, own);
        if (blocks) {
            queue.resize(slot_block, slots);
            queue.resize(quadratic_block, own);
        }
        for (auto* array : {&x_n, &v_n, &v_before, &external, &pin_velocity, &reaction})
            queue.resize(*array, n);
        if (data.trapezoid) queue.resize(external_start, n);
        for (auto* array : {&start, &linear, &x, &trial, &reference, &checkpoint})
            queue.resize(*array, n);
        if (blocks) queue.resize(inverse_block, n);
        if (method == DescentMethod::jacobi) queue.resize(inverse, n);
        queue.resize(weight, n);
        queue.resize(numbers, 1);
        queue.resize(control, 1);
    }
    NodeView<Real> nodes(const DescentData<Real>& data, DescentMethod method, bool contact) {
        NodeView<Real> v;
        v.n = data.n_nodes;
        v.x_n = x_n.data();
        v.v_n = v_n.data();
        v.v_before = v_before.data();
        v.external = external.data();
        v.external_start = external_start.data();
        v.pin_velocity = pin_velocity.data();
        v.mass = mass.data();
        v.damping = node_damping.data();
        v.stiffness = stiffness.data();
        v.pinned = pinned.data();
        v.origin = origin.data();
        v.start = start.data();
        v.linear = linear.data();
        v.weight = weight.data();
        v.x = x.data();
        v.trial = trial.data();
        v.reference = reference.data();
        v.checkpoint = checkpoint.data();
        if (method == DescentMethod::block_jacobi) v.inverse_block = inverse_block.data();
        if (method == DescentMethod::jacobi) v.inverse = inverse.data();
        v.reaction = reaction.data();
        v.slots.begin = slot_begin.data();
        v.slot_value = slot_value.data();
        if (data.quadratic()) {
            v.quadratic.begin = quadratic_begin.data();
            v.quadratic_value = quadratic_value.data();
        }
        if (contact) v.touched = touched.data();
        return v;
    }
};

}  // namespace limber::gpu
