// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/scene/build/selection.h"
#include "limber/solve/model.h"

namespace limber {

class ErrorList;

/// What can be said of attachments, cables, cavities and needles without a mesh.
void check_joints(const SceneDef& scene, ErrorList& errors);

/// Puts them into the model, whose bodies, pins and obstacles are finished: joints and pressures.
/// InputError where points lie outside their bodies or constraints contradict each other.
/// `placed` has the names of the bodies' nodes; `warnings` as in BuildReport.
void add_joints(const SceneDef& scene, std::span<const PlacedBody> placed, Model& model,
                std::vector<std::string>& warnings);

/// What is drawn of a needle: a thin cylinder that follows it and touches nothing.
Obstacle drawn_needle(const NeedleDef& def);

}  // namespace limber
