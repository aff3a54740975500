// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {

namespace {

// Rounding alone gives four points of one plane about 1e-16 of the cube of their longest edge.
constexpr double flat_ratio = 1e-14;

}  // namespace

double volume_of(const TetMesh& mesh, const Tet& t) {
    return tet_volume(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]);
}

double longest_edge(const TetMesh& mesh, const Tet& t) {
    double longest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            longest = std::max(longest, squared_norm(mesh.nodes[t[i]] - mesh.nodes[t[j]]));
    return std::sqrt(longest);
}

std::vector<FileId> leave_out_unused_nodes(TetMesh& mesh) {
    std::vector<Index> new_index(mesh.nodes.size(), -1);
    for (const Tet& tet : mesh.tets)
        for (Index node : tet) new_index[node] = 0;
    std::vector<FileId> unused;
    Index n = 0;
    for (Index i = 0; i < mesh.n_nodes(); ++i) {
        if (new_index[i] < 0) {
            unused.push_back(mesh.node_ids[i]);
            continue;
        }
        mesh.nodes[n] = mesh.nodes[i];
        mesh.node_ids[n] = mesh.node_ids[i];
        new_index[i] = n++;
    }
    if (unused.empty()) return unused;
    mesh.nodes.resize(static_cast<std::size_t>(n));
    mesh.node_ids.resize(static_cast<std::size_t>(n));
    for (Tet& tet : mesh.tets)
        for (Index& node : tet) node = new_index[node];
    for (auto& [name, nodes] : mesh.node_groups) {
        std::erase_if(nodes, [&](Index node) { return new_index[node] < 0; });
        for (Index& node : nodes) node = new_index[node];
    }
    return unused;
}

/// A volume is a product of three lengths, so that coordinates far inside the range of a double
/// can still give volumes outside it; and far from the origin the digits are spent on the offset.
namespace {

/// For things of the size of a part in `parts` of the box along an axis.
bool in_range(const Box3& box, double parts) {
    const Vec3d size = box.size();
    const double extent = std::max({size.x, size.y, size.z});
    double farthest = 0;
    for (int axis = 0; axis < 3; ++axis)
        farthest = std::max({farthest, std::fabs(box.lo[axis]), std::fabs(box.hi[axis])});
    const double cell = extent / parts;
    const double cell_volume = cell * cell * cell;
    return std::isfinite(extent * extent * extent) &&
           cell_volume * flat_ratio > std::numeric_limits<double>::min() &&
           farthest * std::numeric_limits<double>::epsilon() < 1e-3 * cell;
}

}  // namespace

bool volumes_are_representable(const Box3& box, Index n_tets) {
    return in_range(box, std::cbrt(n_tets));
}

std::string range_problem(const TriMesh& mesh) {
    if (mesh.triangles.empty()) return {};
    Box3 box{mesh.nodes[mesh.triangles[0][0]], mesh.nodes[mesh.triangles[0][0]]};
    for (const Triangle& t : mesh.triangles)
        for (const Index node : t)
            for (int axis = 0; axis < 3; ++axis) {
                box.lo[axis] = std::min(box.lo[axis], mesh.nodes[node][axis]);
                box.hi[axis] = std::max(box.hi[axis], mesh.nodes[node][axis]);
            }
    // Where all points are one the triangles have no area, which is told elsewhere.
    if (box.size() == Vec3d{} || in_range(box, std::sqrt(mesh.n_triangles()))) return {};
    return fmt::format(
        "coordinates from ({}, {}, {}) to ({}, {}, {}): volume not representable; scale the "
        "surface or move it to the origin",
        box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z);
}

Orientation turn_inverted_tets(TetMesh& mesh) {
    Orientation found;
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        Tet& tet = mesh.tets[i];
        const double volume = volume_of(mesh, tet), longest = longest_edge(mesh, tet);
        if (!(std::fabs(volume) > flat_ratio * longest * longest * longest)) {
            found.flat.push_back(i);
        } else if (volume < 0) {
            std::swap(tet[2], tet[3]);
            found.turned.push_back(i);
        }
    }
    return found;
}

}  // namespace limber
