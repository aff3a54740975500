// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "limber/core/hash.h"
#include "limber/io/file.h"
#include "limber/scene/build/mesh_obstacle.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

/// Every file that decides the states of a run.
template <class F>
void for_each_file(SceneDef& scene, F&& f) {
    for (BodyDef& body : scene.bodies)
        for (auto* file : {&body.mesh, &body.displacement_file, &body.velocity_file, &body.fibres})
            if (*file) f(**file);
    for (PinDef& pin : scene.pins)
        if (pin.file) f(*pin.file);
    for (ForceDef& force : scene.forces)
        if (force.file) f(*force.file);
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
    for_each_file(copy, absolute);
    for (BodyDef& body : copy.bodies)
        if (body.skin) absolute(*body.skin);
    std::string remarks;
    for (const std::string& line : scene.chosen) remarks += "# auto: " + line + '\n';
    return remarks + to_toml(to_value(copy));
}

std::vector<std::string> input_files(const SceneDef& scene) {
    SceneDef copy = scene;
    std::vector<std::string> files;
    for_each_file(copy, [&](const FilePath& path) { files.push_back(path); });
    for (const BodyDef& body : scene.bodies)
        if (body.skin) files.push_back(*body.skin);
    return files;
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
    for_each_file(copy, contents);
    // Nor what computes it: a run may go on elsewhere.
    Value values = to_value(copy);
    values.remove("device");
    const std::string text = to_toml(values);
    return hash64(text.data(), text.size());
}

}  // namespace limber
