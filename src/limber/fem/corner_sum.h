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

/// Tets are worked on eight at a time: one AVX-512 register of doubles, two of AVX2.
inline constexpr int tet_lanes = 8;
using Double8 = Packet<double, tet_lanes>;

/// A vector padded to one 32-byte register.
struct alignas(32) Vec4d {
    double v[4];
};

/// Sums values of tet corners into nodes, in an order that depends on the mesh alone. Element
/// sweeps are cut into chunks of 256 tets; each chunk adds its corner values into slots of its own,
/// one per node it touches, which stay in the nearest cache; each node then adds up its slots.
/// Without the first level every corner value would travel to memory and back.
struct CornerSum {
    static constexpr Index chunk_packets = 32;
    static constexpr Index chunk_tets = chunk_packets * tet_lanes;

    struct PacketSlots {  // counted from the chunk's first slot
        std::uint16_t slot[4][tet_lanes];
    };
    std::vector<PacketSlots> packet;  // lanes past the last tet have a slot that no node reads
    std::vector<Index> slot_begin;    // of each chunk, and the end
    std::vector<Index> node_begin;    // of each node, and the end
    std::vector<Index> node_slot;     // ascending for each node

    Index n_chunks() const { return static_cast<Index>(slot_begin.size()) - 1; }
    Index n_slots() const { return slot_begin.back(); }
};

CornerSum make_corner_sum(const NodeTets& incidence, Index n_tets);

struct CornerSumScratch {
    std::vector<Vec4d> slot;
    void fit(const CornerSum& plan) {
        if (slot.size() < static_cast<std::size_t>(plan.n_slots())) slot.resize(plan.n_slots());
    }
};

/// First level: calls kernel(p, slots, sum) for each packet, which adds the value of each corner
/// into sum[slots.slot[corner][lane]] (add_corner in fem/packet_memory.h).
template <class Kernel>
void sweep_packets(const CornerSum& plan, CornerSumScratch& scratch, Kernel&& kernel) {
    scratch.fit(plan);
    parallel_chunks(plan.n_chunks(), [&](Index chunk) {
        Vec4d* sum = scratch.slot.data() + plan.slot_begin[chunk];
        std::fill(sum, scratch.slot.data() + plan.slot_begin[chunk + 1], Vec4d{});
        const Index first = chunk * CornerSum::chunk_packets;
        const Index last =
            std::min(static_cast<Index>(plan.packet.size()), first + CornerSum::chunk_packets);
        for (Index p = first; p < last; ++p) kernel(p, plan.packet[p], sum);
    });
}

/// Second level: the sum of a node.
inline Vec3d node_sum(const CornerSum& plan, const CornerSumScratch& scratch, Index node) {
    using Four = Packet<double, 4>;
    const Index *k = plan.node_slot.data() + plan.node_begin[node],
                *end = plan.node_slot.data() + plan.node_begin[node + 1];
    const Vec4d* slot = scratch.slot.data();
    Four sum(0.0);
    for (; k != end; ++k) sum += Four::load(slot[*k].v);
    return {sum[0], sum[1], sum[2]};
}

}  // namespace limber
