// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/solve/model.h"

namespace limber {

/// What moves a body from inside and can be moved by hand: a cable's pull, a cavity's pressure or
/// volume.
struct Drive {
    std::string name, what, unit;  // "tendon", "pull", "m"
    double lo = 0, hi = 0;         // what a slider reaches: half as far again as the key frames
    double value = 0;              // at the time asked for
    bool by_hand = false;          // no longer follows the key frames
};
std::vector<Drive> drives_of(const Model& model, double time);

/// From its value at `time` the drive goes to `value` within `ramp` [s] and stays there, in place
/// of its key frames.
void set_drive(Model& model, std::string_view name, double value, double time, double ramp);

/// The pieces of all cables, for drawing.
void cable_pieces(const Model& model, std::span<const Vec3d> x, double time,
                  std::vector<std::array<Vec3d, 2>>& out);

}  // namespace limber
