// SPDX-License-Identifier: Apache-2.0
// The sides of World that a running simulation does not pass through: checkpoints and the words for
// a failure.
#include <algorithm>
#include <cmath>
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

}  // namespace

void World::save(ByteWriter& out) const {
    out.put("step", state_.step);
    out.put_array("x", std::span<const Vec3d>(state_.x));
    out.put_array("v", std::span<const Vec3d>(state_.v));
    if (!rigid_.empty()) out.put_array("rigid", std::span<const RigidState>(state_.rigid));
    out.put_string("stepper", stepper_->name());
    stepper_->save(out);
    out.put_string("contact", contact_->name());
    contact_->save(out);
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
    if (!in.at_end()) in.fail("contact", "is followed by bytes that do not belong to this version");
    state_ = std::move(loaded);
}

/// Names the body, the node and the tet where it went wrong, and what usually makes it so.
StepFailure World::diagnose(const StepReport& report) const {
    const Model& m = *model_;
    std::string text = "step " + std::to_string(report.step) + " failed";
    Index node = -1;
    for (Index i = 0; node < 0 && i < m.n_nodes(); ++i)
        if (!is_finite(forces_.external[i]) || !is_finite(pin_velocity_[i])) node = i;
    const bool bad_load = node >= 0;
    double fastest = -1;
    for (Index i = 0; !bad_load && i < m.n_nodes(); ++i) {
        const double speed = norm(trial_.v[i]);
        if (!std::isfinite(speed) || !is_finite(trial_.x[i])) {
            node = i;
            break;
        }
        if (speed > fastest) {
            fastest = speed;
            node = i;
        }
    }
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
    else
        text +=
            ": position or velocity left the range of numbers; likely a time step too long for the "
            "loads";
    text += " (tried " + std::to_string(report.substeps) + " sub-steps)";
    return {text};
}

}  // namespace limber
