// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/api/scene.h"
#include "limber/scene/scene.h"

namespace limber::api {

/// What the sources beside a Scene's own need of it.
struct SceneAccess {
    /// As a world takes it, with these on top (--set). InputError with all mistakes.
    static SceneDef definition(const Scene& scene, const std::vector<std::string>& sets);
    /// The same with meshes that were given as arrays in files of `folder` instead.
    static SceneDef kept_in(const Scene& scene, const std::vector<std::string>& sets,
                            const std::string& folder);
};

}  // namespace limber::api
