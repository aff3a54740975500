// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tets that lie in one another, and faces that lie on one another without being the same face.

#include <array>
#include <vector>

#include "limber/mesh/doctor/faces.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// Pairs of tets, ascending.
struct Overlaps {
    std::vector<std::array<Index, 2>> pairs;
    bool sampled = false;  // not everything at the surface was looked at
    bool capped = false;   // there are more pairs: a body laid over itself has millions
};

/// The number of tets over a point changes only at boundary faces while no tet is folded over its
/// face neighbour. Where two tets lie over each other, one with a boundary face therefore does so
/// too: it is enough to compare those with all others. Of more than `max_looked_at` tets with a
/// boundary face (thin sheets) every k-th is taken.
Overlaps find_overlaps(const TetMesh& mesh, const FaceTable& faces, Index max_looked_at = 100'000);

/// Whether two tets have volume in common, deeper than a thousandth of the thinner one's height.
/// Separating axes: the 8 face normals and the 36 products of their edges.
bool tets_overlap(const TetMesh& mesh, Index a, Index b);

/// Boundary faces of two tets that lie on each other, from opposite sides, without having the same
/// three corners (hanging nodes, other diagonals): the solid has a seam there that is not glued.
Overlaps find_mismatched_faces(const TetMesh& mesh, const FaceTable& faces,
                               Index max_looked_at = 200'000);

}  // namespace limber
