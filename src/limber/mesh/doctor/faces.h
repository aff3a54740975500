// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the tets of a mesh hang together: over faces, as a solid body must, or only at edges and
// nodes. All in time linear in the mesh, but for sorts.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// One face of one tet as tet * 4 + face; face k is opposite corner k.
using FaceSide = Index;

struct FaceTable {
    static constexpr FaceSide none = -1;           // a boundary face, or one of three or more tets
    std::vector<FaceSide> across;                  // 4 n_tets: the other side of each face
    std::vector<FaceSide> boundary;                // ascending
    std::vector<std::array<Index, 2>> duplicates;  // tets with the same four nodes
    std::vector<std::vector<FaceSide>> crowded;    // sides of faces with three or more tets
    std::vector<std::array<Index, 2>> folded;      // face neighbours on the same side of their face
};
/// Needs tets with four different nodes each.
FaceTable make_face_table(const TetMesh& mesh);

/// The corners of a side in ascending order of their nodes.
Triangle sorted_face(const TetMesh& mesh, FaceSide side);
/// Counter-clockwise seen from outside its tet.
Triangle outward_face(const TetMesh& mesh, FaceSide side);

/// Places where tets touch without sharing a face. A sound body has none.
struct Hinges {
    std::vector<Index> nodes;                 // tets around it are not connected over faces there
    std::vector<std::array<Index, 2>> edges;  // the same for edges; their nodes are in `nodes`
    std::vector<Index> vertex_only;           // the nodes that lie on none of the edges
};
Hinges find_hinges(const TetMesh& mesh, const FaceTable& faces);

struct MeshPart {
    Index n_tets = 0;
    double volume = 0;     // [m³]
    FileId first_tet = 0;  // id of its first tet in the file
};
/// Sets of tets connected over nodes, the largest volume first; `n_solid` counts those connected
/// over faces.
struct Parts {
    std::vector<MeshPart> parts;
    Index n_solid = 0;
};
Parts find_parts(const TetMesh& mesh, const FaceTable& faces);

/// Pairs of nodes nearer to each other than 1e-9 of the size of the mesh.
std::vector<std::array<Index, 2>> nodes_at_one_place(const TetMesh& mesh);

}  // namespace limber
