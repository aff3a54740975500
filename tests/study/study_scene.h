// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/scene/build_model.h"
#include "limber/study/solver_spec.h"
#include "scene/scene_files.h"

namespace limber::test {

/// A small bar that is held at one end and falls; 90 nodes.
inline const std::string bar_scene = R"(limber = 1
[time]
step = 0.01
steps = 20
[solver]
kind = "corotational"
[material.rubber]
young = 2e5
poisson = 0.4
density = 1000
[[body]]
name = "bar"
shape = "beam"
size = [1, 0.2, 0.2]
cells = [9, 2, 2]
material = "rubber"
[[pin]]
body = "bar"
select = { side = "x-" }
)";

inline StudyScene study_scene(const Folder& folder, const std::string& text = bar_scene) {
    return {folder.write("bar.toml", text), {}};
}

inline Model model_of(const StudyScene& scene) {
    BuildReport built;
    return build_model(load_scene(scene.path, scene.load), built);
}

inline SolverSpec spec_of(const std::string& text) {
    return parse_solvers(text, "--solvers").at(0);
}

}  // namespace limber::test
