// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal/scalar.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "limber/core/check.h"
#include "limber/core/memory.h"
#include "limber/core/stop.h"
#include "limber/linalg/supernodal/scalar_kernels.h"

namespace limber {

bool scalar_blocks(const BlockCsr& A, std::vector<double>& value) {
    const std::span<const Mat3d> blocks = A.blocks();
    value.resize(blocks.size());
    std::vector<double> partial(blocks.size() / 4096 + 1);
    const double bad = parallel_sum<double>(
        static_cast<Index>(blocks.size()), 4096, partial, [&](Index begin, Index end) {
            double count = 0;
            for (Index k = begin; k < end; ++k) {
                const Mat3d& B = blocks[static_cast<std::size_t>(k)];
                const double b = B(0, 0);
                count += !(B == Mat3d::diagonal(b, b, b));
                value[static_cast<std::size_t>(k)] = b;
            }
            return count;
        });
    return bad == 0;
}

template <class T>
struct ScalarCholesky<T>::Numeric {
    static constexpr Index S = strip_lanes<T>;
    /// The numbers of one mask.
    struct Factor {
        StripMemory<T> L;
        std::vector<char> free;  // of a node; empty: all are
    };

    std::vector<Index> pattern_begin, pattern_column;  // what was analysed
    SupernodalStructure t;                             // its rows and columns are scalars here
    FrontLayout layout;
    std::vector<Index> n_panel;  // per supernode: its rows that lie in the parent's columns
    std::vector<RowRun> runs;    // of every supernode's rows
    std::vector<std::size_t> run_begin;
    StripMemory<T> U;
    mutable TaskTree tasks;  // counts what is done while it runs
    std::vector<Factor> factor;
    std::array<int, 3> factor_of{};  // of an axis
    std::vector<Index> bad;          // per supernode: column of a bad pivot, -1: none
    std::vector<char> failed, not_finite;
    bool factorized = false;

    std::vector<std::size_t> begin;  // per supernode: its vectors; and the end
    mutable StripMemory<T> vectors;  // of three axes

    void analyze(const BlockCsr& pattern);
    Front<T> front(Index s, const Factor& of) const {
        const FrontShape& f = layout.shape[s];
        return {f, of.L.data() + f.panel, U.data() + f.update, false};
    }
    void assemble(const Front<T>& here, Index s, std::span<const double> value,
                  const std::vector<char>& free) const;
    void factor_front(Index s, const Factor& of, std::span<const double> value);
    void choose_masks(FreeMask mask);
    SolveStats run(std::span<const double> value, Index* bad_node);
    template <int N, class Real>
    void solve(std::array<int, N> axes, const Vec3<Real>* b, Vec3<Real>* x) const;
    template <class F>
    void with_parent(Index s, F&& f) const;
};

template <class T>
void ScalarCholesky<T>::Numeric::analyze(const BlockCsr& pattern) {
    factorized = false;
    pattern_begin.clear();  // until all of it is there
    t = analyze_pattern(pattern, {});
    for (double& flops : t.flops) flops /= 27;  // counted for 3x3 blocks
    t.total_flops /= 27;
    layout = lay_out_fronts(t, {}, S, sizeof(T), 1);
    const Index n = t.n_supernodes();
    n_panel.assign(n, 0);
    runs.clear();
    run_begin.assign(1, 0);
    begin.assign(1, 0);
    for (Index s = 0; s < n; ++s) {
        const Index p = t.parent[s];
        if (p != -1) {
            n_panel[s] = static_cast<Index>(std::ranges::lower_bound(t.rows(s), t.first[p + 1]) -
                                            t.rows(s).begin());
            list_row_runs(t.relative.data() + t.row_begin[s], layout.shape[s].r, layout.shape[p].c,
                          S, runs);
        }
        run_begin.push_back(runs.size());
        begin.push_back(begin.back() +
                        static_cast<std::size_t>(layout.shape[s].n_top + layout.shape[s].n_low) *
                            S);
    }
    factor.clear();
    require_memory(layout.memory.total(), "the factor");
    U = StripMemory<T>(layout.update_size + layout.scratch_size);
    vectors = StripMemory<T>(3 * begin.back());
    tasks = TaskTree(layout.task_parent);
    bad.assign(n, -1);
    failed.assign(n, 1);
    not_finite.assign(n, 0);
    pattern_column.assign(pattern.column().begin(), pattern.column().end());
    pattern_begin.assign(pattern.row_begin().begin(), pattern.row_begin().end());
}

/// The columns of A, and the identity in padding and for nodes that are not free.
template <class T>
void ScalarCholesky<T>::Numeric::assemble(const Front<T>& here, Index s,
                                          std::span<const double> value,
                                          const std::vector<char>& free) const {
    const FrontShape& f = here.f;
    std::memset(here.panel, 0, f.panel_size(S) * sizeof(T));
    for (Index i = f.c; i < f.n_top * S; ++i)
        here.panel[triangle_offset(i / S, S) + static_cast<std::size_t>(i) * S + i % S] = T(1);
    const auto is_free = [&](Index place) {
        const Index position =
            place < f.c ? t.first[s] + place : t.row[t.row_begin[s] + place - f.c];
        return free[t.order[position]] != 0;
    };
    for (Index k = t.entry_begin[s]; k < t.entry_begin[s + 1]; ++k) {
        const FrontEntry& e = t.entry[k];
        double a = value[e.block];
        if (!free.empty() && !(is_free(e.row) && is_free(e.col))) a = e.row == e.col ? 1 : 0;
        here.panel[here.panel_row(e.row) + static_cast<std::size_t>(e.col) * S] = static_cast<T>(a);
    }
}

template <class T>
void ScalarCholesky<T>::Numeric::factor_front(Index s, const Factor& of,
                                              std::span<const double> value) {
    bad[s] = -1;
    not_finite[s] = failed[s] = 0;
    for (const Index c : t.children(s)) failed[s] = failed[s] || failed[c];
    if (failed[s]) return;
    const Front<T> here = front(s, of);
    assemble(here, s, value, of.free);
    const auto add_children = [&](void extend_add(const ChildUpdate<T>&, const Front<T>&)) {
        for (const Index c : t.children(s)) {
            const auto own = std::span(runs).subspan(run_begin[c], run_begin[c + 1] - run_begin[c]);
            extend_add({U.data() + layout.shape[c].update, t.relative.data() + t.row_begin[c],
                        n_panel[c], own},
                       here);
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
    if (here.f.r == 0) return;
    multiply_update(here);
    add_children(extend_add_update<T>);
}

/// A factor for each mask that some axis has.
template <class T>
void ScalarCholesky<T>::Numeric::choose_masks(FreeMask mask) {
    std::array<std::vector<char>, 3> free;
    int n = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<char>& own = free[n];
        own.clear();
        for (const Vec3d& m : mask) own.push_back(m[axis] != 0);
        if (std::ranges::all_of(own, [](char c) { return c != 0; })) own.clear();
        int k = 0;
        while (free[k] != own) ++k;
        factor_of[axis] = k;
        if (k == n) ++n;
    }
    factor.resize(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        Factor& one = factor[static_cast<std::size_t>(k)];
        one.free = std::move(free[k]);
        if (one.L.data()) continue;
        // Solves read a little past the last column.
        one.L = StripMemory<T>(layout.factor_size + S * S);
        std::fill_n(one.L.data() + layout.factor_size, S * S, T(0));
    }
}

template <class T>
SolveStats ScalarCholesky<T>::Numeric::run(std::span<const double> value, Index* bad_node) {
    SolveStats stats;
    stats.status = SolveStatus::direct;
    if (bad_node) *bad_node = -1;
    factorized = false;
    for (const Factor& of : factor) {
        std::ranges::fill(failed, 1);
        tasks.upward({}, [&](Index task) {
            for (Index s = layout.task_first[task]; s <= layout.task_root[task]; ++s) {
                stop_if_requested();
                factor_front(s, of, value);
            }
        });
        const auto first = std::ranges::find_if(bad, [](Index column) { return column >= 0; });
        if (first == bad.end()) continue;
        const auto s = static_cast<Index>(first - bad.begin());
        stats.status = not_finite[s] ? SolveStatus::not_finite : SolveStatus::indefinite;
        if (bad_node) *bad_node = t.order[t.first[s] + *first];
        return stats;
    }
    factorized = true;
    return stats;
}

/// f(place below s, place in the vectors of its parent) for the rows of s.
template <class T>
template <class F>
void ScalarCholesky<T>::Numeric::with_parent(Index s, F&& f) const {
    const FrontShape &own = layout.shape[s], &above = layout.shape[t.parent[s]];
    const Index* relative = t.relative.data() + t.row_begin[s];
    const Index low = own.n_top * S, shift = above.n_top * S - above.c;
    for (Index i = 0; i < n_panel[s]; ++i) f(low + i, relative[i]);
    for (Index i = n_panel[s]; i < own.r; ++i) f(low + i, shift + relative[i]);
}

template <class T>
template <int N, class Real>
void ScalarCholesky<T>::Numeric::solve(std::array<int, N> axes, const Vec3<Real>* b,
                                       Vec3<Real>* x) const {
    const Factor& of = factor[static_cast<std::size_t>(factor_of[axes[0]])];
    const char* free = of.free.empty() ? nullptr : of.free.data();
    const auto vectors_of = [&](Index s) {
        return FrontVectors<T, N>{vectors.data() + 3 * begin[s], begin[s + 1] - begin[s]};
    };
    tasks.upward({}, [&](Index task) {
        for (Index s = layout.task_first[task]; s <= layout.task_root[task]; ++s) {
            const FrontVectors<T, N> v = vectors_of(s);
            std::fill_n(v.v, N * v.stride, T(0));
            for (Index k = t.first[s]; k < t.first[s + 1]; ++k) {
                const Index node = t.order[k];
                if (free && !free[node]) continue;
                for (int a = 0; a < N; ++a)
                    v.of(a)[k - t.first[s]] = static_cast<T>(b[node][axes[a]]);
            }
            for (const Index c : t.children(s)) {
                const FrontVectors<T, N> child = vectors_of(c);
                with_parent(c, [&](Index here, Index above) {
                    for (int a = 0; a < N; ++a) v.of(a)[above] += child.of(a)[here];
                });
            }
            forward_axes(front(s, of), v);
        }
    });
    tasks.downward({}, [&](Index task) {
        for (Index s = layout.task_root[task]; s >= layout.task_first[task]; --s) {
            const FrontVectors<T, N> v = vectors_of(s);
            if (t.parent[s] != -1) {
                const FrontVectors<T, N> parent = vectors_of(t.parent[s]);
                with_parent(s, [&](Index here, Index above) {
                    for (int a = 0; a < N; ++a) v.of(a)[here] = parent.of(a)[above];
                });
            }
            backward_axes(front(s, of), v);
            for (Index k = t.first[s]; k < t.first[s + 1]; ++k)
                for (int a = 0; a < N; ++a)
                    x[t.order[k]][axes[a]] = static_cast<Real>(v.of(a)[k - t.first[s]]);
        }
    });
}

template <class T>
ScalarCholesky<T>::ScalarCholesky() : numeric_(std::make_unique<Numeric>()) {}
template <class T>
ScalarCholesky<T>::~ScalarCholesky() = default;
template <class T>
ScalarCholesky<T>::ScalarCholesky(ScalarCholesky&&) noexcept = default;
template <class T>
ScalarCholesky<T>& ScalarCholesky<T>::operator=(ScalarCholesky&&) noexcept = default;

template <class T>
SolveStats ScalarCholesky<T>::factorize(const BlockCsr& pattern, std::span<const double> value,
                                        FreeMask free, Index* bad_node) {
    Numeric& f = *numeric_;
    LIMBER_CHECK(std::ssize(value) == pattern.n_blocks(), "a number for each block");
    LIMBER_CHECK(free.empty() || std::ssize(free) == pattern.n_nodes(), "a mask entry a node");
    if (!std::ranges::equal(pattern.row_begin(), f.pattern_begin) ||
        !std::ranges::equal(pattern.column(), f.pattern_column))
        f.analyze(pattern);
    f.choose_masks(free);
    return f.run(value, bad_node);
}
template <class T>
bool ScalarCholesky<T>::factorized() const {
    return numeric_->factorized;
}

template <class T>
template <class Real>
void ScalarCholesky<T>::solve(std::span<const Vec3<Real>> b, std::span<Vec3<Real>> x) const {
    const Numeric& f = *numeric_;
    LIMBER_CHECK(f.factorized, "factorize() succeeded before solve()");
    LIMBER_CHECK(std::ssize(b) == n_nodes() && b.size() == x.size(), "one entry a node");
    if (f.factor.size() == 1) {
        f.template solve<3>(std::array{0, 1, 2}, b.data(), x.data());
        return;
    }
    for (int axis = 0; axis < 3; ++axis) f.template solve<1>(std::array{axis}, b.data(), x.data());
}

template <class T>
Index ScalarCholesky<T>::n_nodes() const {
    return numeric_->t.n_nodes();
}
template <class T>
const SupernodalMemory& ScalarCholesky<T>::memory() const {
    return numeric_->layout.memory;
}
template <class T>
int ScalarCholesky<T>::n_factors() const {
    return static_cast<int>(numeric_->factor.size());
}
template <class T>
double ScalarCholesky<T>::flops() const {
    return numeric_->t.total_flops;
}

#define LIMBER_SCALAR_SOLVE(T, Real)                                                           \
    template void ScalarCholesky<T>::solve(std::span<const Vec3<Real>>, std::span<Vec3<Real>>) \
        const;
template class ScalarCholesky<double>;
template class ScalarCholesky<float>;
LIMBER_SCALAR_SOLVE(double, double)
LIMBER_SCALAR_SOLVE(double, float)
LIMBER_SCALAR_SOLVE(float, double)
LIMBER_SCALAR_SOLVE(float, float)
#undef LIMBER_SCALAR_SOLVE

}  // namespace limber
