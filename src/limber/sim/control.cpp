// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/control.h"

#include <algorithm>
#include <cmath>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/sim/state_range.h"

namespace limber {

namespace {

bool fits(double value) {
    return std::abs(value) < largest_in_state;  // and is a number
}

/// In messages: "control.force[12].y = nan; allowed: ...".
[[noreturn]] void refuse(const std::string& place, double value) {
    throw InputError(place + " = " + number_text(value) + "; allowed: numbers between -" +
                     number_text(largest_in_state) + " and " + number_text(largest_in_state));
}

void check_vector(const Vec3d& value, const auto& place) {
    for (int axis = 0; axis < 3; ++axis)
        if (!fits(value[axis])) refuse(place() + '.' + "xyz"[axis], value[axis]);
}

}  // namespace

Control idle_control(const Model& model) {
    Control out;
    out.force.resize(model.n_nodes());
    out.gravity = model.gravity;
    for (const Pin& pin : model.pins)
        out.pins.push_back({false, std::vector<Vec3d>(pin.nodes.size())});
    out.drives.resize(model.joints.size() + model.pressures.size());
    return out;
}

bool is_idle(const Control& control, const Model& model) {
    const auto nothing = [](const Vec3d& f) { return f == Vec3d{}; };
    return control.gravity == model.gravity &&
           std::all_of(control.force.begin(), control.force.end(), nothing) &&
           std::none_of(control.pins.begin(), control.pins.end(),
                        [](const PinControl& pin) { return pin.driven; }) &&
           std::none_of(control.drives.begin(), control.drives.end(),
                        [](const std::optional<double>& drive) { return drive.has_value(); });
}

void check_control(const Control& control, const Model& model) {
    check_vector(control.gravity, [] { return std::string("control.gravity"); });
    for (std::size_t i = 0; i < control.force.size(); ++i)
        check_vector(control.force[i], [&] { return "control.force[" + std::to_string(i) + ']'; });
    for (std::size_t p = 0; p < control.pins.size(); ++p)
        for (std::size_t k = 0; control.pins[p].driven && k < control.pins[p].target.size(); ++k)
            check_vector(control.pins[p].target[k], [&] {
                return "target[" + std::to_string(k) + "] of " + model.pins[p].label;
            });
    for (std::size_t k = 0; k < control.drives.size(); ++k)
        if (const auto& wanted = control.drives[k]; wanted && !fits(*wanted)) {
            const DriveKind drive = drive_kind(model, k);
            refuse(std::string(drive.what) + " of '" + std::string(drive.name) + "'", *wanted);
        }
}

DriveKind drive_kind(const Model& model, std::size_t drive) {
    static const Track<double> none;
    if (drive >= model.joints.size()) {
        const PressureLoad& load = model.pressures[drive - model.joints.size()];
        return {load.name, "pressure", "Pa", &load.pressure};
    }
    const JointData& joint = model.joints[drive];
    if (const auto* cable = std::get_if<CableData>(&joint))
        return {cable->name, "pull", "m", &cable->pull};
    if (const auto* cavity = std::get_if<CavityVolumeData>(&joint))
        return {cavity->name, "volume", "of that at rest", &cavity->ratio};
    const std::string_view name =
        std::visit([](const auto& other) { return std::string_view(other.name); }, joint);
    return {name, "", "", &none};
}

void drive_values(const Model& model, const Control& control, double t, std::vector<double>& out) {
    out.resize(control.drives.size());
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = control.drives[k] ? *control.drives[k] : drive_kind(model, k).key_frames->value(t);
}

void save_control(ByteWriter& out, const Control& control) {
    out.put_array("control_force", std::span<const Vec3d>(control.force));
    out.put("control_gravity", control.gravity);
    for (const PinControl& pin : control.pins) {
        out.put("control_pin", static_cast<std::uint8_t>(pin.driven));
        out.put_array("control_pin_target", std::span<const Vec3d>(pin.target));
    }
    for (const std::optional<double>& drive : control.drives) {
        out.put("control_drive", static_cast<std::uint8_t>(drive.has_value()));
        out.put("control_drive_value", drive.value_or(0));
    }
}

Control load_control(ByteReader& in, const Model& model) {
    Control out = idle_control(model);
    in.get_array("control_force", std::span<Vec3d>(out.force));
    out.gravity = in.get<Vec3d>("control_gravity");
    for (PinControl& pin : out.pins) {
        pin.driven = in.get<std::uint8_t>("control_pin") != 0;
        in.get_array("control_pin_target", std::span<Vec3d>(pin.target));
    }
    for (std::size_t k = 0; k < out.drives.size(); ++k) {
        const bool set = in.get<std::uint8_t>("control_drive") != 0;
        const double value = in.get<double>("control_drive_value");
        if (set && drive_kind(model, k).what.empty())
            in.fail("control_drive", "drives what the scene has no drive for");
        if (set) out.drives[k] = value;
    }
    try {
        check_control(out, model);
    } catch (const InputError& error) {
        in.fail("control_force", "and what is with it: " + error.message());
    }
    return out;
}

}  // namespace limber
