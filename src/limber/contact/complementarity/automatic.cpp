// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/automatic.h"

#include <algorithm>
#include <cmath>

namespace limber {

namespace {

constexpr int first_sweeps = 30;
constexpr int early_pivots = 6;    // from an answer that is nearly right already
constexpr Index few_rows = 1200;   // of those
constexpr Index most_rows = 2500;  // of pivots, each a second beyond

/// A product with W costs n² operations, a pivot about n³ on one thread. A start from the last
/// step's answer takes a few; the first step of a stiff body on the brink of slipping took as many
/// as it has rows.
int accelerated_sweeps(Index n) {
    return std::clamp(static_cast<int>(n) / 4, 50, 250);
}
int first_gradients(Index n) {
    return std::clamp(static_cast<int>(n) / 4, 100, 250);
}
int most_pivots(Index n) {
    const double share = 800.0 / static_cast<double>(std::max<Index>(n, 1));
    return static_cast<int>(std::clamp(60 * share * share * share, 10.0, 1000.0));
}

}  // namespace

/// The acting part from where it stands, each way until its share of the iterations is spent. A
/// residual below `goal` [m/s] ends it.
ComplementarityStats AutomaticSolver::solve_part(const ComplementarityOptions& options,
                                                 double goal) {
    const ComplementarityProblem problem = part_.problem();
    const Index n = part_.n_rows();
    ComplementarityOptions limits = options;
    const double scale = largest(problem.u_free);
    limits.tolerance = scale > 0 ? goal / scale : options.tolerance;
    ComplementarityStats stats;
    const auto run = [&](ComplementaritySolver& solver, int most) {
        if (stats.converged || stats.iterations >= options.max_iterations) return;
        limits.max_iterations = std::min(most, options.max_iterations - stats.iterations);
        const std::span<double> p = part_.impulses();
        before_.assign(p.begin(), p.end());
        const ComplementarityStats now = solver.solve(problem, limits, p);
        // The clock came first. A run that is repeated does not get here: the same bits.
        if (now.iterations == 0 && !now.converged)
            std::copy(before_.begin(), before_.end(), p.begin());
        stats = {stats.iterations + now.iterations, now.residual, now.converged};
    };
    if (n <= few_rows) run(pivots_, early_pivots);
    if (!options.late()) run(accelerated_, accelerated_sweeps(n));
    if (!options.late()) run(gradients_, first_gradients(n));
    if (n <= most_rows && !options.late()) run(pivots_, most_pivots(n));
    if (!options.late()) run(accelerated_, options.max_iterations);
    return stats;
}

ComplementarityStats AutomaticSolver::solve(const ComplementarityProblem& problem,
                                            const ComplementarityOptions& options,
                                            std::span<double> p) {
    ComplementarityOptions limits = options;
    limits.max_iterations = std::min(first_sweeps, options.max_iterations);
    ComplementarityStats stats = sweeps_.solve(problem, limits, p);
    const double scale = largest(problem.u_free);
    if (stats.converged || !(scale > 0) || !std::isfinite(scale)) return stats;
    laws_.prepare(problem);
    best_.reset(stats.residual * scale, p);
    part_.begin(problem);
    u_.resize(p.size());
    while (stats.iterations < options.max_iterations && !options.late()) {
        impulse_response(problem.W, problem.u_free, p, u_);
        if (!part_.grow(p, u_)) break;  // what is left is not for want of groups
        part_.load(p);
        limits.max_iterations = options.max_iterations - stats.iterations;
        stats.iterations += solve_part(limits, 0.9 * options.tolerance * scale).iterations;
        part_.store(p);
        impulse_response(problem.W, problem.u_free, p, u_);
        best_.offer(laws_.residual(p, u_), p);
        if (best_.residual() <= options.tolerance * scale) break;
    }
    best_.copy_to(p);
    return {stats.iterations, best_.residual() / scale,
            best_.residual() <= options.tolerance * scale};
}

}  // namespace limber
