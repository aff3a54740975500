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
    plan.n_packets = (n_tets + tet_lanes - 1) / tet_lanes;
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

    const Index n_slots = plan.n_slots();
    plan.entry_begin.assign(n_slots + 1, 0);
    plan.node_slot.resize(n_slots);
    std::vector<Index> next(plan.slot_begin.begin(), plan.slot_begin.end() - 1);
    for (Index node = 0; node < n_nodes; ++node) {
        Index k = plan.node_begin[node];
        for_each_run(node, [&](Index chunk, std::span<const Index> entries) {
            const Index slot = next[chunk]++;
            plan.node_slot[k++] = slot;
            plan.entry_begin[slot + 1] = static_cast<Index>(entries.size());
        });
    }
    for (Index s = 0; s < n_slots; ++s) plan.entry_begin[s + 1] += plan.entry_begin[s];
    plan.entry.resize(plan.entry_begin.back());
    for (Index node = 0; node < n_nodes; ++node) {
        Index k = plan.node_begin[node];
        for_each_run(node, [&](Index chunk, std::span<const Index> entries) {
            Index e = plan.entry_begin[plan.node_slot[k++]];
            for (const Index entry : entries)
                plan.entry[e++] = static_cast<std::uint16_t>(entry - chunk * chunk_entries);
        });
    }
    return plan;
}

}  // namespace limber
