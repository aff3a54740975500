// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/linalg/supernodal/numeric.h"

namespace limber {

namespace {

// Columns that are factorised before the rest of the panel follows, and columns of a tile of the
// update block. 64 columns of k_block rows of the right operand stay in the second-level cache.
constexpr Index block_columns = 64;
// Columns of the operands that one pass multiplies: the right one, 8 rows, is 16 kB.
constexpr Index k_block = 256;
// Rows of strips a thread takes at a time.
constexpr Index strips_per_chunk = 16 * tile_strips;

/// The pointers of n strips, moved to column `col`.
template <class T, class Out = T>
StripPointers<Out> at_column(const Front<T>& front, Index q, Index n, Index col) {
    StripPointers<Out> p{};
    for (Index m = 0; m < n; ++m)
        p[m] = front.strip(q + m) + static_cast<std::size_t>(col) * strip_lanes<T>;
    return p;
}

template <class T>
const T* right_operand(const Front<T>& front, Index col, Index k) {
    constexpr Index S = strip_lanes<T>;
    return front.strip(col / S) + static_cast<std::size_t>(k) * S + col % S;
}

/// Columns [k0, k1) of strips q .. q + n - 1, less what the columns before k0 contribute. Strips
/// have columns up to `width`.
template <class T>
void subtract_left(const Front<T>& front, Index q, Index n, Index k0, Index k1, Index width) {
    for (Index k = 0; k < k0; k += k_block) {
        const auto A = at_column<T, const T>(front, q, n, k);
        for (Index col = k0; col < k1; col += tile_columns)
            multiply_tile<T, TileMode::subtract>(
                n, A, right_operand(front, col, k), std::min(k_block, k0 - k),
                at_column(front, q, n, col), std::min(tile_columns, width - col));
    }
}

/// Columns [k0, k1) of strips q .. q + n - 1 times L⁻ᵀ of the diagonal block of these columns: one
/// diagonal strip after the other, each by its inverse.
template <class T>
void solve_columns(const Front<T>& front, Index q, Index n, Index k0, Index k1, Index width) {
    constexpr Index S = strip_lanes<T>;
    for (Index g = k0; g < k1; g += S) {
        const Index end = std::min(g + S, k1);
        if (g > k0)
            for (Index col = g; col < end; col += tile_columns)
                multiply_tile<T, TileMode::subtract>(
                    n, at_column<T, const T>(front, q, n, k0), right_operand(front, col, k0),
                    g - k0, at_column(front, q, n, col), std::min(tile_columns, width - col));
        // In place, from the right: a column needs those on its left as they were.
        for (Index col = g + (end - 1 - g) / tile_columns * tile_columns; col >= g;
             col -= tile_columns)
            multiply_tile<T, TileMode::assign>(
                n, at_column<T, const T>(front, q, n, g), right_operand(front, col, g),
                std::min(col + tile_columns, end) - g, at_column(front, q, n, col),
                std::min(tile_columns, width - col));
    }
}

/// L11 of columns [k0, k1), strip by strip from the top.
template <class T>
PivotResult factor_diagonal(const Front<T>& front, Index k0, Index k1) {
    constexpr Index S = strip_lanes<T>;
    for (Index q = k0 / S; q * S < k1; ++q) {
        const Index d = q * S, width = d + S;
        subtract_left(front, q, 1, k0, width, width);
        solve_columns(front, q, 1, k0, d, width);
        if (d > k0)
            for (Index col = d; col < width; col += tile_columns)
                multiply_tile<T, TileMode::subtract>(1, at_column<T, const T>(front, q, 1, k0),
                                                     right_operand(front, col, k0), d - k0,
                                                     at_column(front, q, 1, col));
        PivotResult pivots = factor_and_invert(front.strip(q) + static_cast<std::size_t>(d) * S);
        if (!pivots.ok()) {
            pivots.bad += d;
            return pivots;
        }
    }
    return {};
}

}  // namespace

template <class T>
PivotResult factor_panel(const Front<T>& front) {
    constexpr Index S = strip_lanes<T>;
    const Index c = front.f.c, n_strips = front.f.n_top + front.f.n_low;
    for (Index k0 = 0; k0 < c; k0 += block_columns) {
        const Index k1 = std::min(k0 + block_columns, c);
        const PivotResult pivots = factor_diagonal(front, k0, k1);
        if (!pivots.ok()) return pivots;
        const Index begin = (k1 + S - 1) / S;
        const Index n_chunks = (n_strips - begin + strips_per_chunk - 1) / strips_per_chunk;
        front.for_tiles(n_chunks, [&](Index chunk) {
            const Index first = begin + chunk * strips_per_chunk;
            const Index last = std::min(first + strips_per_chunk, n_strips);
            for (Index q = first; q < last; q += tile_strips) {
                const Index n = std::min(tile_strips, last - q);
                subtract_left(front, q, n, k0, k1, c);
                solve_columns(front, q, n, k0, k1, c);
            }
        });
    }
    return {};
}

namespace {

/// Strips [q0, q1) of the update block, column strips [j0, j1): below the diagonal block of these
/// columns, or in it, where each column begins at the diagonal.
template <class T>
void multiply_update_tile(const Front<T>& front, Index q0, Index q1, Index j0, Index j1) {
    constexpr Index S = strip_lanes<T>;
    const Index c = front.f.c, top = front.f.n_top;
    const auto multiply = [&](Index q, Index n, Index j, Index k) {
        const auto A = at_column<T, const T>(front, top + q, n, k);
        for (Index h = 0; h < S; h += tile_columns) {
            StripPointers<T> C{};
            for (Index m = 0; m < n; ++m)
                C[m] = front.update_strip(q + m) + (static_cast<std::size_t>(j) * S + h) * S;
            const T* B = front.strip(top + j) + static_cast<std::size_t>(k) * S + h;
            const Index width = std::min(k_block, c - k);
            if (k == 0)
                multiply_tile<T, TileMode::negate>(n, A, B, width, C);
            else
                multiply_tile<T, TileMode::subtract>(n, A, B, width, C);
        }
    };
    for (Index k = 0; k < c; k += k_block) {
        if (q0 == j0) {
            for (Index j = j0; j < j1; ++j)
                for (Index q = j; q < q1; q += tile_strips)
                    multiply(q, std::min(tile_strips, q1 - q), j, k);
        } else {
            for (Index q = q0; q < q1; q += tile_strips)
                for (Index j = j0; j < j1; ++j) multiply(q, std::min(tile_strips, q1 - q), j, k);
        }
    }
}

}  // namespace

template <class T>
void multiply_update(const Front<T>& front) {
    constexpr Index width = block_columns / strip_lanes<T>;  // strips of a block of columns
    const Index n = front.f.n_low;
    const auto chunks_below = [&](Index j1) {
        return (n - j1 + strips_per_chunk - 1) / strips_per_chunk;
    };
    // Tiles column by column: the diagonal one, then those below it.
    Index n_tiles = 0;
    for (Index j0 = 0; j0 < n; j0 += width) n_tiles += 1 + chunks_below(std::min(j0 + width, n));
    front.for_tiles(n_tiles, [&](Index tile) {
        Index j0 = 0;
        for (;; j0 += width) {
            const Index here = 1 + chunks_below(std::min(j0 + width, n));
            if (tile < here) break;
            tile -= here;
        }
        const Index j1 = std::min(j0 + width, n);
        if (tile == 0) return multiply_update_tile(front, j0, j1, j0, j1);
        const Index q0 = j1 + (tile - 1) * strips_per_chunk;
        multiply_update_tile(front, q0, std::min(q0 + strips_per_chunk, n), j0, j1);
    });
}

#define LIMBER_FRONT_KERNELS(T)                            \
    template PivotResult factor_panel<T>(const Front<T>&); \
    template void multiply_update<T>(const Front<T>&);
LIMBER_FRONT_KERNELS(double)
LIMBER_FRONT_KERNELS(float)
#undef LIMBER_FRONT_KERNELS

}  // namespace limber
