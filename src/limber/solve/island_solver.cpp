// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/island_solver.h"

#include <algorithm>
#include <cmath>

namespace limber {

template <class T>
std::span<const T> IslandSolver::local(std::span<const T> all, std::vector<T>& scratch) const {
    const auto ranges = system_.ranges();
    if (all.empty()) return all;
    if (ranges.size() == 1) return all.subspan(ranges[0].begin, system_.n_nodes());
    scratch.resize(system_.n_nodes());
    for (const auto& [begin, end, offset] : ranges)
        std::copy(all.begin() + begin, all.begin() + end, scratch.begin() + offset);
    return scratch;
}

void IslandSolver::prepare(std::span<const double> mass, FreeMask free) {
    preconditioner_.update(system_, local(mass, mass_), local(free, free_));
}

SolveStats IslandSolver::solve(const IslandInput& in, std::span<Vec3d> x, PcgTrace* trace) {
    const auto ranges = system_.ranges();
    const PcgProblem problem{.A = system_,
                             .P = preconditioner_,
                             .b = local(in.b, b_),
                             .free = local(in.free, free_),
                             .b_norm = in.b_norm,
                             .mass = local(in.mass, mass_),
                             .velocity = local(in.velocity, velocity_),
                             .clock = in.clock,
                             .forced_iterations = in.forced_iterations};
    if (ranges.size() == 1)
        return pcg_.solve(problem, x.subspan(ranges[0].begin, system_.n_nodes()), trace);
    local(std::span<const Vec3d>(x), x_);
    const SolveStats stats = pcg_.solve(problem, x_, trace);
    for (const auto& [begin, end, offset] : ranges)
        std::copy(x_.begin() + offset, x_.begin() + offset + (end - begin), x.begin() + begin);
    return stats;
}

SolveStats worst_of(const SolveStats& a, const SolveStats& b) {
    // From good to bad; the enumeration is in another order.
    constexpr SolveStatus order[] = {SolveStatus::direct,         SolveStatus::converged,
                                     SolveStatus::energy_settled, SolveStatus::iteration_cap,
                                     SolveStatus::deadline,       SolveStatus::indefinite,
                                     SolveStatus::not_finite};
    const auto rank = [&](SolveStatus s) { return std::find(order, std::end(order), s) - order; };
    SolveStats out;
    out.status = rank(a.status) > rank(b.status) ? a.status : b.status;
    out.iterations = std::max(a.iterations, b.iterations);
    out.residual = std::max(a.residual, b.residual);
    out.absolute_residual = std::hypot(a.absolute_residual, b.absolute_residual);
    return out;
}

}  // namespace limber
