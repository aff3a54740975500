// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/augmented.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

using Kind = ConstraintGroup::Kind;

// ρ over the least that W can be, at first. More leaves less error a round and takes Newton longer
// in it: a cloth that falls on a ball took 20 factors a solve with 1 that doubles, 22 with 1, 32
// with 5 and 80 with 30.
constexpr double weight = 1, growth = 2, slow_round = 0.5;
constexpr int newton_steps = 40;  // in one round
constexpr int max_rounds = 40;
// Of a Newton step: past them its second derivative is no guide, and a bound of it comes in.
constexpr int quick_halvings = 3;
constexpr int max_halvings = 12;
// How near the minimum a round ends: of the residual, and of the round before.
constexpr double share_of_residual = 0.01, share_of_round = 0.1;

double inner(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
    return sum;
}

/// Π of one group: p into its set, with the radius of its friction given.
void project(const ConstraintGroup& group, double radius, double* p) {
    if (group.kind == Kind::contact || group.kind == Kind::friction) p[0] = std::max(0.0, p[0]);
    if (group.kind == Kind::limited) p[0] = std::clamp(p[0], -group.limit, group.limit);
    if (group.kind != Kind::friction) return;
    const double squared = p[1] * p[1] + p[2] * p[2];
    if (!(squared > radius * radius)) return;
    const double shrink = radius / std::sqrt(squared);
    p[1] *= shrink;
    p[2] *= shrink;
}

/// Its derivative at q, symmetric, rows and columns of the group. `bound`: along the slip too as
/// much as across it, so that no step overshoots (the majorant of reweighted least squares).
Mat3d derivative(const ConstraintGroup& group, double radius, const double* q, bool bound) {
    Mat3d J{};
    if (group.kind == Kind::bilateral) return Mat3d::identity();
    if (group.kind == Kind::limited) {
        J(0, 0) = std::abs(q[0]) < group.limit;
        return J;
    }
    J(0, 0) = q[0] > 0;
    if (group.kind != Kind::friction) return J;
    const double squared = q[1] * q[1] + q[2] * q[2];
    const bool sticks = squared <= radius * radius;
    const double ratio = sticks ? 1 : radius / std::sqrt(squared);
    const double along = sticks || bound ? 0 : 1 / squared;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            J(1 + a, 1 + b) = ratio * ((a == b) - along * q[1 + a] * q[1 + b]);
    return J;
}

}  // namespace

bool AugmentedLagrangian::fits(const BlockCsr& A, const ConstraintRows& H,
                               std::span<const ConstraintGroup> groups) {
    for (const ConstraintGroup& g : groups)
        for (Index a = g.row; a < g.row + g.n_rows; ++a)
            for (Index b = g.row; b <= a; ++b)
                for (const auto& e : H.row(a))
                    for (const auto& f : H.row(b))
                        if (e.node != f.node && A.find(e.node, f.node) < 0) return false;
    return true;
}

void AugmentedLagrangian::prepare(const MatrixProblem& problem) {
    const std::size_t n = problem.A.n_nodes(), rows = problem.u_free.size();
    for (auto* x : {&dv_, &Adv_, &step_, &Astep_, &gradient_, &force_, &try_, &Atry_}) x->resize(n);
    for (auto* x : {&multiplier_, &p_, &p_try_, &u_, &outside_, &exact_}) x->resize(rows);
    inverse_mass_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Mat3d& block = problem.A.blocks()[problem.A.diagonal_position(static_cast<Index>(i))];
        inverse_mass_[i] = 1 / std::max({block(0, 0), block(1, 1), block(2, 2)});
    }
    rho_.resize(problem.groups.size());
    radius_.assign(problem.groups.size(), 0);
    for (std::size_t g = 0; g < rho_.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        double least = 0;  // of W: a node held by all its neighbours
        for (Index r = group.row; r < group.row + group.n_rows; ++r)
            for (const auto& e : problem.H.row(r))
                least += squared_norm(e.gradient) * inverse_mass_[e.node] / group.n_rows;
        rho_[g] = least > 0 ? weight / least : 0;
    }
}

/// exact_ = u of the impulses p; dv_ and Adv_ the way there.
void AugmentedLagrangian::respond(const MatrixProblem& problem, std::span<const double> p) {
    std::fill(Adv_.begin(), Adv_.end(), Vec3d{});
    problem.H.add_transposed(p, Adv_);
    problem.inverse.apply(Adv_, dv_);
    for (std::size_t r = 0; r < p.size(); ++r)
        exact_[r] = problem.u_free[r] + problem.H.apply(static_cast<Index>(r), dv_);
}

double AugmentedLagrangian::residual(const MatrixProblem& problem,
                                     std::span<const double> p) const {
    double worst = 0;
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        const double r = group_residual(group, problem.d[g], p.subspan(group.row, group.n_rows),
                                        std::span(exact_).subspan(group.row, group.n_rows));
        if (!(r <= worst)) worst = r;
        if (std::isnan(worst)) return worst;
    }
    return worst;
}

/// φ at v_free + dv. Fills u_ and p_try_, its impulses.
double AugmentedLagrangian::value(const MatrixProblem& problem, std::span<const Vec3d> dv,
                                  std::span<const Vec3d> Adv) {
    double phi = 0.5 * inner(dv, Adv);
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        double q[3]{}, sum = 0;
        for (Index k = 0; k < group.n_rows; ++k) {
            const Index r = group.row + k;
            u_[r] = problem.u_free[r] + problem.H.apply(r, dv);
            q[k] = multiplier_[r] - rho_[g] * u_[r];
            outside_[r] = q[k];
        }
        project(group, radius_[g], q);
        for (Index k = 0; k < group.n_rows; ++k) {
            const Index r = group.row + k;
            p_try_[r] = q[k];
            // |q|² − |q − Π q|²: twice the value of the set's support, for sets that are no cones.
            const double outside = outside_[r] - q[k];
            sum += outside_[r] * outside_[r] - outside * outside;
        }
        if (rho_[g] > 0) phi += sum / (2 * rho_[g]);
    }
    return phi;
}

/// A dv − Hᵀ p, 0 where a coordinate is prescribed.
void AugmentedLagrangian::set_gradient(const MatrixProblem& problem) {
    std::fill(force_.begin(), force_.end(), Vec3d{});
    problem.H.add_transposed(p_, force_);
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
        gradient_[i] = Adv_[i] - force_[i];
        if (!problem.free.empty()) gradient_[i] = masked(gradient_[i], problem.free[i]);
    }
}

/// The gradient as the speeds that it would give each node alone [m/s].
double AugmentedLagrangian::gradient_speed() const {
    double most = 0;
    for (std::size_t i = 0; i < gradient_.size(); ++i)
        most = std::max(most, norm(gradient_[i]) * inverse_mass_[i]);
    return most;
}

/// K = A + Hᵀ ρ Π' H at the point that value() saw last, or its bound.
void AugmentedLagrangian::fill_matrix(const MatrixProblem& problem, bool bound) {
    std::copy(problem.A.blocks().begin(), problem.A.blocks().end(), K_.blocks().begin());
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        const Mat3d J = derivative(group, radius_[g], &outside_[group.row], bound);
        for (Index a = 0; a < group.n_rows; ++a)
            for (Index b = 0; b < group.n_rows; ++b) {
                const double weight_ab = rho_[g] * J(a, b);
                if (weight_ab == 0) continue;
                for (const auto& e : problem.H.row(group.row + a))
                    for (const auto& f : problem.H.row(group.row + b)) {
                        const Index at = e.node == f.node ? K_.diagonal_position(e.node)
                                                          : K_.find(e.node, f.node);
                        K_.blocks()[at] += weight_ab * outer(e.gradient, f.gradient);
                    }
            }
    }
}

/// A Newton step with a line search, on the second derivative or on its bound; false where φ does
/// not fall.
bool AugmentedLagrangian::descend(const MatrixProblem& problem, bool bound, double& phi) {
    fill_matrix(problem, bound);
    if (factor_.factorize(K_, problem.free).failed()) return false;
    for (std::size_t i = 0; i < gradient_.size(); ++i) force_[i] = -gradient_[i];
    factor_.solve(force_, step_);
    const double slope = inner(gradient_, step_);
    if (!(slope < 0)) return false;
    problem.A.apply(step_, Astep_);
    double t = 1;
    for (int k = 0; k < (bound ? max_halvings : quick_halvings); ++k, t *= 0.5) {
        for (std::size_t i = 0; i < step_.size(); ++i) {
            try_[i] = dv_[i] + t * step_[i];
            Atry_[i] = Adv_[i] + t * Astep_[i];
        }
        const double next = value(problem, try_, Atry_);
        // Below what rounding leaves of φ a whole step is as good as any.
        const bool falls = next <= phi + 1e-4 * t * slope || -slope < 1e-13 * std::abs(phi);
        if (!falls) continue;
        dv_.swap(try_);
        Adv_.swap(Atry_);
        p_.swap(p_try_);
        phi = next;
        return true;
    }
    value(problem, dv_, Adv_);  // back to where it stands
    return false;
}

/// To the minimum of φ, or as near as `close` [m/s]; returns the factors it took, `most` or less.
int AugmentedLagrangian::minimise(const MatrixProblem& problem,
                                  const ComplementarityOptions& options, double close, int most) {
    double phi = value(problem, dv_, Adv_);
    p_.swap(p_try_);
    int n = 0;
    for (int k = 0; k < newton_steps && n < most && !options.late(); ++k) {
        stop_if_requested();
        set_gradient(problem);
        if (gradient_speed() <= close) break;
        ++n;
        if (descend(problem, false, phi)) continue;
        ++n;
        if (!descend(problem, true, phi)) break;
    }
    return n;
}

ComplementarityStats AugmentedLagrangian::solve(const MatrixProblem& problem,
                                                const ComplementarityOptions& options,
                                                std::span<double> p) {
    check_groups(problem.groups, p.size());
    LIMBER_CHECK(problem.d.size() == problem.groups.size(), "a bound a group");
    prepare(problem);
    if (!std::isfinite(largest(p))) std::fill(p.begin(), p.end(), 0.0);
    for (const ConstraintGroup& g : problem.groups) project_group(g, p.subspan(g.row, g.n_rows));
    const double scale = largest(problem.u_free);
    respond(problem, p);
    double left = residual(problem, p);
    if (!std::isfinite(scale) || !std::isfinite(left) || scale == 0) {
        std::fill(p.begin(), p.end(), 0.0);
        return {0, scale == 0 ? 0.0 : 1.0, scale == 0};
    }
    const double goal = options.tolerance * scale;
    best_.reset(left, p);
    if (!factor_.analyzed(problem.A)) K_ = problem.A;
    int iterations = 0;
    double close = left;
    for (int round = 0; round < max_rounds && iterations < options.max_iterations &&
                        best_.residual() > goal && !options.late();
         ++round) {
        std::copy(p.begin(), p.end(), multiplier_.begin());
        for (std::size_t g = 0; g < problem.groups.size(); ++g)
            radius_[g] = problem.groups[g].mu * std::max(0.0, p[problem.groups[g].row]);
        close = std::max(1e-3 * goal, std::min(share_of_residual * left, share_of_round * close));
        iterations += minimise(problem, options, close, options.max_iterations - iterations);
        std::copy(p_.begin(), p_.end(), p.begin());
        for (const ConstraintGroup& g : problem.groups)
            project_group(g, p.subspan(g.row, g.n_rows));
        // The next round goes on from the minimum, not from what these impulses give exactly.
        try_ = dv_;
        Atry_ = Adv_;
        respond(problem, p);
        dv_.swap(try_);
        Adv_.swap(Atry_);
        const double before = left;
        left = residual(problem, p);
        if (!std::isfinite(left)) break;
        best_.offer(left, p);
        // Multipliers that come nearer too slowly: stiff bodies, whose W is nearly singular.
        if (left > slow_round * before)
            for (double& rho : rho_) rho *= growth;
    }
    best_.copy_to(p);
    return {iterations, best_.residual() / scale, best_.residual() <= goal};
}

}  // namespace limber
