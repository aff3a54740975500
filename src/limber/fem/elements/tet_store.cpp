// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/tet_store.h"

namespace limber {

namespace {

/// Ends the packet: the next tet begins another.
void fill_up(std::vector<Index>& entry, int W) {
    while (entry.size() % W != 0) entry.push_back(TetOrder::none);
}

}  // namespace

TetOrder tets_in_mesh_order(Index n_tets, int W) {
    TetOrder order;
    order.entry.resize(n_tets);
    for (Index t = 0; t < n_tets; ++t) order.entry[t] = 4 * t;
    fill_up(order.entry, W);
    return order;
}

TetOrder tets_by_material(std::span<const Index> tet_material, int W, Index longest) {
    const Index n_tets = static_cast<Index>(tet_material.size());
    std::vector<Index> sorted(n_tets);
    for (Index t = 0; t < n_tets; ++t) sorted[t] = t;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](Index a, Index b) { return tet_material[a] < tet_material[b]; });
    TetOrder order;
    for (Index k = 0; k < n_tets; ++k) {
        const Index m = tet_material[sorted[k]];
        if (k > 0 && m != tet_material[sorted[k - 1]]) fill_up(order.entry, W);
        const Index packet = static_cast<Index>(order.entry.size()) / W;
        const bool full =
            !order.packet_begin.empty() && packet - order.packet_begin.back() == longest;
        if (order.entry.size() % W == 0 && (k == 0 || full || order.material.back() != m)) {
            order.packet_begin.push_back(packet);
            order.material.push_back(m);
        }
        order.entry.push_back(4 * sorted[k]);
    }
    fill_up(order.entry, W);
    order.packet_begin.push_back(static_cast<Index>(order.entry.size()) / W);
    return order;
}

TetOrder tets_around_nodes(const NodeTets& incidence, std::span<const Index> tet_material, int W,
                           std::vector<Index>& runs_of_node) {
    TetOrder order;
    runs_of_node.assign(1, 0);
    std::vector<Index> entries;
    for (Index i = 0; i + 1 < static_cast<Index>(incidence.begin.size()); ++i) {
        const auto own = incidence.of(i);
        entries.assign(own.begin(), own.end());
        std::stable_sort(entries.begin(), entries.end(), [&](Index a, Index b) {
            return tet_material[a / 4] < tet_material[b / 4];
        });
        for (std::size_t k = 0; k < entries.size(); ++k) {
            const Index m = tet_material[entries[k] / 4];
            if (k == 0 || m != tet_material[entries[k - 1] / 4]) {
                fill_up(order.entry, W);
                order.packet_begin.push_back(static_cast<Index>(order.entry.size()) / W);
                order.material.push_back(m);
            }
            order.entry.push_back(entries[k]);
        }
        fill_up(order.entry, W);
        runs_of_node.push_back(order.n_runs());
    }
    order.packet_begin.push_back(static_cast<Index>(order.entry.size()) / W);
    return order;
}

}  // namespace limber
