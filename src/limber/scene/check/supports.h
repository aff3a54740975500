// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/scene/scene_def.h"
#include "limber/solve/model.h"

namespace limber {

/// Without inertia a body that may still move as a rigid one has no equilibrium, or many: throws
/// InputError naming the body, its motion and what would hold it.
void check_supports(const SceneDef& scene, const Model& model);

}  // namespace limber
