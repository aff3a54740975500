// SPDX-License-Identifier: Apache-2.0
#include "scene_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "limber/core/errors.h"
#include "limber/io/file.h"

namespace limber::app {

namespace fs = std::filesystem;

fs::path scene_folder() {
    std::error_code ignored;
    if (const char* given = std::getenv("LIMBER_SCENES"); given && *given) {
        if (!fs::is_directory(given, ignored))
            throw InputError("LIMBER_SCENES '" + printable(given) + "' is not a folder");
        return given;
    }
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path installed = program.parent_path().parent_path() / "share/limber/scenes";
    return fs::is_directory(installed, ignored) ? installed : fs::path(LIMBER_SCENES_DIR);
}

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

}  // namespace

std::vector<SceneInfo> scenes_in(const fs::path& folder) {
    std::vector<SceneInfo> scenes;
    for (const std::string& name : names_in(folder.string())) {
        const fs::path path = folder / name;
        if (path.extension() == ".toml" || path.extension() == ".json")
            scenes.push_back({path, first_comment(path)});
    }
    std::sort(scenes.begin(), scenes.end(),
              [](const SceneInfo& a, const SceneInfo& b) { return a.file < b.file; });
    return scenes;
}

}  // namespace limber::app
