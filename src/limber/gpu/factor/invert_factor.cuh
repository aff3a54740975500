// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cholesky factor of a 64 x 64 tile and its inverse, by the column operations that turn [D; I] into
// [L; L⁻ᵀ]. Rows of I begin to fill where rows of D end to matter, so both share one square: below
// the diagonal what is left of D, above it and on it L⁻ᵀ. L itself is not kept.
//
// Eight panels of eight columns. Two warps factor the 8 x 8 block of a panel, every thread all of
// it in registers, and substitute a row each; the other six meanwhile update the rest of the square
// with the panel before.

#include "limber/gpu/factor/tile_block.cuh"

namespace limber::gpu {

/// Block (R, C) of 8 x 8 less the product of panel P's rows R and C, by one warp. Entry (r, c) is
/// at tile_stride r + c.
__device__ inline void update_block(double* square, int R, int C, int P) {
    const int lane = own_thread() % 32;
    const int g = lane / 4, t = lane % 4;
    double* c = square + tile_stride * (8 * R + g) + 8 * C + 2 * t;
    const double* a = square + tile_stride * (8 * R + g) + 8 * P + t;
    const double* b = square + tile_stride * (8 * C + g) + 8 * P + t;
    double sum[2] = {c[0], c[1]};
    multiply_add(sum, -a[0], b[0]);
    multiply_add(sum, -a[4], b[4]);
    c[0] = sum[0];
    c[1] = sum[1];
}
__device__ inline void update_block(float* square, int R, int C, int P) {
    const int lane = own_thread() % 32;
    const int g = lane / 4, t = lane % 4;
    float* c = square + tile_stride * (8 * R + g) + 8 * C + 2 * t;
    const float* a = square + tile_stride * (8 * R + g) + 8 * P;
    const float* b = square + tile_stride * (8 * C + 2 * t) + 8 * P;
    float sum[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        sum[0] = fmaf(a[k], b[k], sum[0]);
        sum[1] = fmaf(a[k], b[tile_stride + k], sum[1]);
    }
    c[0] -= sum[0];
    c[1] -= sum[1];
}

/// Columns `first` .. first + 3 of the 8 x 8 block in L, and of the row x, which come before the
/// others. The diagonal of L becomes its inverse. `bad`: -1, or what a bad pivot is noted as.
template <class T, int first>
__device__ __forceinline__ void eliminate(T (&L)[8][8], T (&x)[8], int& bad) {
#pragma unroll
    for (int j = first; j < first + 4; ++j) {
        T pivot = L[j][j];
        if (!usable_pivot(pivot)) {
            if (bad < 0) bad = static_cast<int>(bad_pivot(j, pivot));
            pivot = T(1);
        }
        const T scale = inverse_root(pivot);
        L[j][j] = scale;
        x[j] *= scale;
#pragma unroll
        for (int i = j + 1; i < 8; ++i) L[i][j] *= scale;
#pragma unroll
        for (int c = j + 1; c < first + 4; ++c) {
#pragma unroll
            for (int i = c; i < 8; ++i) L[i][c] -= L[i][j] * L[c][j];
            x[c] -= x[j] * L[c][j];
        }
    }
}

/// In place; all threads, between barriers. A bad pivot is noted with its place in the order of
/// elimination, and counts as 1.
template <class T>
__device__ __forceinline__ void invert_factor(T* square, TileControl* control, int position) {
#pragma unroll 1
    for (int p = 0; p < 8; ++p) {
        const int warp = own_thread() / 32;
        if (warp < 2) {
            // Four columns at a time: fewer numbers are alive than in the whole triangle.
            T L[8][8], x[8];
            const T* block = square + tile_stride * 8 * p + 8 * p;
            const int row = own_thread();
            T* own = square + tile_stride * row + 8 * p;
            const bool identity = row / 8 == p;  // where L⁻ᵀ begins: a row of I
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j <= i && j < 4; ++j) L[i][j] = block[tile_stride * i + j];
#pragma unroll
            for (int c = 0; c < 8; ++c) x[c] = identity ? T(c == row % 8) : own[c];
            int bad = -1;
            eliminate<T, 0>(L, x, bad);
#pragma unroll
            for (int c = 4; c < 8; ++c) {
#pragma unroll
                for (int i = c; i < 8; ++i) L[i][c] = block[tile_stride * i + c];
#pragma unroll
                for (int j = 0; j < 4; ++j) {
#pragma unroll
                    for (int i = c; i < 8; ++i) L[i][c] -= L[i][j] * L[c][j];
                    x[c] -= x[j] * L[c][j];
                }
            }
            eliminate<T, 4>(L, x, bad);
            if (bad >= 0 && own_thread() == 0)
                atomicMin(&control->bad, bad_pivot(position + 8 * p, T(0)) + bad);
            meet_first<64>();  // all have read the block, which rows of I write over
#pragma unroll
            for (int c = 0; c < 8; ++c) own[c] = x[c];
        } else if (p > 0) {
            int turn = 0;
            for (int C = p + 1; C < 8; ++C)
                for (int R = 0; R < 8; ++R) {
                    if (R >= p && R < C) continue;  // rows of I that have not begun
                    if (turn++ % 6 == warp - 2) update_block(square, R, C, p - 1);
                }
        }
        __syncthreads();
        // The columns of the next panel at once, a block of rows each.
        if (p < 7) update_block(square, own_thread() / 32, p + 1, p);
        __syncthreads();
    }
}

}  // namespace limber::gpu
