// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/mesh/quality.h"
#include "limber/scene/build/filled_mesh.h"
#include "limber/scene/scene_def.h"
#include "limber/solve/model.h"

namespace limber {

struct BodyReport {
    std::string name;
    MeshReport mesh;       // scaled, before it is rotated and moved
    Vec3d scale{1, 1, 1};  // of the file's or shape's coordinates
    Box3 box{};            // placed [m]
    double mass = 0;       // [kg]
};

/// What a user should know before the first step.
struct BuildReport {
    std::vector<BodyReport> bodies;
    std::vector<std::string> warnings;  // "scene.toml:12: warning text"
    std::vector<FilledMesh> filled;     // of bodies whose mesh is a surface

    void warn(const SourcePlace& place, const std::string& text);
};

struct BuildOptions {
    bool strict = false;                         // tets that are inside out are an error
    bool linearise = false;                      // take the corners of 10-node tets
    std::vector<std::string> mesh_folders = {};  // where surfaces filled earlier are looked for
};

/// Reads or makes the meshes, places them, resolves selections and materials. Bad input is an
/// InputError at its place in the scene (or in the mesh or load file).
Model build_model(const SceneDef& scene, BuildReport& report, const BuildOptions& options = {});

/// The obstacles alone: no tet mesh is read. `warnings` as in BuildReport.
std::vector<Obstacle> make_obstacles(const SceneDef& scene, std::vector<std::string>& warnings);

}  // namespace limber
