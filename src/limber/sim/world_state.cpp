// SPDX-License-Identifier: Apache-2.0
// The sides of World that a running simulation does not pass through: checkpoints and the words for
// a failure.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "limber/core/numbers.h"
#include "limber/sim/state_range.h"
#include "limber/sim/world.h"

namespace limber {

namespace {

/// What no run can have written is refused with its place: a search for contacts among positions
/// that are farther apart would never end.
void require_range(ByteReader& in, const char* name, const Vec3d& value, std::size_t index) {
    const std::string place = " at index " + std::to_string(index);
    if (!is_finite(value)) in.fail(name, "has a value that is not finite" + place);
    const double size = std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z)});
    if (!(size < largest_in_state))
        in.fail(name, "has a value of " + number_text(size) + place + "; allowed: below " +
                          number_text(largest_in_state));
}
void require_range(ByteReader& in, const char* name, const std::vector<Vec3d>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) require_range(in, name, values[i], i);
}
void require_range(ByteReader& in, const char* name, const std::vector<RigidState>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const RigidState& r = values[i];
        for (const Vec3d& value : {r.position, r.velocity, r.spin})
            require_range(in, name, value, i);
        const double length =
            std::sqrt(r.orientation.w * r.orientation.w + squared_norm(r.orientation.v));
        if (!(std::abs(length - 1) < 1e-6))
            in.fail(name, "has an orientation that is no rotation at index " + std::to_string(i));
    }
}

std::string gain_text(const StepReport& report, bool by_contact) {
    char joules[96];
    std::snprintf(joules, sizeof joules,
                  "%.3g J from nowhere, where all motion and strain hold %.3g J",
                  report.energy_gain, report.energy_scale);
    std::string text = std::string(": it runs away: it would gain ") + joules;
    if (by_contact)
        return text +
               "; likely contact that starts too deep, or explicit contact too stiff for the time "
               "step";
    return text + "; likely too few iterations of the solver for a time step this long";
}

}  // namespace

void World::save(ByteWriter& out) const {
    out.put("step", state_.step);
    out.put_array("x", std::span<const Vec3d>(state_.x));
    out.put_array("v", std::span<const Vec3d>(state_.v));
    if (!rigid_.empty()) out.put_array("rigid", std::span<const RigidState>(state_.rigid));
    if (stopped_)
        out.put_records(history_.bytes());
    else
        save_history(out);
    // Only where something is driven: other checkpoints stay as small as they were.
    std::vector<double> by_scene;
    drive_values(*model_, idle_control(*model_), state_.time, by_scene);
    if (is_idle(control_, *model_) && drives_at_start_ == by_scene) return;
    save_control(out, control_);
    out.put_array("drives", std::span<const double>(drives_at_start_));
}

void World::save_history(ByteWriter& out) const {
    out.put_string("stepper", stepper_->name());
    stepper_->save(out);
    out.put_string("contact", contact_->name());
    contact_->save(out);
    balance_.save(out);
    verdict_.save(out);
}

/// Before a step: what a stop within it would spoil. The state itself is only replaced at its end.
void World::keep_history() {
    const bool short_ago = last_step_ms_ >= 0 && last_step_ms_ < options_.stoppable_ms;
    if (short_ago) stop_ = nullptr;
    if (!stop_) return;
    history_.clear();
    save_history(history_);
    stopped_ = true;  // unless the step comes to its end
}

/// After a step that was stopped.
void World::recover_history() {
    if (!stopped_) return;
    ByteReader in(history_.bytes(), "the state before the step that was stopped");
    load_history(in);
    stopped_ = false;
}

void World::load(ByteReader& in) {
    ByteWriter before;
    save(before);
    try {
        load_arrays(in);
    } catch (...) {
        ByteReader undo(before.bytes(), "the state before loading");
        load_arrays(undo);
        throw;
    }
}

void World::load_arrays(ByteReader& in) {
    State loaded = state_;
    loaded.step = in.get<std::int64_t>("step");
    constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // as of limber run --steps
    if (loaded.step < 0 || loaded.step > most_steps)
        in.fail("step", "is " + std::to_string(loaded.step) + "; allowed: 0 to " +
                            std::to_string(most_steps));
    in.get_array("x", std::span<Vec3d>(loaded.x));
    require_range(in, "x", loaded.x);
    in.get_array("v", std::span<Vec3d>(loaded.v));
    require_range(in, "v", loaded.v);
    if (!rigid_.empty()) in.get_array("rigid", std::span<RigidState>(loaded.rigid));
    require_range(in, "rigid", loaded.rigid);
    loaded.time = static_cast<double>(loaded.step) * model_->h;
    load_history(in);
    Control control = idle_control(*model_);
    std::vector<double> drives;
    drive_values(*model_, control, loaded.time, drives);
    if (!in.at_end()) {
        control = load_control(in, *model_);
        in.get_array("drives", std::span<double>(drives));
        for (const double value : drives)
            if (!std::isfinite(value)) in.fail("drives", "has a value that is not finite");
    }
    if (!in.at_end()) in.fail("verdict", "is followed by bytes that do not belong to this version");
    // Copied: whoever looks at the state or writes the control goes on doing so.
    state_ = loaded;
    control_ = control;
    drives_at_start_ = drives;
    energies_known_ = false;
    stopped_ = false;
}

void World::load_history(ByteReader& in) {
    const std::string stepper = in.get_string("stepper");
    if (stepper != stepper_->name())
        in.fail("stepper", "is '" + printable(stepper) + "'; this scene runs '" +
                               std::string(stepper_->name()) + "'");
    stepper_->load(in);
    const std::string contact = in.get_string("contact");
    if (contact != contact_->name())
        in.fail("contact", "is '" + printable(contact) + "'; this scene runs '" +
                               std::string(contact_->name()) + "'");
    contact_->load(in);
    // Records of an earlier version, and those that studies put together, end here: what follows
    // then counts from this step on.
    balance_.reset();
    verdict_.reset();
    if (!in.at_end()) {
        balance_.load(in);
        verdict_.load(in, model_->bodies.size(), model_->obstacles.size());
    }
}

bool World::bad_load_at(Index node) const {
    return !is_finite(forces_.external[node]) || !is_finite(pin_velocity_[node]);
}

/// The first node whose load or motion is not finite, or the fastest one.
Index World::worst_node() const {
    Index fastest = -1;
    for (Index i = 0; i < model_->n_nodes(); ++i)
        if (bad_load_at(i)) return i;
    double most = -1;
    for (Index i = 0; i < model_->n_nodes(); ++i) {
        const double speed = norm(state_.v[i]);
        if (!std::isfinite(speed) || !is_finite(state_.x[i])) return i;
        if (speed > most) {
            most = speed;
            fastest = i;
        }
    }
    return fastest;
}

/// Names the body, the node and the tet where it went wrong, and what usually makes it so.
StepFailure World::diagnose(const StepReport& report) const {
    if (!report.failure.what.empty()) return report.failure;  // the stepper has said it
    const Model& m = *model_;
    std::string text = "step " + std::to_string(report.step) + " failed";
    const Index node = worst_node();
    const bool bad_load = node >= 0 && bad_load_at(node);
    if (node >= 0) {
        const Body& body = m.body_of_node(node);
        text += " in body '" + body.name + "' at node " + std::to_string(m.mesh.node_ids[node]);
        const std::span<const Index> around = m.elements.incidence.of(node);
        if (!around.empty()) text += ", tet " + std::to_string(m.mesh.tet_ids[around.front() / 4]);
    }
    if (bad_load)
        text += ": its load or prescribed motion is not finite";
    else if (report.has(StepFlag::indefinite))
        text +=
            ": the system matrix is not positive definite; likely an element far from its rest "
            "shape";
    else if (report.solve.status == SolveStatus::not_finite)
        text +=
            ": the residual is not finite; likely a load, a stiffness or a speed beyond what "
            "numbers hold";
    else if (report.has(StepFlag::energy_gained))
        text += gain_text(report, gained_by_contact_);
    else
        text +=
            ": position or velocity left the range of numbers; likely a time step too long for the "
            "loads";
    text += " (tried " + std::to_string(report.substeps) + " sub-steps)";
    return {text};
}

}  // namespace limber
