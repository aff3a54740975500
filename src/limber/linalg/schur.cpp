// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/schur.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/linalg/schur_chunk.h"

namespace limber {

namespace {

// A chunk that no call asked for goes after so many: contact flickers, and comes back where it was.
constexpr int longest_idle = 64;
// Chunks of one body that are less than half in use; with more, the next call that solves anything
// solves their nodes again, together. It bounds the memory and keeps the products dense.
constexpr Index most_sparse = 4;

}  // namespace

template <class T>
struct IsolatedColumns<T>::Store {
    static constexpr Index S = strip_lanes<T>;
    using Chunk = ColumnChunk<T>;
    struct Pair {
        Index high, low;
    };

    std::uint64_t structure_stamp = 0;
    std::vector<Index> root;                 // per supernode
    std::vector<Index> mark, n_sparse;       // per supernode, scratch
    std::vector<Index> chunk_of, row_of;     // per node: chunk (-1: none) and place in its nodes
    std::vector<Chunk> chunks;               // not all in use
    std::vector<GrowingStrips<T>> products;  // of chunks high >= low, at high (high + 1) / 2 + low
    std::vector<Index> asked, fresh;         // nodes
    std::vector<Index> fresh_chunks;
    std::vector<Pair> pairs;
    std::vector<double> flops;
    SchurWork work;

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
    const T* product_data(Index high, Index low) const {
        return products[static_cast<std::size_t>(high) * (high + 1) / 2 + low].data();
    }

    void follow(const SupernodalCholesky<T>& factor);
    void count_live(std::span<const Index> nodes);
    void absorb_sparse();
    Index new_chunk();
    void cut_into_chunks(const SupernodalCholesky<T>& factor);
    void count_work(const SupernodalCholesky<T>& factor);
    Mat3d block(Index i, Index j) const;
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

/// A⁻¹ between two nodes of the set.
template <class T>
Mat3d IsolatedColumns<T>::Store::block(Index i, Index j) const {
    Mat3d B;
    const Index ci = chunk_of[i], cj = chunk_of[j];
    if (chunks[ci].root != chunks[cj].root) return B;  // two bodies: their paths never meet
    const bool turned = ci != cj ? ci < cj : row_of[i] < row_of[j];
    const Index high = turned ? j : i, low = turned ? i : j;
    const Index row = 3 * row_of[high], col = 3 * row_of[low];
    const std::size_t width = static_cast<std::size_t>(chunks[chunk_of[low]].n_strips()) * S;
    const T* data = product_data(chunk_of[high], chunk_of[low]);
    for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 3; ++b) {
            // Inside one node of one chunk the strip of the column may lie above that of the row.
            const Index r = high == low ? row + std::max(a, b) : row + a;
            const Index c = high == low ? col + std::min(a, b) : col + b;
            const auto value = static_cast<double>(data[(r / S * width + c) * S + r % S]);
            (turned ? B(static_cast<int>(b), static_cast<int>(a))
                    : B(static_cast<int>(a), static_cast<int>(b))) = value;
        }
    return B;
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
}

template <class T>
void IsolatedColumns<T>::gather(DenseMatrix& out, std::span<const Mat3d> rotation) const {
    const Store& s = *store_;
    const auto n = static_cast<Index>(s.asked.size());
    out.resize(3 * n);
    parallel_for(n, 8, [&](Index i) {
        for (Index j = 0; j <= i; ++j) {
            Mat3d B = s.block(s.asked[i], s.asked[j]);
            if (!rotation.empty()) B = rotation[s.asked[i]] * B * transpose(rotation[s.asked[j]]);
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < (i == j ? a + 1 : 3); ++b)
                    out(3 * i + a, 3 * j + b) = out(3 * j + b, 3 * i + a) = B(a, b);
        }
    });
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
