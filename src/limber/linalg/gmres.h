// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/iterative_solver.h"
#include "limber/linalg/preconditioner.h"

namespace limber {

/// Restarted GMRES (Saad & Schultz 1986) with block Jacobi from the right, so that the residual it
/// minimises is that of A x = b itself. A need not be definite. Arnoldi by modified Gram-Schmidt,
/// least squares by Givens rotations. Allocates only when n grows.
class GmresSolver final : public IterativeSolver {
  public:
    explicit GmresSolver(const LinearSolverOptions& options);
    SolveStats prepare(const BlockCsr& A, FreeMask free) override;

  private:
    int improve(const Round& round) override;
    double extend_basis(const BlockCsr& A, FreeMask free, int k);
    void rotate_column(int k);
    void add_correction(int n_vectors);
    double& h(int i, int k) { return h_[i + static_cast<std::size_t>(k) * (restart_ + 1)]; }

    int restart_;
    Preconditioner P_{PreconditionerKind::block_jacobi};
    std::vector<std::vector<Vec3d>> basis_;  // v_0 .. v_restart
    std::vector<double> h_;                  // the Hessenberg matrix, made upper triangular
    std::vector<double> cos_, sin_, g_, y_;  // rotations, right-hand side, coefficients
    std::vector<Vec3d> z_;
};

}  // namespace limber
