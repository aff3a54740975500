// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the checks of scenes have in common.

#include <string>
#include <string_view>
#include <vector>

#include "limber/scene/scene_def.h"

namespace limber {

/// Refuses a name that is none of the known ones; `what` says what they are.
void check_reference(const std::string& name, const std::vector<std::string>& known,
                     std::string_view what, std::string_view key, const Origin& origin);
/// Names of bodies, then of the obstacles that have one.
std::vector<std::string> side_names(const SceneDef& scene);
/// Refuses a name that no body and no obstacle has, or more than one of them.
void check_side(const std::string& name, const std::vector<std::string>& sides,
                std::string_view key, const Origin& origin);
/// Refuses a selection that means nothing whatever the body.
void check_select(const SelectDef& select);

}  // namespace limber
