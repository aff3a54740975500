// SPDX-License-Identifier: Apache-2.0
// Newton's method where contact acts by constraints.
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/worst_body.h"

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

/// One Newton step from x_ without contact: state.v = v − h A⁻¹ ∇ε.
void NewtonStepper::linearise(const StepInput& in, State& state, StepReport& report) {
    tangent_ = false;
    {
        ScopedTimer timer(report.ms(Stage::assemble));
        objective_.hold(x_);
        objective_.gradient(x_, gradient_);
    }
    if (scale_ == 0) scale_ = objective_.force_scale(gradient_);
    ScopedTimer timer(report.ms(Stage::factor));
    Compliance* A = std::isfinite(objective_.free_norm(gradient_)) ? compliance() : nullptr;
    if (!A) {
        report.solve.status = SolveStatus::not_finite;
        return;
    }
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { minus_[i] = in.h * (gradient_[i] + contact_force_[i]); });
    A->apply(minus_, direction_);
    parallel_for(model_.n_nodes(), grain,
                 [&](Index i) { state.v[i] = (1 / in.h) * (x_[i] - state.x[i]) - direction_[i]; });
    ++report.solve.iterations;
}

/// state.v is the Newton step under the forces of these impulses: the answer where the gradient
/// vanishes there, else the direction in which to go on.
bool NewtonStepper::answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                            StepReport& report) {
    const Index n = model_.n_nodes();
    parallel_for(n, grain, [&](Index i) {
        const Vec3d force = (1 / in.h) * impulses[i];
        minus_[i] = force - contact_force_[i];
        contact_force_[i] = force;
        // A rigid body's nodes answer by themselves; here they stay where free motion puts them.
        direction_[i] = masked(state.x[i] + in.h * state.v[i] - x_[i], model_.free[i]);
        trial_[i] = x_[i] + direction_[i];
    });
    objective_.add_load(minus_);
    objective_.gradient(trial_, minus_);
    const double residual = objective_.free_norm(minus_);
    const double scale = scale_ + objective_.free_norm(contact_force_);
    report.solve.absolute_residual = residual;
    report.solve.residual = residual / scale;
    const bool settled = residual <= options_.rel_tolerance * scale;
    if (settled) {
        passes_ = 0;
        report.solve.status = SolveStatus::converged;
        look_for_stuck<double>(objective_, trial_, model_, quiet_, report);
        return true;
    }
    if (++passes_ >= options_.contact_passes) {
        // Where nothing touches these were Newton's own iterations.
        const bool touches = objective_.free_norm(contact_force_) > 0;
        report.set(touches ? StepFlag::contact_cap : StepFlag::iteration_cap,
                   worst_body<double>(model_, minus_));
        // Forces that are of the size of the load and more: the passes went apart. Not to be kept;
        // smaller steps are nearer to their tangent.
        if (!(residual < 0.1 * scale)) report.solve.status = SolveStatus::indefinite;
        return true;
    }
    objective_.gradient(x_, gradient_);
    value_ = objective_.value(x_);
    if (search_line(slope(), objective_.free_norm(gradient_), report) == 0) {
        // At what rounding allows.
        report.set(StepFlag::line_search, worst_body<double>(model_, gradient_));
        return true;
    }
    std::swap(x_, trial_);
    linearise(in, state, report);
    return false;
}

}  // namespace limber
