// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/sweeping.h"

#include <algorithm>
#include <cmath>

namespace limber {

std::string_view SweepingSolver::name() const {
    return enum_names(method_)[static_cast<int>(method_)];
}

/// Lists the groups to sweep: those that act or violate their law, and what was listed before
/// unless less than three quarters of it are left early in a solve. true where the list changed.
bool SweepingSolver::choose_groups(std::span<const double> p, bool may_shrink) {
    const std::size_t before = list_.size();
    std::size_t n_kept = 0;
    bool grew = false;
    for (Index g = 0; g < laws_.size(); ++g) {
        const ConstraintGroup& group = laws_.group(g);
        const bool two_sided = group.kind == ConstraintGroup::Kind::bilateral ||
                               group.kind == ConstraintGroup::Kind::limited;
        const bool matters = two_sided || p[group.row] != 0 || u_[group.row] < 0;
        if (matters && !chosen_[g]) grew = true;
        if (matters && chosen_[g]) ++n_kept;
        chosen_[g] = matters ? 2 : chosen_[g] ? 1 : 0;  // 1: only kept
    }
    const bool shrink = may_shrink && 4 * n_kept < 3 * before;
    if (!grew && !shrink) return false;
    list_.clear();
    for (Index g = 0; g < laws_.size(); ++g) {
        if (shrink && chosen_[g] == 1) chosen_[g] = 0;
        if (chosen_[g]) list_.push_back(g);
    }
    return true;
}

int SweepingSolver::plain_round(const ComplementarityOptions& options, double goal,
                                int max_sweeps) {
    int n = 0;
    while (n < max_sweeps) {
        sweeps_.sweep();
        ++n;
        if (!(sweeps_.residual() > goal) || options.late()) break;
    }
    return n;
}

/// Silcowitz et al. 2010: p - sweep(p) stands for the gradient, Fletcher and Reeves' beta, a
/// restart where the gradient grows. W times the direction follows from the change of u in the
/// sweeps: no products of its own. Ends with a sweep, hence inside the cones. Ours: a restart where
/// the residual grows too, and plain sweeps for a while (longer each time) where 50 accelerated
/// ones gained less than a tenth: dense presses need both.
int SweepingSolver::accelerated_round(const ComplementarityOptions& options, double goal,
                                      int max_sweeps) {
    const std::span<double> p = sweeps_.p(), u = sweeps_.u();
    direction_.assign(p.size(), 0);
    W_direction_.assign(p.size(), 0);
    double last_gradient = 0, last_residual = 0, best = INFINITY, window_start = INFINITY;
    int window = 0, plain = 0;
    for (int n = 1;; ++n) {
        p_before_.assign(p.begin(), p.end());
        u_before_.assign(u.begin(), u.end());
        sweeps_.sweep();
        const double residual = sweeps_.residual();
        if (n >= max_sweeps || !(residual > goal) || options.late()) return n;
        best = std::min(best, residual);
        if (++window >= 50) {
            if (best > 0.9 * window_start) plain = plain_sweeps_ *= 2;
            window = -plain;
            window_start = best;
        }
        const bool restart = residual > last_residual || plain > 0;
        last_residual = residual;
        plain = std::max(0, plain - 1);
        last_gradient = extrapolate(restart ? 0 : last_gradient);
    }
}

/// p += beta d, d = beta d + (the change of the last sweep), and u, W d with them. No extrapolation
/// where last_gradient = 0. Returns the square of the gradient.
double SweepingSolver::extrapolate(double last_gradient) {
    const std::span<double> p = sweeps_.p(), u = sweeps_.u();
    double gradient = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        gradient += (p[i] - p_before_[i]) * (p[i] - p_before_[i]);
    const double beta =
        last_gradient > 0 && gradient <= last_gradient ? gradient / last_gradient : 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double change = p[i] - p_before_[i], W_change = u[i] - u_before_[i];
        p[i] += beta * direction_[i];
        u[i] += beta * W_direction_[i];
        direction_[i] = beta * direction_[i] + change;
        W_direction_[i] = beta * W_direction_[i] + W_change;
    }
    return gradient;
}

ComplementarityStats SweepingSolver::solve(const ComplementarityProblem& problem,
                                           const ComplementarityOptions& options,
                                           std::span<double> p) {
    const SolveStart start = start_solve(problem, options, laws_, p, u_);
    if (start.done) return start.stats;
    const double goal = options.tolerance * start.scale;
    double residual = start.stats.residual * start.scale;
    best_.reset(residual, p);
    chosen_.assign(laws_.size(), 0);
    list_.clear();
    list_.reserve(laws_.size());
    plain_sweeps_ = 25;
    ComplementarityStats stats;
    bool single = options.single_precision, stalled = false;
    int round = 0;
    for (int cap = 10; stats.iterations < options.max_iterations;
         cap = std::min(2 * cap, 1 << 20)) {
        const bool new_list = choose_groups(p, round++ < 4);
        if (stalled && !new_list) single = false;
        if (new_list || stalled || round == 1)
            sweeps_.pack(problem, laws_, list_,
                         {method_ != ComplementarityMethod::gauss_seidel, single});
        sweeps_.load(p, u_);
        // Rounds grow: the first ones find the groups that matter, the last ones converge.
        const double round_goal = std::max(0.5 * goal, 1e-3 * residual);
        const int max_sweeps = std::min(cap, options.max_iterations - stats.iterations);
        const int n = method_ == ComplementarityMethod::nonsmooth_cg
                          ? accelerated_round(options, round_goal, max_sweeps)
                          : plain_round(options, round_goal, max_sweeps);
        stats.iterations += n;
        sweeps_.store(p);
        impulse_response(problem.W, problem.u_free, p, u_);
        const double before = residual;
        residual = laws_.residual(p, u_);
        best_.offer(residual, p);
        stats.converged = residual <= goal;
        if (stats.converged || !std::isfinite(residual) || options.late()) break;
        // The round met its goal, but only on the copy: rounded, unless new groups violate.
        stalled = single && n < max_sweeps && residual > 0.1 * before;
    }
    best_.copy_to(p);
    stats.residual = best_.residual() / start.scale;
    return stats;
}

}  // namespace limber
