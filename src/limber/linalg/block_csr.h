// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/huge_pages.h"
#include "limber/linalg/linear_operator.h"

namespace limber {

/// Square sparse matrix of 3x3 blocks in compressed rows. The pattern is built once and shared by
/// every step; both triangles are stored, so that each row of a product is one thread's own work.
class BlockCsr final : public LinearOperator {
  public:
    BlockCsr() = default;
    /// row_begin has n + 1 entries; columns ascend within a row and contain the diagonal.
    BlockCsr(std::vector<Index> row_begin, std::vector<Index> column);

    Index n_nodes() const override { return static_cast<Index>(row_begin_.size()) - 1; }
    Index n_blocks() const { return static_cast<Index>(column_.size()); }
    std::span<const Index> row_begin() const { return row_begin_; }
    std::span<const Index> column() const { return column_; }
    std::span<Mat3d> blocks() { return {block_.data(), column_.size()}; }
    std::span<const Mat3d> blocks() const { return {block_.data(), column_.size()}; }
    /// Position of the diagonal block of `row` in blocks().
    Index diagonal_position(Index row) const { return diagonal_[row]; }
    /// Position of block (row, col) in blocks(), -1 if the pattern has none.
    Index find(Index row, Index col) const;
    void set_zero();

    /// x and y must not overlap.
    double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const override;
    /// The rows from `begin` on, as many as x has entries; their columns must stay within them. x
    /// and y are numbered from `begin`. `partial` holds chunk sums; it grows once.
    double apply_rows(Index begin, std::span<const Vec3d> x, std::span<Vec3d> y,
                      std::vector<double>& partial) const;
    void diagonal(std::span<Mat3d> blocks) const override;
    /// Bytes one product must move: blocks, columns, row starts, x and y once each.
    double product_bytes() const;

  private:
    std::vector<Index> row_begin_{0}, column_, diagonal_;
    StreamedVector<Mat3d> block_;  // one more than n_blocks(): a column is loaded as four numbers
    mutable std::vector<double> partial_;  // chunk sums of x·y; sized once
};

}  // namespace limber
