// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/linalg/block_rows.h"

namespace limber {

/// Adds the matrices of elements of N nodes to a sparse matrix, block by block in the order of the
/// elements: no two threads write the same number, and the sums never depend on their number.
template <int N>
class BlockScatter {
  public:
    static constexpr int n_pairs = N * (N + 1) / 2;
    using Element = std::array<Index, N>;
    template <class Real>
    using BlocksOf = std::array<Mat3<Real>, n_pairs>;  // (a, b) with a <= b, row by row
    using Blocks = BlocksOf<double>;
    LIMBER_HD static constexpr int pair(int a, int b) { return a * N - a * (a - 1) / 2 + b - a; }

    BlockScatter() = default;
    BlockScatter(const BlockCsr& pattern, std::span<const Element> elements);
    /// A += scale Σ blocks.
    void add(std::span<const Blocks> blocks, double scale, BlockCsr& A) const;
    /// A += Σ blocks.
    template <class Real>
    void add(std::span<const BlocksOf<Real>> blocks, BlockRows<Real>& A) const;

  private:
    std::vector<Index> begin_;           // per block of A, and the end
    std::vector<std::uint64_t> source_;  // 2 (element n_pairs + pair) + transposed
};

}  // namespace limber
