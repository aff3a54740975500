// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "limber/contact/joints/attachment.h"
#include "limber/contact/joints/cable.h"
#include "limber/contact/joints/cavity.h"
#include "limber/contact/joints/hinge_joint.h"
#include "limber/contact/joints/needle.h"

namespace limber {

/// A joint as the model has it; a new one is its file and a line here and below.
using JointData =
    std::variant<AttachmentData, HingeJointData, CableData, CavityVolumeData, NeedleData>;

/// They keep references to `data`.
std::vector<std::unique_ptr<Joint>> make_joints(std::span<const JointData> data);

}  // namespace limber
