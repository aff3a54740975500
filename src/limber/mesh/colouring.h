// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/core/types.h"

namespace limber {

/// Items in groups whose members do not touch each other: threads may change all of one group at
/// once, and the result is that of any order. Groups and their items depend on the mesh alone.
struct Colouring {
    std::vector<Index> begin{0};  // of each colour, and the end
    std::vector<Index> item;      // ascending in a colour

    Index n_colours() const { return static_cast<Index>(begin.size()) - 1; }
    std::span<const Index> of(Index colour) const {
        return {item.data() + begin[colour], item.data() + begin[colour + 1]};
    }
};

/// Greedy, in ascending order: neighbours in the graph (compressed rows, symmetric, the diagonal is
/// ignored) get different colours.
Colouring colour_nodes(std::span<const Index> row_begin, std::span<const Index> column);

/// The same for elements of `width` nodes each, one after the other in `nodes`: elements that share
/// a node get different colours.
Colouring colour_elements(Index n_nodes, std::span<const Index> nodes, int width);

}  // namespace limber
