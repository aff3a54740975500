// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/schur/schur.h"

#include <algorithm>
#include <numeric>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/schur/chunk.h"

namespace limber {

namespace {

// A chunk that no call asked for goes after so many: contact flickers, and comes back where it was.
constexpr int longest_idle = 64;
// Chunks of one body that are less than half in use; with more, the next call that solves anything
// solves their nodes again, together. It bounds the memory and keeps the products dense.
constexpr Index most_sparse = 4;

}  // namespace

double columns_share(const SupernodalStructure& tree, std::span<const Vec3d> f,
                     std::vector<double>& scratch) {
    if (f.empty() || !(tree.total_flops > 0)) return 0;
    std::vector<double>& columns = scratch;  // not zero there
    columns.assign(tree.n_supernodes(), 0.0);
    for (Index i = 0; i < std::ssize(f); ++i)
        if (f[i] != Vec3d{}) columns[tree.supernode_of[i]] += 3;
    double flops = 0;
    for (Index s = 0; s < tree.n_supernodes(); ++s) {  // children come before their parents
        if (tree.parent[s] >= 0) columns[tree.parent[s]] += columns[s];
        const double m = columns[s], c = 3.0 * tree.n_cols(s), r = 3.0 * tree.n_rows(s);
        flops += m * (c * c + 2 * c * r) + m * m * c;
    }
    return flops / tree.total_flops;
}

template <class T>
struct IsolatedColumns<T>::Store {
    static constexpr Index S = strip_lanes<T>;
    using Chunk = ColumnChunk<T>;
    struct Pair {
        Index high, low;
    };
    struct Place {
        Index i, row;  // among the nodes asked for; first of its rows in the chunk
    };

    std::uint64_t structure_stamp = 0;
    std::vector<Index> root;                 // per supernode
    std::vector<Index> mark, n_sparse;       // per supernode, scratch
    std::vector<Index> chunk_of, row_of;     // per node: chunk (-1: none) and place in its nodes
    std::vector<Chunk> chunks;               // not all in use
    std::vector<GrowingStrips<T>> products;  // of chunks high >= low, at high (high + 1) / 2 + low
    std::vector<Index> asked, fresh;         // nodes
    std::vector<Index> fresh_chunks;
    std::vector<Pair> pairs, gathered;
    std::vector<Place> places;  // of the nodes asked for, by chunk
    std::vector<Index> place_begin, next_place;
    std::vector<double> flops;
    SchurWork work;
    bool unfinished = false;  // the last solve() was stopped: its chunks are not what they say

    void forget() {
        for (Chunk& chunk : chunks) chunk.used = false;
        std::ranges::fill(chunk_of, -1);
    }
    void drop(Chunk& chunk) {
        for (Index node : chunk.nodes) chunk_of[node] = -1;
        chunk.used = false;
    }
    GrowingStrips<T>& product(Index high, Index low) {
        return products[static_cast<std::size_t>(high) * (high + 1) / 2 + low];
    }

    void follow(const SupernodalCholesky<T>& factor);
    void count_live(std::span<const Index> nodes);
    void absorb_sparse();
    Index new_chunk();
    void cut_into_chunks(const SupernodalCholesky<T>& factor);
    void count_work(const SupernodalCholesky<T>& factor);
    void list_places();
    void gather(Pair pair, std::span<const Mat3d> rotation, DenseMatrix& out) const;
};

/// Forgets what is from another structure, or from a body that was factorised since.
template <class T>
void IsolatedColumns<T>::Store::follow(const SupernodalCholesky<T>& factor) {
    const SupernodalStructure& t = factor.structure();
    if (factor.structure_stamp() != structure_stamp) {
        structure_stamp = factor.structure_stamp();
        chunk_of.resize(t.n_nodes());
        row_of.resize(t.n_nodes());
        forget();
        mark.assign(t.n_supernodes(), -1);
        n_sparse.assign(t.n_supernodes(), 0);
        root.resize(t.n_supernodes());
        for (Index s = t.n_supernodes() - 1; s >= 0; --s)
            root[s] = t.parent[s] == -1 ? s : root[t.parent[s]];
    }
    for (Chunk& chunk : chunks)
        if (chunk.used && chunk.stamp != factor.stamp(chunk.root)) drop(chunk);
}

template <class T>
void IsolatedColumns<T>::Store::count_live(std::span<const Index> nodes) {
    asked.assign(nodes.begin(), nodes.end());
    fresh.clear();
    for (Chunk& chunk : chunks) chunk.n_live = 0;
    for (Index node : nodes) {
        if (chunk_of[node] == -1)
            fresh.push_back(node);
        else
            ++chunks[chunk_of[node]].n_live;
    }
    for (Chunk& chunk : chunks) {
        chunk.n_idle = chunk.n_live > 0 ? 0 : chunk.n_idle + 1;
        if (chunk.used && chunk.n_idle > longest_idle) drop(chunk);
    }
}

template <class T>
void IsolatedColumns<T>::Store::absorb_sparse() {
    const auto sparse = [](const Chunk& chunk) {
        return chunk.used && 2 * chunk.n_live < chunk_nodes;
    };
    for (const Chunk& chunk : chunks)
        if (sparse(chunk)) n_sparse[chunk.root] = 0;
    for (const Chunk& chunk : chunks)
        if (sparse(chunk)) ++n_sparse[chunk.root];
    for (Index node : asked) {
        const Index c = chunk_of[node];
        if (c != -1 && sparse(chunks[c]) && n_sparse[chunks[c].root] > most_sparse)
            fresh.push_back(node);
    }
    for (Chunk& chunk : chunks)
        if (sparse(chunk) && n_sparse[chunk.root] > most_sparse) drop(chunk);
}

template <class T>
Index IsolatedColumns<T>::Store::new_chunk() {
    auto free = std::ranges::find(chunks, false, &Chunk::used);
    if (free == chunks.end()) {
        chunks.emplace_back();
        products.resize(chunks.size() * (chunks.size() + 1) / 2);
        free = chunks.end() - 1;
    }
    free->used = true;
    free->nodes.clear();
    free->n_idle = 0;
    return static_cast<Index>(free - chunks.begin());
}

/// Fresh nodes in the order of elimination: those of a subtree, and of a body, lie side by side.
template <class T>
void IsolatedColumns<T>::Store::cut_into_chunks(const SupernodalCholesky<T>& factor) {
    const SupernodalStructure& t = factor.structure();
    std::ranges::sort(fresh, {}, [&](Index node) { return t.position[node]; });
    fresh_chunks.clear();
    for (Index node : fresh) {
        const Index r = root[t.supernode_of[node]];
        if (fresh_chunks.empty() || chunks[fresh_chunks.back()].root != r ||
            chunks[fresh_chunks.back()].nodes.size() == chunk_nodes) {
            fresh_chunks.push_back(new_chunk());
            chunks[fresh_chunks.back()].root = r;
            chunks[fresh_chunks.back()].stamp = factor.stamp(r);
        }
        Chunk& chunk = chunks[fresh_chunks.back()];
        chunk_of[node] = fresh_chunks.back();
        row_of[node] = static_cast<Index>(chunk.nodes.size());
        chunk.nodes.push_back(node);
    }
    pairs.clear();
    for (Chunk& chunk : chunks) chunk.fresh = false;
    for (Index a : fresh_chunks) {
        find_paths(t, chunks[a], mark);
        chunks[a].fresh = true;
    }
    for (Index a : fresh_chunks)
        for (Index b = 0; b < static_cast<Index>(chunks.size()); ++b) {
            if (!chunks[b].used || chunks[b].root != chunks[a].root) continue;
            if (chunks[b].fresh && b > a) continue;  // two fresh chunks meet twice
            pairs.push_back({std::max(a, b), std::min(a, b)});
            product(std::max(a, b), std::min(a, b))
                .reserve(static_cast<std::size_t>(chunks[a].n_strips()) * S * chunks[b].n_strips() *
                         S);
        }
}

template <class T>
void IsolatedColumns<T>::Store::count_work(const SupernodalCholesky<T>& factor) {
    work.n_nodes = static_cast<Index>(asked.size());
    work.n_solved = static_cast<Index>(fresh.size());
    work.factor_bytes = 0;
    for (Index a : fresh_chunks)
        for (const auto& place : chunks[a].path) {
            if (mark[place.s] != -1) continue;
            mark[place.s] = 0;
            work.factor_bytes +=
                static_cast<double>(factor.front(place.s).f.panel_size(S) * sizeof(T));
        }
    for (Index a : fresh_chunks)
        for (const auto& place : chunks[a].path) mark[place.s] = -1;
}

/// Which of the nodes asked for are in which chunk, and which pairs of chunks have any.
template <class T>
void IsolatedColumns<T>::Store::list_places() {
    place_begin.assign(chunks.size() + 1, 0);
    for (Index node : asked) ++place_begin[chunk_of[node] + 1];
    std::partial_sum(place_begin.begin(), place_begin.end(), place_begin.begin());
    places.resize(asked.size());
    next_place.assign(place_begin.begin(), place_begin.end());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const Index chunk = chunk_of[asked[i]];
        places[next_place[chunk]++] = {static_cast<Index>(i), 3 * row_of[asked[i]]};
    }
    gathered.clear();
    const auto n = static_cast<Index>(chunks.size());
    for (Index high = 0; high < n; ++high)
        for (Index low = 0; low <= high; ++low)
            if (place_begin[high] < place_begin[high + 1] &&
                place_begin[low] < place_begin[low + 1])
                gathered.push_back({high, low});
}

/// The blocks of `out` between the nodes of two chunks.
template <class T>
void IsolatedColumns<T>::Store::gather(Pair pair, std::span<const Mat3d> rotation,
                                       DenseMatrix& out) const {
    const auto [high, low] = pair;
    const bool coupled = chunks[high].root == chunks[low].root;  // else their paths never meet
    const std::size_t width = static_cast<std::size_t>(chunks[low].n_strips()) * S;
    const T* data = products[static_cast<std::size_t>(high) * (high + 1) / 2 + low].data();
    const Place* place = places.data();
    const std::size_t n = out.n();
    double* const first = out.n() > 0 ? out.row(0).data() : nullptr;
    for (Index p = place_begin[high]; p < place_begin[high + 1]; ++p) {
        std::size_t line[3];  // of the rows of the node in a column of the product
        for (Index a = 0; a < 3; ++a) {
            const Index row = place[p].row + a;
            line[a] = static_cast<std::size_t>(row / S) * width * S + row % S;
        }
        // Inside one chunk the lower half is there: rows of later nodes, columns of earlier ones.
        for (Index q = place_begin[low]; q < place_begin[low + 1]; ++q) {
            if (high == low && place[q].row > place[p].row) continue;
            const std::size_t i = 3 * static_cast<std::size_t>(place[p].i),
                              j = 3 * static_cast<std::size_t>(place[q].i);
            Mat3d B;
            if (coupled) {
                const T* columns = data + static_cast<std::size_t>(place[q].row) * S;
                for (std::size_t a = 0; a < 3; ++a)
                    for (std::size_t b = 0; b < 3; ++b)
                        B.a[a + 3 * b] = static_cast<double>(columns[line[a] + b * S]);
            }
            if (i == j) {  // the lower half of a node's own block
                B.a[3] = B.a[1];
                B.a[6] = B.a[2];
                B.a[7] = B.a[5];
            }
            if (!rotation.empty()) {
                // Always from the earlier node's side: which of the two is in the higher chunk is a
                // matter of history, and products of matrices round differently when transposed.
                const bool turned = i > j;
                const Mat3d& left = rotation[asked[place[turned ? q : p].i]];
                const Mat3d& right = rotation[asked[place[turned ? p : q].i]];
                B = left * (turned ? transpose(B) : B) * transpose(right);
                if (turned) B = transpose(B);
                if (i == j) B = 0.5 * (B + transpose(B));
            }
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b)
                    first[(i + a) * n + j + b] = first[(j + b) * n + i + a] = B.a[a + 3 * b];
        }
    }
}

template <class T>
IsolatedColumns<T>::IsolatedColumns() : store_(std::make_unique<Store>()) {}
template <class T>
IsolatedColumns<T>::~IsolatedColumns() = default;
template <class T>
IsolatedColumns<T>::IsolatedColumns(IsolatedColumns&&) noexcept = default;
template <class T>
IsolatedColumns<T>& IsolatedColumns<T>::operator=(IsolatedColumns&&) noexcept = default;

template <class T>
void IsolatedColumns<T>::solve(const SupernodalCholesky<T>& factor, std::span<const Index> nodes) {
    LIMBER_CHECK(factor.factorized(), "factorize() succeeded before the compliance is asked for");
    Store& s = *store_;
    if (s.unfinished) s.forget();
    s.unfinished = true;
    s.follow(factor);
    s.count_live(nodes);
    s.work = {};
    if (!s.fresh.empty()) s.absorb_sparse();
    s.cut_into_chunks(factor);
    s.count_work(factor);
    const auto n_chunks = static_cast<Index>(s.fresh_chunks.size());
    s.flops.resize(std::max(s.fresh_chunks.size(), s.pairs.size()));
    parallel_tiles(n_chunks,
                   [&](Index k) { s.flops[k] = solve_chunk(factor, s.chunks[s.fresh_chunks[k]]); });
    for (Index k = 0; k < n_chunks; ++k) s.work.forward_flops += s.flops[k];
    parallel_tiles(static_cast<Index>(s.pairs.size()), [&](Index k) {
        const auto [high, low] = s.pairs[k];
        s.flops[k] = multiply_chunks(s.chunks[high], s.chunks[low], s.product(high, low).data());
    });
    for (std::size_t k = 0; k < s.pairs.size(); ++k) s.work.product_flops += s.flops[k];
    s.unfinished = false;
}

template <class T>
void IsolatedColumns<T>::gather(DenseMatrix& out, std::span<const Mat3d> rotation) {
    Store& s = *store_;
    out.resize(3 * static_cast<Index>(s.asked.size()));
    s.list_places();
    parallel_tiles(static_cast<Index>(s.gathered.size()),
                   [&](Index k) { s.gather(s.gathered[k], rotation, out); });
}

template <class T>
void IsolatedColumns<T>::forget() {
    store_->forget();
}
template <class T>
const SchurWork& IsolatedColumns<T>::work() const {
    return store_->work;
}
template <class T>
double IsolatedColumns<T>::kept_bytes() const {
    double bytes = 0;
    for (const auto& chunk : store_->chunks) bytes += chunk.rows.bytes();
    for (const auto& product : store_->products) bytes += product.bytes();
    return bytes;
}

template class IsolatedColumns<double>;
template class IsolatedColumns<float>;

}  // namespace limber
