// SPDX-License-Identifier: Apache-2.0
#include "scene_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "limber/core/errors.h"
#include "limber/io/file.h"

namespace limber::app {

namespace fs = std::filesystem;

namespace {

std::string first_comment(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (!std::getline(file, text) || text.empty() || text[0] != '#') return "";
    const std::size_t begin = text.find_first_not_of("# \t");
    if (begin == std::string::npos) return "";
    text = text.substr(begin);
    if (text.back() == '\r') text.pop_back();
    return printable(text, 400);
}

bool is_scene(const fs::path& path) {
    return path.extension() == ".toml" || path.extension() == ".json";
}

/// An empty folder, or one of something else that is called scenes, is no place to stop at.
bool holds_scenes(const fs::path& folder) {
    std::error_code missing;
    for (fs::directory_iterator at(folder, missing), end; !missing && at != end;
         at.increment(missing))
        if (is_scene(at->path())) return true;
    return false;
}

}  // namespace

fs::path program_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) throw SystemError("/proc/self/exe", "read", error.value());
    return program.parent_path();
}

fs::path scene_folder() {
    std::error_code ignored;
    if (const char* given = std::getenv("LIMBER_SCENES"); given && *given) {
        if (!fs::is_directory(given, ignored))
            throw InputError("LIMBER_SCENES '" + printable(given) + "' is not a folder");
        return given;
    }
    const fs::path here = program_folder();
    std::string looked;
    for (const fs::path& place :
         {here.parent_path() / "share/limber/scenes", here / "scenes",
          here.parent_path().parent_path() / "scenes", fs::path(LIMBER_SCENES_DIR)}) {
        if (holds_scenes(place)) return place;
        looked += (looked.empty() ? "" : ", ") + printable(place.string());
    }
    throw InputError("the scenes that come with limber are in none of " + looked +
                     "; LIMBER_SCENES=DIR says where they are");
}

std::vector<SceneInfo> scenes_in(const fs::path& folder) {
    std::vector<SceneInfo> scenes;
    for (const std::string& name : names_in(folder.string())) {
        const fs::path path = folder / name;
        if (is_scene(path)) scenes.push_back({path, first_comment(path)});
    }
    std::sort(scenes.begin(), scenes.end(),
              [](const SceneInfo& a, const SceneInfo& b) { return a.file < b.file; });
    return scenes;
}

}  // namespace limber::app
