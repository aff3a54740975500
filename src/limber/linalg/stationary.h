// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/iterative_solver.h"

namespace limber {

/// The classical iterations x += P⁻¹ (b - A x), number by number rather than block by block:
///
///   jacobi         P = D / ω         all at once, on all threads
///   gauss_seidel   P = D + L         in the order of the nodes, on one thread
///   sor            P = D / ω + L     the same (source 001 prints D + ω L, whose steps are ω times
///                                    too short)
///
/// Gauss-Seidel and SOR with 0 < ω < 2 converge for every positive definite A. Jacobi does so only
/// for ω < 2 / λ_max(D⁻¹A), and elasticity on tets has λ_max above 2: undamped it diverges.
/// The automatic ω bounds λ_max by the largest absolute row sum of D^-½ A D^-½.
///
/// The residual costs as much as a sweep and is looked at every tenth one.
class StationarySolver final : public IterativeSolver {
  public:
    explicit StationarySolver(const LinearSolverOptions& options);
    /// Indefinite where a diagonal entry is not positive.
    SolveStats prepare(const BlockCsr& A, FreeMask free) override;
    /// What prepare() chose, or the user.
    double omega() const { return omega_; }

  private:
    int improve(const Round& round) override;
    double row_sum_bound(const BlockCsr& A) const;
    void sweep_jacobi(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free);
    void sweep_in_order(const BlockCsr& A, std::span<const Vec3d> b);

    double omega_ = 1;
    std::vector<Vec3d> inverse_;  // 1 / a_ii, 0 where prescribed
};

}  // namespace limber
