// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <numeric>
#include <type_traits>

#include "limber/core/check.h"
#include "limber/linalg/supernodal_structure.h"

namespace limber {

std::vector<Index> nested_dissection(const BlockCsr& pattern, int n_separators,
                                     std::span<const Index> last) {
    static_assert(sizeof(idx_t) >= sizeof(Index), "METIS counts at least as far as we do");
    std::vector<Index> number(pattern.n_nodes(), 0), order;  // number: in the graph, -1: last
    for (Index node : last) {
        LIMBER_CHECK(node >= 0 && node < pattern.n_nodes() && number[node] == 0,
                     "nodes ordered last are named once each");
        number[node] = -1;
    }
    for (Index i = 0; i < pattern.n_nodes(); ++i) {
        if (number[i] == -1) continue;
        number[i] = static_cast<Index>(order.size());
        order.push_back(i);
    }
    const auto n = static_cast<Index>(order.size());
    std::vector<idx_t> begin{0}, neighbour;
    begin.reserve(n + 1);
    neighbour.reserve(pattern.n_blocks());
    for (Index i : order) {
        for (Index k = pattern.row_begin()[i]; k < pattern.row_begin()[i + 1]; ++k) {
            const Index j = pattern.column()[k];
            if (j != i && number[j] != -1) neighbour.push_back(number[j]);
        }
        begin.push_back(static_cast<idx_t>(neighbour.size()));
    }
    const auto and_last = [&] {
        order.insert(order.end(), last.begin(), last.end());
        return order;
    };
    if (neighbour.empty()) return and_last();  // nothing couples: any order is as good

    std::array<idx_t, METIS_NOPTIONS> options;
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_NSEPS] = n_separators;
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    idx_t n_vertices = n;
    std::vector<idx_t> perm(n), inverse(n);
    const int status = METIS_NodeND(&n_vertices, begin.data(), neighbour.data(), nullptr,
                                    options.data(), perm.data(), inverse.data());
    LIMBER_CHECK(status == METIS_OK, "METIS orders a valid graph");
    const std::vector<Index> node = order;
    for (Index k = 0; k < n; ++k) order[k] = node[perm[k]];
    return and_last();
}

}  // namespace limber
