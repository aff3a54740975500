// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/automatic.h"

#include <algorithm>

namespace limber {

namespace {

constexpr int first_sweeps = 30;
constexpr Index most_rows = 2500;  // of pivots, each a second beyond

/// A product with W costs n² operations, a pivot about n³ on one thread. A start from the last
/// step's answer takes a few; the first step of a stiff body on the brink of slipping took as many
/// as it has rows.
int first_gradients(Index n) {
    return std::clamp(static_cast<int>(n) / 2, 100, 500);
}
int most_pivots(Index n) {
    const double share = 800.0 / static_cast<double>(std::max<Index>(n, 1));
    return static_cast<int>(std::clamp(60 * share * share * share, 10.0, 1000.0));
}

}  // namespace

ComplementarityStats AutomaticSolver::solve(const ComplementarityProblem& problem,
                                            const ComplementarityOptions& options,
                                            std::span<double> p) {
    ComplementarityOptions part = options;
    int spent = 0;
    ComplementarityStats stats;
    const auto run = [&](ComplementaritySolver& solver, int limit) {
        part.max_iterations = std::min(limit, options.max_iterations - spent);
        before_.assign(p.begin(), p.end());
        const ComplementarityStats now = solver.solve(problem, part, p);
        if (now.iterations == 0 && spent > 0) {
            // The clock came first. A run that is repeated does not get here: the same bits.
            std::copy(before_.begin(), before_.end(), p.begin());
            return;
        }
        spent += now.iterations;
        stats = {spent, now.residual, now.converged};
    };
    const auto done = [&] {
        return stats.converged || spent >= options.max_iterations || options.late();
    };
    const Index n = problem.W.n();
    run(sweeps_, first_sweeps);
    if (!done()) run(gradients_, first_gradients(n));
    if (!done() && n <= most_rows) run(pivots_, most_pivots(n));
    if (!done()) run(sweeps_, options.max_iterations);
    return stats;
}

}  // namespace limber
