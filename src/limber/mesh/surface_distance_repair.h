// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/mesh/tri_mesh.h"

namespace limber {

/// A surface whose directed edges cancel, so that it has an inside, and what had to be assumed.
struct ClosedSurface {
    TriMesh mesh;
    TriMeshReport found;   // of the surface as given, nodes at equal places joined
    Index n_holes = 0;     // closed by a fan of triangles each
    double hole_area = 0;  // of those fans [m²]
    double volume = 0;     // [m³], > 0
    std::vector<std::string> remarks;
};

/// Joins nodes at equal places, drops triangles that are there twice, turns triangles to agree
/// with their neighbours, closes holes by fans to their middles and turns the whole outwards.
/// Throws InputError, without a place, where there is no inside to be found: no triangles, no area,
/// no volume, or more hole than surface.
ClosedSurface close_surface(const TriMesh& surface);

}  // namespace limber
