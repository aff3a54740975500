// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>

#include "limber/core/check.h"
#include "limber/core/memory.h"
#include "limber/core/stop.h"
#include "limber/core/timer.h"
#include "limber/linalg/supernodal/numeric.h"
#include "limber/linalg/supernodal/solve_workspace.h"

namespace limber {

namespace {

// Fronts from here on are cut into tiles for several threads: about 2 ms of one.
constexpr double wide_flops = 1e8;

// Share of the newest measurement in the cost of a supernode.
constexpr double newest_share = 0.3;

std::uint64_t next_stamp() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

bool all_free(const Vec3d& mask) {
    return mask.x != 0 && mask.y != 0 && mask.z != 0;
}

}  // namespace

template <class T>
bool SupernodalCholesky<T>::Numeric::analyzed(const BlockCsr& A) const {
    return std::ranges::equal(A.row_begin(), pattern_begin) &&
           std::ranges::equal(A.column(), pattern_column);
}

template <class T>
void SupernodalCholesky<T>::Numeric::analyze(const BlockCsr& pattern) {
    factorized = false;
    pattern_begin.clear();  // until all of it is there
    t = analyze_pattern(pattern, options);
    layout = lay_out_fronts(t, options, S, sizeof(T));
    const Index n = t.n_supernodes();
    n_panel.resize(n);
    relative.resize(3 * t.row.size());
    for (Index s = 0; s < n; ++s) {
        const Index p = t.parent[s];
        for (Index k = t.row_begin[s]; k < t.row_begin[s + 1]; ++k)
            for (Index axis = 0; axis < 3; ++axis)
                relative[3 * static_cast<std::size_t>(k) + axis] = 3 * t.relative[k] + axis;
        n_panel[s] =
            p == -1 ? 0
                    : 3 * static_cast<Index>(std::ranges::lower_bound(t.rows(s), t.first[p + 1]) -
                                             t.rows(s).begin());
    }
    runs.clear();
    run_begin.assign(1, 0);
    for (Index s = 0; s < n; ++s) {
        const Index p = t.parent[s];
        if (p != -1) list_row_runs(relative_of(s), layout.shape[s].r, layout.shape[p].c, S, runs);
        run_begin.push_back(runs.size());
    }
    L = {};
    U = {};
    scratch.clear();
    require_memory(layout.memory.total(), "the factor");
    // Solves read a little past the last column.
    L = StripMemory<T>(layout.factor_size + S * S);
    std::fill_n(L.data() + layout.factor_size, S * S, T(0));
    U = StripMemory<T>(layout.update_size);
    tasks = TaskTree(layout.task_parent);
    todo.assign(tasks.size(), 0);
    dirty.assign(n, 0);
    failed.assign(n, 1);
    bad.assign(n, -1);
    not_finite.assign(n, 0);
    cost_ms.assign(n, 0);
    stamp.assign(n, 0);
    structure_stamp = next_stamp();
    solver.reset();
    pattern_column.assign(pattern.column().begin(), pattern.column().end());
    pattern_begin.assign(pattern.row_begin().begin(), pattern.row_begin().end());
}

template <class T>
Front<T> SupernodalCholesky<T>::Numeric::front(Index s, T* piece) const {
    const FrontShape& f = layout.shape[s];
    return {f, L.data() + f.panel, update_of(s, piece), t.flops[s] > wide_flops};
}

/// The columns of A, and the identity in padding and prescribed degrees of freedom.
template <class T>
void SupernodalCholesky<T>::Numeric::assemble(const Front<T>& front, Index s,
                                              const BlockCsr& A) const {
    const FrontShape& f = front.f;
    std::memset(front.panel, 0, f.panel_size(S) * sizeof(T));
    for (Index i = f.c; i < f.n_top * S; ++i)
        front.panel[triangle_offset(i / S, S) + static_cast<std::size_t>(i) * S + i % S] = T(1);
    const Mat3d* blocks = A.blocks().data();
    const auto node_at = [&](Index place) {
        const Index n_cols = f.c / 3;
        return t
            .order[place < n_cols ? t.first[s] + place : t.row[t.row_begin[s] + place - n_cols]];
    };
    for (Index k = t.entry_begin[s]; k < t.entry_begin[s + 1]; ++k) {
        const FrontEntry& e = t.entry[k];
        Mat3d B = transpose(blocks[e.block]);
        if (!free.empty()) {
            const Vec3d &row_mask = free[node_at(e.row)], &col_mask = free[node_at(e.col)];
            if (!all_free(row_mask) || !all_free(col_mask))
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        if (row_mask[i] == 0 || col_mask[j] == 0)
                            B(i, j) = e.row == e.col && i == j ? 1 : 0;
        }
        for (Index i = 0; i < 3; ++i) {
            T* row = front.panel + front.panel_row(3 * e.row + i) +
                     static_cast<std::size_t>(3 * e.col) * S;
            for (Index j = 0; j < (e.row == e.col ? i + 1 : 3); ++j)
                row[static_cast<std::size_t>(j) * S] = static_cast<T>(B.a[i + 3 * j]);
        }
    }
}

template <class T>
void SupernodalCholesky<T>::Numeric::factor_front(Index s, const BlockCsr& A, T* piece) {
    const Timer timer;
    bad[s] = -1;
    not_finite[s] = 0;
    failed[s] = 0;
    for (Index c : t.children(s)) failed[s] = failed[s] || failed[c];
    if (failed[s]) return;
    const Front<T> here = front(s, piece);
    assemble(here, s, A);
    const auto add_children = [&](void extend_add(const ChildUpdate<T>&, const Front<T>&)) {
        for (Index c : t.children(s)) {
            const auto own = std::span(runs).subspan(run_begin[c], run_begin[c + 1] - run_begin[c]);
            extend_add({update_of(c, piece), relative_of(c), n_panel[c], own}, here);
        }
    };
    add_children(extend_add_panel<T>);
    const PivotResult pivots = factor_panel(here);
    if (!pivots.ok()) {
        failed[s] = 1;
        bad[s] = pivots.bad;
        not_finite[s] = !pivots.finite;
        return;
    }
    if (here.f.r > 0) {
        // The product is written, not added to: nothing to zero, and the children's share, small
        // against it, is added where it falls.
        multiply_update(here);
        add_children(extend_add_update<T>);
    }
    const double ms = timer.ms();
    cost_ms[s] = cost_ms[s] == 0 ? ms : (1 - newest_share) * cost_ms[s] + newest_share * ms;
}

/// Factorises what is dirty: `dirty` is closed.
template <class T>
SolveStats SupernodalCholesky<T>::Numeric::run(const BlockCsr& A, FreeMask mask, Index* bad_node) {
    const Timer timer;
    free.assign(mask.begin(), mask.end());
    factorized = false;  // until it is: it may be stopped on the way
    work = {};
    std::ranges::fill(todo, 0);
    const std::uint64_t now = next_stamp();
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        if (!dirty[s]) continue;
        stamp[s] = now;
        failed[s] = 1;  // until its turn comes, which a stop may prevent
        todo[layout.task_of[s]] = 1;
        ++work.n_supernodes;
        work.flops += t.flops[s];
    }
    scratch.reserve(thread_count(), layout.scratch_size);
    tasks.upward(todo, [&](Index task) {
        const typename ScratchPool<T>::Lease piece(scratch);
        for (Index s = layout.task_first[task]; s <= layout.task_root[task]; ++s) {
            stop_if_requested();
            if (dirty[s]) factor_front(s, A, piece.data());
        }
    });
    const SolveStats stats = outcome(bad_node);
    work.ms = timer.ms();
    return stats;
}

/// The first bad pivot in the order of elimination.
template <class T>
SolveStats SupernodalCholesky<T>::Numeric::outcome(Index* bad_node) {
    SolveStats stats;
    stats.status = SolveStatus::direct;
    if (bad_node) *bad_node = -1;
    const auto first = std::ranges::find_if(bad, [](Index column) { return column >= 0; });
    factorized = first == bad.end();
    if (factorized) return stats;
    const auto s = static_cast<Index>(first - bad.begin());
    stats.status = not_finite[s] ? SolveStatus::not_finite : SolveStatus::indefinite;
    if (bad_node) *bad_node = t.order[t.first[s] + *first / 3];
    return stats;
}

template <class T>
SupernodalCholesky<T>::SupernodalCholesky(const SupernodalOptions& options)
    : numeric_(std::make_unique<Numeric>()) {
    numeric_->options = options;
}
template <class T>
SupernodalCholesky<T>::~SupernodalCholesky() = default;
template <class T>
SupernodalCholesky<T>::SupernodalCholesky(SupernodalCholesky&&) noexcept = default;
template <class T>
SupernodalCholesky<T>& SupernodalCholesky<T>::operator=(SupernodalCholesky&&) noexcept = default;

template <class T>
void SupernodalCholesky<T>::analyze(const BlockCsr& pattern) {
    numeric_->analyze(pattern);
}

template <class T>
bool SupernodalCholesky<T>::analyzed(const BlockCsr& A) const {
    return numeric_->analyzed(A);
}

template <class T>
SolveStats SupernodalCholesky<T>::factorize(const BlockCsr& A, FreeMask free, Index* bad_node) {
    LIMBER_CHECK(free.empty() || std::ssize(free) == A.n_nodes(), "the mask has one entry a node");
    if (!analyzed(A)) analyze(A);
    std::ranges::fill(numeric_->dirty, 1);
    return numeric_->run(A, free, bad_node);
}

template <class T>
bool SupernodalCholesky<T>::factorized() const {
    return numeric_->factorized;
}
template <class T>
Index SupernodalCholesky<T>::n_nodes() const {
    return numeric_->t.n_nodes();
}
template <class T>
std::uint64_t SupernodalCholesky<T>::stamp(Index supernode) const {
    return numeric_->stamp[supernode];
}
template <class T>
std::uint64_t SupernodalCholesky<T>::structure_stamp() const {
    return numeric_->structure_stamp;
}
template <class T>
Front<T> SupernodalCholesky<T>::front(Index supernode) const {
    return numeric_->front(supernode);
}
template <class T>
FreeMask SupernodalCholesky<T>::free() const {
    return numeric_->free;
}
template <class T>
const SupernodalStructure& SupernodalCholesky<T>::structure() const {
    return numeric_->t;
}
template <class T>
const SupernodalMemory& SupernodalCholesky<T>::memory() const {
    return numeric_->layout.memory;
}
template <class T>
const SupernodalWork& SupernodalCholesky<T>::last_work() const {
    return numeric_->work;
}
template <class T>
std::span<const double> SupernodalCholesky<T>::cost_ms() const {
    return numeric_->cost_ms;
}

template class SupernodalCholesky<double>;
template class SupernodalCholesky<float>;

}  // namespace limber
