// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace limber::app {

/// The folder this program is in.
std::filesystem::path program_folder();

/// Where the scenes that come with limber are: LIMBER_SCENES where it is set; else the first of
/// these that holds a scene: share/limber/scenes of an installed program, scenes/ beside the
/// program, that of the source tree whose build/<preset>/ the program is in, that of the source
/// tree it was built from. InputError with the list where none does.
std::filesystem::path scene_folder();

struct SceneInfo {
    std::filesystem::path file;
    std::string about;  // its first comment line; empty where it does not start with one
};
/// Scene files of a folder by name.
std::vector<SceneInfo> scenes_in(const std::filesystem::path& folder);

}  // namespace limber::app
