// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/stepper.h"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.h"
#include "limber/gpu/device.h"
#include "limber/gpu/errors.h"
#include "limber/solve/model.h"

namespace limber::gpu {

DeviceStepper::DeviceStepper(const Model& model, const FirstGuess& guess,
                             std::unique_ptr<DescentRun> run, const DescentSetup& setup)
    : model_(model),
      run_(std::move(run)),
      control_(setup.control),
      rel_tolerance_(setup.rules.rel_tolerance),
      guess_(guess) {
    const std::size_t n = static_cast<std::size_t>(model.n_nodes());
    for (auto* array : {&x_end_, &v_mean_, &reaction_, &v_before_}) array->resize(n);
    count_.resize(n);
    for (const Material& material : model.materials)
        converts_ = converts_ || material.conversion.on;
    if (converts_) kept_.resize(static_cast<std::size_t>(model.n_tets()));
    any_held_ = std::any_of(model.free.begin(), model.free.end(), [](const Vec3d& f) {
        return f != Vec3d{1, 1, 1};
    });
    run_->pin(x_end_);
    run_->pin(reaction_);
}

DeviceStepper::~DeviceStepper() {
    run_.reset();  // before the arrays it copies to
}

/// Entries of contact terms by the node that they touch, in the order of the terms.
void DeviceStepper::touch(std::span<const ContactTerm> terms) {
    touched_.terms = terms;
    touched_.node.clear();
    for (const ContactTerm& term : terms)
        for (int k = 0; k < term.at.n; ++k)
            if (count_[term.at.node[k]]++ == 0) touched_.node.push_back(term.at.node[k]);
    std::sort(touched_.node.begin(), touched_.node.end());
    touched_.begin.assign(1, 0);
    for (const Index i : touched_.node) touched_.begin.push_back(touched_.begin.back() + count_[i]);
    for (std::size_t s = 0; s < touched_.node.size(); ++s)
        count_[touched_.node[s]] = touched_.begin[s];
    touched_.entry.resize(static_cast<std::size_t>(touched_.begin.back()));
    for (std::size_t t = 0; t < terms.size(); ++t)
        for (int k = 0; k < terms[t].at.n; ++k)
            touched_.entry[count_[terms[t].at.node[k]]++] = static_cast<Index>(4 * t) + k;
    for (const Index i : touched_.node) count_[i] = 0;
}

StepNumbers DeviceStepper::numbers(const StepInput& in) const {
    const Integrator integrator = model_.integrator;
    StepNumbers out;
    out.h = in.h;
    out.kappa = integrator == Integrator::backward_euler ? 1 / (in.h * in.h)
                : integrator == Integrator::trapezoid    ? 4 / (in.h * in.h)
                                                         : 0;
    out.sigma = integrator == Integrator::trapezoid ? 2 : 1;
    out.ahead = in.h;
    if (guess_.initial == InitialKind::acceleration && has_before_) out.share = guess_.eta * in.h;
    out.n_terms = static_cast<Index>(touched_.terms.size());
    out.n_touched = static_cast<Index>(touched_.node.size());
    return out;
}

void DeviceStepper::compute(const StepInput& in, const State& state, DeviceUse& use) {
    run_->take_use();  // what was copied between steps is theirs
    v_start_ = state.v;
    if (state.x != x_there_ || state.v != v_there_) run_->put_state(state.x, state.v);
    forget_state();  // until the step has come to its end
    // Loads and pins that stay as they are stay where they are.
    const auto is_new = [](std::span<const Vec3d> now, std::vector<Vec3d>& there) {
        if (std::equal(now.begin(), now.end(), there.begin(), there.end())) return false;
        there.assign(now.begin(), now.end());
        return true;
    };
    const bool at_end = is_new(in.external, loads_there_);
    if (is_new(in.external_start, loads_there_before_) || at_end)
        run_->put_loads(in.external, in.external_start);
    if (is_new(in.pin_velocity, pins_there_)) run_->put_pins(in.pin_velocity);
    touch(in.contact);
    run_->put_contact(touched_);
    run_->run(numbers(in), wants_spectrum(state.step));
    control_ = run_->control();
    run_->get_positions(x_end_);
    // As EndNodes has it, to the bit: less to copy.
    parallel_for(static_cast<Index>(x_end_.size()), 4096,
                 [&](Index i) { v_mean_[i] = (1 / in.h) * (x_end_[i] - state.x[i]); });
    if (any_held_) run_->get_reactions(reaction_);
    const DeviceUse own = run_->take_use();
    use.ms += own.ms;
    use.up += own.up;
    use.down += own.down;
}

void DeviceStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                                StepReport& report) {
    ScopedTimer timer(report.ms(Stage::free_motion));
    const int before = report.solve.iterations;
    report.solve = {};
    report.solve.status = SolveStatus::not_finite;
    report.solve.iterations = before;
    try {
        if (lost_.empty()) compute(in, state, report.device);
    } catch (const DeviceLost& error) {
        lost_ = error.what();
    }
    if (!lost_.empty()) {
        report.failure.what = "step " + std::to_string(state.step + 1) +
                              " failed: the device was lost (" + lost_ +
                              "); the last good state is kept";
        return;
    }
    report.solve.iterations += control_.iterations;
    if (control_.finite) finish(in, state, forces, report);
}

void DeviceStepper::finish(const StepInput& in, State& state, NodeForces& forces,
                           StepReport& report) {
    SolveStats& stats = report.solve;
    has_before_ = true;
    stats.absolute_residual = control_.absolute_residual;
    stats.residual = control_.residual();
    stats.status = control_.converged ? SolveStatus::converged : SolveStatus::iteration_cap;
    if (control_.failed_search) report.set(StepFlag::line_search);
    if (!std::isfinite(stats.residual)) stats.status = SolveStatus::not_finite;
    if (stats.status == SolveStatus::iteration_cap && rel_tolerance_ > 0) {
        if (stats.residual <= rel_tolerance_)
            stats.status = SolveStatus::converged;
        else
            report.set(StepFlag::iteration_cap, model_.bodies.size() == 1 ? 0 : -1);
    }
    if (converts_) look_for_knots(in, state.step, report);
    state.v = v_mean_;
    forces.reaction = reaction_;
    x_there_ = x_end_;
    v_there_ = v_mean_;
    // Its velocities at the end are rounded anew on the host.
    if (model_.integrator != Integrator::backward_euler) v_there_.clear();
    for (const Body& body : model_.bodies)  // rigid bodies are held by nothing
        if (body.rigid)
            std::fill(forces.reaction.begin() + body.node_begin,
                      forces.reaction.begin() + body.node_end, Vec3d{});
}

int DeviceStepper::held_body(std::span<const double> interpolants) const {
    const auto first =
        std::find_if(interpolants.begin(), interpolants.end(), [](double l) { return l > 0; });
    return first == interpolants.end()
               ? -1
               : model_.body_index_of_tet(static_cast<Index>(first - interpolants.begin()));
}

void DeviceStepper::integrate(const StepInput&, State& state) const {
    // As EndNodes has done on the device.
    if (model_.integrator == Integrator::trapezoid)
        for (std::size_t i = 0; i < state.v.size(); ++i)
            state.v[i] = 2.0 * state.v[i] - v_start_[i];
    if (model_.integrator == Integrator::quasi_static)
        std::fill(state.v.begin(), state.v.end(), Vec3d{});
    state.x = x_end_;
}

void DeviceStepper::fetch_history() const {
    if (!lost_.empty()) return;  // what was fetched last
    if (converts_) {
        const std::vector<double> kept = run_->interpolants(true);
        for (std::size_t t = 0; t < kept.size(); ++t) kept_[t] = kept[t] > 0;
    }
    run_->get_velocity_before(v_before_);
}

void DeviceStepper::hand_in_history() {
    forget_state();
    run_->put_control(control_);
    run_->put_velocity_before(v_before_);
    if (converts_) run_->put_kept(kept_);
}

void DeviceStepper::forget_state() {
    x_there_.clear();
    v_there_.clear();
}

void DeviceStepper::reset() {
    has_before_ = false;
    forget_state();
    if (!lost_.empty()) return;
    run_->put_control(control_);
    if (converts_) run_->put_kept({});
}

std::string DeviceStepper::describe() {
    const std::int64_t mib = run_->bytes() >> 20;
    if (mib == 0) return {};
    return "on " + device().name + ", " + std::to_string(mib) + " MiB of its memory";
}

void DeviceStepper::describe_cells(CellFields& fields) const {
    if (converts_ && lost_.empty()) fields.push_back({"interpolant", run_->interpolants(false)});
}

}  // namespace limber::gpu
