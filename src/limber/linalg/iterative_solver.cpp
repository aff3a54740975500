// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/iterative_solver.h"

#include <algorithm>
#include <cmath>

#include "limber/core/stop.h"

namespace limber {

SolveStats IterativeSolver::solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                                  std::span<Vec3d> x) {
    double reference = residual_.right_norm(A, b, free, x);
    x_.assign(x.begin(), x.end());
    r_.resize(x.size());
    SolveStats stats;
    for (;;) {
        stop_if_requested();
        stats.absolute_residual = residual_.find(A, b, free, x_, r_);
        if (reference == 0) reference = stats.absolute_residual;  // b = 0: against the first one
        stats.residual = reference > 0 ? stats.absolute_residual / reference : 0;
        if (!std::isfinite(stats.absolute_residual)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
        const double target = options_.rel_tolerance * reference;
        const int left = options_.max_iterations - stats.iterations;
        if (stats.absolute_residual <= target || left <= 0) {
            if (stats.absolute_residual > target) stats.status = SolveStatus::iteration_cap;
            std::ranges::copy(x_, x.begin());
            return stats;
        }
        stats.iterations += improve({A, b, free, stats.absolute_residual, target, left});
    }
}

}  // namespace limber
