// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/scene/scene_def.h"
#include "limber/solve/model.h"

namespace limber {

/// For contact by penalty: refuses contact forces of the start of the step (penalty's explicit
/// form) where they run away or let bodies sink in, unless contact.unsafe says that this is wanted:
/// an InputError that names the body, the figure and what holds.
void check_explicit_contact(const SceneDef& scene, const Model& model);

}  // namespace limber
