// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/gauss_seidel.h"

namespace limber {

namespace {

/// u += W[:, row .. row + n) dp, by rows since W is symmetric.
void send(const DenseMatrix& W, const ConstraintGroup& group, const double* dp,
          std::span<double> u) {
    const std::size_t n = u.size();
    if (group.n_rows == 3) {
        const double *a = W.row(group.row).data(), *b = a + n, *c = b + n;
        for (std::size_t j = 0; j < n; ++j) u[j] += dp[0] * a[j] + dp[1] * b[j] + dp[2] * c[j];
    } else {
        for (Index i = 0; i < group.n_rows; ++i) {
            const double* a = W.row(group.row + i).data();
            for (std::size_t j = 0; j < n; ++j) u[j] += dp[i] * a[j];
        }
    }
}

bool is_zero(const double* dp, Index n) {
    for (Index i = 0; i < n; ++i)
        if (dp[i] != 0) return false;
    return true;
}

}  // namespace

void gauss_seidel_sweep(const DenseMatrix& W, const GroupLaws& laws, std::span<double> p,
                        std::span<double> u) {
    for (Index g = 0; g < laws.size(); ++g) {
        const ConstraintGroup& group = laws.group(g);
        double dp[3];
        laws.solve(g, &u[group.row], &p[group.row], dp);
        if (!is_zero(dp, group.n_rows)) send(W, group, dp, u);
    }
}

ComplementarityStats GaussSeidel::solve(const ComplementarityProblem& problem,
                                        const ComplementarityOptions& options,
                                        std::span<double> p) {
    const SolveStart start = start_solve(problem, options, laws_, p, u_);
    if (start.done) return start.stats;
    const double goal = options.tolerance * start.scale;
    best_.reset(start.stats.residual * start.scale, p);
    ComplementarityStats stats;
    while (stats.iterations < options.max_iterations && !stats.converged) {
        gauss_seidel_sweep(problem.W, laws_, p, u_);
        ++stats.iterations;
        double residual = laws_.residual(p, u_);
        if (residual <= goal) {  // u_ has gathered rounding: look at the true one
            impulse_response(problem.W, problem.u_free, p, u_);
            residual = laws_.residual(p, u_);
            stats.converged = residual <= goal;
        }
        best_.offer(residual, p);
    }
    if (!stats.converged) best_.copy_to(p);
    stats.residual = complementarity_residual(problem, p, u_) / start.scale;
    return stats;
}

}  // namespace limber
