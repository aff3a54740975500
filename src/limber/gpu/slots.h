// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/core/types.h"

namespace limber::gpu {

/// Nodes whose slots lie interleaved: a warp of the device.
inline constexpr Index slot_lanes = 32;

/// Where elements put what they find for their nodes: every corner of every element has a slot of
/// its own, so that no two threads write one number, and each node adds up its slots in the order
/// of the entries. The slots of 32 nodes are interleaved: their threads read consecutive words.
/// Slots that nobody owns fill up the shorter of the 32, and stay zero.
struct SlotLayout {
    std::vector<Index> begin;  // of each 32 nodes their first slot, and the end
    std::vector<Index> slot;   // of each entry
    Index n_slots() const { return begin.back(); }
};
/// `node`: of each entry, corner by corner, in the order of the sums.
SlotLayout make_slots(Index n_nodes, std::span<const Index> node);

/// The slots of a node.
struct SlotView {
    const Index* begin = nullptr;

    template <class T>
    LIMBER_HD T sum(const T* value, Index node) const {
        const Index group = node / slot_lanes, end = begin[group + 1];
        T total{};
        for (Index k = begin[group] + node % slot_lanes; k < end; k += slot_lanes)
            total += value[k];
        return total;
    }
};

}  // namespace limber::gpu
