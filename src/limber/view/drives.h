// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
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

/// The drives of a scene and what a user has done to them.
class Drives {
  public:
    Drives() = default;
    /// `model` with its key frames.
    explicit Drives(const Model& model) : all_(drives_of(model, 0)) {}
    const std::vector<Drive>& all() const { return all_; }
    /// From where it is at `time` a drive goes to `value` within a tenth of a second and stays
    /// there, in place of its key frames. InputError where there is no such drive or it does not
    /// reach that far.
    void set(Model& model, const std::string& name, double value, double time);
    /// All that were set before are where they were, on another model of the scene.
    void apply(Model& model, double time) const;

  private:
    std::vector<Drive> all_;
};

/// The pieces of all cables, for drawing.
void cable_pieces(const Model& model, std::span<const Vec3d> x, double time,
                  std::vector<std::array<Vec3d, 2>>& out);

}  // namespace limber
