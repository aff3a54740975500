// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "limber/core/check.h"
#include "limber/linalg/supernodal/solve_kernels.h"
#include "limber/linalg/supernodal/solve_workspace.h"

namespace limber {

namespace {

constexpr Index solve_strips = 32;         // of L21, what one thread multiplies at a time
constexpr Index small_columns = 256;       // fronts up to here keep their sums on the stack
constexpr std::size_t wide_size = 131072;  // scalars of L21 from which several threads share it

Index front_chunks(const FrontShape& f) {
    return (f.n_low + solve_strips - 1) / solve_strips;
}

template <class T>
bool is_wide(const FrontShape& f) {
    return static_cast<std::size_t>(f.n_low) * strip_lanes<T> * f.c > wide_size;
}

template <class F>
void for_chunks(bool wide, Index n, F&& f) {
    if (wide)
        parallel_tiles(n, f);
    else
        for (Index i = 0; i < n; ++i) f(i);
}

/// A front's vector with W right-hand sides: its columns, padded to strips, then its rows below.
template <class T, Index W>
struct FrontVector {
    static constexpr Index S = strip_lanes<T>;
    const FrontShape& f;
    T* v;
    /// Row i of the padded vector.
    T* at(Index i) const { return v + static_cast<std::size_t>(i) * W; }
    T* low(Index i = 0) const { return at(f.n_top * S + i); }
};

template <class T>
const T* diagonal(const Front<T>& front, Index q) {
    return front.strip(q) + static_cast<std::size_t>(q) * strip_lanes<T> * strip_lanes<T>;
}

/// v = L⁻¹ v on the columns; the rows below lose L21 times that.
template <class T>
void forward(const Front<T>& front, const FrontVector<T, 1>& x) {
    constexpr Index S = strip_lanes<T>;
    using P = Packet<T, S>;
    for (Index q = 0; q < front.f.n_top; ++q) {
        T* z = x.at(q * S);
        (P::load(z) - strip_times(front.strip(q), q * S, x.v)).store(z);
        multiply_diagonal(diagonal(front, q), z);
    }
    for_chunks(is_wide<T>(front.f), front_chunks(front.f), [&](Index chunk) {
        const Index end = std::min(front.f.n_low, (chunk + 1) * solve_strips);
        for (Index q = chunk * solve_strips; q < end; ++q) {
            T* u = x.low(q * S);
            (P::load(u) - strip_times(front.strip(front.f.n_top + q), front.f.c, x.v)).store(u);
        }
    });
}

/// sums = L21ᵀ rows, a packet of partial sums a column; chunks of strips are added in order.
template <class T>
void multiply_low_transposed(const Front<T>& front, const FrontVector<T, 1>& x, T* sums) {
    constexpr Index S = strip_lanes<T>;
    const FrontShape& f = front.f;
    const std::size_t n_sums = static_cast<std::size_t>(f.n_top) * S * S;
    const Index n_chunks = is_wide<T>(f) ? front_chunks(f) : 1;
    const Index per_chunk = n_chunks > 1 ? solve_strips : f.n_low;
    for_chunks(n_chunks > 1, n_chunks, [&](Index chunk) {
        T* here = sums + chunk * n_sums;
        std::memset(here, 0, n_sums * sizeof(T));
        const Index end = std::min(f.n_low, (chunk + 1) * per_chunk);
        for (Index q = end - 1; q >= chunk * per_chunk; --q)
            transposed_times(front.strip(f.n_top + q), f.c, x.low(q * S), here);
    });
    for (Index chunk = 1; chunk < n_chunks; ++chunk)
        for (std::size_t i = 0; i < n_sums; ++i) sums[i] += sums[chunk * n_sums + i];
}

/// v = L⁻ᵀ (v - L21ᵀ rows) on the columns. `sums` has a packet a column and chunk.
template <class T>
void backward(const Front<T>& front, const FrontVector<T, 1>& x, T* sums) {
    constexpr Index S = strip_lanes<T>;
    multiply_low_transposed(front, x, sums);
    for (Index q = front.f.n_top - 1; q >= 0; --q) {
        T* z = x.at(q * S);
        multiply_diagonal_transposed(diagonal(front, q), sums + static_cast<std::size_t>(q) * S * S,
                                     z);
        transposed_times(front.strip(q), q * S, z, sums);
    }
}

/// The same for as many right-hand sides as a packet has lanes: a row of v is a packet.
template <class T>
void forward(const Front<T>& front, const FrontVector<T, strip_lanes<T>>& x) {
    constexpr Index S = strip_lanes<T>;
    for (Index q = 0; q < front.f.n_top; ++q) {
        subtract_product(front.strip(q), q * S, x.v, x.at(q * S));
        multiply_diagonal_many(diagonal(front, q), x.at(q * S));
    }
    for_chunks(is_wide<T>(front.f), front_chunks(front.f), [&](Index chunk) {
        const Index end = std::min(front.f.n_low, (chunk + 1) * solve_strips);
        for (Index q = chunk * solve_strips; q < end; ++q)
            subtract_product(front.strip(front.f.n_top + q), front.f.c, x.v, x.low(q * S));
    });
}

template <class T>
void backward(const Front<T>& front, const FrontVector<T, strip_lanes<T>>& x, T*) {
    constexpr Index S = strip_lanes<T>, width = 64;  // columns a thread takes at a time
    const FrontShape& f = front.f;
    for_chunks(is_wide<T>(f), (f.c + width - 1) / width, [&](Index chunk) {
        const Index k = chunk * width;
        for (Index q = 0; q < f.n_low; ++q)
            subtract_transposed(front.strip(f.n_top + q) + static_cast<std::size_t>(k) * S,
                                std::min(width, f.c - k), x.low(q * S), x.at(k));
    });
    for (Index q = f.n_top - 1; q >= 0; --q) {
        multiply_diagonal_transposed_many(diagonal(front, q), x.at(q * S));
        subtract_transposed(front.strip(q), q * S, x.at(q * S), x.v);
    }
}

}  // namespace

template <class T>
SupernodalCholesky<T>::Numeric::Solver::Solver(const Numeric& f) {
    std::size_t n = 0, n_sums = 0;
    for (Index s = 0; s < f.t.n_supernodes(); ++s) {
        const FrontShape& shape = f.layout.shape[s];
        begin.push_back(n);
        sums.push_back(n_sums);
        n += static_cast<std::size_t>(shape.n_top + shape.n_low) * S;
        if (shape.n_top * S > small_columns || is_wide<T>(shape))
            n_sums += static_cast<std::size_t>(is_wide<T>(shape) ? front_chunks(shape) : 1) *
                      shape.n_top * S * S;
    }
    begin.push_back(n);
    vectors = StripMemory<T>(n);
    partial = StripMemory<T>(n_sums);
    up.assign(f.t.n_supernodes(), 1);
    down.assign(f.t.n_supernodes(), 1);
    todo.assign(f.tasks.size(), 1);
    slot.assign(f.t.n_nodes(), -1);
}

namespace {

/// One batch of W right-hand sides through the tree.
template <class T, Index W, class Numeric>
struct Sweep {
    Numeric& f;
    typename Numeric::Solver& w;
    T* vectors;
    static constexpr Index S = strip_lanes<T>;

    FrontVector<T, W> vector(Index s) const {
        return {f.layout.shape[s], vectors + w.begin[s] * W};
    }
    void choose_tasks(const std::vector<char>& marks) {
        std::ranges::fill(w.todo, 0);
        for (Index s = 0; s < f.t.n_supernodes(); ++s)
            if (marks[s]) w.todo[f.layout.task_of[s]] = 1;
    }

    /// get(node, axis, lane) is b.
    template <class Get>
    void load(Index s, const FrontVector<T, W>& x, Get&& get) const {
        T* out = x.v;
        for (Index k = f.t.first[s]; k < f.t.first[s + 1]; ++k)
            for (int axis = 0; axis < 3; ++axis)
                for (Index lane = 0; lane < W; ++lane) *out++ = get(f.t.order[k], axis, lane);
        std::fill(out, vectors + w.begin[s + 1] * W, T(0));
    }
    /// move(here, in_parent) for the rows of s: those in the parent's columns, then those below.
    template <class Move>
    void with_parent(Index s, const FrontVector<T, W>& x, const FrontVector<T, W>& parent,
                     Move&& move) const {
        const Index *relative = f.relative_of(s), n_panel = f.n_panel[s];
        for (Index i = 0; i < n_panel; ++i) move(x.low(i), parent.at(relative[i]));
        T* low = parent.low(-parent.f.c);
        for (Index i = n_panel; i < x.f.r; ++i)
            move(x.low(i), low + static_cast<std::size_t>(relative[i]) * W);
    }
    static void add(const T* from, T* to) {
        for (Index lane = 0; lane < W; ++lane) to[lane] += from[lane];
    }
    static void copy(const T* from, T* to) {
        for (Index lane = 0; lane < W; ++lane) to[lane] = from[lane];
    }
    template <class Get>
    void upward(Get&& get) {
        choose_tasks(w.up);
        f.tasks.upward(w.todo, [&](Index task) {
            for (Index s = f.layout.task_first[task]; s <= f.layout.task_root[task]; ++s) {
                if (!w.up[s]) continue;
                const FrontVector<T, W> x = vector(s);
                load(s, x, get);
                for (Index child : f.t.children(s))
                    if (w.up[child])
                        with_parent(child, vector(child), x,
                                    [](const T* here, T* above) { add(here, above); });
                forward(f.front(s), x);
            }
        });
    }

    /// put(node, axis, lane, value) takes x.
    template <class Put>
    void downward(Put&& put) {
        choose_tasks(w.down);
        f.tasks.downward(w.todo, [&](Index task) {
            for (Index s = f.layout.task_root[task]; s >= f.layout.task_first[task]; --s) {
                if (!w.down[s]) continue;
                const FrontVector<T, W> x = vector(s);
                if (!w.up[s]) load(s, x, [](Index, int, Index) { return T(0); });
                if (f.t.parent[s] != -1)
                    with_parent(s, x, vector(f.t.parent[s]),
                                [](T* here, const T* above) { copy(above, here); });
                // Only fronts of many columns need more than the stack for their partial sums.
                alignas(64) T small[W == 1 ? small_columns * S : 1];
                const bool large = x.f.n_top * S > small_columns || is_wide<T>(x.f);
                backward(f.front(s), x, large ? w.partial.data() + w.sums[s] : small);
                const T* value = x.v;
                for (Index k = f.t.first[s]; k < f.t.first[s + 1]; ++k)
                    for (int axis = 0; axis < 3; ++axis)
                        for (Index lane = 0; lane < W; ++lane)
                            put(f.t.order[k], axis, lane, *value++);
            }
        });
    }
};

/// While it lives, slot[node] is the place of each listed node; else it is -1, also after a solve
/// that was stopped.
class ListedNodes {
  public:
    ListedNodes(std::span<const Index> nodes, std::vector<Index>& slot)
        : nodes_(nodes), slot_(slot) {
        for (std::size_t k = 0; k < nodes.size(); ++k) slot[nodes[k]] = static_cast<Index>(k);
    }
    ~ListedNodes() {
        for (Index node : nodes_) slot_[node] = -1;
    }
    ListedNodes(const ListedNodes&) = delete;
    ListedNodes& operator=(const ListedNodes&) = delete;

  private:
    std::span<const Index> nodes_;
    std::vector<Index>& slot_;
};

/// A power of two that brings the largest entry near 1: single precision keeps its digits whatever
/// the units are.
double scale_of(std::span<const Vec3d> b) {
    double largest = 0;
    for (const Vec3d& v : b)
        largest = std::max({largest, std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
    return largest > 0 && std::isfinite(largest) ? std::exp2(-std::ilogb(largest)) : 1;
}

}  // namespace

template <class T>
typename SupernodalCholesky<T>::Numeric::Solver& SupernodalCholesky<T>::Numeric::workspace() {
    LIMBER_CHECK(factorized, "factorize() succeeded before solve()");
    if (!solver) solver = std::make_unique<Solver>(*this);
    return *solver;
}

template <class T>
void SupernodalCholesky<T>::solve(std::span<const Vec3d> b, std::span<Vec3d> x) const {
    Numeric& f = *numeric_;
    typename Numeric::Solver& w = f.workspace();
    LIMBER_CHECK(std::ssize(b) == n_nodes() && std::ssize(x) == n_nodes(),
                 "b and x have one entry a node");
    std::ranges::fill(w.up, 1);
    std::ranges::fill(w.down, 1);
    const double scale = std::is_same_v<T, float> ? scale_of(b) : 1, unscale = 1 / scale;
    Sweep<T, 1, Numeric> sweep{f, w, w.vectors.data()};
    const Vec3d* in = b.data();
    Vec3d* out = x.data();
    const Vec3d* mask = f.free.empty() ? nullptr : f.free.data();
    sweep.upward([=](Index node, int axis, Index) {
        return mask && mask[node][axis] == 0 ? T(0) : static_cast<T>(scale * in[node][axis]);
    });
    sweep.downward([=](Index node, int axis, Index, T value) {
        out[node][axis] = unscale * static_cast<double>(value);
    });
}

template <class T>
void SupernodalCholesky<T>::solve_many(Index n_rhs, std::span<const Vec3d> b,
                                       std::span<Vec3d> x) const {
    numeric_->workspace();
    auto& all = numeric_->all_nodes;
    all.resize(n_nodes());
    for (Index i = 0; i < n_nodes(); ++i) all[i] = i;
    solve_paths(n_rhs, all, b, all, x);
}

template <class T>
void SupernodalCholesky<T>::solve_paths(Index n_rhs, std::span<const Index> from,
                                        std::span<const Vec3d> b, std::span<const Index> at,
                                        std::span<Vec3d> x) const {
    Numeric& f = *numeric_;
    typename Numeric::Solver& w = f.workspace();
    const std::size_t n_from = from.size(), n_at = at.size();
    LIMBER_CHECK(n_rhs >= 0 && b.size() == n_from * n_rhs && x.size() == n_at * n_rhs,
                 "b and x have one entry a listed node and right-hand side");
    constexpr Index W = strip_lanes<T>;
    if (!w.many_allocated) w.many = StripMemory<T>(w.begin.back() * W);
    w.many_allocated = true;
    f.mark_paths(from, w.up);
    f.mark_paths(at, w.down);
    Sweep<T, W, Numeric> sweep{f, w, w.many.data()};
    for (Index first = 0; first < n_rhs; first += W) {
        const Index n = std::min<Index>(W, n_rhs - first);
        const Vec3d* in = b.data() + first * n_from;
        Vec3d* out = x.data() + first * n_at;
        std::array<double, W> scale{};
        for (Index lane = 0; lane < n; ++lane)
            scale[lane] = std::is_same_v<T, float> ? scale_of({in + lane * n_from, n_from}) : 1;
        {
            const ListedNodes listed(from, w.slot);
            sweep.upward([&](Index node, int axis, Index lane) {
                const Index k = w.slot[node];
                if (k < 0 || lane >= n || (!f.free.empty() && f.free[node][axis] == 0)) return T(0);
                return static_cast<T>(scale[lane] * in[lane * n_from + k][axis]);
            });
        }
        const ListedNodes listed(at, w.slot);
        sweep.downward([&](Index node, int axis, Index lane, T value) {
            const Index k = w.slot[node];
            if (k >= 0 && lane < n)
                out[lane * n_at + k][axis] = static_cast<double>(value) / scale[lane];
        });
    }
}

/// Supernodes of the nodes and their ancestors.
template <class T>
void SupernodalCholesky<T>::Numeric::mark_paths(std::span<const Index> nodes,
                                                std::vector<char>& marks) const {
    std::ranges::fill(marks, 0);
    for (Index node : nodes) marks[t.supernode_of[node]] = 1;
    for (Index s = 0; s < t.n_supernodes(); ++s)
        if (marks[s] && t.parent[s] != -1) marks[t.parent[s]] = 1;
}

#define LIMBER_SUPERNODAL_SOLVE(T)                                                              \
    template struct SupernodalCholesky<T>::Numeric::Solver;                                     \
    template typename SupernodalCholesky<T>::Numeric::Solver&                                   \
    SupernodalCholesky<T>::Numeric::workspace();                                                \
    template void SupernodalCholesky<T>::Numeric::mark_paths(std::span<const Index>,            \
                                                             std::vector<char>&) const;         \
    template void SupernodalCholesky<T>::solve(std::span<const Vec3d>, std::span<Vec3d>) const; \
    template void SupernodalCholesky<T>::solve_many(Index, std::span<const Vec3d>,              \
                                                    std::span<Vec3d>) const;                    \
    template void SupernodalCholesky<T>::solve_paths(                                           \
        Index, std::span<const Index>, std::span<const Vec3d>, std::span<const Index>,          \
        std::span<Vec3d>) const;
LIMBER_SUPERNODAL_SOLVE(double)
LIMBER_SUPERNODAL_SOLVE(float)
#undef LIMBER_SUPERNODAL_SOLVE

}  // namespace limber
