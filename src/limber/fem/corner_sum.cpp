// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/corner_sum.h"

#include <algorithm>

namespace limber {

template <int W>
CornerSumOf<W> make_corner_sum(const NodeTets& incidence, std::vector<Index> packet_begin) {
    const Index n_nodes = static_cast<Index>(incidence.begin.size()) - 1;
    const Index n_chunks = static_cast<Index>(packet_begin.size()) - 1;
    CornerSumOf<W> plan;
    plan.packet_begin = std::move(packet_begin);
    const Index n_packets = plan.packet_begin.back();
    std::vector<Index> chunk_of(n_packets);
    for (Index c = 0; c < n_chunks; ++c)
        std::fill(chunk_of.begin() + plan.packet_begin[c],
                  chunk_of.begin() + plan.packet_begin[c + 1], c);
    const auto chunk_at = [&](Index entry) { return chunk_of[entry / (4 * W)]; };

    // Entries of a node ascend, so its slots are runs of entries with the same chunk.
    plan.packet.resize(n_packets);
    plan.slot_begin.assign(n_chunks + 1, 0);
    plan.node_begin.assign(n_nodes + 1, 0);
    const auto for_each_run = [&](Index node, auto&& run) {
        const std::span<const Index> entries = incidence.of(node);
        for (std::size_t k = 0; k < entries.size();) {
            const Index chunk = chunk_at(entries[k]);
            const std::size_t begin = k;
            while (k < entries.size() && chunk_at(entries[k]) == chunk) ++k;
            run(chunk, entries.subspan(begin, k - begin));
        }
    };
    for (Index c = 0; c < n_chunks; ++c) plan.slot_begin[c + 1] = 1;  // first: what no node reads
    for (Index node = 0; node < n_nodes; ++node)
        for_each_run(node, [&](Index chunk, std::span<const Index>) {
            ++plan.slot_begin[chunk + 1];
            ++plan.node_begin[node + 1];
        });
    for (Index c = 0; c < n_chunks; ++c) plan.slot_begin[c + 1] += plan.slot_begin[c];
    for (Index i = 0; i < n_nodes; ++i) plan.node_begin[i + 1] += plan.node_begin[i];

    plan.node_slot.resize(plan.node_begin.back());
    std::vector<Index> next(n_chunks);
    for (Index c = 0; c < n_chunks; ++c) next[c] = plan.slot_begin[c] + 1;
    for (Index node = 0; node < n_nodes; ++node) {
        Index k = plan.node_begin[node];
        for_each_run(node, [&](Index chunk, std::span<const Index> entries) {
            const Index slot = next[chunk]++;
            plan.node_slot[k++] = slot;
            for (const Index entry : entries)
                plan.packet[entry / (4 * W)].slot[entry % 4][entry / 4 % W] =
                    static_cast<std::uint16_t>(slot - plan.slot_begin[chunk]);
        });
    }
    return plan;
}

template CornerSumOf<8> make_corner_sum(const NodeTets&, std::vector<Index>);
template CornerSumOf<16> make_corner_sum(const NodeTets&, std::vector<Index>);

CornerSum make_corner_sum(const NodeTets& incidence, Index n_tets) {
    const Index n_packets = (n_tets + tet_lanes - 1) / tet_lanes;
    std::vector<Index> packet_begin;
    for (Index p = 0; p < n_packets; p += CornerSum::chunk_packets) packet_begin.push_back(p);
    packet_begin.push_back(n_packets);
    return make_corner_sum<tet_lanes>(incidence, std::move(packet_begin));
}

}  // namespace limber
