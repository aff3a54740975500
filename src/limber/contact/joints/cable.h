// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/contact/joint.h"
#include "limber/contact/joints/joint_point.h"

namespace limber {

/// A cable without friction through points of bodies.
struct CableData {
    std::string name;
    std::vector<JointPoint> path;  // at least two
    double length = 0;             // at the start [m]
    Track<double> pull;            // by how much it is shorter [m]; empty: not at all
};

/// One row, as of a contact: what is left of the prescribed length, L(t + h) − l, is never
/// negative, and the tension is there only where nothing is left. l = Σ |x_k+1 − x_k|, so that the
/// row is −∂l/∂x: unit vectors along the pieces.
class Cable final : public Joint {
  public:
    using Data = CableData;
    explicit Cable(const Data& data) : data_(data) {}
    std::string_view name() const override { return data_.name; }
    void constrain(const JointInput& in, ConstraintSet& out) override;
    void read_back(const JointInput& in, std::span<const double> impulse) override;
    std::span<const JointReading> readings() const override { return readings_; }

    double length(std::span<const Vec3d> x, double t) const;  // [m]

  private:
    const Data& data_;  // of the model
    /// At the start of the step [m]; tension [N].
    std::array<JointReading, 2> readings_{{{"length"}, {"force"}}};
};

}  // namespace limber
