// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the doctor mends without asking, and the tests that must come before.

#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

/// Signed.  [m³]
double volume_of(const TetMesh& mesh, const Tet& tet);
double longest_edge(const TetMesh& mesh, const Tet& tet);  // [m]

/// Takes out nodes of no tet, and out of the groups; the others keep their order. Returns the ids
/// of those that went.
std::vector<FileId> leave_out_unused_nodes(TetMesh& mesh);

/// Whether doubles hold the volumes of n_tets tets inside the box.
bool volumes_are_representable(const Box3& box, Index n_tets);
/// The same for the points that a surface uses, in words; empty: they are in range.
std::string range_problem(const TriMesh& mesh);

struct Orientation {
    std::vector<Index> flat;    // volume zero up to rounding; left as they are
    std::vector<Index> turned;  // had a negative volume
};
Orientation turn_inverted_tets(TetMesh& mesh);

}  // namespace limber
