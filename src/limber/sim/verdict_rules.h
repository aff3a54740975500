// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/scene/scene_def.h"
#include "limber/sim/verdict.h"

namespace limber {

/// Which caps the scene lowers below their defaults: an early end by choice.
VerdictRules verdict_rules(const SceneDef& scene);

}  // namespace limber
