// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/scene/build_model.h"

namespace limber {

struct ClothBody {
    TetMesh mesh;                     // nodes with ids and groups, no tets
    std::vector<Triangle> triangles;  // of its nodes
    MeshReport report;                // parts, counts and warnings
};

/// Reads or makes the triangles of a cloth. Nodes in no triangle are left out; a triangle without
/// area or an edge of three triangles is an InputError.
ClothBody make_cloth_body(const BodyDef& def);

/// What add_cloth needs, with the rigidity of a plate where none is given.
ClothOptions cloth_options(const ClothDef& def, const Material& material);

}  // namespace limber
