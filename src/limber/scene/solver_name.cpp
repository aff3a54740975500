// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/solver_name.h"

#include "limber/scene/scene_def.h"

namespace limber {

std::string solver_name(const SceneDef& scene) {
    return scene.time.analysis == Analysis::modal ? "modal" : scene.solver.options.name;
}

}  // namespace limber
