// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

enum class EigenFactorKind { ldlt, cholesky, lu };

/// The direct references: Eigen's simplicial LDLᵀ and Cholesky factors and its supernodal LU, on
/// the free degrees of freedom. The pattern is analysed once and again only when the set of free
/// degrees of freedom changes. LU asks for neither symmetry nor definiteness, only for
/// a symmetric pattern.
template <EigenFactorKind kind>
class EigenFactor {
  public:
    EigenFactor();
    ~EigenFactor();
    /// A's free rows and columns are factorised. Status direct, or indefinite with the node in
    /// `bad_node`, -1 where Eigen does not tell; a singular matrix is indefinite under LU as well.
    SolveStats factorize(const BlockCsr& A, FreeMask free, Index* bad_node = nullptr);
    /// Solves for the free entries of x; the prescribed ones enter through b - A x.
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free, double b_norm,
                     std::span<Vec3d> x);

  private:
    struct Factor;
    std::unique_ptr<Factor> factor_;
};

using EigenLdlt = EigenFactor<EigenFactorKind::ldlt>;
using EigenCholesky = EigenFactor<EigenFactorKind::cholesky>;
using EigenLu = EigenFactor<EigenFactorKind::lu>;
extern template class EigenFactor<EigenFactorKind::ldlt>;
extern template class EigenFactor<EigenFactorKind::cholesky>;
extern template class EigenFactor<EigenFactorKind::lu>;

}  // namespace limber
