// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/scene/build/model.h"

namespace limber {

/// A body without tets.
struct SurfaceBody {
    TetMesh mesh;                     // nodes with ids and groups, no tets
    std::vector<Triangle> triangles;  // of its nodes
    MeshReport report;                // parts, counts and warnings
};

/// Reads or makes the triangles of a cloth. Nodes in no triangle are left out; a triangle without
/// area or an edge of three triangles is an InputError.
SurfaceBody make_cloth_body(const BodyDef& def);
/// Reads the surface of a rigid body, or takes that of its shape; one that is not closed is an
/// InputError.
SurfaceBody make_rigid_body(const BodyDef& def);

/// What add_cloth needs, with the rigidity of a plate where none is given.
ClothOptions cloth_options(const ClothDef& def, const Material& material);

}  // namespace limber
