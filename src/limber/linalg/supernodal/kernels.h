// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dense kernels on strips. A strip is as many rows as a register has lanes (8 double, 16 float),
// stored column by column: one column of a strip is one cache line. Factors and update blocks are
// kept in strips from the start, so a product reads its operands where they lie and packs nothing;
// the rows of a strip serve as the right operand too. That is what makes small fronts fast, where a
// general matrix product spends its time copying.
//
// Every entry is summed over k in the same order whatever the shape of the tile, so results depend
// neither on the tiling nor on the number of threads.

#include <array>
#include <cmath>
#include <cstddef>

#include "limber/core/simd.h"
#include "limber/core/types.h"

namespace limber {

template <class T>
constexpr Index strip_lanes = 64 / sizeof(T);

constexpr Index tile_columns = 8;  // columns of a tile: half a strip or a whole one

// Tiles are as tall as the registers allow: 24 sums, 3 columns of A and no spill with 32 registers.
#if defined(__AVX512F__)
constexpr Index tile_strips = 3;
constexpr Index register_columns = 8;
#elif defined(__AVX__)
constexpr Index tile_strips = 1;
constexpr Index register_columns = 4;
#else
constexpr Index tile_strips = 1;
constexpr Index register_columns = 2;
#endif

// C -= A Bᵀ, C = -A Bᵀ, C = A Bᵀ, C += A Bᵀ
enum class TileMode { subtract, negate, assign, add };

template <class T>
using StripPointers = std::array<T*, tile_strips>;

/// Up to register_columns columns of a tile of n_strips strips; n_cols of them are written.
template <class T, int n_strips, TileMode mode>
inline void multiply_registers(const StripPointers<const T>& A, const T* B, Index k,
                               const StripPointers<T>& C, Index n_cols) {
    constexpr int S = strip_lanes<T>, N = register_columns;
    using P = Packet<T, S>;
    P sum[n_strips][N];
    for (std::ptrdiff_t p = 0; p < static_cast<std::ptrdiff_t>(k) * S; p += S) {
        P a[n_strips];
        for (int m = 0; m < n_strips; ++m) a[m] = P::load(A[m] + p);
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j)
            for (int m = 0; m < n_strips; ++m) sum[m][j] += a[m] * P(B[p + j]);
    }
    const auto store = [](const P& s, T* c) {
        if constexpr (mode == TileMode::subtract)
            (P::load(c) - s).store(c);
        else if constexpr (mode == TileMode::negate)
            (-s).store(c);
        else if constexpr (mode == TileMode::add)
            (P::load(c) + s).store(c);
        else
            s.store(c);
    };
    if (n_cols >= N) {
#pragma GCC unroll 8
        for (int j = 0; j < N; ++j)
            for (int m = 0; m < n_strips; ++m) store(sum[m][j], C[m] + j * S);
        return;
    }
    for (int m = 0; m < n_strips; ++m) {
        P column[N];  // in memory, so that the count may vary
        for (int j = 0; j < N; ++j) column[j] = sum[m][j];
        for (int j = 0; j < n_cols; ++j) store(column[j], C[m] + j * S);
    }
}

/// C (n_strips strips, n_cols <= tile_columns columns) from A (n_strips strips, k columns) and B
/// (tile_columns rows of a strip, k columns). A and C may overlap where C is only assigned.
template <class T, int n_strips, TileMode mode>
[[gnu::noinline]] void multiply_tile(const StripPointers<const T>& A, const T* B, Index k,
                                     const StripPointers<T>& C, Index n_cols) {
    if constexpr (register_columns == tile_columns) {
        multiply_registers<T, n_strips, mode>(A, B, k, C, n_cols);
    } else {
        // From the right: with C over A, columns are read before they are overwritten.
        for (Index j = (n_cols - 1) / register_columns * register_columns; j >= 0;
             j -= register_columns) {
            StripPointers<T> c = C;
            for (T*& pointer : c) pointer += j * strip_lanes<T>;
            multiply_registers<T, n_strips, mode>(A, B + j, k, c, n_cols - j);
        }
    }
}

template <class T, TileMode mode>
void multiply_tile(Index n_strips, const StripPointers<const T>& A, const T* B, Index k,
                   const StripPointers<T>& C, Index n_cols = tile_columns) {
    if constexpr (tile_strips == 3) {
        if (n_strips == 3) return multiply_tile<T, 3, mode>(A, B, k, C, n_cols);
        if (n_strips == 2) return multiply_tile<T, 2, mode>(A, B, k, C, n_cols);
    }
    multiply_tile<T, 1, mode>(A, B, k, C, n_cols);
}

/// Pivots of one diagonal block: all positive, or the first that is not.
struct PivotResult {
    Index bad = -1;  // column within the block
    bool finite = true;
    bool ok() const { return bad < 0; }
};

/// D = L Lᵀ for one diagonal block of a strip (lower triangle, column by column), then D = L⁻¹ with
/// zeros above the diagonal: the inverse turns substitution into products. Blocks are at most 16
/// wide, and so is what their condition can cost.
template <class T>
[[gnu::noinline]] PivotResult factor_and_invert(T* D) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    P inverse[S];  // row i of L⁻¹, found by the row operations that turn L into I
    for (int i = 0; i < S; ++i) inverse[i].set(i, T(1));
    for (int j = 0; j < S; ++j) {
        const T pivot = D[j * S + j];
        if (!(pivot > 0 && std::isfinite(pivot))) return {j, std::isfinite(pivot)};
        const T scale = T(1) / std::sqrt(pivot);
        const P column = P::load(D + j * S) * P(scale);
        inverse[j] *= P(scale);
        alignas(64) T l[S];
        column.store(l);
        for (int i = j + 1; i < S; ++i) {
            (P::load(D + i * S) - column * P(l[i])).store(D + i * S);
            inverse[i] -= P(l[i]) * inverse[j];
        }
    }
    for (int i = 0; i < S; ++i)
        for (int j = 0; j < S; ++j) D[j * S + i] = j <= i ? inverse[i][j] : T(0);
    return {};
}

}  // namespace limber
