// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "limber/core/hash.h"
#include "limber/io/file.h"
#include "limber/scene/mesh_obstacle.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

/// The files of mesh obstacles.
template <class F>
void for_each_surface(SceneDef& scene, F&& f) {
    for (ObstacleDef& obstacle : scene.obstacles)
        if (auto* mesh = std::any_cast<MeshObstacleDef>(&obstacle.shape.value)) f(mesh->file);
}

}  // namespace

std::string resolved_toml(const SceneDef& scene) {
    SceneDef copy = scene;
    const auto absolute = [](FilePath& path) {
        std::error_code error;  // where the folder we are in has been removed
        const auto full = std::filesystem::absolute(std::string(path), error);
        if (error) throw SystemError(std::string(path), "find its folder", error.value());
        path.assign(full.lexically_normal().string());
    };
    for (BodyDef& body : copy.bodies) {
        if (body.mesh) absolute(*body.mesh);
        if (body.skin) absolute(*body.skin);
    }
    for (ForceDef& force : copy.forces)
        if (force.file) absolute(*force.file);
    for_each_surface(copy, absolute);
    return to_toml(to_value(copy));
}

std::uint64_t scene_hash(const SceneDef& scene) {
    SceneDef copy = scene;
    copy.output = {};
    copy.time.end.reset();
    copy.time.steps.reset();
    // What a file says counts, not where it lies.
    const auto contents = [](FilePath& path) {
        const std::string bytes = read_file(std::string(path));
        path.assign(hex64(hash64(bytes.data(), bytes.size())));
    };
    for (BodyDef& body : copy.bodies)
        if (body.mesh) contents(*body.mesh);
    for (ForceDef& force : copy.forces)
        if (force.file) contents(*force.file);
    for_each_surface(copy, contents);
    const std::string text = to_toml(to_value(copy));
    return hash64(text.data(), text.size());
}

}  // namespace limber
