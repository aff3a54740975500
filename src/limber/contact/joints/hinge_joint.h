// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "limber/contact/joint.h"
#include "limber/contact/joints/joint_point.h"

namespace limber {

/// An axis that two bodies, or a body and the world or an obstacle, have in common.
struct HingeJointData {
    std::string name;
    std::array<JointPoint, 2> a, b;  // the two points of the axis on each side
    bool collide = false;            // contacts between the two sides count
};

/// Five bilateral rows: the middles of the two axes meet (three), and the axes are parallel (two:
/// the length of an axis is the body's own affair, and a row for it would be redundant between
/// rigid bodies). Middle and direction hang together less than the two end points do, which is what
/// Gauss-Seidel wants.
class HingeJoint final : public Joint {
  public:
    using Data = HingeJointData;
    explicit HingeJoint(const Data& data) : data_(data) {}
    std::string_view name() const override { return data_.name; }
    void constrain(const JointInput& in, ConstraintSet& out) override;
    void read_back(const JointInput& in, std::span<const double> impulse) override;
    std::span<const JointReading> readings() const override { return readings_; }
    bool replaces(const Contact& contact) const override;

  private:
    const Data& data_;  // of the model
    /// Force on a [N], and the distance of the middles at the start of the step [m].
    std::array<JointReading, 4> readings_{{{"force_x"}, {"force_y"}, {"force_z"}, {"violation"}}};
};

}  // namespace limber
