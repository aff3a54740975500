// SPDX-License-Identifier: Apache-2.0
// Adding a child's update block to its parent's front. Rows of the child keep their order in the
// parent and mostly stay side by side, but start at another lane: whole target strips are put
// together from two strips of the child.
#include <algorithm>

#include "limber/linalg/supernodal/numeric.h"

namespace limber {

void list_row_runs(const Index* relative, Index r, Index c, Index S, std::vector<RowRun>& runs) {
    const auto lane = [=](Index p) { return (p < c ? p : p - c) % S; };
    for (Index i = 0; i < r; ++i) {
        const bool goes_on = i > 0 && relative[i] == relative[i - 1] + 1 && relative[i] != c &&
                             lane(relative[i]) != 0;
        if (goes_on)
            ++runs.back().n;
        else
            runs.push_back({i, 1});
    }
}

namespace {

constexpr Index runs_per_chunk = 8;

/// Entry (row, 0) of a child's update block.
template <class T>
const T* source_row(const T* update, Index row) {
    constexpr Index S = strip_lanes<T>;
    return update + triangle_offset(row / S, S) + row % S;
}

/// Rows of a whole target strip, columns [j0, j1) left of the diagonal.
template <class T, class Place>
void add_whole(const T* update, Index row, Index j0, Index j1, const Place& place) {
    constexpr Index S = strip_lanes<T>;
    using P = Packet<T, S>;
    const Index q = row / S, shift = row % S;
    const T *low = update + triangle_offset(q, S), *high = update + triangle_offset(q + 1, S);
    if (shift == 0) {
        for (Index j = j0; j < j1; ++j) {
            T* out = place(j);
            (P::load(out) + P::load(low + static_cast<std::size_t>(j) * S)).store(out);
        }
        return;
    }
    // Both loads lie inside the update block: strips follow one another in memory.
    P lane;
    for (Index l = 0; l < S; ++l) lane.set(l, static_cast<T>(l));
    const auto from_low = lane < P(static_cast<T>(S - shift));
    for (Index j = j0; j < j1; ++j) {
        const std::size_t at = static_cast<std::size_t>(j) * S + shift;
        T* out = place(j);
        (P::load(out) + select(from_low, P::load(low + at), P::load(high + at - S))).store(out);
    }
}

/// Columns [begin, end) of one run of rows.
template <class T, class Place>
void add_run(const T* update, const RowRun& run, Index begin, Index end, const Place& place) {
    constexpr Index S = strip_lanes<T>;
    const Index whole = std::min(end, run.row + 1);
    Index j = begin;
    if (run.n == S && begin < whole) {
        add_whole(update, run.row, begin, whole, place);
        j = whole;
    }
    const T* source[S];
    for (Index l = 0; l < run.n; ++l) source[l] = source_row(update, run.row + l);
    for (; j < whole; ++j) {
        T* out = place(j);
        for (Index l = 0; l < run.n; ++l) out[l] += source[l][static_cast<std::size_t>(j) * S];
    }
    for (; j < std::min(end, run.row + run.n); ++j) {  // across the diagonal
        T* out = place(j);
        for (Index l = std::max<Index>(0, j - run.row); l < run.n; ++l)
            out[l] += source[l][static_cast<std::size_t>(j) * S];
    }
}

}  // namespace

template <class T>
void extend_add_panel(const ChildUpdate<T>& child, const Front<T>& parent) {
    constexpr std::size_t S = strip_lanes<T>;
    const auto n_runs = static_cast<Index>(child.runs.size());
    parent.for_tiles((n_runs + runs_per_chunk - 1) / runs_per_chunk, [&](Index chunk) {
        const Index last = std::min(n_runs, (chunk + 1) * runs_per_chunk);
        for (Index k = chunk * runs_per_chunk; k < last; ++k) {
            const RowRun& run = child.runs[k];
            T* target = parent.panel + parent.panel_row(child.relative[run.row]);
            add_run(child.update, run, 0, child.n_panel,
                    [=](Index j) { return target + S * child.relative[j]; });
        }
    });
}

template <class T>
void extend_add_update(const ChildUpdate<T>& child, const Front<T>& parent) {
    constexpr std::size_t S = strip_lanes<T>;
    const auto n_runs = static_cast<Index>(child.runs.size());
    const auto begin = static_cast<Index>(
        std::ranges::lower_bound(child.runs, child.n_panel, {}, &RowRun::row) - child.runs.begin());
    parent.for_tiles((n_runs - begin + runs_per_chunk - 1) / runs_per_chunk, [&](Index chunk) {
        const Index first = begin + chunk * runs_per_chunk;
        for (Index k = first; k < std::min(n_runs, first + runs_per_chunk); ++k) {
            const RowRun& run = child.runs[k];
            const Index c = parent.f.c;
            T* target = parent.update + parent.update_row(child.relative[run.row] - c);
            add_run(child.update, run, child.n_panel, run.row + run.n,
                    [=](Index j) { return target + S * (child.relative[j] - c); });
        }
    });
}

template void extend_add_panel<double>(const ChildUpdate<double>&, const Front<double>&);
template void extend_add_panel<float>(const ChildUpdate<float>&, const Front<float>&);
template void extend_add_update<double>(const ChildUpdate<double>&, const Front<double>&);
template void extend_add_update<float>(const ChildUpdate<float>&, const Front<float>&);

}  // namespace limber
