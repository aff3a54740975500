// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "limber/core/math.h"

namespace limber {

/// A square matrix, row by row. Keeps its memory when it shrinks.
template <class T>
class DenseMatrixOf {
  public:
    /// The entries are not set to anything.
    void resize(Index n) {
        n_ = n;
        entries_.resize(static_cast<std::size_t>(n) * n);
    }
    void set_zero() { std::fill(entries_.begin(), entries_.end(), T(0)); }
    Index n() const { return n_; }
    std::span<T> row(Index i) {
        return {entries_.data() + static_cast<std::size_t>(i) * n_, static_cast<std::size_t>(n_)};
    }
    std::span<const T> row(Index i) const {
        return {entries_.data() + static_cast<std::size_t>(i) * n_, static_cast<std::size_t>(n_)};
    }
    T& operator()(Index i, Index j) { return entries_[static_cast<std::size_t>(i) * n_ + j]; }
    T operator()(Index i, Index j) const { return entries_[static_cast<std::size_t>(i) * n_ + j]; }

  private:
    Index n_ = 0;
    std::vector<T> entries_;
};

using DenseMatrix = DenseMatrixOf<double>;
using DenseMatrixF = DenseMatrixOf<float>;

}  // namespace limber
