// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// A triangle surface as read from a file or cut from a tet mesh. Nothing is promised about it:
/// inspect() says what holds.
struct TriMesh {
    std::vector<Vec3d> nodes;         // [m]
    std::vector<Triangle> triangles;  // counter-clockwise seen from outside where oriented

    Index n_nodes() const { return static_cast<Index>(nodes.size()); }
    Index n_triangles() const { return static_cast<Index>(triangles.size()); }
};

/// Σ of the triangle areas.  [m²]
double surface_area(const TriMesh& mesh);
/// Volume of the cones from the first used node to the triangles: the enclosed volume of a closed
/// surface, positive when its triangles are counter-clockwise seen from outside.  [m³]
double signed_volume(const TriMesh& mesh);
/// Every triangle the other way round.
TriMesh turned(TriMesh mesh);

/// Nodes with equal coordinates made one (STL files repeat every corner); nodes keep the order of
/// their first use, unused ones go, and so do triangles that lost a corner that way.
TriMesh welded(const TriMesh& mesh);

/// One side of an undirected edge.
struct EdgeUse {
    Index lo = 0, hi = 0;  // its nodes, lo < hi
    Index triangle = 0;
    bool forward = true;  // the triangle runs lo -> hi
};
/// All edges of the triangles without repeated nodes, sorted: the uses of one edge are neighbours.
std::vector<EdgeUse> edge_uses(std::span<const Triangle> triangles);

/// What is right and wrong with a surface.
struct TriMeshReport {
    Index open_edges = 0;         // used by one triangle
    Index nonmanifold_edges = 0;  // used by three or more
    Index misoriented_edges = 0;  // used by two triangles, both in the same direction
    Index degenerate = 0;         // triangles with a repeated node or without area
    Index duplicates = 0;         // triangles whose three nodes another, earlier one has too
    Index unused_nodes = 0;       // in no triangle
    Index pinched_nodes = 0;      // triangles around it form more than one fan
    Index parts = 0;              // sets of triangles connected over edges
    double area = 0;              // [m²]
    double volume = 0;            // signed [m³]; means something only when closed
    bool closed() const { return open_edges == 0 && degenerate == 0; }
    /// A closed surface without branches whose two sides can be told apart.
    bool manifold() const {
        return closed() && nonmanifold_edges == 0 && misoriented_edges == 0 && duplicates == 0 &&
               pinched_nodes == 0;
    }
    bool inside_out() const { return open_edges == 0 && volume < 0; }
};
TriMeshReport inspect(const TriMesh& mesh);

/// For each triangle the part it belongs to (connected over edges), numbered from 0 in triangle
/// order.
std::vector<Index> triangle_parts(const TriMesh& mesh);

/// The boundary of a tet mesh as a surface of its own, nodes in ascending order of the mesh.
TriMesh boundary_surface(const TetMesh& mesh);

}  // namespace limber
