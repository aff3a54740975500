// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/newton/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/history.h"
#include "limber/core/parallel.h"
#include "limber/solve/worst_body.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
constexpr int max_halvings = 40;  // to 1e-12 of the Newton step
constexpr int max_shifts = 30;
constexpr int projections_in_a_row = 2;

double trace_mean(const BlockCsr& A) {
    double sum = 0;
    for (Index i = 0; i < A.n_nodes(); ++i) sum += trace(A.blocks()[A.diagonal_position(i)]);
    return std::abs(sum) / (3.0 * std::max<Index>(A.n_nodes(), 1));
}

}  // namespace

NewtonStepper::NewtonStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      objective_(model),
      linear_(make_linear_solver(options.linear, model.mesh.nodes)) {
    for (std::vector<Vec3d>* array : {&x_, &trial_, &gradient_, &minus_, &direction_})
        array->resize(model.n_nodes());
    partial_.resize(model.n_nodes() / grain + 1);
    if (const SupernodalCholesky<double>* factor = linear_->factor())
        compliance_ = std::make_unique<FactorCompliance<double>>(*factor);
    if (compliance_) compliance_->set_matrix(&shifted_);
}

/// Pins at the end of their way.
void NewtonStepper::start_at(std::span<const Vec3d> x) {
    std::copy(x.begin(), x.end(), x_.begin());
    objective_.prescribe(x_);
    objective_.hold(x_);
    value_ = objective_.value(x_);
}

/// x + h v where the energy has a value there, else x.
void NewtonStepper::start_at_guess(const StepInput& in, const State& state) {
    const double share = options_.guess == NewtonGuess::velocity ? in.h : 0;
    const auto start_with = [&](double ahead) {
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { trial_[i] = state.x[i] + ahead * state.v[i]; });
        start_at(trial_);
    };
    start_with(share);
    if (share > 0 && !std::isfinite(value_)) start_with(0);
}

bool NewtonStepper::solve_with(const BlockCsr& A, StepReport& report) {
    {
        ScopedTimer timer(report.ms(Stage::factor));
        if (linear_->prepare(A, model_.free).failed()) return false;
    }
    ScopedTimer timer(report.ms(Stage::free_motion));
    std::fill(direction_.begin(), direction_.end(), Vec3d{});
    return !linear_->solve(A, minus_, model_.free, direction_).failed();
}

/// Solves H d = -g with a positive definite H. Projection changes the Hessian near the minimum as
/// well, where convergence is then linear: by default it waits until a factorisation fails, and
/// lasts for a few iterations. Where all else fails a multiple of the identity is
/// added, small first, then tenfold (Kavan, note 4).
bool NewtonStepper::find_direction(StepReport& report) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) { minus_[i] = -gradient_[i]; });
    linear_->set_positions(x_);
    const auto hessian = [&](HessianKind kind) -> const BlockCsr& {
        ScopedTimer timer(report.ms(Stage::assemble));
        return objective_.hessian(x_, kind);
    };
    if (options_.hessian != HessianRepair::project && projections_left_ == 0) {
        if (solve_with(hessian(HessianKind::exact), report)) return true;
        projections_left_ = projections_in_a_row;
    }
    if (options_.hessian != HessianRepair::shift) {
        projections_left_ = std::max(projections_left_ - 1, 0);
        if (solve_with(hessian(HessianKind::projected), report)) return true;
    } else {
        projections_left_ = 0;
    }
    report.set(StepFlag::indefinite);
    const BlockCsr& H = hessian(options_.hessian == HessianRepair::shift ? HessianKind::exact
                                                                         : HessianKind::projected);
    shifted_ = H;
    shift_ = std::max(0.1 * shift_, 1e-10 * trace_mean(H));  // from a tenth of what worked last
    for (int tries = 0; tries < max_shifts; ++tries, shift_ *= 10) {
        for (Index i = 0; i < model_.n_nodes(); ++i)
            shifted_.blocks()[shifted_.diagonal_position(i)] =
                H.blocks()[H.diagonal_position(i)] + Mat3d::diagonal(shift_, shift_, shift_);
        if (solve_with(shifted_, report)) return true;
    }
    return false;
}

/// Halves the step until the value falls as Armijo asks; returns its length, 0 where none was
/// found.
double NewtonStepper::search_line(double slope, double gradient_norm, StepReport& report) {
    ScopedTimer timer(report.ms(Stage::free_motion));
    double length = 1;
    // Near the minimum the value changes by less than its rounding: there the gradient decides.
    const bool blind = -slope < 1e-8 * objective_.magnitude();
    for (int k = 0; k < max_halvings; ++k, length *= options_.backtrack) {
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { trial_[i] = x_[i] + length * direction_[i]; });
        const double value = objective_.value(trial_);
        if (value <= value_ + options_.sufficient * length * slope) {
            value_ = value;
            return length;
        }
        if (k > 0 || !blind || !std::isfinite(value)) continue;
        objective_.gradient(trial_, minus_);
        if (objective_.free_norm(minus_) < gradient_norm) return length;
    }
    return 0;
}

/// Of the objective along direction_ [J].
double NewtonStepper::slope() {
    return parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) sum += dot(gradient_[i], direction_[i]);
        return sum;
    });
}

/// From x_ to the minimum.
SolveStats NewtonStepper::minimise(StepReport& report) {
    projections_left_ = 0;
    tangent_ = false;
    SolveStats stats;
    stats.status = std::isfinite(value_) ? SolveStatus::iteration_cap : SolveStatus::not_finite;
    const double first = value_;
    double least = std::numeric_limits<double>::infinity();  // gradient since rounding hides values
    while (stats.status == SolveStatus::iteration_cap) {
        {
            ScopedTimer timer(report.ms(Stage::assemble));
            if (stats.iterations > 0) {
                objective_.hold(x_);
                value_ = objective_.value(x_);
            }
            objective_.gradient(x_, gradient_);
        }
        stats.absolute_residual = objective_.free_norm(gradient_);
        if (scale_ == 0) scale_ = objective_.force_scale(gradient_);
        stats.residual = stats.absolute_residual / scale_;
        if (!std::isfinite(stats.residual)) stats.status = SolveStatus::not_finite;
        if (stats.residual <= options_.rel_tolerance) stats.status = SolveStatus::converged;
        if (stats.status != SolveStatus::iteration_cap ||
            stats.iterations == options_.max_iterations)
            break;
        if (!find_direction(report)) {
            stats.status = SolveStatus::indefinite;
            break;
        }
        const double along = slope();
        // -along is λ², and λ²/2 the decrease that the quadratic model expects.
        if (options_.decrement > 0 && -along / 2 <= options_.decrement * (first - value_)) {
            stats.status = SolveStatus::energy_settled;
            break;
        }
        // Where the value cannot tell and a whole Newton step no longer halves the gradient, what
        // is left is the rounding of the forces.
        if (-along < 4 * objective_.noise()) {
            if (stats.absolute_residual > 0.5 * least) {
                stats.status = SolveStatus::energy_settled;
                break;
            }
            least = stats.absolute_residual;
        }
        ++stats.iterations;
        if (search_line(along, stats.absolute_residual, report) == 0) {
            report.set(StepFlag::line_search, worst_body<double>(model_, gradient_));
            break;
        }
        std::swap(x_, trial_);
    }
    stats.iterations += report.solve.iterations;
    report.solve = stats;
    if (stats.status == SolveStatus::iteration_cap)
        report.set(StepFlag::iteration_cap, worst_body<double>(model_, gradient_));
    return stats;
}

void NewtonStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                StepReport& report) {
    h_ = in.h;
    scale_ = 0;
    passes_ = 0;
    objective_.begin(in, state);
    if (next_start_.empty())
        start_at_guess(in, state);
    else
        start_at(next_start_);
    next_start_.clear();
    if (in.constrained) {
        contact_force_.assign(model_.n_nodes(), {});
        report.solve.status = SolveStatus::iteration_cap;
        linearise(in, state, report);
        return;
    }
    if (minimise(report).failed()) return;
    look_for_stuck<double>(objective_, x_, model_, quiet_, report);
    objective_.finish(x_, state, forces);
}

void NewtonStepper::integrate(const StepInput&, State& state) const {
    objective_.integrate(state);
}

void NewtonStepper::correct_reactions(const StepInput&, std::span<const Vec3d> v,
                                      NodeForces& forces) {
    objective_.finish_with(v, forces);
}

template <class List, class Self>
void NewtonStepper::list_history(List& list, Self& self) {
    list.number("newton.shift", self.shift_);
    list.whole("newton.quiet", self.quiet_.count, 0, QuietSteps::most);
    Objective<double>::list_history(list, self.objective_);
}

void NewtonStepper::save(ByteWriter& out) const {
    HistoryWriter list(out);
    list_history(list, *this);
}

void NewtonStepper::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
}

std::string NewtonStepper::describe() {
    return {};
}

}  // namespace limber
