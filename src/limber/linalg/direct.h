// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

/// The direct reference: Eigen's simplicial LDLᵀ on the free degrees of freedom. The pattern is
/// analysed once and again only when the set of free degrees of freedom changes.
class EigenLdlt {
  public:
    EigenLdlt();
    ~EigenLdlt();
    /// A's free rows and columns are factorised. Status direct, or indefinite with the node in
    /// `bad_node`.
    SolveStats factorize(const BlockCsr& A, FreeMask free, Index* bad_node = nullptr);
    /// Solves for the free entries of x; the prescribed ones enter through b - A x.
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free, double b_norm,
                     std::span<Vec3d> x);

  private:
    struct Factor;
    std::unique_ptr<Factor> factor_;
};

}  // namespace limber
