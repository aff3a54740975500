// SPDX-License-Identifier: Apache-2.0
#include "limber/api/control.h"

#include "limber/api/control_data.h"
#include "limber/core/errors.h"
#include "limber/scene/format/field_info.h"
#include "limber/sim/control.h"

namespace limber::api {

namespace {

static_assert(sizeof(Vec3d) == 3 * sizeof(double));
std::span<double> numbers(std::vector<Vec3d>& values) {
    return {values.empty() ? nullptr : &values.front().x, 3 * values.size()};
}

}  // namespace

Control::Control(const Data& data) : data_(std::make_unique<Data>(data)) {}
Control::~Control() = default;

std::span<double> Control::force() {
    return numbers(data_->world.control().force);
}

std::span<double> Control::gravity() {
    return {&data_->world.control().gravity.x, 3};
}

std::vector<PinInfo> Control::pins() const {
    std::vector<PinInfo> out;
    const std::vector<Pin>& pins = data_->world.model().pins;
    for (std::size_t p = 0; p < pins.size(); ++p)
        out.push_back({pins[p].label, pins[p].nodes, data_->world.control().pins[p].driven});
    return out;
}

std::span<double> Control::pin_target(std::size_t pin) {
    const std::vector<Pin>& pins = data_->world.model().pins;
    if (pin >= pins.size())
        throw InputError("there is no pin " + std::to_string(pin) + "; allowed: numbers below " +
                         std::to_string(pins.size()));
    PinControl& control = data_->world.control().pins[pin];
    if (!control.driven)
        for (std::size_t k = 0; k < control.target.size(); ++k)
            control.target[k] = data_->world.state().x[pins[pin].nodes[k]];
    control.driven = true;
    return numbers(control.target);
}

void Control::release_pin(std::size_t pin) {
    pin_target(pin);  // refuses
    data_->world.control().pins[pin].driven = false;
}

std::vector<DriveInfo> Control::drives() const {
    std::vector<DriveInfo> out;
    const auto& wanted = data_->world.control().drives;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const DriveKind kind = drive_kind(data_->world.model(), k);
        if (kind.what.empty()) continue;
        out.push_back({std::string(kind.name), std::string(kind.what), std::string(kind.unit),
                       wanted[k].value_or(data_->world.drives()[k]), wanted[k].has_value()});
    }
    return out;
}

std::size_t Control::drive_index(const std::string& name) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < data_->world.control().drives.size(); ++k) {
        const DriveKind kind = drive_kind(data_->world.model(), k);
        if (kind.what.empty()) continue;
        if (kind.name == name) return k;
        names.emplace_back(kind.name);
    }
    throw InputError("there is no cable or cavity '" + printable(name) + "'; allowed: " +
                     (names.empty() ? "none, the scene has neither" : joined(names)) +
                     did_you_mean(name, names));
}

void Control::drive(const std::string& name, double value) {
    const std::size_t k = drive_index(name);
    limber::Control& control = data_->world.control();
    const std::optional<double> before = control.drives[k];
    control.drives[k] = value;
    try {
        check();
    } catch (...) {
        control.drives[k] = before;
        throw;
    }
}

void Control::release_drive(const std::string& name) {
    data_->world.control().drives[drive_index(name)].reset();
}

void Control::clear() {
    const limber::Control idle = idle_control(data_->world.model());
    data_->world.control() = idle;  // copied: its memory stays where it is
}

void Control::check() const {
    check_control(data_->world.control(), data_->world.model());
}

}  // namespace limber::api
