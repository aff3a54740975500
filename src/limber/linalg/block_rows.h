// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/block_csr.h"

namespace limber {

/// The 3x3 blocks of a BlockCsr in the precision of an iteration: single precision halves the bytes
/// of a product, which are all its time. Borrows the pattern; both triangles are stored.
template <class Real>
class BlockRows {
  public:
    /// The pattern of A, all blocks zero. A must outlive this, or the next call.
    void bind(const BlockCsr& A);
    /// Pattern and values of A, rounded.
    void take(const BlockCsr& A);

    const BlockCsr& pattern() const { return *pattern_; }
    Index n_nodes() const { return static_cast<Index>(row_begin_.size()) - 1; }
    Index n_blocks() const { return static_cast<Index>(column_.size()); }
    std::span<const Index> row_begin() const { return row_begin_; }
    std::span<const Index> column() const { return column_; }
    std::span<Mat3<Real>> blocks() { return {block_.data(), column_.size()}; }
    std::span<const Mat3<Real>> blocks() const { return {block_.data(), column_.size()}; }
    /// Position of the diagonal block of `row` in blocks().
    Index diagonal_position(Index row) const { return pattern_->diagonal_position(row); }

    /// y = A x; returns x·y, summed in double in an order that does not depend on threads. x and y
    /// do not overlap.
    double apply(std::span<const Vec3<Real>> x, std::span<Vec3<Real>> y);

  private:
    const BlockCsr* pattern_ = nullptr;
    std::span<const Index> row_begin_, column_;
    StreamedVector<Mat3<Real>> block_;  // one more than n_blocks(): a column is loaded as four
    std::vector<double> partial_;
};

extern template class BlockRows<float>;
extern template class BlockRows<double>;

}  // namespace limber
