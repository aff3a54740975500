// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/corner_sum.h"

#include <algorithm>

namespace limber {

CornerSum make_corner_sum(const NodeTets& incidence, Index n_tets) {
    constexpr Index chunk_entries = CornerSum::chunk_tets * 4;
    const Index n_nodes = static_cast<Index>(incidence.begin.size()) - 1;
    const Index n_chunks = (n_tets + CornerSum::chunk_tets - 1) / CornerSum::chunk_tets;

    // Entries of a node ascend, so its slots are runs of entries with the same chunk.
    CornerSum plan;
    plan.packet.resize((n_tets + tet_lanes - 1) / tet_lanes);
    plan.slot_begin.assign(n_chunks + 1, 0);
    plan.node_begin.assign(n_nodes + 1, 0);
    const auto for_each_run = [&](Index node, auto&& run) {
        const std::span<const Index> entries = incidence.of(node);
        for (std::size_t k = 0; k < entries.size();) {
            const Index chunk = entries[k] / chunk_entries;
            const std::size_t begin = k;
            while (k < entries.size() && entries[k] / chunk_entries == chunk) ++k;
            run(chunk, entries.subspan(begin, k - begin));
        }
    };
    for (Index node = 0; node < n_nodes; ++node)
        for_each_run(node, [&](Index chunk, std::span<const Index>) {
            ++plan.slot_begin[chunk + 1];
            ++plan.node_begin[node + 1];
        });
    for (Index c = 0; c < n_chunks; ++c) plan.slot_begin[c + 1] += plan.slot_begin[c];
    for (Index i = 0; i < n_nodes; ++i) plan.node_begin[i + 1] += plan.node_begin[i];

    plan.node_slot.resize(plan.n_slots());
    std::vector<Index> next(plan.slot_begin.begin(), plan.slot_begin.end() - 1);
    for (Index node = 0; node < n_nodes; ++node) {
        Index k = plan.node_begin[node];
        for_each_run(node, [&](Index chunk, std::span<const Index> entries) {
            const Index slot = next[chunk]++;
            plan.node_slot[k++] = slot;
            for (const Index entry : entries)
                plan.packet[entry / (4 * tet_lanes)].slot[entry % 4][entry / 4 % tet_lanes] =
                    static_cast<std::uint16_t>(slot - plan.slot_begin[chunk]);
        });
    }
    if (n_tets % tet_lanes != 0) {
        const Index unread = plan.slot_begin[n_chunks]++ - plan.slot_begin[n_chunks - 1];
        for (auto& corner : plan.packet.back().slot)
            std::fill(corner + n_tets % tet_lanes, corner + tet_lanes,
                      static_cast<std::uint16_t>(unread));
    }
    return plan;
}

}  // namespace limber
