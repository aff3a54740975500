// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points that ride on a tet mesh: a fine surface to look at, carried by a coarse body.

#include <array>
#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// Where points sit in a mesh at rest. The order of the points is kept.
struct Embedding {
    std::vector<Tet> corners;                    // nodes of the tet that carries a point
    std::vector<std::array<double, 4>> weights;  // barycentric, Σ = 1; < 0 outside the tet
    Index n_outside = 0;                         // points outside all tets
    double farthest = 0;                         // of those from the mesh [m]

    Index n_points() const { return static_cast<Index>(corners.size()); }
};

/// Each point in the tet that holds it; a point outside in the tet behind the nearest boundary
/// face, extrapolated. The mesh has tets of positive volume, the points are finite.
Embedding embed(const TetMesh& mesh, std::span<const Vec3d> points);

/// Σ weight * node, one position a point. Exact for affine motions; allocates nothing.
void carry(const Embedding& embedding, std::span<const Vec3d> nodes, std::span<Vec3d> points);

}  // namespace limber
