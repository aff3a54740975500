// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/solve_stats.h"
#include "limber/linalg/supernodal/cholesky.h"

namespace limber {

/// L Lᵀ of a matrix that couples nodes and not axes: every 3x3 block is a number times the
/// identity, as that of projective dynamics and of springs is (Bouaziz et al. 2014; Liu et al.
/// 2013). One factor of a ninth of the numbers serves all three axes, which a solve takes as one:
/// each number of L is read once for the three. The same fronts and kernels as SupernodalCholesky;
/// T is the scalar of the factor.
///
/// Prescribed degrees of freedom are eliminated as there; axes whose masks differ get factors of
/// their own. The same bits for any number of threads. One solve at a time.
template <class T>
class ScalarCholesky {
  public:
    ScalarCholesky();
    ~ScalarCholesky();
    ScalarCholesky(ScalarCholesky&&) noexcept;
    ScalarCholesky& operator=(ScalarCholesky&&) noexcept;

    /// `value`: a number for each block of the pattern, symmetric. The pattern is analysed first
    /// where it is new. Status direct, or indefinite or not_finite with the node in `bad_node`.
    SolveStats factorize(const BlockCsr& pattern, std::span<const double> value, FreeMask free,
                         Index* bad_node = nullptr);
    bool factorized() const;
    /// x = A⁻¹ b on the free degrees of freedom, 0 on the prescribed ones. b and x may be the same.
    template <class Real>
    void solve(std::span<const Vec3<Real>> b, std::span<Vec3<Real>> x) const;

    Index n_nodes() const;
    const SupernodalMemory& memory() const;  // of one factor
    int n_factors() const;                   // 1 where all axes have the same mask
    double flops() const;                    // of one

  private:
    struct Numeric;
    std::unique_ptr<Numeric> numeric_;
};

/// The number of each block of A where every block is one times the identity; else empty. Written
/// into `value`.
bool scalar_blocks(const BlockCsr& A, std::vector<double>& value);

extern template class ScalarCholesky<double>;
extern template class ScalarCholesky<float>;

}  // namespace limber
