// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/contact/joint.h"
#include "limber/contact/joints/joint_point.h"

namespace limber {

/// Points of one body that are held at points of another, of an obstacle or of the world.
struct AttachmentData {
    struct Pair {
        JointPoint a, b;
        Vec3d offset{0, 0, 0};  // a − b at the start [m]
    };
    std::string name;
    std::vector<Pair> pairs;  // at least one
    double closing = 0;       // time over which the offsets vanish [s]; 0: at once
    bool collide = false;     // contacts between the two sides count
};

/// Three bilateral rows a pair: x_a + h v_a = x_b + h v_b at the end of the step. A point of a soft
/// body is linear in its nodes, so that no drift is left; what a turning rigid body leaves, of
/// second order in h, is taken back in the next step.
class Attachment final : public Joint {
  public:
    using Data = AttachmentData;
    explicit Attachment(const Data& data) : data_(data) {}
    std::string_view name() const override { return data_.name; }
    void constrain(const JointInput& in, ConstraintSet& out) override;
    void read_back(const JointInput& in, std::span<const double> impulse) override;
    std::span<const JointReading> readings() const override { return readings_; }
    bool replaces(const Contact& contact) const override;

  private:
    const Data& data_;  // of the model
    /// Force on a [N], and the largest distance at the start of the step from where it should be.
    std::array<JointReading, 4> readings_{{{"force_x"}, {"force_y"}, {"force_z"}, {"violation"}}};
};

}  // namespace limber
