// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of strips with one vector, and with as many vectors as a register has lanes. Both read
// each column of a strip once: they run as fast as L arrives from memory.

#include <utility>

#include "limber/linalg/supernodal/kernels.h"

namespace limber {

/// Σ_k strip(:, k) y[k]: one lane a row. Reads whole groups of 8 columns: y is zero where the strip
/// has no columns, and what follows it in memory is finite.
template <class T>
inline Packet<T, strip_lanes<T>> strip_times(const T* strip, Index k, const T* y) {
    constexpr int S = strip_lanes<T>, chains = 8;  // independent sums hide the latency of each
    using P = Packet<T, S>;
    P sum[chains];
    for (Index i = 0; i < k; i += chains)
#pragma GCC unroll 8
        for (int u = 0; u < chains; ++u)
            sum[u] += P::load(strip + static_cast<std::ptrdiff_t>(i + u) * S) * P(y[i + u]);
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/// sums[k] += strip(:, k) x, lane by lane: the lanes are added once at the end. Columns are read
/// from the last to the first, since fronts are visited from the last to the first: L then comes
/// from memory as one stream.
template <class T>
inline void transposed_times(const T* strip, Index k, const T* x, T* sums) {
    constexpr int S = strip_lanes<T>, run = 8;
    using P = Packet<T, S>;
    const P a = P::load(x);
    std::ptrdiff_t i = static_cast<std::ptrdiff_t>(k) * S;
    for (; i >= run * S; i -= run * S)
#pragma GCC unroll 8
        for (int u = 1; u <= run; ++u) {
            P sum = P::load(sums + i - u * S);
            sum += P::load(strip + i - u * S) * a;
            sum.store(sums + i - u * S);
        }
    for (; i > 0; i -= S) {
        P sum = P::load(sums + i - S);
        sum += P::load(strip + i - S) * a;
        sum.store(sums + i - S);
    }
}

/// Lanes of a and b with `step` clear or set in their number, added to their neighbour `step` away:
/// one level of the tree that turns packets into their sums.
template <class P, int step, int... lane>
inline P fold(const P& a, const P& b, std::integer_sequence<int, lane...>) {
    constexpr int S = P::width;
    return shuffle<((lane & step) ? S + lane - step : lane)...>(a, b) +
           shuffle<((lane & step) ? S + lane : lane + step)...>(a, b);
}

/// Lane i of the result is the sum over the lanes of packet i; destroys the packets.
template <class P, int step = 1>
inline P sums_of_lanes(P* packets) {
    constexpr int S = P::width;
    if constexpr (step == S) {
        return packets[0];
    } else {
#pragma GCC unroll 8
        for (int i = 0; i < S / (2 * step); ++i)
            packets[i] = fold<P, step>(packets[2 * i], packets[2 * i + 1],
                                       std::make_integer_sequence<int, S>{});
        return sums_of_lanes<P, 2 * step>(packets);
    }
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
        for (int row = 0; row < S; ++row) sum[row] += y * P(strip[i + row]);
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
            even -= x[row] * P(strip[i + row]);
            odd -= x[row + 1] * P(strip[i + row + 1]);
        }
        (even + odd).store(out + i);
    }
}

/// z = D z for a diagonal block D, the inverse of a triangle.
template <class T>
inline void multiply_diagonal(const T* D, T* z) {
    strip_times(D, strip_lanes<T>, z).store(z);
}
/// z = Dᵀ (z - sums), the sums given as a packet of parts a row.
template <class T>
inline void multiply_diagonal_transposed(const T* D, const T* sums, T* z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    P parts[S];
    for (int i = 0; i < S; ++i) parts[i] = P::load(sums + i * S);
    const P rest = P::load(z) - sums_of_lanes(parts);
    for (int i = 0; i < S; ++i) parts[i] = P::load(D + i * S) * rest;
    sums_of_lanes(parts).store(z);
}
template <class T>
inline void multiply_diagonal_many(const T* D, T* Z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    for (int row = S - 1; row >= 0; --row) {  // lower triangle: rows above are still the old ones
        P sum;
        for (int k = 0; k <= row; ++k) sum += P::load(Z + k * S) * P(D[k * S + row]);
        sum.store(Z + row * S);
    }
}
template <class T>
inline void multiply_diagonal_transposed_many(const T* D, T* Z) {
    constexpr int S = strip_lanes<T>;
    using P = Packet<T, S>;
    for (int col = 0; col < S; ++col) {
        P sum;
        for (int k = col; k < S; ++k) sum += P::load(Z + k * S) * P(D[col * S + k]);
        sum.store(Z + col * S);
    }
}

}  // namespace limber
