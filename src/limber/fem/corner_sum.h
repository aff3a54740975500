// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// sweeps are cut into chunks of 256 tets whose corner values stay in the nearest cache; each chunk
/// adds them up into one slot per node it touches, and each node then adds up its slots. Without
/// the first level every corner value would travel to memory and back.
struct CornerSum {
    static constexpr Index chunk_packets = 32;
    static constexpr Index chunk_tets = chunk_packets * tet_lanes;

    Index n_packets = 0;
    std::vector<Index> slot_begin;     // of each chunk, and the end
    std::vector<Index> entry_begin;    // of each slot, and the end
    std::vector<std::uint16_t> entry;  // tet * 4 + corner, counted from the chunk's first tet
    std::vector<Index> node_begin;     // of each node, and the end
    std::vector<Index> node_slot;      // ascending for each node

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

/// First level: calls kernel(packet, out) for each packet, which writes out[lane * 4 + corner].
template <class Kernel>
void sweep_packets(const CornerSum& plan, CornerSumScratch& scratch, Kernel&& kernel) {
    scratch.fit(plan);
    using Four = Packet<double, 4>;
    parallel_chunks(plan.n_chunks(), [&](Index chunk) {
        Vec4d local[CornerSum::chunk_tets * 4];  // 32 KiB
        const Index first = chunk * CornerSum::chunk_packets;
        const Index last = std::min(plan.n_packets, first + CornerSum::chunk_packets);
        for (Index p = first; p < last; ++p) kernel(p, local + (p - first) * (4 * tet_lanes));
        for (Index s = plan.slot_begin[chunk]; s < plan.slot_begin[chunk + 1]; ++s) {
            Four sum(0.0);
            for (Index e = plan.entry_begin[s]; e < plan.entry_begin[s + 1]; ++e)
                sum += Four::load(local[plan.entry[e]].v);
            sum.store(scratch.slot[s].v);
        }
    });
}

/// Second level: the sum of a node.
inline Vec3d node_sum(const CornerSum& plan, const CornerSumScratch& scratch, Index node) {
    using Four = Packet<double, 4>;
    Four sum(0.0);
    for (Index k = plan.node_begin[node]; k < plan.node_begin[node + 1]; ++k)
        sum += Four::load(scratch.slot[plan.node_slot[k]].v);
    return {sum[0], sum[1], sum[2]};
}

}  // namespace limber
