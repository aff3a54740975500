// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies whose mesh is a closed surface: filled with tets, and kept so that the same surface need
// not be filled again. A run keeps what it filled in its folder, so that it goes on with the same
// tets whatever becomes of the mesher; a folder for all runs is used only where the user names one
// in LIMBER_MESH_CACHE.

#include <span>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"
#include "limber/scene/scene_def.h"

namespace limber {

struct FilledMesh {
    std::string key;  // of the surface's bytes and everything that decides the tets
    TetMesh mesh;     // scaled, not yet rotated or moved
    std::vector<std::string> remarks;
    bool from_cache = false;
};

/// Fills the surface of a body with `fill`. Looks into `folders` first, then into the user's cache,
/// to which new meshes go. InputError at the body's `mesh` where the file is no closed surface;
/// damaged files of a cache are passed over with a remark.
FilledMesh filled_mesh(const BodyDef& body, const Vec3d& scale,
                       std::span<const std::string> folders);

/// Writes it into a folder, which is made where it is missing; a whole file of that key stays.
void keep_filled_mesh(const FilledMesh& mesh, const std::string& folder);

/// InputError at a body's `mesh` that says what to write: for a file of triangles without `fill`.
[[noreturn]] void refuse_unfilled(const BodyDef& body, Index n_triangles);

}  // namespace limber
