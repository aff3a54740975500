// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "limber/core/math.h"

namespace limber {

using Tet = std::array<Index, 4>;       // positively oriented: det[b-a, c-a, d-a] > 0
using Triangle = std::array<Index, 3>;  // counter-clockwise seen from outside

/// tet * 4 + corner must fit in an Index.
constexpr Index max_tets = (Index{1} << 29) - 1;

/// A volume mesh at rest, as read from a file or made by a shape.
struct TetMesh {
    std::vector<Vec3d> nodes;  // rest positions [m]
    std::vector<Tet> tets;
    std::vector<FileId> node_ids;  // one per node: the file's id (shapes count from 0)
    std::vector<FileId> tet_ids;   // one per tet
    std::map<std::string, std::vector<Index>> node_groups;  // ascending node indices
    std::map<std::string, std::vector<Index>> tet_groups;   // ascending tet indices

    Index n_nodes() const { return static_cast<Index>(nodes.size()); }
    Index n_tets() const { return static_cast<Index>(tets.size()); }
};

/// Signed volume, positive for a positively oriented tet.  [m³]
double tet_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

struct Box3 {
    Vec3d lo, hi;
    Vec3d size() const { return hi - lo; }
};
Box3 bounding_box(std::span<const Vec3d> points);

/// For each node the (tet, corner) pairs that use it, ascending, as tet * 4 + corner.
struct NodeTets {
    std::vector<Index> begin;  // n_nodes + 1
    std::vector<Index> entry;  // 4 n_tets
    std::span<const Index> of(Index node) const {
        return {entry.data() + begin[node], entry.data() + begin[node + 1]};
    }
};
NodeTets node_tets(Index n_nodes, std::span<const Tet> tets);

/// For each node the nodes it shares a tet with, itself included, ascending.
struct NodeGraph {
    std::vector<Index> begin;  // n_nodes + 1
    std::vector<Index> column;
};
NodeGraph node_graph(Index n_nodes, std::span<const Tet> tets);

/// One face of one tet. Face k is opposite corner k.
struct FaceUse {
    Triangle nodes;  // ascending, so that the two sides of a face compare equal
    Index tet = 0;
    int face = 0;
};
/// All 4 n_tets faces, sorted: the uses of one face are neighbours.
std::vector<FaceUse> face_uses(std::span<const Tet> tets);

/// Faces that belong to exactly one tet, oriented outwards, in the order of their tets.
std::vector<Triangle> boundary_triangles(std::span<const Tet> tets);

/// Nodes used by `triangles`, ascending, each once.
std::vector<Index> nodes_of(std::span<const Triangle> triangles);

}  // namespace limber
