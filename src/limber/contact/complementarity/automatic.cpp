// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/automatic.h"

#include <algorithm>

namespace limber {

namespace {

constexpr int first_sweeps = 30;
constexpr Index most_rows = 400;

/// A pivot costs about n³ operations on one thread. A start from the last step's answer takes a
/// few; the first step of a stiff body on the brink of slipping took 200 of 200 rows, a millisecond
/// each.
int most_pivots(Index n) {
    const double share = 200.0 / static_cast<double>(std::max<Index>(n, 1));
    return static_cast<int>(std::clamp(250 * share * share * share, 20.0, 1000.0));
}

}  // namespace

ComplementarityStats AutomaticSolver::solve(const ComplementarityProblem& problem,
                                            const ComplementarityOptions& options,
                                            std::span<double> p) {
    ComplementarityOptions part = options;
    int spent = 0;
    const auto run = [&](ComplementaritySolver& solver, int limit) {
        part.max_iterations = std::min(limit, options.max_iterations - spent);
        ComplementarityStats stats = solver.solve(problem, part, p);
        spent += stats.iterations;
        stats.iterations = spent;
        return stats;
    };
    const bool small = problem.W.n() <= most_rows;
    ComplementarityStats stats = run(sweeps_, small ? first_sweeps : options.max_iterations);
    if (small && !stats.converged && spent < options.max_iterations && !options.late()) {
        stats = run(pivots_, most_pivots(problem.W.n()));
        if (!stats.converged && spent < options.max_iterations && !options.late())
            stats = run(sweeps_, options.max_iterations);
    }
    return stats;
}

}  // namespace limber
