// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of strips with one vector, and with as many vectors as a register has lanes. Both read
// each column of a strip once: they run as fast as L arrives from memory.

#include "limber/linalg/supernodal_kernels.h"

namespace limber {

/// Σ_k strip(:, k) y[k]: one lane a row.
template <class T>
inline Packet<T, strip_lanes<T>> strip_times(const T* strip, Index k, const T* y) {
    constexpr int S = strip_lanes<T>, chains = 8;  // independent sums hide the latency of each
    using P = Packet<T, S>;
    P sum[chains];
    Index i = 0;
    for (; i + chains <= k; i += chains)
#pragma GCC unroll 8
        for (int u = 0; u < chains; ++u)
            sum[u].v += P::load(strip + static_cast<std::ptrdiff_t>(i + u) * S).v * y[i + u];
    for (; i < k; ++i) sum[0].v += P::load(strip + static_cast<std::ptrdiff_t>(i) * S).v * y[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/// sums[k] += strips(:, k) x, lane by lane: the lanes are added once at the end. Strips lie
/// `stride` apart, x has one packet a strip.
template <class T, int n_strips>
inline void transposed_times(const T* strips, std::ptrdiff_t stride, Index k, const T* x, T* sums) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    P a[n_strips];
    for (int m = 0; m < n_strips; ++m) a[m] = P::load(x + m * S);
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(k) * S; i += S) {
        P sum = P::load(sums + i);
        for (int m = 0; m < n_strips; ++m) sum.v += P::load(strips + m * stride + i).v * a[m].v;
        sum.store(sums + i);
    }
}

template <class T>
inline T sum_of_lanes(const T* lanes) {
    constexpr int S = strip_lanes<T>;
    T pair[S / 2];
    for (int i = 0; i < S / 2; ++i) pair[i] = lanes[i] + lanes[i + S / 2];
    T sum = 0;
    for (int i = 0; i < S / 2; ++i) sum += pair[i];
    return sum;
}

/// out(row, :) -= Σ_k strip(row, k) Y(k, :), rows of Y and out being packets of right-hand sides.
template <class T>
inline void subtract_product(const T* strip, Index k, const T* Y, T* out) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    P sum[S];
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(k) * S; i += S) {
        const P y = P::load(Y + i);
#pragma GCC unroll 16
        for (int row = 0; row < S; ++row) sum[row].v += y.v * strip[i + row];
    }
#pragma GCC unroll 16
    for (int row = 0; row < S; ++row) (P::load(out + row * S) - sum[row]).store(out + row * S);
}

/// out(k, :) -= Σ_row strip(row, k) X(row, :).
template <class T>
inline void subtract_transposed(const T* strip, Index k, const T* X, T* out) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    P x[S];
    for (int row = 0; row < S; ++row) x[row] = P::load(X + row * S);
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(k) * S; i += S) {
        P even = P::load(out + i), odd;
#pragma GCC unroll 16
        for (int row = 0; row < S; row += 2) {
            even.v -= x[row].v * strip[i + row];
            odd.v -= x[row + 1].v * strip[i + row + 1];
        }
        (even + odd).store(out + i);
    }
}

/// z = D z and z = Dᵀ z for a diagonal block D, the inverse of a triangle.
template <class T>
inline void multiply_diagonal(const T* D, T* z) {
    strip_times(D, strip_lanes<T>, z).store(z);
}
template <class T>
inline void multiply_diagonal_transposed(const T* D, T* z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    const P x = P::load(z);
    T out[S], product[S];
    for (int j = 0; j < S; ++j) {
        (P::load(D + j * S) * x).store(product);
        out[j] = sum_of_lanes(product);
    }
    P::load(out).store(z);
}
template <class T>
inline void multiply_diagonal_many(const T* D, T* Z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    for (int row = S - 1; row >= 0; --row) {  // lower triangle: rows above are still the old ones
        P sum;
        for (int k = 0; k <= row; ++k) sum.v += P::load(Z + k * S).v * D[k * S + row];
        sum.store(Z + row * S);
    }
}
template <class T>
inline void multiply_diagonal_transposed_many(const T* D, T* Z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    for (int col = 0; col < S; ++col) {
        P sum;
        for (int k = col; k < S; ++k) sum.v += P::load(Z + k * S).v * D[col * S + k];
        sum.store(Z + col * S);
    }
}

}  // namespace limber
