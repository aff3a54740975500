// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/projected_gradient.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

using Kind = ConstraintGroup::Kind;

class BuiltOperator final : public ImpulseOperator {
  public:
    BuiltOperator(const DenseMatrix& W, std::span<const double> zero) : W_(W), zero_(zero) {}
    Index n_rows() const override { return W_.n(); }
    void apply(std::span<const double> p, std::span<double> u) override {
        impulse_response(W_, zero_, p, u);
    }

  private:
    const DenseMatrix& W_;
    std::span<const double> zero_;
};

double inner(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

ComplementarityStats ProjectedGradient::solve(const ComplementarityProblem& problem,
                                              const ComplementarityOptions& options,
                                              std::span<double> p) {
    const Index n = problem.W.n();
    zero_.assign(n, 0);
    diagonal_.resize(n);
    for (Index i = 0; i < n; ++i) diagonal_[i] = problem.W(i, i);
    BuiltOperator W(problem.W, zero_);
    return solve(UnbuiltProblem{W, problem.u_free, problem.groups, diagonal_}, options, p);
}

/// The units of the groups, from the diagonal or from one estimate of it.
void ProjectedGradient::set_units(const UnbuiltProblem& problem) {
    const std::size_t n = problem.u_free.size();
    double estimate = 1;
    if (problem.diagonal.empty() && n > 0) {
        problem.W.apply(problem.u_free, u_);
        const double size = inner(problem.u_free, problem.u_free);
        const double seen = size > 0 ? inner(problem.u_free, u_) / size : 0;
        if (seen > 0 && std::isfinite(seen)) estimate = seen;
    }
    d_.resize(groups_.size());
    unit_.resize(n);
    v_free_.resize(n);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const ConstraintGroup& group = groups_[g];
        double sum = 0;
        for (Index i = 0; i < group.n_rows; ++i)
            sum += problem.diagonal.empty() ? estimate : problem.diagonal[group.row + i];
        d_[g] = sum / group.n_rows;
        for (Index i = 0; i < group.n_rows; ++i) {
            const Index r = group.row + i;
            unit_[r] = d_[g] > 0 && std::isfinite(d_[g]) ? 1 / std::sqrt(d_[g]) : 1;
            v_free_[r] = unit_[r] * problem.u_free[r];
        }
    }
}

void ProjectedGradient::apply(ImpulseOperator& W, std::span<const double> y, std::span<double> My) {
    for (std::size_t i = 0; i < y.size(); ++i) p_[i] = unit_[i] * y[i];
    W.apply(p_, My);
    for (std::size_t i = 0; i < y.size(); ++i) My[i] *= unit_[i];
}

void ProjectedGradient::project(std::span<double> y) const {
    for (ConstraintGroup g : groups_) {
        g.limit /= unit_[g.row];  // of p; the other sets are cones
        project_group(g, y.subspan(g.row, g.n_rows));
    }
}

/// s of the impulses y_, blended with the last one.
void ProjectedGradient::set_shift(double share) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].kind != Kind::friction) continue;
        const Index r = groups_[g].row;
        const double v1 = My_[r + 1] + v_free_[r + 1], v2 = My_[r + 2] + v_free_[r + 2];
        const double s = groups_[g].mu * std::sqrt(v1 * v1 + v2 * v2);
        shift_[g] += share * (s - shift_[g]);
    }
}

/// y_next_ = the projected step from z_ along the gradient there.
void ProjectedGradient::descend(std::span<const double> Mz) {
    for (std::size_t i = 0; i < y_.size(); ++i) gradient_[i] = Mz[i] + v_free_[i];
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (groups_[g].kind == Kind::friction) gradient_[groups_[g].row] += shift_[g];
    for (std::size_t i = 0; i < y_.size(); ++i) y_next_[i] = z_[i] - gradient_[i] / L_;
    project(y_next_);
}

/// The quadratic with L_ is no bound at y_next_: ½ dᵀMd > L/2 |d|².
bool ProjectedGradient::overshoots() const {
    double dMd = 0, dd = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        const double d = y_next_[i] - z_[i];
        dMd += d * (My_next_[i] - Mz_[i]);
        dd += d * d;
    }
    return dMd > L_ * dd * (1 + 1e-12);
}

/// y = y_next and z = y_next + beta (y_next - y), with their products.
void ProjectedGradient::move(double beta) {
    for (std::size_t i = 0; i < y_.size(); ++i) {
        z_[i] = y_next_[i] + beta * (y_next_[i] - y_[i]);
        Mz_[i] = My_next_[i] + beta * (My_next_[i] - My_[i]);
    }
    y_.swap(y_next_);
    My_.swap(My_next_);
}

/// Residual [m/s] of y_ for the shift as it is.
double ProjectedGradient::step_residual() const {
    double worst = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].kind != Kind::friction) continue;
        const Index r = groups_[g].row;
        const Vec3d y{y_[r], y_[r + 1], y_[r + 2]};
        const Vec3d v{My_[r] + v_free_[r] + shift_[g], My_[r + 1] + v_free_[r + 1],
                      My_[r + 2] + v_free_[r + 2]};
        worst = std::max(worst, norm(y - project_to_cone(y - v, groups_[g].mu)) / unit_[r]);
    }
    return worst;
}

/// Residual [m/s] of y_ as it counts; fills p_.
double ProjectedGradient::true_residual() {
    double worst = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        p_[i] = unit_[i] * y_[i];
        u_[i] = My_[i] / unit_[i] + u_free_[i];
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const std::size_t n = groups_[g].n_rows;
        const double r =
            group_residual(groups_[g], d_[g], {&p_[groups_[g].row], n}, {&u_[groups_[g].row], n});
        if (!(r <= worst)) worst = r;
        if (std::isnan(worst)) return worst;
    }
    return worst;
}

ComplementarityStats ProjectedGradient::solve(const UnbuiltProblem& problem,
                                              const ComplementarityOptions& options,
                                              std::span<double> p) {
    const std::size_t n = p.size();
    LIMBER_CHECK(problem.u_free.size() == n && problem.W.n_rows() == static_cast<Index>(n) &&
                     (problem.diagonal.empty() || problem.diagonal.size() == n),
                 "sizes of a complementarity problem");
    check_groups(problem.groups, n);
    groups_ = problem.groups;
    u_free_ = problem.u_free;
    for (std::vector<double>* x : {&y_, &My_, &z_, &Mz_, &y_next_, &My_next_, &gradient_, &p_, &u_})
        x->resize(n);
    shift_.assign(groups_.size(), 0);
    set_units(problem);
    if (!std::isfinite(largest(p))) std::fill(p.begin(), p.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) y_[i] = p[i] / unit_[i];
    project(y_);
    apply(problem.W, y_, My_);
    const double scale = largest(u_free_), residual = true_residual();
    if (!std::isfinite(scale) || !std::isfinite(residual) || scale == 0) {
        std::fill(p.begin(), p.end(), 0.0);
        return {0, scale == 0 ? 0.0 : 1.0, scale == 0};
    }
    if (residual > options.tolerance * scale) std::copy(p_.begin(), p_.end(), p.begin());
    best_.reset(residual, p);
    const int iterations = iterate(problem.W, options, options.tolerance * scale);
    best_.copy_to(p);
    return {iterations, best_.residual() / scale, best_.residual() <= options.tolerance * scale};
}

int ProjectedGradient::iterate(ImpulseOperator& W, const ComplementarityOptions& options,
                               double goal) {
    set_shift(1);
    z_ = y_;
    Mz_ = My_;
    L_ = 1;
    double theta = 1, at_shift = best_.residual();
    int since_shift = 0;
    int n = 0;
    while (n < options.max_iterations && best_.residual() > goal && !options.late()) {
        stop_if_requested();
        descend(Mz_);
        apply(W, y_next_, My_next_);
        ++n;
        if (overshoots()) {  // L_ only falls slowly, so that this is rare
            L_ *= 2;
            continue;
        }
        double along = 0;
        for (std::size_t i = 0; i < y_.size(); ++i) along += gradient_[i] * (y_next_[i] - y_[i]);
        const double root = std::sqrt(theta * theta + 4);
        const double next_theta = 0.5 * theta * (root - theta);
        const bool restart = along > 0;
        move(restart ? 0 : theta * (1 - theta) / (theta * theta + next_theta));
        theta = restart ? 1 : next_theta;
        L_ *= 0.97;
        const double residual = true_residual();
        if (!std::isfinite(residual)) break;
        best_.offer(residual, p_);
        if (step_residual() > 0.3 * residual && ++since_shift < 100) continue;
        set_shift(residual > at_shift ? 0.5 : 1);
        at_shift = residual;
        since_shift = 0;
    }
    return n;
}

}  // namespace limber
