// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/core/math.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// Tets are worked on eight at a time: one AVX-512 register of doubles, two of AVX2. In single
/// precision sixteen fit the same register.
inline constexpr int tet_lanes = 8;
using Double8 = Packet<double, tet_lanes>;
template <class Real>
inline constexpr int lanes_of = 64 / sizeof(Real);

/// A vector padded to one register of four.
template <class Real>
struct alignas(4 * sizeof(Real)) Vec4 {
    Real v[4];
};
using Vec4d = Vec4<double>;

/// Sums values of tet corners into nodes, in an order that depends on the mesh alone. Element
/// sweeps are cut into chunks of 256 tets; each chunk adds its corner values into slots of its own,
/// one per node it touches, which stay in the nearest cache; each node then adds up its slots.
/// Without the first level every corner value would travel to memory and back.
template <int W>
struct CornerSumOf {
    static constexpr Index chunk_tets = 256;
    static constexpr Index chunk_packets = chunk_tets / W;

    struct PacketSlots {  // counted from the chunk's first slot
        std::uint16_t slot[4][W];
    };
    std::vector<PacketSlots> packet;  // lanes without a tet have a slot that no node reads
    std::vector<Index> packet_begin;  // of each chunk, and the end
    std::vector<Index> slot_begin;    // of each chunk, and the end
    std::vector<Index> node_begin;    // of each node, and the end
    std::vector<Index> node_slot;     // ascending for each node

    Index n_chunks() const { return static_cast<Index>(slot_begin.size()) - 1; }
    Index n_slots() const { return slot_begin.back(); }
};
using CornerSum = CornerSumOf<tet_lanes>;

/// `incidence` holds place * 4 + corner with place = packet * W + lane; a place that it leaves out
/// is a lane without a tet. `packet_begin` cuts the packets into chunks.
template <int W>
CornerSumOf<W> make_corner_sum(const NodeTets& incidence, std::vector<Index> packet_begin);
/// Tets in the order of the mesh, chunks of equal length.
CornerSum make_corner_sum(const NodeTets& incidence, Index n_tets);

template <class Real>
struct CornerSumScratchOf {
    std::vector<Vec4<Real>> slot;
    void fit(Index n_slots) {
        if (slot.size() < static_cast<std::size_t>(n_slots)) slot.resize(n_slots);
    }
};
using CornerSumScratch = CornerSumScratchOf<double>;

/// First level: calls kernel(chunk, first, last, sum) for the packets of each chunk; it adds the
/// value of each corner into sum[slots.slot[corner][lane]] (add_corner in
/// fem/elements/packet_memory.h).
template <int W, class Real, class Kernel>
void sweep_chunks(const CornerSumOf<W>& plan, CornerSumScratchOf<Real>& scratch, Kernel&& kernel) {
    scratch.fit(plan.n_slots());
    parallel_chunks(plan.n_chunks(), [&](Index chunk) {
        Vec4<Real>* sum = scratch.slot.data() + plan.slot_begin[chunk];
        std::fill(sum, scratch.slot.data() + plan.slot_begin[chunk + 1], Vec4<Real>{});
        kernel(chunk, plan.packet_begin[chunk], plan.packet_begin[chunk + 1], sum);
    });
}

/// The same packet by packet: kernel(p, slots, sum).
template <int W, class Real, class Kernel>
void sweep_packets(const CornerSumOf<W>& plan, CornerSumScratchOf<Real>& scratch, Kernel&& kernel) {
    sweep_chunks(plan, scratch, [&](Index, Index first, Index last, Vec4<Real>* sum) {
        for (Index p = first; p < last; ++p) kernel(p, plan.packet[p], sum);
    });
}

/// Second level: the sum of a node.
template <int W, class Real>
Vec3<Real> node_sum(const CornerSumOf<W>& plan, const CornerSumScratchOf<Real>& scratch,
                    Index node) {
    using Four = Packet<Real, 4>;
    const Index *k = plan.node_slot.data() + plan.node_begin[node],
                *end = plan.node_slot.data() + plan.node_begin[node + 1];
    const Vec4<Real>* slot = scratch.slot.data();
    Four sum(Real(0));
    for (; k != end; ++k) sum += Four::load(slot[*k].v);
    return {sum[0], sum[1], sum[2]};
}

}  // namespace limber
