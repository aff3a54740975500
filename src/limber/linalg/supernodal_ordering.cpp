// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <numeric>
#include <type_traits>

#include "limber/core/check.h"
#include "limber/linalg/supernodal_structure.h"

namespace limber {

std::vector<Index> nested_dissection(const BlockCsr& pattern, int n_separators) {
    static_assert(sizeof(idx_t) >= sizeof(Index), "METIS counts at least as far as we do");
    const Index n = pattern.n_nodes();
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::vector<idx_t> begin{0}, neighbour;
    begin.reserve(n + 1);
    neighbour.reserve(pattern.n_blocks());
    for (Index i = 0; i < n; ++i) {
        for (Index k = pattern.row_begin()[i]; k < pattern.row_begin()[i + 1]; ++k)
            if (pattern.column()[k] != i) neighbour.push_back(pattern.column()[k]);
        begin.push_back(static_cast<idx_t>(neighbour.size()));
    }
    if (neighbour.empty()) return order;  // nothing couples: any order is as good

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
    for (Index k = 0; k < n; ++k) order[k] = static_cast<Index>(perm[k]);
    return order;
}

}  // namespace limber
