// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace limber::app {

/// Where the scenes that come with limber are: LIMBER_SCENES where it is set, share/limber/scenes
/// beside an installed program, else the folder of the source tree.
std::filesystem::path scene_folder();

struct SceneInfo {
    std::filesystem::path file;
    std::string about;  // its first comment line; empty where it does not start with one
};
/// Scene files of a folder by name.
std::vector<SceneInfo> scenes_in(const std::filesystem::path& folder);

}  // namespace limber::app
