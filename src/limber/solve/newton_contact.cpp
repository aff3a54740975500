// SPDX-License-Identifier: Apache-2.0
// The side of NewtonStepper that contact by constraints needs: the tangent of a step at its
// minimum.
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/solve/newton.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

}  // namespace

/// The factor of A = h² ∇²ε at x_ [kg]. Where that is not positive definite, of its projection, and
/// where even that is not (nothing holds a body at rest) with a multiple of the identity on top.
bool NewtonStepper::factorise_tangent() {
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
        if (kind == HessianKind::exact && options_.hessian == HessianRepair::project) continue;
        shifted_ = objective_.hessian(x_, kind);
        for (Mat3d& block : shifted_.blocks()) block = (h_ * h_) * block;
        if (!linear_->prepare(shifted_, model_.free).failed()) return true;
    }
    double largest = 0;
    for (Index i = 0; i < model_.n_nodes(); ++i)
        largest = std::max(largest, trace(shifted_.blocks()[shifted_.diagonal_position(i)]));
    double before = 0;
    for (double shift = 1e-12 * largest; shift < largest; shift *= 10) {
        for (Index i = 0; i < model_.n_nodes(); ++i)
            shifted_.blocks()[shifted_.diagonal_position(i)] +=
                (shift - before) * Mat3d::identity();
        before = shift;
        if (!linear_->prepare(shifted_, model_.free).failed()) return true;
    }
    return false;
}

Compliance* NewtonStepper::compliance() {
    if (!compliance_) return nullptr;
    if (!tangent_) tangent_ = factorise_tangent();
    return tangent_ ? compliance_.get() : nullptr;
}

/// state.v of the minimum becomes what it would be without the forces of contact, as far as the
/// tangent says.
void NewtonStepper::linearise(State& state, StepReport& report) {
    ScopedTimer timer(report.ms(Stage::compliance));
    Compliance* A = compliance();
    if (!A) {
        report.set(StepFlag::indefinite);
        report.solve.status = SolveStatus::indefinite;
        return;
    }
    parallel_for(model_.n_nodes(), grain, [&](Index i) { minus_[i] = h_ * contact_force_[i]; });
    A->apply(minus_, direction_);
    parallel_for(model_.n_nodes(), grain, [&](Index i) { state.v[i] -= direction_[i]; });
}

/// Whether the gradient vanishes at state.v with these forces; if not, the minimum under them.
bool NewtonStepper::answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                            StepReport& report) {
    const Index n = model_.n_nodes();
    contact_force_.resize(n);
    // The forces of constraints in place of those known so far, which were part of the load.
    parallel_for(n, grain, [&](Index i) {
        minus_[i] = (1 / in.h) * impulses[i] - contact_force_[i];
        trial_[i] = state.x[i] + in.h * state.v[i];
    });
    objective_.add_load(minus_);
    const double change = objective_.free_norm(minus_);
    parallel_for(n, grain, [&](Index i) { contact_force_[i] = (1 / in.h) * impulses[i]; });
    objective_.prescribe(trial_);
    objective_.hold(trial_);
    objective_.gradient(trial_, gradient_);
    const double residual = objective_.free_norm(gradient_);
    report.solve.absolute_residual = residual;
    const double scale = scale_ + objective_.free_norm(contact_force_);
    report.solve.residual = residual / scale;
    if (std::min(change, residual) <= options_.rel_tolerance * scale) return true;
    if (++passes_ >= options_.contact_passes) {
        report.set(StepFlag::contact_cap);
        // Forces that are of the size of the load and more: the passes went apart. Not to be kept;
        // smaller steps are nearer to their tangent.
        if (!(residual < 0.1 * scale)) report.solve.status = SolveStatus::indefinite;
        return true;
    }
    std::swap(minus_, x_);  // where the last minimum was
    std::copy(trial_.begin(), trial_.end(), direction_.begin());
    start_at(direction_);
    if (!std::isfinite(value_)) start_at(minus_);
    if (minimise(report).failed()) return false;
    parallel_for(n, grain, [&](Index i) { state.v[i] = (1 / in.h) * (x_[i] - state.x[i]); });
    linearise(state, report);
    return false;
}

}  // namespace limber
