// SPDX-License-Identifier: Apache-2.0
// The default of `descent`: Newton's method with each system solved only as far as it is worth, by
// conjugate gradients on small dense blocks (Dembo & Steihaug 1983, "Truncated-Newton algorithms
// for large-scale unconstrained optimization"). Step length and momentum follow from two dot
// products an iteration instead of a guessed spectrum, so that there is nothing to tune.

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/linalg/aggregate_levels.h"
#include "limber/solve/descent_initial.h"
#include "limber/solve/descent_loop.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
constexpr double sufficient = 1e-4;  // Armijo's constant
constexpr int max_tries = 30;        // of a line search
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
        DescentEnds::reset();
    }

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list_ends(list, self);
        list.number("descent.forcing", self.forcing_);
    }
    struct Solve {
        int iterations = 0;
        double first = 0, last = 0;  // sqrt(r·P⁻¹r) before and after
    };
    bool start(const State& state);
    Solve conjugate_gradients(double forcing, int budget, int done);
    double slope();
    bool search_line(StepReport& report);
    void move(double length);

    AggregateLevels<Real> levels_;
    std::vector<Vec3d> x_, trial_, g_;
    std::vector<Vec3<Real>> d_, r_, z_, p_, q_;  // of the linear system
    std::vector<Index> fixed_;                   // nodes with a prescribed axis
    std::vector<double> partial_;
    BlockRows<Real> A_;
    double forcing_ = first_forcing;  // of the first system of a step
    double value_ = 0;                // of x_
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

/// The guess, or x_t where the energy there is lower: no step ends above where it began.
template <class Real>
bool NewtonCg<Real>::start(const State& state) {
    const std::span<const Vec3d> before = velocity_before();
    value_ = initial_guess_with_value(options_.initial, options_.eta, objective_, state, before,
                                      std::span(x_));
    if (options_.initial != InitialKind::position) {
        initial_guess(InitialKind::position, options_.eta, objective_, state, before,
                      std::span(trial_));
        const double here = objective_.value(trial_);
        if (here < value_) {
            std::swap(x_, trial_);
            objective_.hold(x_);
            value_ = objective_.value(x_);
        }
    }
    return std::isfinite(value_);
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
    Solve out;
    double rz = levels_.apply(r_, z_);
    p_ = z_;
    const double enough = forcing * forcing * rz;
    out.first = std::sqrt(std::max(rz, 0.0));
    while (out.iterations < budget && rz > enough && rz > 0) {
        if (watcher) {
            move(1);
            watcher(done + out.iterations, objective_.value(trial_));
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
        const Real beta = static_cast<Real>(rz / before);
        parallel_for(n, grain, [&](Index i) { p_[i] = z_[i] + beta * p_[i]; });
    }
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

/// Along d_ until the value falls as Armijo asks. False: it does not, or rounding hides it.
template <class Real>
bool NewtonCg<Real>::search_line(StepReport& report) {
    const double along = slope();
    double length = 1;
    for (int k = 0; along < 0 && k < max_tries; ++k) {
        move(length);
        const double value = objective_.value(trial_), noise = objective_.noise();
        const bool blind = -along * length < 4 * noise;
        if (value <= value_ + sufficient * length * along && !blind) {
            std::swap(x_, trial_);
            value_ = value;
            return true;
        }
        if (blind && std::isfinite(value)) {
            // Rounding hides what the value does: the slope there tells (Hager & Zhang 2005,
            // "approximate Wolfe").
            objective_.gradient(trial_, g_);
            if (!(slope() <= -0.8 * along)) return false;
            std::swap(x_, trial_);
            value_ = value;
            return true;
        }
        // The parabola through both values and the slope, within bounds.
        const double best = -0.5 * along * length * length / (value - value_ - along * length);
        length = std::isfinite(best) ? std::clamp(best, 0.1 * length, 0.5 * length) : 0.5 * length;
    }
    report.set(StepFlag::line_search);
    return false;
}

template <class Real>
SolveStats NewtonCg<Real>::run(const StepInput& in, State& state, NodeForces& forces,
                               StepReport& report) {
    SolveStats stats;
    objective_.begin(in, state);
    if (!start(state)) {
        stats.status = SolveStatus::not_finite;
        return stats;
    }
    stats.status = SolveStatus::iteration_cap;
    double forcing = forcing_;
    Solve last;
    for (int k = 0; stats.iterations < options_.iterations; ++k) {
        if (k > 0) {
            objective_.hold(x_);
            if (objective_.converted()) value_ = objective_.value(x_);
        }
        objective_.gradient(x_, g_);
        const double residual = objective_.free_norm(g_);
        if (k == 0)  // a pin that moves may be all that happens in a step
            scale_ = std::max(objective_.force_scale() + objective_.pinned_norm(g_), 1e-300);
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
        if (last.iterations == 0 || !search_line(report)) break;
    }
    if (watcher) watcher(stats.iterations, objective_.value(x_));
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
