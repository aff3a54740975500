// SPDX-License-Identifier: Apache-2.0
// Aggregates of nodes and the tentative prolongator on them.
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/level.h"

namespace limber {

namespace {

// A motion whose part that the earlier ones of its aggregate cannot represent is smaller than this
// share of it is left to them: a rotation of one node, or what pins leave nothing of.
constexpr double independent_share = 1e-8;

constexpr Index aggregates_per_chunk = 32;

}  // namespace

Index aggregate_nodes(const BlockPattern& graph, std::span<const char> leave_out,
                      std::vector<Index>& aggregate) {
    const Index n = graph.n_rows();
    constexpr Index none = -1;
    aggregate.assign(n, none);
    Index count = 0;
    const auto open = [&](Index i) {
        return aggregate[i] == none && (leave_out.empty() || !leave_out[i]);
    };
    const auto neighbours = [&](Index i) {
        return std::span(graph.column)
            .subspan(graph.row_begin[i], graph.row_begin[i + 1] - graph.row_begin[i]);
    };
    const auto gather_around = [&](Index i) {
        for (const Index j : neighbours(i))
            if (open(j)) aggregate[j] = count;
        ++count;
    };
    for (Index i = 0; i < n; ++i)
        if (open(i) &&
            std::ranges::all_of(neighbours(i), [&](Index j) { return aggregate[j] == none; }))
            gather_around(i);

    // Joins only what the first pass made, so that aggregates do not grow along chains.
    const std::vector<Index> first = aggregate;
    std::vector<Index> links(count, 0);
    for (Index i = 0; i < n; ++i) {
        if (!open(i)) continue;
        Index best = none;
        for (const Index j : neighbours(i)) {
            const Index a = first[j];
            if (a != none && (++links[a] > (best == none ? 0 : links[best]))) best = a;
        }
        for (const Index j : neighbours(i))
            if (first[j] != none) links[first[j]] = 0;
        aggregate[i] = best;
    }
    for (Index i = 0; i < n; ++i)
        if (open(i)) gather_around(i);
    return count;
}

template <int F>
void MultigridLevel<F>::list_members() {
    member_begin_.assign(n_aggregates + 1, 0);
    for (const Index a : aggregate)
        if (a >= 0) ++member_begin_[a + 1];
    for (Index a = 0; a < n_aggregates; ++a) member_begin_[a + 1] += member_begin_[a];
    member_.resize(member_begin_.back());
    std::vector<Index> next(member_begin_.begin(), member_begin_.end() - 1);
    for (Index i = 0; i < n_nodes(); ++i)
        if (aggregate[i] >= 0) member_[next[aggregate[i]]++] = i;
}

/// modes = T R on each aggregate by Gram-Schmidt, each column twice (that is enough for
/// orthogonality to rounding). R is what the aggregate hands on as its modes. A column of T that
/// would be rounding only is zero, and so is its row of R.
template <int F>
void MultigridLevel<F>::orthonormalize(std::span<const double> modes) {
    std::ranges::copy(modes, tentative_.begin());
    std::ranges::fill(coarse_modes, 0.0);
    parallel_for(n_aggregates, aggregates_per_chunk, [&](Index a) {
        const auto members =
            std::span(member_).subspan(member_begin_[a], member_begin_[a + 1] - member_begin_[a]);
        double* R = &coarse_modes[static_cast<std::size_t>(a) * n_modes * n_modes];
        const auto dot_columns = [&](int c, int e) {
            double sum = 0;
            for (const Index i : members)
                for (int row = 0; row < F; ++row) {
                    const double* t =
                        &tentative_[(static_cast<std::size_t>(i) * F + row) * n_modes];
                    sum += t[c] * t[e];
                }
            return sum;
        };
        const auto for_entries = [&](auto&& change) {
            for (const Index i : members)
                for (int row = 0; row < F; ++row)
                    change(&tentative_[(static_cast<std::size_t>(i) * F + row) * n_modes]);
        };
        for (int c = 0; c < n_modes; ++c) {
            const double before = std::sqrt(dot_columns(c, c));
            for (int round = 0; round < 2; ++round)
                for (int e = 0; e < c; ++e) {
                    const double share = dot_columns(c, e);
                    R[e * n_modes + c] += share;
                    for_entries([&](double* t) { t[c] -= share * t[e]; });
                }
            const double left = std::sqrt(dot_columns(c, c));
            const bool independent = left > independent_share * before;
            R[c * n_modes + c] = independent ? left : 0;
            const double scale = independent ? 1 / left : 0;
            for_entries([&](double* t) { t[c] *= scale; });
        }
    });
}

template void MultigridLevel<3>::list_members();
template void MultigridLevel<6>::list_members();
template void MultigridLevel<3>::orthonormalize(std::span<const double>);
template void MultigridLevel<6>::orthonormalize(std::span<const double>);

}  // namespace limber
