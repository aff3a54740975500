// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "limber/core/errors.h"
#include "limber/scene/scene.h"

namespace limber::test {

/// A folder of its own for each test, gone afterwards.
class Folder {
  public:
    Folder() {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string("limber_") + info->test_suite_name() + '_' + info->name() +
                           '_' + std::to_string(getpid());
        for (char& c : name)
            if (c == '/') c = '_';
        path_ = std::filesystem::temp_directory_path() / name;
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, const std::string& text) const {
        const auto full = path_ / name;
        std::filesystem::create_directories(full.parent_path());
        std::ofstream(full, std::ios::binary) << text;
        return full.string();
    }
    std::string path(const std::string& name = "") const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

inline SceneDef scene_of(const std::string& toml, const LoadOptions& options = {}) {
    return make_scene(parse_toml(toml, "scene.toml"), "scene.toml", options);
}

/// The message of the InputError that f throws, empty when it throws none.
template <class F>
std::string input_error(F&& f) {
    try {
        f();
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

/// A small scene that is right; tests replace a line or append to it.
inline const std::string good_scene = R"(limber = 1
[time]
step = 0.01
steps = 10
[material.rubber]
young = 1e6
poisson = 0.4
density = 1000
[[body]]
name = "bar"
shape = "beam"
size = [1, 0.2, 0.2]
cells = [4, 1, 1]
material = "rubber"
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace limber::test
