// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/preconditioner.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

/// L Lᵀ ≈ A where L has the pattern of A's lower triangle, 3x3 block by block: IC(0). Prescribed
/// rows and columns are those of the identity.
///
/// The product of two dropped entries can make a pivot negative even though A is positive definite
/// (elasticity does it). Then A + α diag(A) is factorised instead, with α doubled from 1e-3 until
/// every pivot is positive (Manteuffel 1980). Runs on one thread. Allocates only when A grows.
class IncompleteCholesky final : public InverseOperator {
  public:
    /// Status direct; indefinite where a diagonal block of A itself is not positive definite or
    /// where no shift up to 1 helps; not_finite.
    SolveStats update(const BlockCsr& A, FreeMask free);
    /// α of the last update(); 0: none was needed.
    double shift() const { return shift_; }

    Index n_nodes() const override { return static_cast<Index>(inverse_diagonal_.size()); }
    void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const override;

  private:
    /// Blocks strictly on one side of the diagonal, by rows; columns ascend.
    struct Triangle {
        std::vector<Index> row_begin, column;
        StreamedVector<Mat3d> block;  // and one more: a column is loaded as four numbers
        Vec3d row_product(Index row, std::span<const Vec3d> x) const;
    };

    void analyze(const BlockCsr& A);
    bool factorize_shifted(const BlockCsr& A, FreeMask free);
    void transpose_lower();

    double shift_ = 0;
    Triangle lower_, upper_;               // L and Lᵀ: each sweep reads its own as one stream
    std::vector<Mat3d> inverse_diagonal_;  // L_ii⁻¹
    std::vector<Index> next_;              // scratch of transpose_lower()
};

}  // namespace limber
