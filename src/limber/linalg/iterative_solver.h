// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/linear_solver.h"
#include "limber/linalg/residual.h"

namespace limber {

/// The loop around every iteration that improves x by its residual: measure, stop or go on. The
/// residual is the true one. Allocates only when n grows.
class IterativeSolver : public LinearSolver {
  public:
    /// After not_finite x is the initial guess.
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                     std::span<Vec3d> x) final;

  protected:
    struct Round {
        const BlockCsr& A;
        std::span<const Vec3d> b;
        FreeMask free;
        double residual;  // |r_|
        double target;    // what it must fall to
        int most;         // iterations that are left, at least 1
    };

    explicit IterativeSolver(const LinearSolverOptions& options) : options_(options) {}
    /// Improves x_, whose residual is r_ (which may be overwritten); returns the iterations done,
    /// at least 1. After so many the residual is measured again.
    virtual int improve(const Round& round) = 0;

    LinearSolverOptions options_;
    std::vector<Vec3d> x_, r_;
    FreeResidual residual_;
};

}  // namespace limber
