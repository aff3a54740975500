// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/scene/build/model.h"
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

/// The same of rubber, which linearly implicit solvers do not take.
inline const std::string rubber_scene =
    replaced(replaced(bar_scene, "young = 2e5", "kind = \"mooney_rivlin\"\nyoung = 2e5"),
             "kind = \"corotational\"", "kind = \"newton\"");

/// A small cloth of springs and flat hinges, held at one side.
inline const std::string cloth_scene = R"(limber = 1
[time]
step = 0.01
steps = 12
[solver]
kind = "newton"
[material.linen]
young = 5e5
poisson = 0.3
density = 300
[[body]]
name = "cloth"
shape = "cloth_sheet"
cells = [6, 6]
cloth = { thickness = 0.001, stretch = "springs", rest = "flat", bending = 2e-5 }
material = "linen"
[[pin]]
body = "cloth"
select = { side = "x-" }
)";

/// A soft block that falls onto a floor a little below it, METHOD as contact.method.
inline std::string block_scene(const std::string& method) {
    return R"(limber = 1
[time]
step = 0.01
steps = 16
[material.soft]
young = 5e4
poisson = 0.3
density = 1000
[[body]]
name = "block"
shape = "box"
size = [0.2, 0.2, 0.2]
cells = [2, 2, 2]
material = "soft"
translate = [0, 0.105, 0]
velocity = [0.3, -0.5, 0]
[[obstacle]]
shape = "plane"
[contact]
method = ")" +
           method + "\"\n";
}

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

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace limber::test
