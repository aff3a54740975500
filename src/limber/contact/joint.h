// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "limber/contact/constraint_set.h"
#include "limber/core/bytes.h"

namespace limber {

/// What a joint is given: the state at the start of the step and where free motion would go.
struct JointInput {
    std::span<const Vec3d> x, v_free;  // [m], [m/s]
    double time = 0, h = 0;            // the step is from time to time + h [s]
};

/// Constraints that are there by the scene, not by touch: attachments, cables, needles. One file in
/// contact/joints/ each.
class Joint {
  public:
    virtual ~Joint() = default;
    /// Appends the rows of this step, linearised at in.x.
    virtual void constrain(const JointInput& in, ConstraintSet& out) = 0;
    /// The impulses that acted on its rows [N s]; only for steps that are kept.
    virtual void read_back(const JointInput&, std::span<const double> /*impulse*/) {}
    /// History: what the next step remembers of this one.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    virtual void reset() {}
};

}  // namespace limber
