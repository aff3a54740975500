// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/pivoting.h"

// GCC 12 takes the undefined lanes of AVX-512 intrinsics for uninitialised variables.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "limber/core/stop.h"

namespace limber {

namespace {

using Kind = ConstraintGroup::Kind;

double squared(std::span<const double> x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return sum;
}

/// Room for n numbers, aligned as Eigen's own arrays are: it splits its sums where addresses are
/// multiples of a vector's length, so that on plain memory the last bits would be the heap's.
double* aligned(std::vector<double>& room, std::size_t n) {
    constexpr std::size_t alignment = 64;
    room.resize(n + alignment / sizeof(double));
    void* at = room.data();
    std::size_t space = room.size() * sizeof(double);
    return static_cast<double*>(std::align(alignment, n * sizeof(double), at, space));
}

}  // namespace

void PivotingSolver::scale_problem(const ComplementarityProblem& problem) {
    const Index n = problem.W.n();
    scaled_groups_.assign(problem.groups.begin(), problem.groups.end());
    groups_ = scaled_groups_;
    unit_.resize(n);
    group_of_.resize(n);
    for (Index g = 0; g < laws_.size(); ++g) {
        const double d = laws_.d(g);
        for (Index i = 0; i < groups_[g].n_rows; ++i) {
            unit_[groups_[g].row + i] = d > 0 ? 1 / std::sqrt(d) : 1;
            group_of_[groups_[g].row + i] = g;
        }
        scaled_groups_[g].limit /= unit_[groups_[g].row];
    }
    scaled_.resize(n);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) scaled_(i, j) = unit_[i] * problem.W(i, j) * unit_[j];
    v_free_.resize(n);
    for (Index i = 0; i < n; ++i) v_free_[i] = unit_[i] * problem.u_free[i];
    for (std::vector<double>* x :
         {&y_, &v_, &dy_, &dv_, &y_try_, &v_try_, &center_, &F_, &F_try_, &shifted_free_, &row_})
        x->resize(n);
    states_.resize(groups_.size());
    states_try_.resize(groups_.size());
}

/// Alart and Curnier's equations F(y) = 0 and the states behind them, into F_try_ and states_try_;
/// returns |F|².
///   open: y = 0, or at its limit;   acting: v_n = 0, and v_t = 0 or y_t = mu (y_n - v_n) e
double PivotingSolver::equations(std::span<const double> y, std::span<const double> v) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Index r = groups_[g].row;
        State& state = states_try_[g];
        state = {State::stick};
        const double normal = y[r] - v[r];
        if (groups_[g].kind == Kind::limited) {
            // At its limit the row is known, as an open one is.
            const double most = groups_[g].limit;
            if (std::abs(normal) > most) state.kind = State::open;
            F_try_[r] = state.kind == State::open ? y[r] - std::copysign(most, normal) : v[r];
            continue;
        }
        if (groups_[g].kind != Kind::bilateral && !(normal > 0)) {
            state.kind = State::open;
        } else if (groups_[g].kind == Kind::friction) {
            const double a[2] = {y[r + 1] - v[r + 1], y[r + 2] - v[r + 2]};
            const double size = std::sqrt(a[0] * a[0] + a[1] * a[1]);
            const double bound = groups_[g].mu * normal;
            if (size > bound) state = {State::slip, {a[0] / size, a[1] / size}, bound / size};
        }
        for (Index i = 0; i < groups_[g].n_rows; ++i)
            F_try_[r + i] = state.kind == State::open ? y[r + i] : v[r + i];
        if (state.kind == State::slip)
            for (int i = 0; i < 2; ++i)
                F_try_[r + 1 + i] = y[r + 1 + i] - groups_[g].mu * normal * state.e[i];
    }
    return squared(F_try_);
}

/// Row of the generalised Jacobian of F in the states of the iterate.
void PivotingSolver::fill_row(Index row, double* out) const {
    const ConstraintGroup& group = groups_[group_of_[row]];
    const State& state = states_[group_of_[row]];
    const Index n = M_.n(), k = row - group.row - 1;
    const double* m = M_.row(row).data();
    std::copy(m, m + n, out);
    if (state.kind != State::slip || k < 0) return;
    // d(y_t) - mu e d(y_n - v_n) - ratio (1 - e eᵀ) d(y_t - v_t)
    const double of_normal = group.mu * state.e[k];
    double of_tangent[2];
    for (int j = 0; j < 2; ++j)
        of_tangent[j] = state.ratio * ((j == k ? 1 : 0) - state.e[k] * state.e[j]);
    const double *m_n = M_.row(group.row).data(), *m_1 = m_n + n, *m_2 = m_1 + n;
    for (Index j = 0; j < n; ++j)
        out[j] = of_normal * m_n[j] + of_tangent[0] * m_1[j] + of_tangent[1] * m_2[j];
    out[row] += 1;
    out[group.row] -= of_normal;
    for (int j = 0; j < 2; ++j) out[group.row + 1 + j] -= of_tangent[j];
}

/// dy with J dy = -F. Open rows are dy = -F; the others are factorised. false where that fails.
bool PivotingSolver::pivot_direction() {
    const Index n = M_.n();
    acting_.clear();
    for (Index i = 0; i < n; ++i) {
        dy_[i] = -F_[i];
        if (states_[group_of_[i]].kind != State::open) acting_.push_back(i);
    }
    const Index n_acting = static_cast<Index>(acting_.size());
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Matrix> A(aligned(matrix_, static_cast<std::size_t>(n_acting) * n_acting), n_acting,
                         n_acting);
    Eigen::Map<Eigen::VectorXd> b(aligned(right_, n_acting), n_acting);
    for (Index i = 0; i < n_acting; ++i) {
        fill_row(acting_[i], row_.data());
        double sum = -F_[acting_[i]];
        for (Index j = 0; j < n; ++j)
            if (states_[group_of_[j]].kind == State::open) sum -= row_[j] * dy_[j];
        for (Index j = 0; j < n_acting; ++j) A(i, j) = row_[acting_[j]];
        b[i] = sum;
    }
    if (n_acting > 0) {
        const Eigen::PartialPivLU<Eigen::Ref<Matrix>> lu(A);
        b = lu.solve(b).eval();
        if (!b.allFinite()) return false;
    }
    for (Index i = 0; i < n_acting; ++i) dy_[acting_[i]] = b[i];
    std::fill(row_.begin(), row_.end(), 0.0);
    impulse_response(M_, row_, dy_, dv_);
    return true;
}

/// Goes along dy as far as |F| falls; false where it does not.
bool PivotingSolver::search(double& merit) {
    for (double t = 1; t > 1e-3; t *= 0.5) {
        for (std::size_t i = 0; i < y_.size(); ++i) {
            y_try_[i] = y_[i] + t * dy_[i];
            v_try_[i] = v_[i] + t * dv_[i];
        }
        const double next = equations(y_try_, v_try_);
        if (!(next < (1 - 0.1 * t) * merit)) continue;
        y_.swap(y_try_);
        v_.swap(v_try_);
        F_.swap(F_try_);
        states_.swap(states_try_);
        merit = next;
        return true;
    }
    return false;
}

/// Solves for y with M = scaled W + eps 1 around center_, by sweeps, then pivots, from y_.
bool PivotingSolver::solve_proximal(double eps, double goal, int max_pivots, int& n_pivots) {
    const Index n = scaled_.n();
    M_.resize(n);
    for (Index i = 0; i < n; ++i) {
        std::copy(scaled_.row(i).begin(), scaled_.row(i).end(), M_.row(i).begin());
        M_(i, i) += eps;
        shifted_free_[i] = v_free_[i] - eps * center_[i];
    }
    sweeps_.solve({M_, shifted_free_, groups_}, {.max_iterations = 30, .single_precision = false},
                  y_);
    impulse_response(M_, shifted_free_, y_, v_);
    double merit = equations(y_, v_);
    F_.swap(F_try_);
    states_.swap(states_try_);
    for (int i = 0; i < 40 && merit > goal * goal; ++i) {
        stop_if_requested();
        if (n_pivots >= max_pivots) return false;
        ++n_pivots;
        if (!pivot_direction() || !search(merit)) return false;
    }
    return merit <= goal * goal;
}

ComplementarityStats PivotingSolver::solve(const ComplementarityProblem& problem,
                                           const ComplementarityOptions& options,
                                           std::span<double> p) {
    const SolveStart start = start_solve(problem, options, laws_, p, u_);
    if (start.done) return start.stats;
    const double goal = options.tolerance * start.scale;
    best_.reset(start.stats.residual * start.scale, p);
    scale_problem(problem);
    for (std::size_t i = 0; i < p.size(); ++i) center_[i] = y_[i] = p[i] / unit_[i];
    ComplementarityStats stats;
    double eps = 1e-8;
    const double smallest_unit = *std::min_element(unit_.begin(), unit_.end());
    for (int idle = 0; idle < 20 && stats.iterations < options.max_iterations && !stats.converged &&
                       !options.late();) {
        // u = v / unit, and far below the residual to come: that is at most eps |y - center| away.
        const double inner_goal = 1e-3 * goal * smallest_unit;
        const int pivots_before = stats.iterations;
        const bool solved = solve_proximal(eps, std::max(inner_goal, 1e-15 * largest(v_free_)),
                                           options.max_iterations, stats.iterations);
        // Its sweeps may have been enough. They count as one, so that the count alone tells where
        // the clock ended a run that is repeated.
        if (stats.iterations == pivots_before) ++stats.iterations;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = y_[i] * unit_[i];
        for (const ConstraintGroup& g : problem.groups)
            project_group(g, p.subspan(g.row, g.n_rows));
        impulse_response(problem.W, problem.u_free, p, u_);
        const double residual = laws_.residual(p, u_), before = best_.residual();
        best_.offer(residual, p);
        stats.converged = residual <= goal;
        idle = best_.residual() < 0.5 * before ? 0 : idle + 1;
        eps = solved ? std::max(1e-10, 0.1 * eps) : std::min(1.0, 30 * eps);
        if (solved)
            for (std::size_t i = 0; i < p.size(); ++i) center_[i] = p[i] / unit_[i];
        for (std::size_t i = 0; i < p.size(); ++i) y_[i] = center_[i];
    }
    best_.copy_to(p);
    stats.residual = best_.residual() / start.scale;
    return stats;
}

}  // namespace limber
