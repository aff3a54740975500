// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "limber/core/parallel.h"
#include "limber/solve/descent/acceleration.h"
#include "limber/solve/descent/direction.h"
#include "limber/solve/descent/initial.h"
#include "limber/solve/descent/loop.h"
#include "limber/solve/descent/step_length.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
constexpr double sufficient = 1e-4;  // Armijo's constant, of line searches
constexpr int max_tries = 40;        // of a line search
constexpr int power_rounds = 20;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

template <class Real>
class DescentLoop final : public DescentEnds<Real> {
  public:
    DescentLoop(const Model& model, const DescentOptions& options)
        : DescentEnds<Real>(model, options),
          direction_(make_direction<Real>(model, options)),
          acceleration_(make_acceleration(options)),
          searches_(step_length_kind(options) == StepLengthKind::line_search),
          length_(make_length_rule(options, direction_->natural_length())),
          partial_(model.n_nodes() / grain + 1) {
        for (auto* array : {&x_, &reference_, &checkpoint_, &g_, &d_})
            array->resize(model.n_nodes());
        if (searches_) trial_.resize(model.n_nodes());
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
        length_.longest = options_.max_step;
        length_.last = 0;
        length_.quiet_steps = 0;
        acceleration_->caution() = 1;
        DescentEnds<Real>::reset();
    }

  private:
    using DescentEnds<Real>::options_, DescentEnds<Real>::model_, DescentEnds<Real>::objective_;
    template <class List, class Self>
    static void list_history(List& list, Self& self) {
        list_length_history(list, self.length_);
        list.number("descent.caution", self.acceleration_->caution());
        DescentEnds<Real>::list_ends(list, self);
    }
    bool start(const State& state);
    bool iterate(int k, SolveStats& stats, StepReport& report);
    LookVerdict judge(double residual, StepReport& report);
    void measure(SolveStats& stats);
    void sweep(bool with_gradient);
    double update(Index begin, Index end, Real alpha, Real weight);
    bool search_line(StepReport& report);
    double secant_length(double slope);
    double longest_step();
    double slope_of(std::span<const Vec3<Real>> g);
    bool ends_far();
    void show(int k);

    std::unique_ptr<Direction<Real>> direction_;
    std::unique_ptr<Acceleration> acceleration_;
    bool searches_;
    LengthRule length_;
    LookRule look_;
    std::vector<Vec3<Real>> x_, reference_, checkpoint_, g_, d_, trial_;
    std::vector<double> partial_;
    double scale_ = 1;  // what gradients are compared with [N]
    bool failed_search_ = false;
};

/// q⁽⁰⁾, its value, and what gradients are compared with.
template <class Real>
bool DescentLoop<Real>::start(const State& state) {
    const double value = initial_guess_with_value(options_.initial, options_.eta, objective_, state,
                                                  this->velocity_before(), std::span(x_));
    look_.begin(value, objective_.magnitude(), objective_.converted());
    checkpoint_ = x_;
    reference_ = x_;
    objective_.gradient(x_, g_);
    scale_ = objective_.force_scale(g_);
    return std::isfinite(value);
}

/// One look at the energy. Values are compared under the interpolants of the present iterate: those
/// of earlier looks are taken again where elements are converted.
template <class Real>
LookVerdict DescentLoop<Real>::judge(double residual, StepReport& report) {
    const double now = objective_.value(x_), noise = objective_.noise();
    const bool converted = objective_.converted();
    const double before =
        converted || look_.converted ? look_.capped(objective_.value(checkpoint_)) : look_.value;
    const LookVerdict verdict =
        look_.judge(now, before, noise, converted, residual, *acceleration_, length_);
    if (verdict == LookVerdict::accepted) {
        checkpoint_ = x_;
        return verdict;
    }
    x_ = checkpoint_;
    reference_ = checkpoint_;
    direction_->restart();
    if (verdict == LookVerdict::exhausted) {
        report.set(StepFlag::line_search);
        failed_search_ = true;
    }
    return verdict;
}

/// The gradient of all nodes and its size.
template <class Real>
void DescentLoop<Real>::measure(SolveStats& stats) {
    parallel_ranges(model_.n_nodes(), grain,
                    [&](Index begin, Index end) { objective_.gradient_range(begin, end, x_, g_); });
    stats.absolute_residual = objective_.free_norm(g_);
    stats.residual = stats.absolute_residual / scale_;
}

/// q̄ = q + α Δq and momentum for a range of nodes; returns g·(q̄ − r) where that is asked for.
template <class Real>
double DescentLoop<Real>::update(Index begin, Index end, Real alpha, Real weight) {
    const std::size_t n = 3 * static_cast<std::size_t>(end - begin);
    Real *x = &x_[begin].x, *r = &reference_[begin].x;
    const Real *d = &d_[begin].x, *g = &g_[begin].x;
    if (!acceleration_->before_momentum()) {
        for (std::size_t k = 0; k < n; ++k) {
            const Real bar = x[k] + alpha * d[k];
            r[k] = bar + weight * (bar - r[k]);
        }
        return 0;
    }
    double slope = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const Real bar = x[k] + alpha * d[k], ahead = bar - r[k];
        slope += static_cast<double>(g[k]) * static_cast<double>(ahead);
        x[k] = bar + weight * ahead;
        r[k] = bar;
    }
    return slope;
}

/// Steps 3 and 4 of Algorithm 1, with what is left of the gradient and the direction where both are
/// local: one pass over the nodes.
template <class Real>
void DescentLoop<Real>::sweep(bool with_gradient) {
    const Real alpha = static_cast<Real>(length_.alpha),
               weight = static_cast<Real>(acceleration_->next_weight());
    const double slope =
        parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
            if (with_gradient) {
                objective_.gradient_range(begin, end, x_, g_);
                direction_->apply(begin, end, g_, d_);
            }
            return update(begin, end, alpha, weight);
        });
    if (!acceleration_->before_momentum()) std::swap(x_, reference_);
    if (acceleration_->watches_slope() && slope > 0) acceleration_->restart();
}

/// longest_for() the largest eigenvalue of P⁻¹H at x_t, by power iteration on differences of
/// gradients.
template <class Real>
double DescentLoop<Real>::longest_step() {
    const Index n = model_.n_nodes();
    std::copy(objective_.start().begin(), objective_.start().end(), x_.begin());
    objective_.hold(x_);
    direction_->prepare(objective_, x_, 0);
    objective_.gradient(x_, g_);
    double size = 0;  // a hundredth of the typical edge
    for (const auto& tet : model_.mesh.tets)
        size += norm(model_.mesh.nodes[tet[1]] - model_.mesh.nodes[tet[0]]);
    size *= 0.01 / std::max<Index>(model_.n_tets(), 1);
    std::uint32_t random = 1;
    for (Vec3<Real>& d : d_)
        for (int k = 0; k < 3; ++k) {
            random = random * 1664525u + 1013904223u;
            d[k] = static_cast<Real>(static_cast<double>(random >> 8) / (1 << 23) - 1);
        }
    double eigenvalue = 0;
    for (int round = 0; round < power_rounds; ++round) {
        // By the largest entry: the eigenvector may sit on a single small tet.
        double largest = 1e-300;
        for (const Vec3<Real>& d : d_)
            for (int k = 0; k < 3; ++k)
                largest = std::max(largest, std::abs(static_cast<double>(d[k])));
        const double scale = size / largest;
        parallel_for(n, grain, [&](Index i) {
            for (int k = 0; k < 3; ++k) d_[i][k] *= static_cast<Real>(scale * model_.free[i][k]);
            reference_[i] = x_[i] + d_[i];
        });
        const double before = std::sqrt(slope_of(d_));
        objective_.gradient(reference_, checkpoint_);
        parallel_for(n, grain, [&](Index i) { checkpoint_[i] = g_[i] - checkpoint_[i]; });
        direction_->find(objective_, x_, checkpoint_, d_);
        eigenvalue = std::sqrt(slope_of(d_)) / std::max(before, 1e-300);
    }
    return longest_for(eigenvalue);
}

template <class Real>
double DescentLoop<Real>::slope_of(std::span<const Vec3<Real>> g) {
    return parallel_sum<double>(model_.n_nodes(), grain, partial_, [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i)
            for (int k = 0; k < 3; ++k)
                sum += static_cast<double>(g[i][k]) * static_cast<double>(d_[i][k]);
        return sum;
    });
}

/// −slope / curvature along d, the curvature from the slope a little further on: the source uses
/// the exact Hessian, which costs its assembly.
template <class Real>
double DescentLoop<Real>::secant_length(double slope) {
    const double t = length_.alpha;
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { trial_[i] = x_[i] + static_cast<Real>(t) * d_[i]; });
    objective_.gradient(trial_, reference_);
    const double change = slope_of(reference_) - slope;
    if (!(change > 0)) return std::isfinite(change) ? 2 * t : t;
    return std::min(-slope / change, 100.0) * t;
}

/// Backtracking along d until Armijo's condition holds. False: it never did.
template <class Real>
bool DescentLoop<Real>::search_line(StepReport& report) {
    const double slope = slope_of(g_);
    double alpha = direction_->wants_secant() ? secant_length(slope) : length_.alpha;
    if (objective_.converted() || look_.converted) look_.value = objective_.value(x_);
    look_.converted = objective_.converted();
    const double noise = objective_.noise();
    for (int k = 0; slope < 0 && k < max_tries; ++k, alpha *= options_.shrink) {
        parallel_for(model_.n_nodes(), grain,
                     [&](Index i) { trial_[i] = x_[i] + static_cast<Real>(alpha) * d_[i]; });
        const double value = objective_.value(trial_);
        if (value <= look_.value + sufficient * alpha * slope + noise) {
            look_.value = value;
            std::swap(x_, trial_);
            return true;
        }
    }
    report.set(StepFlag::line_search);
    failed_search_ = true;
    return false;
}

/// One iteration of Algorithm 1. False: it was the last.
template <class Real>
bool DescentLoop<Real>::iterate(int k, SolveStats& stats, StepReport& report) {
    const bool look = k % options_.check_every == 0, measures = look && options_.rel_tolerance > 0;
    objective_.begin_gradient(x_, g_);
    if (measures) measure(stats);
    if (look && k > 0 && !searches_) {
        const LookVerdict verdict = judge(measures ? stats.residual : not_measured, report);
        if (verdict == LookVerdict::exhausted) return false;
        if (verdict == LookVerdict::taken_back) {
            objective_.begin_gradient(x_, g_);
            if (measures) measure(stats);
        }
    }
    if (measures && stats.residual <= options_.rel_tolerance) {
        stats.status = SolveStatus::converged;
        return false;
    }
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        direction_->prepare(objective_, x_, k);
    }
    if (direction_->local() && !measures && !searches_) {
        sweep(true);
        return true;
    }
    if (!measures)
        parallel_ranges(model_.n_nodes(), grain, [&](Index begin, Index end) {
            objective_.gradient_range(begin, end, x_, g_);
        });
    if (!direction_->find(objective_, x_, g_, d_)) {
        report.set(StepFlag::indefinite);
        failed_search_ = true;
        return false;
    }
    if (searches_) return search_line(report);
    sweep(false);
    return true;
}

/// Whether the minimum may be farther than 5 % of the motion of the step, where the direction knows
/// of distances. As for newton_cg, what few iterations see of the spectrum may be five times wrong.
template <class Real>
bool DescentLoop<Real>::ends_far() {
    if (!direction_->tells_distance()) return false;
    objective_.gradient(x_, g_);
    const double left = direction_->distance_left(g_);
    double motion = 0;
    for (std::size_t i = 0; i < x_.size(); ++i)
        motion += static_cast<double>(squared_norm(x_[i] - objective_.start()[i]));
    return left > 0.05 / 5 * std::sqrt(motion);
}

template <class Real>
void DescentLoop<Real>::show(int k) {
    if (this->watcher) this->watcher({.number = k, .value = objective_.value(x_)});
}

template <class Real>
SolveStats DescentLoop<Real>::run(const StepInput& in, State& state, NodeForces& forces,
                                  StepReport& report) {
    SolveStats stats;
    objective_.begin(in, state);
    direction_->begin(objective_);
    acceleration_->begin();
    failed_search_ = false;
    if (length_.wants_longest(state.step))
        length_.longest = direction_->local() ? longest_step() : 1;
    length_.begin();
    if (!start(state)) {
        stats.status = SolveStatus::not_finite;
        return stats;
    }
    stats.status = SolveStatus::iteration_cap;
    for (int k = 0; k < options_.iterations; ++k) {
        show(k);
        if (!iterate(k, stats, report)) break;
        ++stats.iterations;
    }
    // Nothing leaves that was not looked at.
    if (!searches_ && !failed_search_ && stats.status == SolveStatus::iteration_cap) {
        objective_.hold(x_);
        judge(not_measured, report);
    }
    show(stats.iterations);
    if (stats.status == SolveStatus::iteration_cap && ends_far())
        report.set(StepFlag::iteration_cap);
    length_.finish(failed_search_);
    this->finish(x_, scale_, g_, stats, state, forces, report);
    return stats;
}

}  // namespace

DescentStepper::DescentStepper(const Model& model, const Options& options) {
    const bool single = options.precision == Precision::single;
    if (options.direction == DirectionKind::newton_cg)
        loop_ =
            single ? make_newton_cg<float>(model, options) : make_newton_cg<double>(model, options);
    else if (single)
        loop_ = std::make_unique<DescentLoop<float>>(model, options);
    else
        loop_ = std::make_unique<DescentLoop<double>>(model, options);
}
DescentStepper::~DescentStepper() = default;

void DescentStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                 StepReport& report) {
    const double before = report.ms(Stage::assemble);
    Timer timer;
    SolveStats stats = loop_->run(in, state, forces, report);
    report.ms(Stage::free_motion) += timer.ms() - (report.ms(Stage::assemble) - before);
    stats.iterations += report.solve.iterations;
    report.solve = stats;
}

void DescentStepper::integrate(const StepInput&, State& state) const {
    loop_->integrate(state);
}
void DescentStepper::save(ByteWriter& out) const {
    loop_->save(out);
}
void DescentStepper::load(ByteReader& in) {
    loop_->load(in);
}
void DescentStepper::reset() {
    loop_->reset();
}
void DescentStepper::describe_cells(CellFields& fields) const {
    loop_->describe_cells(fields);
}
bool DescentStepper::watch(SolveWatcher watcher) {
    loop_->watcher = std::move(watcher);
    return true;
}

}  // namespace limber
