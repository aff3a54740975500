// SPDX-License-Identifier: Apache-2.0
#pragma once

// Substitution in one front for N right-hand sides whose vectors lie apart (the axes of
// ScalarCholesky): a column of a strip is loaded once for all of them.

#include "limber/linalg/supernodal/numeric.h"
#include "limber/linalg/supernodal/solve_kernels.h"

namespace limber {

/// Vectors of a front: its columns padded to strips, then its rows below; one every `stride`.
template <class T, int N>
struct FrontVectors {
    T* v;
    std::size_t stride;
    T* of(int axis) const { return v + static_cast<std::size_t>(axis) * stride; }
};

/// v(q) -= strip(:, 0 .. k) v, for the rows that begin at `row`. The vectors are read past column k
/// to a multiple of 4, where they are zero or meet zeros.
template <class T, int N>
inline void subtract_strip(const T* strip, Index k, const FrontVectors<T, N>& x, Index row) {
    constexpr int S = strip_lanes<T>, chains = 4;
    using P = Packet<T, S>;
    P sum[chains][N];
    for (Index i = 0; i < k; i += chains)
#pragma GCC unroll 4
        for (int u = 0; u < chains; ++u) {
            const P a = P::load(strip + static_cast<std::ptrdiff_t>(i + u) * S);
            for (int axis = 0; axis < N; ++axis) sum[u][axis] += a * P(x.of(axis)[i + u]);
        }
    for (int axis = 0; axis < N; ++axis) {
        T* to = x.of(axis) + row;
        const P all = (sum[0][axis] + sum[2][axis]) + (sum[1][axis] + sum[3][axis]);
        (P::load(to) - all).store(to);
    }
}

/// v = L⁻¹ v on the columns; the rows below lose L21 times that.
template <class T, int N>
void forward_axes(const Front<T>& front, const FrontVectors<T, N>& x) {
    constexpr Index S = strip_lanes<T>;
    for (Index q = 0; q < front.f.n_top; ++q) {
        subtract_strip(front.strip(q), q * S, x, q * S);
        const T* D = front.strip(q) + static_cast<std::size_t>(q) * S * S;
        for (int axis = 0; axis < N; ++axis) multiply_diagonal(D, x.of(axis) + q * S);
    }
    for (Index q = 0; q < front.f.n_low; ++q)
        subtract_strip(front.strip(front.f.n_top + q), front.f.c, x, (front.f.n_top + q) * S);
}

/// v = L⁻ᵀ (v - L21ᵀ rows) on the columns, each number of L read once: the sums of 8 columns stay
/// in registers while the strips below pass by.
template <class T, int N>
void backward_axes(const Front<T>& front, const FrontVectors<T, N>& x) {
    constexpr Index S = strip_lanes<T>;
    constexpr int columns = 8;
    using P = Packet<T, S>;
    const Index n_strips = front.f.n_top + front.f.n_low;
    for (Index q = front.f.n_top - 1; q >= 0; --q) {
        alignas(64) T sums[N][static_cast<std::size_t>(S) * S];
        for (Index h = 0; h < S; h += columns) {
            P part[columns][N];
            for (Index below = q + 1; below < n_strips; ++below) {
                const T* strip = front.strip(below) + static_cast<std::size_t>(q * S + h) * S;
                P in[N];
                for (int axis = 0; axis < N; ++axis) in[axis] = P::load(x.of(axis) + below * S);
#pragma GCC unroll 8
                for (int u = 0; u < columns; ++u) {
                    const P a = P::load(strip + u * S);
                    for (int axis = 0; axis < N; ++axis) part[u][axis] += a * in[axis];
                }
            }
            for (int u = 0; u < columns; ++u)
                for (int axis = 0; axis < N; ++axis)
                    part[u][axis].store(sums[axis] + static_cast<std::size_t>(h + u) * S);
        }
        const T* D = front.strip(q) + static_cast<std::size_t>(q) * S * S;
        for (int axis = 0; axis < N; ++axis) {
            T* z = x.of(axis) + q * S;
            multiply_diagonal_transposed(D, sums[axis], z);
            // What strips below hold past the last column is not of this front.
            for (Index i = std::max<Index>(front.f.c - q * S, 0); i < S; ++i) z[i] = T(0);
        }
    }
}

}  // namespace limber
