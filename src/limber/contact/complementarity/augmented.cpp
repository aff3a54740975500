// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/augmented.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
// Of a step that goes too far: where φ' has grown to this share of what it was the length is cut
// until it is flat. Steps shorter than the last say that the second derivative is no guide, and a
// bound of it comes in for one.
constexpr double overshoot = 0.3, flat = 0.2, short_step = 0.5;
constexpr int max_cuts = 20;
// Whole steps at first, whatever φ does: a primal-dual active set method, which finds what touches
// and what slips in a few of them where steps that must descend stop at every kink.
constexpr int bold_steps = 3;
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

/// Whether all rows of a group see the same nodes, in one order.
bool same_nodes(const ConstraintRows& H, const ConstraintGroup& group) {
    const auto first = H.row(group.row);
    for (Index r = group.row + 1; r < group.row + group.n_rows; ++r)
        if (!std::equal(first.begin(), first.end(), H.row(r).begin(), H.row(r).end(),
                        [](const auto& a, const auto& b) { return a.node == b.node; }))
            return false;
    return true;
}

/// The pattern of A with the pairs, first < second and ascending, that it has not.
BlockCsr with_pairs(const BlockCsr& A, std::span<const std::pair<Index, Index>> pairs) {
    const Index n = A.n_nodes();
    std::vector<Index> begin(n + 1, 0);
    for (Index i = 0; i < n; ++i) begin[i + 1] = A.row_begin()[i + 1] - A.row_begin()[i];
    for (const auto& [i, j] : pairs) ++begin[i + 1], ++begin[j + 1];
    for (Index i = 0; i < n; ++i) begin[i + 1] += begin[i];
    std::vector<Index> column(begin[n]), next(begin.begin(), begin.end() - 1);
    for (Index i = 0; i < n; ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            column[next[i]++] = A.column()[k];
    for (const auto& [i, j] : pairs) column[next[i]++] = j, column[next[j]++] = i;
    for (Index i = 0; i < n; ++i)
        std::sort(column.begin() + begin[i], column.begin() + begin[i + 1]);
    return BlockCsr(std::move(begin), std::move(column));
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

/// K_ with the pattern of A and of all rows together, and where groups enter it. What contacts of
/// earlier steps left in it stays until it is more than half of what is there now: orders are found
/// anew where the pattern changes.
void AugmentedLagrangian::couple(const MatrixProblem& problem) {
    const BlockCsr& A = problem.A;
    const auto same = [](std::span<const Index> a, std::span<const Index> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    const bool same_A = K_.n_nodes() == A.n_nodes() && same(A.row_begin(), A_row_begin_) &&
                        same(A.column(), A_column_);
    if (!same_A) {
        A_row_begin_.assign(A.row_begin().begin(), A.row_begin().end());
        A_column_.assign(A.column().begin(), A.column().end());
        extra_.clear();
    }
    wanted_.clear();
    uniform_.clear();
    for (const ConstraintGroup& g : problem.groups) {
        uniform_.push_back(same_nodes(problem.H, g));
        const Index rows = uniform_.back() ? 1 : g.n_rows;
        for (Index a = g.row; a < g.row + rows; ++a)
            for (Index b = g.row; b <= a; ++b)
                for (const auto& e : problem.H.row(a))
                    for (const auto& f : problem.H.row(b))
                        if (e.node < f.node && A.find(e.node, f.node) < 0)
                            wanted_.push_back({e.node, f.node});
                        else if (e.node > f.node && A.find(e.node, f.node) < 0)
                            wanted_.push_back({f.node, e.node});
    }
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    const bool covered =
        same_A && std::includes(extra_.begin(), extra_.end(), wanted_.begin(), wanted_.end());
    if (!covered) {
        if (extra_.size() > 3 * wanted_.size()) extra_.clear();
        const std::size_t before = extra_.size();
        extra_.insert(extra_.end(), wanted_.begin(), wanted_.end());
        std::inplace_merge(extra_.begin(), extra_.begin() + static_cast<std::ptrdiff_t>(before),
                           extra_.end());
        extra_.erase(std::unique(extra_.begin(), extra_.end()), extra_.end());
        K_ = with_pairs(A, extra_);
        at_.resize(A.n_blocks());
        for (Index i = 0, k = 0; i < A.n_nodes(); ++i)
            for (; k < A.row_begin()[i + 1]; ++k)
                at_[k] = A.column()[k] == i ? K_.diagonal_position(i) : K_.find(i, A.column()[k]);
    }
    places_.clear();
    for (std::size_t g = 0; g < uniform_.size(); ++g) {
        if (!uniform_[g]) continue;
        for (const auto& e : problem.H.row(problem.groups[g].row))
            for (const auto& f : problem.H.row(problem.groups[g].row))
                places_.push_back(e.node == f.node ? K_.diagonal_position(e.node)
                                                   : K_.find(e.node, f.node));
    }
    factored_.clear();
}

void AugmentedLagrangian::prepare(const MatrixProblem& problem) {
    const std::size_t n = problem.A.n_nodes(), rows = problem.u_free.size();
    for (auto* x : {&dv_, &Adv_, &step_, &Astep_, &gradient_, &force_, &try_, &Atry_}) x->resize(n);
    for (auto* x : {&multiplier_, &p_, &along_, &u_, &outside_, &exact_}) x->resize(rows);
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

/// Fills u_ at v_free + dv, and p_, its impulses.
void AugmentedLagrangian::project_at(const MatrixProblem& problem, std::span<const Vec3d> dv) {
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        for (Index r = group.row; r < group.row + group.n_rows; ++r) {
            u_[r] = problem.u_free[r] + problem.H.apply(r, dv);
            outside_[r] = p_[r] = multiplier_[r] - rho_[g] * u_[r];
        }
        project(group, radius_[g], &p_[group.row]);
    }
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

/// K = A + Hᵀ ρ Π' H at the point that value() saw last, or its bound; false where that is the one
/// that was factorised last.
bool AugmentedLagrangian::fill_matrix(const MatrixProblem& problem, bool bound) {
    slopes_.resize(problem.groups.size());
    for (std::size_t g = 0; g < slopes_.size(); ++g)
        slopes_[g] = rho_[g] * derivative(problem.groups[g], radius_[g],
                                          &outside_[problem.groups[g].row], bound);
    if (slopes_ == factored_) return false;
    factored_ = slopes_;
    K_.set_zero();
    const std::span<const Mat3d> from = problem.A.blocks();
    const std::span<Mat3d> to = K_.blocks();
    for (std::size_t k = 0; k < from.size(); ++k) to[at_[k]] = from[k];
    std::size_t next = 0;
    for (std::size_t g = 0; g < slopes_.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        const std::size_t n = problem.H.row(group.row).size();
        const Index* place = places_.data() + next;
        if (uniform_[g]) next += n * n;
        for (Index a = 0; a < group.n_rows; ++a)
            for (Index b = 0; b < group.n_rows; ++b) {
                const double weight_ab = slopes_[g](a, b);
                if (weight_ab == 0) continue;
                const auto row_a = problem.H.row(group.row + a),
                           row_b = problem.H.row(group.row + b);
                for (std::size_t e = 0; e < row_a.size(); ++e)
                    for (std::size_t f = 0; f < row_b.size(); ++f) {
                        const Index i = row_a[e].node, j = row_b[f].node;
                        const Index at = uniform_[g] ? place[e * n + f]
                                         : i == j    ? K_.diagonal_position(i)
                                                     : K_.find(i, j);
                        to[at] += weight_ab * outer(row_a[e].gradient, row_b[f].gradient);
                    }
            }
    }
    return true;
}

/// φ'(t) along step_, which grows with t.
double AugmentedLagrangian::slope_at(const MatrixProblem& problem, double t) const {
    double sum = inner(step_, Adv_) + t * inner(step_, Astep_);
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
        const ConstraintGroup& group = problem.groups[g];
        double q[3]{};
        for (Index k = 0; k < group.n_rows; ++k)
            q[k] = outside_[group.row + k] - t * rho_[g] * along_[group.row + k];
        project(group, radius_[g], q);
        for (Index k = 0; k < group.n_rows; ++k) sum -= q[k] * along_[group.row + k];
    }
    return sum;
}

/// A Newton step, on the second derivative or on its bound, as far as φ falls; its length, 0 where
/// there is none.
double AugmentedLagrangian::descend(const MatrixProblem& problem, bool bound, bool bold) {
    if (fill_matrix(problem, bound)) {
        ++factors_;
        if (factor_.factorize(K_, problem.free).failed()) {
            factored_.clear();
            return 0;
        }
    }
    for (std::size_t i = 0; i < gradient_.size(); ++i) force_[i] = -gradient_[i];
    factor_.solve(force_, step_);
    const double slope = inner(gradient_, step_);
    if (!(slope < 0)) return 0;
    problem.A.apply(step_, Astep_);
    for (std::size_t r = 0; r < along_.size(); ++r)
        along_[r] = problem.H.apply(static_cast<Index>(r), step_);
    double t = 1, at = slope_at(problem, 1);
    double lo = 0, at_lo = slope, hi = 1, at_hi = at;
    if (!bold && at > -overshoot * slope)
        for (int k = 0; k < max_cuts && std::abs(at) > -flat * slope; ++k) {
            t = lo + (hi - lo) * std::clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
            at = slope_at(problem, t);
            (at > 0 ? hi : lo) = t;
            (at > 0 ? at_hi : at_lo) = at;
        }
    for (std::size_t i = 0; i < step_.size(); ++i) {
        dv_[i] += t * step_[i];
        Adv_[i] += t * Astep_[i];
    }
    project_at(problem, dv_);
    return t;
}

/// To the minimum of φ, or as near as `close` [m/s], with no more than `most` factors in all.
void AugmentedLagrangian::minimise(const MatrixProblem& problem,
                                   const ComplementarityOptions& options, double close, int most) {
    project_at(problem, dv_);
    bool bound = false;
    for (int k = 0; k < newton_steps && factors_ < most && !options.late(); ++k) {
        stop_if_requested();
        set_gradient(problem);
        if (gradient_speed() <= close) break;
        bold_ = bold_ && k < bold_steps;
        const double length = descend(problem, bound, bold_);
        if (length == 0) break;
        bound = !bound && length < short_step;
    }
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
    couple(problem);
    factors_ = 0;
    bold_ = true;
    double close = left;
    for (int round = 0; round < max_rounds && factors_ < options.max_iterations &&
                        best_.residual() > goal && !options.late();
         ++round) {
        std::copy(p.begin(), p.end(), multiplier_.begin());
        for (std::size_t g = 0; g < problem.groups.size(); ++g)
            radius_[g] = problem.groups[g].mu * std::max(0.0, p[problem.groups[g].row]);
        close = std::max(1e-3 * goal, std::min(share_of_residual * left, share_of_round * close));
        minimise(problem, options, close, options.max_iterations);
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
    return {factors_, best_.residual() / scale, best_.residual() <= goal};
}

}  // namespace limber
