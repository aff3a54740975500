// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/scene/scene.h"

namespace limber {

/// A solver as --solvers and --reference name it: "corotational:max_iterations=5,guess=zero". The
/// option `device` is that of the scene: "descent:device=cuda".
struct SolverSpec {
    struct Option {
        std::string key, value;  // value as of --set: a number, a word, "text"
    };
    std::string text;  // as the user wrote it
    std::string kind;
    std::vector<Option> options;

    /// The spec without `key`: solvers that differ there alone are points of one curve.
    std::string without(const std::string& key) const;
    /// The value of `key`, empty where it is not given.
    std::string value_of(const std::string& key) const;
};

/// "a:x=1,y=2,b" are two solvers, a with two options and b: a piece `key=value` belongs to the
/// solver before it. Commas inside quotes and brackets do not split. An unknown solver or option is
/// an InputError with the list and the nearest name; `iterations` is short for max_iterations.
std::vector<SolverSpec> parse_solvers(const std::string& list, const std::string& argument);

/// What a study runs on: the scene file and the changes all solvers share.
struct StudyScene {
    std::string path;
    LoadOptions load;
};

/// What others are measured by computes on the CPU, unless its spec says otherwise.
StudyScene on_the_cpu(StudyScene scene);

/// The scene under that solver. As with --set, a spec of the scene's own kind keeps the scene's
/// other solver options, another kind starts from its defaults.
SceneDef scene_with(const StudyScene& scene, const SolverSpec& spec, const std::string& argument);

}  // namespace limber
