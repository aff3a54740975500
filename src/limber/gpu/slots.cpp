// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/slots.h"

#include <algorithm>

namespace limber::gpu {

SlotLayout make_slots(Index n_nodes, std::span<const Index> node) {
    const Index n_groups = (n_nodes + slot_lanes - 1) / slot_lanes;
    std::vector<Index> count(static_cast<std::size_t>(n_nodes));
    for (const Index i : node) ++count[i];
    SlotLayout out;
    out.begin.resize(static_cast<std::size_t>(n_groups) + 1);
    for (Index g = 0; g < n_groups; ++g) {
        const auto first = count.begin() + g * slot_lanes;
        const auto last = count.begin() + std::min((g + 1) * slot_lanes, n_nodes);
        out.begin[g + 1] = out.begin[g] + slot_lanes * *std::max_element(first, last);
    }
    std::fill(count.begin(), count.end(), 0);
    out.slot.reserve(node.size());
    for (const Index i : node)
        out.slot.push_back(out.begin[i / slot_lanes] + slot_lanes * count[i]++ + i % slot_lanes);
    return out;
}

}  // namespace limber::gpu
