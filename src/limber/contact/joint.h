// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "limber/contact/constraint_set.h"
#include "limber/contact/contact_method.h"
#include "limber/core/bytes.h"

namespace limber {

/// What a joint is given: the state at the start of the step and where free motion would go.
struct JointInput {
    std::span<const Vec3d> x, v_free;  // [m], [m/s]
    double time = 0, h = 0;            // the step is from time to time + h [s]
};

/// A number that a joint has to tell after a step.
struct JointReading {
    std::string_view what;  // "force_x"
    double value = 0;
};

/// Constraints that are there by the scene, not by touch: attachments, cables, needles. One file in
/// contact/joints/ and one line in contact/joints/joint_table.h each.
class Joint {
  public:
    virtual ~Joint() = default;
    virtual std::string_view name() const = 0;
    /// Appends the rows of this step, linearised at in.x. May be called more than once a step.
    virtual void constrain(const JointInput& in, ConstraintSet& out) = 0;
    /// The impulses that acted on its rows [N s]; only for (sub-)steps that are kept.
    virtual void read_back(const JointInput&, std::span<const double> /*impulse*/) {}
    /// Of the last read_back: always the same numbers in the same order.
    virtual std::span<const JointReading> readings() const = 0;
    /// Whether the joint is there instead of this contact.
    virtual bool replaces(const Contact&) const { return false; }
    /// History: what the next step remembers of this one.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    /// A whole step was accepted: what reset() goes back to.
    virtual void keep() {}
    virtual void reset() {}

    /// Where the step leads what drives the joint, from outside and in place of its key frames;
    /// none: they do. Of joints that are driven by something.
    void drive_to(std::optional<double> value) { by_hand_ = value; }

  protected:
    std::optional<double> by_hand_;
};

}  // namespace limber
