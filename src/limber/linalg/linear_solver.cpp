// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/linear_solver.h"

#include <utility>

#include "limber/core/check.h"
#include "limber/linalg/direct.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/residual.h"
#include "limber/linalg/supernodal.h"

namespace limber {

namespace {

/// A factor with factorize() and solve(): SupernodalCholesky, EigenLdlt, ...
template <class Factor>
class DirectSolver final : public LinearSolver {
  public:
    SolveStats prepare(const BlockCsr& A, FreeMask free) override {
        return factor_.factorize(A, free);
    }
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                     std::span<Vec3d> x) override {
        return factor_.solve(A, b, free, 0, x);  // 0: |b| as LinearSolver has it
    }

  private:
    Factor factor_;
};

PcgOptions pcg_options(const LinearSolverOptions& options) {
    PcgOptions pcg;
    pcg.max_iterations = options.max_iterations;
    pcg.rel_tolerance = options.rel_tolerance;
    return pcg;
}

/// Conjugate gradients with a diagonal of A.
class PcgSolver final : public LinearSolver {
  public:
    PcgSolver(const LinearSolverOptions& options, PreconditionerKind kind)
        : pcg_(pcg_options(options)), P_(kind) {}

    SolveStats prepare(const BlockCsr& A, FreeMask free) override {
        P_.update(A, {}, free);
        return {};
    }
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                     std::span<Vec3d> x) override {
        return pcg_.solve(
            {.A = A, .P = P_, .b = b, .free = free, .b_norm = right_.right_norm(A, b, free, x)}, x);
    }

  private:
    Pcg pcg_;
    Preconditioner P_;
    FreeResidual right_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_linear_solver(const LinearSolverOptions& options,
                                                 std::span<const Vec3d> rest_positions) {
    (void)rest_positions;
    switch (options.method) {
        case LinearMethod::supernodal:
            return std::make_unique<DirectSolver<SupernodalCholesky<double>>>();
        case LinearMethod::eigen_ldlt:
            return std::make_unique<DirectSolver<EigenLdlt>>();
        case LinearMethod::cg:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::identity);
        case LinearMethod::pcg_jacobi:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::jacobi);
        case LinearMethod::pcg_block_jacobi:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::block_jacobi);
        default:
            break;
    }
    report_bug(__FILE__, __LINE__, "method", "a method of the list");
}

}  // namespace limber
