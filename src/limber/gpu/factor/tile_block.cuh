// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a block of threads keeps while it takes tasks: shared memory, waits, and the product of two
// tiles spread over its threads.

#include "limber/gpu/factor/device_ops.cuh"

namespace limber::gpu {

inline constexpr int tile_threads = 256, tile_warps = 8;
// Columns of a tile in shared memory are four numbers apart from where they would touch: the reads
// of the products fall on different banks.
inline constexpr int tile_stride = 68;
inline constexpr int chunk_columns_k = 32;  // of a tile, that are copied at a time
inline constexpr int chunk_size = chunk_columns_k * tile_stride;

/// Which entries of a 64 x 64 product a thread has, and how it adds a part of the sum to them.
/// `per_thread` of them; entry e is at (row(e), col(e)).
template <class T>
struct TileProduct;

/// A warp has 16 rows and 32 columns, 2 x 4 blocks of the tensor cores' product.
template <>
struct TileProduct<double> {
    static constexpr int per_thread = 16;
    int row0, col0, g, t;  // of the warp, and of the lane in it
    __device__ explicit TileProduct(int thread)
        : row0(16 * (thread / 32 % 4)),
          col0(32 * (thread / 128)),
          g(thread % 32 / 4),
          t(thread % 4) {}
    static constexpr int warp_rows = 16, warp_cols = 32;
    __device__ int row(int e) const { return row0 + 8 * (e / 8) + g; }
    __device__ int col(int e) const { return col0 + 8 * (e / 2 % 4) + 2 * t + e % 2; }
    /// sum(r, c) += Σ_k a(r, k) b(c, k) over n_k columns of a and b, rounded up to four: what is
    /// beyond is zero in one of them.
    __device__ void add(const double* a, const double* b, int n_k, double (&sum)[16]) const {
        a += tile_stride * t + row0 + g;
        b += tile_stride * t + col0 + g;
#pragma unroll 4
        for (int k = 0; k < n_k; k += 4) {
            const double a0 = a[0], a1 = a[8];
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                const double b_n = b[8 * n];
                multiply_add(reinterpret_cast<double(&)[2]>(sum[2 * n]), a0, b_n);
                multiply_add(reinterpret_cast<double(&)[2]>(sum[8 + 2 * n]), a1, b_n);
            }
            a += 4 * tile_stride;
            b += 4 * tile_stride;
        }
    }
};

/// A thread has 4 x 4 entries, a warp 32 rows and 16 columns.
template <>
struct TileProduct<float> {
    static constexpr int per_thread = 16;
    int row0, col0, r0, c0;
    __device__ explicit TileProduct(int thread)
        : row0(32 * (thread / 32 % 2)),
          col0(16 * (thread / 64)),
          r0(row0 + 4 * (thread % 8)),
          c0(col0 + 4 * (thread % 32 / 8)) {}
    static constexpr int warp_rows = 32, warp_cols = 16;
    __device__ int row(int e) const { return r0 + e % 4; }
    __device__ int col(int e) const { return c0 + e / 4; }
    __device__ void add(const float* a, const float* b, int n_k, float (&sum)[16]) const {
        a += r0;
        b += c0;
#pragma unroll 2
        for (int k = 0; k < n_k; ++k) {
            const float4 x = *reinterpret_cast<const float4*>(a);
            const float4 y = *reinterpret_cast<const float4*>(b);
            const float rows[4] = {x.x, x.y, x.z, x.w}, cols[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int c = 0; c < 4; ++c)
#pragma unroll
                for (int r = 0; r < 4; ++r) sum[4 * c + r] = fmaf(rows[r], cols[c], sum[4 * c + r]);
            a += tile_stride;
            b += tile_stride;
        }
    }
};

/// Two tiles of operands, or four chunks of them, and the tile at work.
template <class T>
struct TileShared {
    T stage[4 * chunk_size];
    T tile[tile_side * tile_stride];
    TileTask task[2];
    int ticket[2];
    int ready[2];   // by the poll between products
    int waited[2];  // by a wait that holds all threads up
};

/// Waits end: after `patience` all blocks give up.
struct TilePatience {
    TileControl* control;
    unsigned long long begin = 0;
    unsigned spins = 0;
    /// To be asked whenever a poll was in vain.
    __device__ bool over() {
        if (++spins % 256 != 0) return false;
        if (load_relaxed(&control->stuck) != 0) return true;
        const unsigned long long now = nanoseconds();
        if (begin == 0) begin = now;
        if (now - begin < control->patience) return false;
        store_relaxed(&control->stuck, 1);
        return true;
    }
};

}  // namespace limber::gpu
