// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/world.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/hash.h"
#include "limber/core/parallel.h"
#include "limber/sim/state_range.h"

namespace limber {

namespace {

constexpr Index grain = 4096;

constexpr int contact_mark = 1 << 30;

/// What stepper and contact method of call `call` decided beside the iterations.
struct Decided {
    std::vector<Index> stepper, contact;
};
Decided decided_after(std::span<const int> replay, std::size_t call) {
    Decided out;
    for (std::size_t k = call + 1; k < replay.size() && replay[k] < 0; ++k) {
        const int decision = -1 - replay[k];
        if (decision >= contact_mark)
            out.contact.push_back(decision - contact_mark);
        else
            out.stepper.push_back(decision);
    }
    return out;
}

const Model& checked(const Model* model) {
    LIMBER_CHECK(model, "a world needs a model");
    return *model;
}

}  // namespace

World::World(std::unique_ptr<const Model> model, std::unique_ptr<Stepper> stepper,
             std::unique_ptr<ContactMethod> contact, WorldOptions options)
    : model_(std::move(model)),
      stepper_(std::move(stepper)),
      contact_(std::move(contact)),
      options_(options),
      rigid_(checked(model_.get())),
      meter_(*model_, rigid_),
      balance_(*model_) {
    LIMBER_CHECK(stepper_ && contact_, "a world needs a stepper and a contact method");
    const Index n = model_->n_nodes();
    state_.x = model_->mesh.nodes;
    for (Index i = 0; i < n; ++i) state_.x[i] += model_->initial_displacement[i];
    state_.v = model_->initial_velocity;
    state_.rigid = rigid_.start();
    start_ = state_;
    control_ = idle_control(*model_);
    keep_drives();
    for (std::vector<Vec3d>* array :
         {&forces_.external, &forces_.contact, &forces_.reaction, &pin_velocity_, &external_start_})
        array->resize(n);
    for (const Body& body : model_->bodies) {
        surface_nodes_.insert(surface_nodes_.end(), body.surface_nodes.begin(),
                              body.surface_nodes.end());
        double mass = 0;
        for (Index i = body.node_begin; i < body.node_end; ++i) mass += model_->mass[i];
        surfaces_.push_back({body.surface, body.surface_nodes, mass, body.cloth.has_value(),
                             body.cloth ? body.cloth->options.thickness : 0});
        edges_.push_back(mean_edge(*model_, body));
    }
    balanced_ = options_.measure_energy && stepper_->advances_time() &&
                model_->integrator != Integrator::quasi_static;
    inertia_.resize(n);
    partial_.resize(n / grain + 1);
    decisions_.reserve(2 * options_.max_substeps);
    drive(model_->h, 0, 1, 0);
    state_ = start_;  // rigid bodies were moved on
}

void World::begin() {
    for (auto& observer : observers_) observer->begin(*this);
}

void World::end() {
    for (auto& observer : observers_) observer->end(*this);
}

StepReport World::step(double deadline_ms) {
    try {
        return attempt(deadline_ms);
    } catch (...) {
        replay_ = {};
        if (under_way_) state_ = start_;
        under_way_ = false;
        throw;
    }
}

StepReport World::attempt(double deadline_ms) {
    const Timer clock;
    stop_ = StopScope::current();
    const StopScope to_the_end(nullptr);  // but for the parts that advance() goes through
    recover_history();
    deadline_ms_ = deadline_ms;
    StepReport report;
    report.step = state_.step + 1;
    report.time = static_cast<double>(report.step) * model_->h;
    {
        ScopedTimer timer(report.ms(Stage::observe));
        for (auto& observer : observers_) observer->before_step(*this);
    }
    keep_history();
    if (balanced_ && !energies_known_) energies_ = meter_.of(state_);
    see_control();
    start_ = state_;
    under_way_ = true;
    // A step that ends in a state that is not finite, or with energy from nowhere, is rejected and
    // repeated in 2, 4, ... equal parts.
    decisions_.clear();
    bool accepted = false;
    for (int n_parts = 1; !accepted && n_parts <= options_.max_substeps; n_parts *= 2) {
        if (n_parts > 1) state_ = start_;
        report.substeps = n_parts;
        balance_.begin_step();
        accepted = true;
        for (int part = 0; accepted && part < n_parts; ++part)
            accepted = advance(n_parts, part, clock, report);
        accepted = accepted && balances(report);
        if (!accepted) reject(report);
    }
    replay_ = {};
    stopped_ = false;
    last_step_ms_ = clock.ms();
    if (accepted) {
        contact_->keep();
        if (balanced_) balance_.keep();
        state_.step = report.step;
        state_.time = report.time;
        keep_drives();
    } else {
        report.failed = true;
        report.failure = diagnose(report);
        state_ = start_;
    }
    under_way_ = false;
    {
        ScopedTimer timer(report.ms(Stage::report));
        measure(report);
    }
    report.ms(Stage::report) += output_ms_;
    report.wall_ms = clock.ms() + output_ms_;
    output_ms_ = 0;
    ScopedTimer timer(output_ms_);
    for (auto& observer : observers_) observer->after_step(*this, report);
    return report;
}

/// Part `part` of `n_parts` of a step. False: the result must be rejected.
bool World::advance(int n_parts, int part, const Timer& clock, StepReport& report) {
    const StopScope may_stop(stop_);
    const double h = model_->h / n_parts;
    const double t = start_.time + part * h;
    {
        ScopedTimer timer(report.ms(Stage::observe));
        drive(h, t + h, n_parts, part);
        if (balanced_) balance_.begin_part(state_.x);
    }
    const Vec3d other_gravity = control_.gravity - model_->gravity;
    const double height = rigid_.potential_energy(other_gravity, state_.rigid);
    ContactInput touch{state_.x, state_.v,  surface_nodes_,     model_->obstacles, model_->mass, t,
                       h,        surfaces_, model_->mesh.nodes, inertia_,          model_->free};
    touch.filter = &model_->contact_filter;
    touch.equilibrium = model_->integrator == Integrator::quasi_static;
    touch.last_try = 2 * n_parts > options_.max_substeps;
    {
        ScopedTimer timer(report.ms(Stage::detect));
        contact_->detect(touch, contacts_);
    }
    {
        ScopedTimer timer(report.ms(Stage::resolve));
        contact_->respond(touch, contacts_);
    }
    const std::size_t call = decisions_.size();
    const int before = report.solve.iterations;
    const StepInput in{h,
                       forces_.external,
                       pin_velocity_,
                       contacts_.terms,
                       &clock,
                       call < replay_.size() ? replay_[call] : -1,
                       external_start_,
                       contact_->by_constraints(),
                       !contacts_.contacts.empty(),
                       contact_->expected_impulses()};
    if (call < replay_.size()) {
        const Decided decided = decided_after(replay_, call);
        stepper_->replay(decided.stepper);
        contact_->replay(decided.contact);
    }
    stepper_->free_motion(in, state_, forces_, report);
    decisions_.push_back(report.solve.iterations - before);
    for (const Index decision : stepper_->decisions()) decisions_.push_back(-1 - decision);
    if (report.solve.failed() || !constrain(in, touch, report)) return false;
    for (const Index decision : contact_->decisions())
        decisions_.push_back(-1 - contact_mark - decision);
    ScopedTimer timer(report.ms(Stage::correct));
    parallel_for(model_->n_nodes(), grain, [&](Index i) { forces_.contact[i] = {}; });
    contact_->read_back(touch, state_.v, contacts_, forces_.contact);
    if (contact_->by_constraints()) stepper_->correct_reactions(in, state_.v, forces_);
    stepper_->integrate(in, state_);
    rigid_.finish(h, forces_.contact, state_.rigid, state_.x, state_.v);
    contact_->correct(touch, state_.x, state_.v, contacts_, forces_.contact);
    report.contacts = static_cast<int>(contacts_.contacts.size());
    const bool both_ends = model_->integrator == Integrator::trapezoid;
    if (balanced_)
        balance_.end_part(
            {h, state_.x, forces_, both_ends ? external_start_ : std::span<const Vec3d>(),
             contacts_, *contact_, height - rigid_.potential_energy(other_gravity, state_.rigid)});
    return state_is_in_range();
}

/// Stages 7 to 9 where contact acts by constraints: state_.v from free motion to the end of the
/// step. Repeated where the solver's A⁻¹ is not all that answers them.
bool World::constrain(const StepInput& in, const ContactInput& touch, StepReport& report) {
    if (!contact_->by_constraints()) return true;
    ContactInput free = touch;
    free.clock = in.clock;
    free.deadline_ms = deadline_ms_;
    answered_velocity_.resize(state_.v.size());
    free.v = answered_velocity_;
    ConstraintReport all;
    for (bool answered = false, settled = false; !settled && !report.solve.failed();) {
        const Timer timer;
        Compliance* soft = stepper_->compliance();
        all.compliance_ms += timer.ms();
        if (!soft) report.solve.status = SolveStatus::indefinite;
        if (!soft) return false;
        if (!answered) answered_velocity_ = state_.v;
        free.answered = stepper_->answered();
        ConstraintReport done = contact_->constrain(
            free, rigid_.couple(soft, state_.x, state_.rigid), state_.v, contacts_);
        if (!std::isfinite(done.residual)) return false;
        free.again = true;
        answered = stepper_->answers(in, contact_->node_impulses(), state_, report);
        free.same_compliance = answered || !stepper_->renews_compliance();
        auto end = ContactMethod::Settled::yes;
        if (answered) end = contact_->settles(free, state_.v, contacts_, done);
        all.add_pass(done);
        if (end == ContactMethod::Settled::reject) report.solve.status = SolveStatus::indefinite;
        settled = answered && end == ContactMethod::Settled::yes;
    }
    report.constraints = all;
    report.ms(Stage::detect) += all.detect_ms;
    report.ms(Stage::compliance) += all.compliance_ms;
    report.ms(Stage::resolve) += all.resolve_ms;
    report.ms(Stage::correct) += all.correct_ms;
    if (!all.converged) report.set(StepFlag::contact_cap, all.body);
    if (all.late) report.set(StepFlag::deadline);
    return !report.solve.failed();
}

double World::load_share(double t) const {
    return model_->load_ramp > 0 ? std::clamp(t / model_->load_ramp, 0.0, 1.0) : 1.0;
}

/// What is looked at once a step.
void World::see_control() {
    LIMBER_CHECK(std::ssize(control_.force) == model_->n_nodes() &&
                     control_.pins.size() == model_->pins.size() &&
                     control_.drives.size() == drives_at_start_.size(),
                 "a control has as many entries as the model has nodes, pins and drives");
    const std::span<const Vec3d> force = control_.force;
    pushed_ = std::any_of(force.begin(), force.end(), [](const Vec3d& f) { return f != Vec3d{}; });
}

/// Drives are where the step that is taken has led them.
void World::keep_drives() {
    drive_values(*model_, control_, state_.time, drives_at_start_);
}

/// Gravity and forces at a time, drives `share_of_step` of the way from where they were to where
/// the control wants them; pressure on walls where they are at the start of the step [N].
void World::load_at(double t, double share_of_step, std::span<Vec3d> out) const {
    const Model& m = *model_;
    const double share = load_share(t);
    const Vec3d g = control_.gravity;
    parallel_for(m.n_nodes(), grain, [&](Index i) { out[i] = (share * m.mass[i]) * g; });
    for (const NodalForce& force : m.forces) {
        const double scale = share * (force.scale.empty() ? 1 : force.scale.value(t));
        for (std::size_t k = 0; k < force.nodes.size(); ++k)
            out[force.nodes[k]] += scale * force.share[k];
    }
    for (std::size_t k = 0; k < m.pressures.size(); ++k)
        m.pressures[k].wall.add_gradient(
            state_.x, share * drive_at(m.joints.size() + k, t, share_of_step), out);
    if (pushed_) parallel_for(m.n_nodes(), grain, [&](Index i) { out[i] += control_.force[i]; });
}

/// The value of a drive within a step: along its key frames, or straight to what the control wants.
double World::drive_at(std::size_t k, double t, double share_of_step) const {
    const std::optional<double>& wanted = control_.drives[k];
    if (!wanted) return drive_kind(*model_, k).key_frames->value(t);
    const double from = drives_at_start_[k];
    return from + share_of_step * (*wanted - from);
}

/// Loads, drives and pin velocities for part `part` of `n_parts` of a step, of length h, that ends
/// at t_end.
void World::drive(double h, double t_end, int n_parts, int part) {
    const Model& m = *model_;
    const double share = (part + 1.0) / n_parts, before = static_cast<double>(part) / n_parts;
    load_at(t_end, share, forces_.external);
    if (m.integrator == Integrator::trapezoid) load_at(t_end - h, before, external_start_);
    const auto joints = contact_->joints();
    for (std::size_t k = 0; k < joints.size(); ++k)
        joints[k]->drive_to(control_.drives[k] ? std::optional(drive_at(k, t_end, share))
                                               : std::nullopt);
    const double mass_share = m.integrator == Integrator::quasi_static ? 0 : 1;
    parallel_for(m.n_nodes(), grain,
                 [&](Index i) { inertia_[i] = mass_share * m.mass[i] + h * h * m.stiffness[i]; });
    for (std::size_t p = 0; p < m.pins.size(); ++p) {
        const Pin& pin = m.pins[p];
        const PinControl& by_hand = control_.pins[p];
        // What is left of the way to a target is shared among the parts that are left.
        const double rest = by_hand.driven ? h * (n_parts - part) : h;
        for (std::size_t k = 0; k < pin.nodes.size(); ++k) {
            const Index i = pin.nodes[k];
            const Vec3d target =
                by_hand.driven ? by_hand.target[k] : pin.motion.apply(m.mesh.nodes[i], t_end);
            const Vec3d v = (1 / rest) * (target - state_.x[i]);
            for (int axis = 0; axis < 3; ++axis)
                if (pin.axes[axis]) pin_velocity_[i][axis] = v[axis];
        }
    }
    rigid_.free_motion(h, load_share(t_end) * control_.gravity, forces_.external, state_.x,
                       state_.rigid, pin_velocity_);
}

bool World::state_is_in_range() {
    const auto fine = [](double value) { return std::abs(value) < largest_in_state; };
    const double bad =
        parallel_sum<double>(model_->n_nodes(), grain, partial_, [&](Index begin, Index end) {
            double count = 0;
            for (Index i = begin; i < end; ++i) {
                for (const Vec3d& a : {state_.x[i], state_.v[i], forces_.external[i]})
                    count += !(fine(a.x) && fine(a.y) && fine(a.z));
            }
            return count;
        });
    return bad == 0;
}

std::uint64_t World::state_hash() const {
    const std::uint64_t positions =
        hash64(std::span<const Vec3d>(state_.x), static_cast<std::uint64_t>(state_.step));
    return hash64(std::span<const Vec3d>(state_.v), positions);
}

}  // namespace limber
