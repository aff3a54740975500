// SPDX-License-Identifier: Apache-2.0
// The default of `descent`: Newton's method with each system solved only as far as it is worth, by
// conjugate gradients on small dense blocks (Dembo & Steihaug 1983, "Truncated-Newton algorithms
// for large-scale unconstrained optimization"). Step length and momentum follow from two dot
// products an iteration instead of a guessed spectrum, so that there is nothing to tune.

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/linalg/multigrid/aggregate_levels.h"
#include "limber/linalg/ritz.h"
#include "limber/solve/descent/initial.h"
#include "limber/solve/descent/loop.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
constexpr double sufficient = 1e-4;  // Armijo's constant
constexpr int max_tries = 30;        // of a line search
constexpr int max_longer = 4;        // tries of a length that is accepted
// From the minimum, in parts of the motion of a step. What is above 0.05 must be flagged; a few
// iterations see the least Ritz value, and with it the way that is left, up to five times wrong.
constexpr double too_far = 0.05 / 5;
constexpr int too_few = 4;  // iterations: of the spectrum they tell nothing
constexpr double first_forcing = 0.1, least_forcing = 1e-4, largest_forcing = 0.5;

template <class Real>
class NewtonCg final : public DescentEnds<double> {
  public:
    NewtonCg(const Model& model, const DescentOptions& options)
        : DescentEnds(model, options),
          levels_(objective_.pattern(), model.free),
          partial_(model.n_nodes() / grain + 1) {
        const std::size_t n = static_cast<std::size_t>(model.n_nodes());
        for (auto* array : {&x_, &trial_, &g_}) array->resize(n);
        for (auto* array : {&d_, &r_, &z_, &p_, &q_}) array->resize(n);
        for (Index i = 0; i < model.n_nodes(); ++i)
            if (model.free[i] != Vec3d{1, 1, 1}) fixed_.push_back(i);
    }

    SolveStats run(const StepInput& in, State& state, NodeForces& forces,
                   StepReport& report) override;
    void save(ByteWriter& out) const override {
        HistoryWriter list(out);
        list_history(list, *this);
    }
    void load(ByteReader& in) override {
        HistoryReader list(in);
        list_history(list, *this);
    }
    void reset() override {
        forcing_ = first_forcing;
        least_ritz_ = 1;
        DescentEnds::reset();
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list_ends(list, self);
        list.number("descent.forcing", self.forcing_);
        list.number("descent.least_ritz", self.least_ritz_);
    }
    struct Solve {
        int iterations = 0;
        double first = 0, last = 0;  // sqrt(r·P⁻¹r) before and after
    };
    Solve conjugate_gradients(double forcing, int budget, int done);
    double slope();
    enum class Search { fell, at_rounding, failed };
    double lengthen(double along, double value);
    Search search_line(StepReport& report);
    double motion_left();
    void move(double length);

    AggregateLevels<Real> levels_;
    std::vector<Vec3d> x_, trial_, g_;
    std::vector<Vec3<Real>> d_, r_, z_, p_, q_;  // of the linear system
    std::vector<Index> fixed_;                   // nodes with a prescribed axis
    std::vector<double> partial_;
    BlockRows<Real> A_;
    RitzValues ritz_;
    double least_ritz_ = 1;           // met in this step and, fading, before
    double forcing_ = first_forcing;  // of the first system of a step
    double value_ = 0;                // of x_
    double length_ = 1;               // of the last search
    double scale_ = 1;                // what it is compared with [N]
};

template <class Real>
Vec3<Real> rounded(const Vec3d& a) {
    return {static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z)};
}

template <class Real>
void hold_fixed(const Model& model, std::span<const Index> fixed, std::span<Vec3<Real>> a) {
    for (const Index i : fixed) a[i] = masked(a[i], model.free[i]);
}

/// A d = −g from d = 0, until sqrt(r·P⁻¹r) has fallen to `forcing` of where it was or the budget is
/// spent. Every iterate is a direction of descent; A d·d = −g·d holds at each.
template <class Real>
auto NewtonCg<Real>::conjugate_gradients(double forcing, int budget, int done) -> Solve {
    const Index n = model_.n_nodes();
    parallel_for(n, grain, [&](Index i) {
        r_[i] = rounded<Real>(masked(-g_[i], model_.free[i]));
        d_[i] = {};
    });
    ritz_.clear();
    Solve out;
    double rz = levels_.apply(r_, z_);
    p_ = z_;
    const double enough = forcing * forcing * rz;
    out.first = std::sqrt(std::max(rz, 0.0));
    while (out.iterations < budget && rz > enough && rz > 0) {
        if (watcher) {
            move(1);
            watcher({.number = done + out.iterations, .value = objective_.value(trial_)});
        }
        const double pq = A_.apply(p_, q_);
        if (!(pq > 0)) break;
        const double length = rz / pq;
        if (!std::isfinite(length)) break;
        hold_fixed<Real>(model_, fixed_, q_);
        const Real alpha = static_cast<Real>(length);
        parallel_for(n, grain, [&](Index i) {
            d_[i] += alpha * p_[i];
            r_[i] -= alpha * q_[i];
        });
        ++out.iterations;
        const double before = rz;
        rz = levels_.apply(r_, z_);
        ritz_.add(length, rz / before);
        const Real beta = static_cast<Real>(rz / before);
        parallel_for(n, grain, [&](Index i) { p_[i] = z_[i] + beta * p_[i]; });
    }
    if (!ritz_.empty()) least_ritz_ = std::min(least_ritz_, ritz_.least());
    out.last = std::sqrt(std::max(rz, 0.0));
    return out;
}

template <class Real>
double NewtonCg<Real>::slope() {
    return parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i)
            for (int k = 0; k < 3; ++k) sum += g_[i][k] * static_cast<double>(d_[i][k]);
        return sum;
    });
}

template <class Real>
void NewtonCg<Real>::move(double length) {
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        trial_[i] = x_[i] + length * Vec3d{d_[i].x, d_[i].y, d_[i].z};
    });
}

/// Goes on where the parabola through both values and the slope has its minimum, if that is twice
/// as far or more and the value falls; that of trial_ in the end. Where tets turn inside out the
/// projected tangent is many times as stiff as the energy, and steps of length 1 each go a small
/// part of the same way.
template <class Real>
double NewtonCg<Real>::lengthen(double along, double value) {
    for (int k = 0; k < max_longer; ++k) {
        const double curvature = 2 * (value - value_ - along * length_) / (length_ * length_);
        if (2 * length_ * curvature > -along) break;
        const bool seen = 4 * length_ * curvature > -along;
        const double longer = seen ? -along / curvature : 4 * length_;
        move(longer);
        const double farther = objective_.value(trial_);
        if (!(farther < value)) {
            move(length_);
            break;
        }
        length_ = longer;
        value = farther;
        if (seen) break;
    }
    return value;
}

/// Along d_ until the value falls as Armijo asks.
template <class Real>
auto NewtonCg<Real>::search_line(StepReport& report) -> Search {
    const double along = slope();
    length_ = 1;
    for (int k = 0; along < 0 && k < max_tries; ++k) {
        move(length_);
        const double value = objective_.value(trial_), noise = objective_.noise();
        const bool blind = -along * length_ < 4 * noise;
        if (value <= value_ + sufficient * length_ * along && !blind) {
            value_ = k == 0 ? lengthen(along, value) : value;
            std::swap(x_, trial_);
            return Search::fell;
        }
        if (blind && std::isfinite(value)) {
            // Rounding hides what the value does: the slope there tells (Hager & Zhang 2005,
            // "approximate Wolfe"). After one such step nothing is left to gain.
            objective_.gradient(trial_, g_);
            if (slope() <= -0.8 * along) {
                std::swap(x_, trial_);
                value_ = value;
            }
            return Search::at_rounding;
        }
        // The parabola through both values and the slope, within bounds.
        const double best = -0.5 * along * length_ * length_ / (value - value_ - along * length_);
        length_ =
            std::isfinite(best) ? std::clamp(best, 0.1 * length_, 0.5 * length_) : 0.5 * length_;
    }
    report.set(StepFlag::line_search);
    return Search::failed;
}

/// How far the minimum still is, in parts of the motion of the step: |P⁻¹g| over the least Ritz
/// value of P⁻¹A that the systems of this step and of the last ones have met, as the motions that
/// few iterations leave are those that P⁻¹A shortens most.
template <class Real>
double NewtonCg<Real>::motion_left() {
    struct Sums {
        double z = 0, u = 0;
        Sums& operator+=(const Sums& other) {
            z += other.z;
            u += other.u;
            return *this;
        }
    };
    objective_.gradient(x_, g_);
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { r_[i] = rounded<Real>(masked(g_[i], model_.free[i])); });
    levels_.apply(r_, z_);
    std::vector<Sums> partial(partial_.size());
    const std::span<const Vec3d> start = objective_.start();
    const Sums sums =
        parallel_sum<Sums>(model_.n_nodes(), grain, partial, [&](Index begin, Index end) {
            Sums sum;
            for (Index i = begin; i < end; ++i) {
                sum.z += squared_norm(Vec3d{z_[i].x, z_[i].y, z_[i].z});
                sum.u += squared_norm(x_[i] - start[i]);
            }
            return sum;
        });
    return std::sqrt(sums.z / std::max(sums.u, 1e-300)) / least_ritz_;
}

template <class Real>
SolveStats NewtonCg<Real>::run(const StepInput& in, State& state, NodeForces& forces,
                               StepReport& report) {
    SolveStats stats;
    objective_.begin(in, state);
    value_ = initial_guess_with_value(options_.initial, options_.eta, objective_, state,
                                      velocity_before(), std::span(x_));
    if (!std::isfinite(value_)) {
        stats.status = SolveStatus::not_finite;
        return stats;
    }
    stats.status = SolveStatus::iteration_cap;
    least_ritz_ = std::min(1.0, 1.1 * least_ritz_);
    double forcing = forcing_;
    Solve last;
    for (int k = 0; stats.iterations < options_.iterations; ++k) {
        if (k > 0) {
            objective_.hold(x_);
            if (objective_.converted()) value_ = objective_.value(x_);
        }
        objective_.gradient(x_, g_);
        const double residual = objective_.free_norm(g_);
        if (k == 0) scale_ = objective_.force_scale(g_);
        if (options_.rel_tolerance > 0 && residual <= options_.rel_tolerance * scale_) {
            stats.status = SolveStatus::converged;
            break;
        }
        if (!std::isfinite(residual)) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
        {
            ScopedTimer timer(report.ms(Stage::assemble));
            objective_.tangent(x_, A_);
            if (!levels_.update(A_, x_)) {
                report.set(StepFlag::indefinite);
                break;
            }
        }
        if (k > 0) {
            // How far the gradient is from what the linear model promised: Eisenstat & Walker 1996,
            // choice 1, with their safeguard.
            parallel_for(model_.n_nodes(), grain,
                         [&](Index i) { r_[i] = rounded<Real>(masked(g_[i], model_.free[i])); });
            const double now = std::sqrt(std::max(levels_.apply(r_, z_), 0.0));
            double wanted = std::abs(now - last.last) / std::max(last.first, 1e-300);
            if (k == 1) forcing_ = std::clamp(wanted, least_forcing, largest_forcing);
            const double safeguard = std::pow(forcing, 1.618);
            if (safeguard > 0.1) wanted = std::max(wanted, safeguard);
            forcing = std::clamp(wanted, least_forcing, largest_forcing);
        }
        last =
            conjugate_gradients(forcing, options_.iterations - stats.iterations, stats.iterations);
        stats.iterations += std::max(last.iterations, 1);
        if (last.iterations == 0) break;
        const Search search = search_line(report);
        if (search == Search::at_rounding) stats.status = SolveStatus::energy_settled;
        if (search != Search::fell) break;
    }
    if (stats.status == SolveStatus::iteration_cap &&
        (stats.iterations < too_few || motion_left() > too_far))
        report.set(StepFlag::iteration_cap);
    if (watcher) watcher({.number = stats.iterations, .value = objective_.value(x_)});
    finish(x_, scale_, g_, stats, state, forces, report);
    return stats;
}

}  // namespace

template <class Real>
std::unique_ptr<DescentStepper::Loop> make_newton_cg(const Model& model,
                                                     const DescentOptions& options) {
    return std::make_unique<NewtonCg<Real>>(model, options);
}

template std::unique_ptr<DescentStepper::Loop> make_newton_cg<float>(const Model&,
                                                                     const DescentOptions&);
template std::unique_ptr<DescentStepper::Loop> make_newton_cg<double>(const Model&,
                                                                      const DescentOptions&);

}  // namespace limber
