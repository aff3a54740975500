// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/colouring.h"

#include <algorithm>

namespace limber {

namespace {

/// Items of each colour, ascending.
Colouring grouped(std::span<const Index> colour) {
    Colouring out;
    const Index n = static_cast<Index>(colour.size());
    const Index n_colours = n == 0 ? 0 : 1 + *std::max_element(colour.begin(), colour.end());
    out.begin.assign(n_colours + 1, 0);
    for (Index c : colour) ++out.begin[c + 1];
    for (Index c = 0; c < n_colours; ++c) out.begin[c + 1] += out.begin[c];
    std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
    out.item.resize(n);
    for (Index i = 0; i < n; ++i) out.item[next[colour[i]]++] = i;
    return out;
}

/// The smallest number whose mark is not `stamp`.
Index first_without(std::span<const Index> mark, Index stamp) {
    Index c = 0;
    while (c < static_cast<Index>(mark.size()) && mark[c] == stamp) ++c;
    return c;
}

}  // namespace

Colouring colour_nodes(std::span<const Index> row_begin, std::span<const Index> column) {
    const Index n = static_cast<Index>(row_begin.size()) - 1;
    std::vector<Index> colour(n, -1), mark;
    for (Index i = 0; i < n; ++i) {
        for (Index k = row_begin[i]; k < row_begin[i + 1]; ++k)
            if (const Index c = colour[column[k]]; c >= 0) mark[c] = i;
        colour[i] = first_without(mark, i);
        if (colour[i] == static_cast<Index>(mark.size())) mark.push_back(-1);
    }
    return grouped(colour);
}

Colouring colour_elements(Index n_nodes, std::span<const Index> nodes, int width) {
    const Index n = static_cast<Index>(nodes.size()) / width;
    std::vector<std::vector<Index>> used(n_nodes);  // colours of the elements of each node
    std::vector<Index> colour(n), mark;
    for (Index e = 0; e < n; ++e) {
        const auto own = nodes.subspan(static_cast<std::size_t>(e) * width, width);
        for (Index node : own)
            for (Index c : used[node]) mark[c] = e;
        colour[e] = first_without(mark, e);
        if (colour[e] == static_cast<Index>(mark.size())) mark.push_back(-1);
        for (Index node : own) used[node].push_back(colour[e]);
    }
    return grouped(colour);
}

}  // namespace limber
