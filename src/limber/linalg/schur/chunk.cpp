// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/schur/chunk.h"

#include <algorithm>
#include <cstring>

namespace limber {

namespace {

// As in the factorisation: columns that are solved before the rest follows, and columns of the
// operands that one pass multiplies.
constexpr Index chunk_block_columns = 64;
constexpr Index chunk_k_block = 256;
// Rows below a front that are multiplied before they are passed up: the product fits into the
// second-level cache beside its operands.
constexpr Index rows_per_pass = 64;

/// The rows of a chunk at one front.
template <class T>
struct RowsAtFront {
    static constexpr Index S = strip_lanes<T>;
    T* begin;
    Index n_strips, c;
    T* strip(Index q) const { return begin + static_cast<std::size_t>(q) * S * c; }
    /// Strips q .. q + n - 1 from column `col` on.
    template <class Out>
    StripPointers<Out> at(Index q, Index n, Index col) const {
        StripPointers<Out> p{};
        for (Index m = 0; m < n; ++m) p[m] = strip(q + m) + static_cast<std::size_t>(col) * S;
        return p;
    }
};

/// tile_columns rows of L11 from row `row` on, from column k on.
template <class T>
const T* rows_of_top(const Front<T>& front, Index row, Index k) {
    constexpr Index S = strip_lanes<T>;
    return front.strip(row / S) + static_cast<std::size_t>(k) * S + row % S;
}

/// Columns [k0, k1) of strips q .. q + n - 1: less what the columns before them contribute, then
/// times L⁻ᵀ of their diagonal block, one strip of it after the other, each by its inverse.
template <class T>
void solve_block(const Front<T>& front, const RowsAtFront<T>& X, Index q, Index n, Index k0,
                 Index k1) {
    constexpr Index S = strip_lanes<T>;
    const auto subtract = [&](Index col, Index k, Index width) {
        multiply_tile<T, TileMode::subtract>(
            n, X.template at<const T>(q, n, k), rows_of_top(front, col, k), width,
            X.template at<T>(q, n, col), std::min(tile_columns, X.c - col));
    };
    for (Index k = 0; k < k0; k += chunk_k_block)
        for (Index col = k0; col < k1; col += tile_columns)
            subtract(col, k, std::min(chunk_k_block, k0 - k));
    for (Index g = k0; g < k1; g += S) {
        const Index end = std::min(g + S, k1);
        if (g > k0)
            for (Index col = g; col < end; col += tile_columns) subtract(col, k0, g - k0);
        // In place, from the right: a column needs those on its left as they were.
        for (Index col = g + (end - 1 - g) / tile_columns * tile_columns; col >= g;
             col -= tile_columns)
            multiply_tile<T, TileMode::assign>(
                n, X.template at<const T>(q, n, g), rows_of_top(front, col, g),
                std::min(col + tile_columns, end) - g, X.template at<T>(q, n, col),
                std::min(tile_columns, X.c - col));
    }
}

template <class T>
void solve_front(const Front<T>& front, const RowsAtFront<T>& X) {
    for (Index k0 = 0; k0 < X.c; k0 += chunk_block_columns)
        for (Index q = 0; q < X.n_strips; q += tile_strips)
            solve_block(front, X, q, std::min(tile_strips, X.n_strips - q), k0,
                        std::min(k0 + chunk_block_columns, X.c));
}

/// product = -X L21ᵀ for the rows [i0, i1) of L21, rows_per_pass columns a strip of X.
template <class T>
void multiply_low(const Front<T>& front, const RowsAtFront<T>& X, Index i0, Index i1, T* product) {
    constexpr Index S = strip_lanes<T>;
    for (Index k = 0; k < X.c; k += chunk_k_block)
        for (Index q = 0; q < X.n_strips; q += tile_strips) {
            const Index n = std::min(tile_strips, X.n_strips - q);
            const auto A = X.template at<const T>(q, n, k);
            const Index width = std::min(chunk_k_block, X.c - k);
            for (Index i = i0; i < i1; i += tile_columns) {
                StripPointers<T> C{};
                for (Index m = 0; m < n; ++m)
                    C[m] = product + static_cast<std::size_t>((q + m) * rows_per_pass + i - i0) * S;
                const T* B =
                    front.strip(front.f.n_top + i / S) + static_cast<std::size_t>(k) * S + i % S;
                if (k == 0)
                    multiply_tile<T, TileMode::negate>(n, A, B, width, C);
                else
                    multiply_tile<T, TileMode::subtract>(n, A, B, width, C);
            }
        }
}

/// What the rows below the front contribute, added where they are columns: at the ancestors.
template <class T>
void pass_up(const SupernodalStructure& t, const Front<T>& front, const ColumnChunk<T>& chunk,
             const typename ColumnChunk<T>::Place& place, const RowsAtFront<T>& X) {
    constexpr Index S = strip_lanes<T>;
    using P = Packet<T, S>;
    alignas(64) T product[(chunk_columns + S) * rows_per_pass];
    const auto rows = t.rows(place.s);
    Index above = place.above;
    for (Index i0 = 0; i0 < front.f.r; i0 += rows_per_pass) {
        const Index i1 = std::min(i0 + rows_per_pass, front.f.r);
        multiply_low(front, X, i0, i1, product);
        for (Index i = i0; i < i1; ++i) {
            const Index position = rows[i / 3];
            while (position >= t.first[chunk.path[above].s + 1]) above = chunk.path[above].above;
            const auto& target = chunk.path[above];
            T* out = chunk.strip(target, place.q0) +
                     static_cast<std::size_t>(3 * (position - t.first[target.s]) + i % 3) * S;
            const T* in = product + static_cast<std::size_t>(i - i0) * S;
            for (Index q = 0; q < X.n_strips; ++q) {
                (P::load(out) + P::load(in)).store(out);
                out += static_cast<std::size_t>(target.c) * S;
                in += rows_per_pass * S;
            }
        }
    }
}

}  // namespace

template <class T>
void find_paths(const SupernodalStructure& t, ColumnChunk<T>& chunk, std::vector<Index>& mark) {
    constexpr Index S = strip_lanes<T>;
    chunk.path.clear();
    for (std::size_t k = 0; k < chunk.nodes.size(); ++k) {
        const Index q0 = 3 * static_cast<Index>(k) / S, q1 = (3 * static_cast<Index>(k) + 2) / S;
        for (Index s = t.supernode_of[chunk.nodes[k]]; s != -1; s = t.parent[s]) {
            if (mark[s] == -1) {
                mark[s] = static_cast<Index>(chunk.path.size());
                chunk.path.push_back({s, -1, q0, q1 + 1, 3 * t.n_cols(s), 0});
            }
            chunk.path[mark[s]].q1 = q1 + 1;  // nodes come in order: strips grow at the end
        }
    }
    for (const auto& place : chunk.path) mark[place.s] = -1;
    std::ranges::sort(chunk.path, {}, &ColumnChunk<T>::Place::s);
    std::size_t size = 0;
    for (std::size_t k = 0; k < chunk.path.size(); ++k) {
        auto& place = chunk.path[k];
        place.begin = size;
        size += static_cast<std::size_t>(place.q1 - place.q0) * S * place.c;
        mark[place.s] = static_cast<Index>(k);
    }
    for (auto& place : chunk.path)
        place.above = t.parent[place.s] == -1 ? -1 : mark[t.parent[place.s]];
    for (const auto& place : chunk.path) mark[place.s] = -1;
    chunk.rows.reserve(size);
    chunk.size = size;
}

template <class T>
double solve_chunk(const SupernodalCholesky<T>& factor, ColumnChunk<T>& chunk) {
    constexpr Index S = strip_lanes<T>;
    const SupernodalStructure& t = factor.structure();
    const FreeMask free = factor.free();
    double flops = 0;
    std::size_t k = 0;  // next node to enter
    std::memset(chunk.rows.data(), 0, chunk.size * sizeof(T));
    for (const auto& place : chunk.path) {
        for (; k < chunk.nodes.size() && t.supernode_of[chunk.nodes[k]] == place.s; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                const Index node = chunk.nodes[k], row = 3 * static_cast<Index>(k) + axis;
                const Index col = 3 * (t.position[node] - t.first[place.s]) + axis;
                if (free.empty() || free[node][axis] != 0)
                    chunk.strip(place, row / S)[static_cast<std::size_t>(col) * S + row % S] = T(1);
            }
        const Front<T> front = factor.front(place.s);
        const RowsAtFront<T> X{chunk.strip(place, place.q0), place.q1 - place.q0, place.c};
        solve_front(front, X);
        if (place.above != -1) pass_up(t, front, chunk, place, X);
        flops += static_cast<double>(X.n_strips * S) * X.c * (X.c + 2.0 * front.f.r);
    }
    return flops;
}

template <class T>
double multiply_chunks(const ColumnChunk<T>& a, const ColumnChunk<T>& b, T* product) {
    constexpr Index S = strip_lanes<T>;
    const bool same = &a == &b;
    const Index width = b.n_strips() * S;
    std::memset(product, 0, static_cast<std::size_t>(a.n_strips()) * S * width * sizeof(T));
    double flops = 0;
    for (std::size_t ka = 0, kb = 0; ka < a.path.size() && kb < b.path.size();) {
        const auto &pa = a.path[ka], &pb = b.path[kb];
        if (pa.s != pb.s) {
            ++(pa.s < pb.s ? ka : kb);
            continue;
        }
        ++ka, ++kb;
        const RowsAtFront<T> X{a.strip(pa, pa.q0), pa.q1 - pa.q0, pa.c};
        for (Index k = 0; k < pa.c; k += chunk_k_block)
            for (Index q = pa.q0; q < pa.q1; q += tile_strips) {
                const Index n = std::min(tile_strips, pa.q1 - q);
                const auto A = X.template at<const T>(q - pa.q0, n, k);
                for (Index j = pb.q0; j < (same ? std::min(q + n, pb.q1) : pb.q1); ++j)
                    for (Index h = 0; h < S; h += tile_columns) {
                        StripPointers<T> C{};
                        for (Index m = 0; m < n; ++m)
                            C[m] =
                                product + (static_cast<std::size_t>(q + m) * width + j * S + h) * S;
                        multiply_tile<T, TileMode::add>(
                            n, A, b.strip(pb, j) + static_cast<std::size_t>(k) * S + h,
                            std::min(chunk_k_block, pa.c - k), C);
                    }
            }
        flops += (same ? 1.0 : 2.0) * S * S * (pa.q1 - pa.q0) * (pb.q1 - pb.q0) * pa.c;
    }
    return flops;
}

#define LIMBER_SCHUR_CHUNK(T)                                                                   \
    template void find_paths(const SupernodalStructure&, ColumnChunk<T>&, std::vector<Index>&); \
    template double solve_chunk(const SupernodalCholesky<T>&, ColumnChunk<T>&);                 \
    template double multiply_chunks(const ColumnChunk<T>&, const ColumnChunk<T>&, T*);
LIMBER_SCHUR_CHUNK(double)
LIMBER_SCHUR_CHUNK(float)
#undef LIMBER_SCHUR_CHUNK

}  // namespace limber
