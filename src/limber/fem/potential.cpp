// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/potential.h"

#include <algorithm>

namespace limber {

BlockCsr matrix_of_pairs(Index n_nodes, std::vector<std::array<Index, 2>> pairs) {
    const std::size_t n = pairs.size();
    pairs.reserve(2 * n + static_cast<std::size_t>(n_nodes));
    for (std::size_t k = 0; k < n; ++k) pairs.push_back({pairs[k][1], pairs[k][0]});
    for (Index i = 0; i < n_nodes; ++i) pairs.push_back({i, i});
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<Index> row_begin(n_nodes + 1, 0), column;
    column.reserve(pairs.size());
    for (const auto& [i, j] : pairs) {
        ++row_begin[i + 1];
        column.push_back(j);
    }
    for (Index i = 0; i < n_nodes; ++i) row_begin[i + 1] += row_begin[i];
    return BlockCsr(std::move(row_begin), std::move(column));
}

}  // namespace limber
