// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/vertex_block_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/history.h"
#include "limber/solve/descent/initial.h"
#include "limber/solve/newton_step.h"
#include "limber/solve/worst_body.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
constexpr double sufficient = 1e-4;  // Armijo's constant
constexpr int max_halvings = 30;
constexpr double ulps = 16 * std::numeric_limits<double>::epsilon();

std::unique_ptr<Acceleration> acceleration_of(const VertexBlockOptions& options) {
    if (options.acceleration == BlockAcceleration::none) return std::make_unique<Acceleration>();
    DescentOptions chebyshev;
    chebyshev.rho = {options.rho};
    chebyshev.warm_up = options.warm_up;
    return std::make_unique<Chebyshev>(chebyshev);
}

}  // namespace

Vec3d descent_step(const Mat3d& H, const Vec3d& g, const Vec3d& free) {
    unsigned char pinned = 0;
    for (int k = 0; k < 3; ++k)
        if (free[k] == 0) pinned = static_cast<unsigned char>(pinned | 1 << k);
    return newton_step(H, g, pinned);
}

VertexBlockStepper::VertexBlockStepper(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      objective_(model),
      nodes_(objective_),
      acceleration_(acceleration_of(options)) {
    for (auto* array : {&x_, &before_, &checkpoint_, &gradient_, &v_before_})
        array->resize(model.n_nodes());
}

/// q⁽⁰⁾; x_t where the guess has no energy.
bool VertexBlockStepper::start(const State& state) {
    const std::span<const Vec3d> before =
        has_before_ ? std::span<const Vec3d>(v_before_) : std::span<const Vec3d>();
    value_ = initial_guess_with_value(options_.initial, options_.eta, objective_, state, before,
                                      std::span(x_));
    checkpoint_ = x_;
    before_ = x_;
    objective_.gradient(x_, gradient_);
    scale_ = objective_.force_scale(gradient_);
    return std::isfinite(value_);
}

/// Newton's step of one node, halved until its energy falls.
void VertexBlockStepper::move_node(Index i) {
    const NodeDerivatives at = nodes_.at(i, x_);
    const Vec3d d = descent_step(at.block, at.gradient, model_.free[i]);
    const double slope = dot(at.gradient, d), noise = ulps * at.scale;
    if (!(slope < 0)) return;
    double length = 1;
    for (int k = 0; k < max_halvings; ++k, length *= 0.5) {
        const Vec3d to = x_[i] + length * d;
        const double value = nodes_.value(i, to, x_);
        if (value <= at.energy + sufficient * length * slope + noise) {
            x_[i] = to;
            return;
        }
    }
}

/// q = q̄ + w (q̄ − q_{k−1}); x_ is q̄ and before_ the iterate before the sweep's own start.
void VertexBlockStepper::add_momentum() {
    const double weight = acceleration_->next_weight();
    parallel_for(model_.n_nodes(), grain, [&](Index i) {
        const Vec3d bar = x_[i];
        x_[i] = bar + weight * (bar - before_[i]);
    });
}

void VertexBlockStepper::take_back() {
    x_ = checkpoint_;
    before_ = checkpoint_;
    acceleration_->restart();
}

/// Energies are compared under the interpolants of the present iterate. True: converged.
bool VertexBlockStepper::look(SolveStats& stats) {
    objective_.hold(x_);
    const double now = objective_.value(x_), noise = objective_.noise();
    if (objective_.converted()) value_ = objective_.value(checkpoint_);
    // Sweeps alone never raise it: only momentum is taken back.
    if (options_.acceleration != BlockAcceleration::none && !(now <= value_ + noise)) {
        take_back();
    } else {
        checkpoint_ = x_;
        value_ = now;
    }
    if (options_.rel_tolerance <= 0) return false;
    objective_.gradient(x_, gradient_);
    stats.residual = objective_.free_norm(gradient_) / scale_;
    return stats.residual <= options_.rel_tolerance;
}

void VertexBlockStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                     StepReport& report) {
    ScopedTimer timer(report.ms(Stage::free_motion));
    objective_.begin(in, state);
    nodes_.begin();
    acceleration_->begin();
    SolveStats stats;
    stats.status = start(state) ? SolveStatus::iteration_cap : SolveStatus::not_finite;
    std::vector<Vec3d>& start_of_sweep = gradient_;
    for (int k = 0; stats.status == SolveStatus::iteration_cap && k < options_.iterations; ++k) {
        if (k % options_.check_every == 0 && look(stats)) {
            stats.status = SolveStatus::converged;
            break;
        }
        if (watcher_) watcher_({.number = k, .x = x_});
        nodes_.hold(x_);
        start_of_sweep = x_;
        nodes_.sweep([&](Index node) { move_node(node); });
        add_momentum();
        std::swap(before_, start_of_sweep);
        ++stats.iterations;
    }
    if (stats.status != SolveStatus::not_finite) {
        if (stats.status == SolveStatus::iteration_cap && look(stats))
            stats.status = SolveStatus::converged;
        if (watcher_) watcher_({.number = stats.iterations, .x = x_});
        std::copy(state.v.begin(), state.v.end(), v_before_.begin());
        has_before_ = true;
        look_for_stuck<double>(objective_, x_, model_, quiet_, report);
        stats.absolute_residual = objective_.finish(x_, state, forces);
        stats.residual = stats.absolute_residual / scale_;
        if (!std::isfinite(stats.residual)) stats.status = SolveStatus::not_finite;
        if (stats.status == SolveStatus::iteration_cap && options_.rel_tolerance > 0)
            report.set(StepFlag::iteration_cap, worst_body<double>(model_, gradient_));
    }
    stats.iterations += report.solve.iterations;
    report.solve = stats;
}

void VertexBlockStepper::integrate(const StepInput&, State& state) const {
    objective_.integrate(state);
}

template <class List, class Self>
void VertexBlockStepper::list_history(List& list, Self& self) {
    list.whole("vertex_block.has_before", self.has_before_, 0, 1);
    list.numbers("vertex_block.v_before", self.v_before_);
    list.whole("vertex_block.quiet", self.quiet_.count, 0, QuietSteps::most);
    Objective<double>::list_history(list, self.objective_);
}

void VertexBlockStepper::save(ByteWriter& out) const {
    HistoryWriter list(out);
    list_history(list, *this);
}

void VertexBlockStepper::load(ByteReader& in) {
    HistoryReader list(in);
    list_history(list, *this);
}

std::string VertexBlockStepper::describe() {
    return std::to_string(nodes_.colours().n_colours()) + " colours of nodes";
}

}  // namespace limber
