// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "limber/core/bytes.h"
#include "limber/solve/model.h"

namespace limber {

/// A pin that follows targets from outside in place of its key frames.
struct PinControl {
    bool driven = false;
    std::vector<Vec3d> target;  // of each of its nodes at the end of the step [m]
};

/// What acts on a world from outside, beside its scene: plain data, written between steps by
/// whoever drives it (a script, a controller, a hand) and part of its checkpoints. Nothing of it is
/// forgotten after a step: a force pushes until it is set to zero.
struct Control {
    std::vector<Vec3d> force;      // on each node, in addition to the scene's loads [N]
    Vec3d gravity{0, 0, 0};        // in place of the scene's [m/s²]
    std::vector<PinControl> pins;  // one a pin of the model
    /// In place of key frames, the unit being theirs: one a joint of the model, then one a pressure
    /// load. Within the step it is gone to along a straight line. None: the key frames hold.
    std::vector<std::optional<double>> drives;
};

/// The one that changes nothing: no forces, the scene's gravity, key frames everywhere.
Control idle_control(const Model& model);
bool is_idle(const Control& control, const Model& model);
/// InputError that names the first value which no step can take: not finite, or out of range.
void check_control(const Control& control, const Model& model);

/// Of an entry of Control::drives; `what` is empty where there is nothing to drive.
struct DriveKind {
    std::string_view name, what, unit;  // "tendon", "pull", "m"
    const Track<double>* key_frames;    // of the model
};
DriveKind drive_kind(const Model& model, std::size_t drive);
/// Where the drives are at the end of a step that ends at time t.
void drive_values(const Model& model, const Control& control, double t, std::vector<double>& out);

void save_control(ByteWriter& out, const Control& control);
Control load_control(ByteReader& in, const Model& model);

}  // namespace limber
