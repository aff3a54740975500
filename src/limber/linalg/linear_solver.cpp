// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/linear_solver.h"

#include <type_traits>
#include <vector>

#include "limber/core/check.h"
#include "limber/linalg/direct.h"
#include "limber/linalg/gmres.h"
#include "limber/linalg/incomplete_cholesky.h"
#include "limber/linalg/iterative_solver.h"
#include "limber/linalg/multigrid/multigrid.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/residual.h"
#include "limber/linalg/stationary.h"
#include "limber/linalg/supernodal/cholesky.h"

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
    const SupernodalCholesky<double>* factor() const override {
        if constexpr (std::is_same_v<Factor, SupernodalCholesky<double>>) return &factor_;
        return nullptr;
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

/// Conjugate gradients with an operator that update() reads from A: IncompleteCholesky, Multigrid.
template <class Inverse>
class InversePcg final : public LinearSolver {
  public:
    template <class... Arguments>
    explicit InversePcg(const LinearSolverOptions& options, const Arguments&... of_inverse)
        : pcg_(pcg_options(options)), inverse_(of_inverse...) {}

    SolveStats prepare(const BlockCsr& A, FreeMask free) override {
        return inverse_.update(A, free);
    }
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                     std::span<Vec3d> x) override {
        return pcg_.solve(
            {.A = A, .P = P_, .b = b, .free = free, .b_norm = right_.right_norm(A, b, free, x)}, x);
    }
    void set_positions(std::span<const Vec3d> positions) override {
        if constexpr (std::is_same_v<Inverse, Multigrid>) inverse_.set_positions(positions);
    }

  private:
    Pcg pcg_;
    Inverse inverse_;
    Preconditioner P_{inverse_};
    FreeResidual right_;
};

/// x += V (b - A x) with one V-cycle a time.
class MultigridSolver final : public IterativeSolver {
  public:
    MultigridSolver(const LinearSolverOptions& options, std::span<const Vec3d> positions)
        : IterativeSolver(options), multigrid_(positions) {}

    SolveStats prepare(const BlockCsr& A, FreeMask free) override {
        return multigrid_.update(A, free);
    }
    void set_positions(std::span<const Vec3d> positions) override {
        multigrid_.set_positions(positions);
    }

  private:
    int improve(const Round&) override {
        z_.resize(r_.size());
        multigrid_.apply_inverse(r_, z_);  // 0 at the prescribed ones, where r is
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += z_[i];
        return 1;
    }

    Multigrid multigrid_;
    std::vector<Vec3d> z_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_linear_solver(const LinearSolverOptions& options,
                                                 std::span<const Vec3d> rest_positions) {
    switch (options.method) {
        case LinearMethod::supernodal:
            return std::make_unique<DirectSolver<SupernodalCholesky<double>>>();
        case LinearMethod::eigen_ldlt:
            return std::make_unique<DirectSolver<EigenLdlt>>();
        case LinearMethod::eigen_cholesky:
            return std::make_unique<DirectSolver<EigenCholesky>>();
        case LinearMethod::eigen_lu:
            return std::make_unique<DirectSolver<EigenLu>>();
        case LinearMethod::jacobi:
        case LinearMethod::gauss_seidel:
        case LinearMethod::sor:
            return std::make_unique<StationarySolver>(options);
        case LinearMethod::gmres:
            return std::make_unique<GmresSolver>(options);
        case LinearMethod::pcg_ic:
            return std::make_unique<InversePcg<IncompleteCholesky>>(options);
        case LinearMethod::pcg_multigrid:
            return std::make_unique<InversePcg<Multigrid>>(options, rest_positions);
        case LinearMethod::multigrid:
            return std::make_unique<MultigridSolver>(options, rest_positions);
        case LinearMethod::cg:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::identity);
        case LinearMethod::pcg_jacobi:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::jacobi);
        case LinearMethod::pcg_block_jacobi:
            return std::make_unique<PcgSolver>(options, PreconditionerKind::block_jacobi);
    }
    report_bug(__FILE__, __LINE__, "method", "a method of the list");
}

}  // namespace limber
