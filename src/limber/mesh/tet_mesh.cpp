// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/tet_mesh.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index node_grain = 512;  // nodes a chunk

// The faces of a positively oriented tet, each counter-clockwise seen from outside; face k is
// opposite corner k.
constexpr int tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

Triangle face_of(const Tet& tet, int k) {
    return {tet[tet_faces[k][0]], tet[tet_faces[k][1]], tet[tet_faces[k][2]]};
}

/// Calls use(node, neighbours) with the ascending neighbours of each node, itself included.
template <class Use>
void for_each_neighbourhood(Index n_nodes, std::span<const Tet> tets, const NodeTets& around,
                            Use use) {
    parallel_ranges(n_nodes, node_grain, [&](Index begin, Index end) {
        std::vector<Index> near;
        for (Index node = begin; node < end; ++node) {
            near.assign(1, node);
            for (Index entry : around.of(node))
                for (Index other : tets[entry / 4])
                    if (other != node) near.push_back(other);
            std::sort(near.begin(), near.end());
            near.erase(std::unique(near.begin(), near.end()), near.end());
            use(node, near);
        }
    });
}

}  // namespace

double tet_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    return dot(b - a, cross(c - a, d - a)) / 6;
}

Box3 bounding_box(std::span<const Vec3d> points) {
    LIMBER_CHECK(!points.empty(), "a bounding box needs a point");
    Box3 box{points[0], points[0]};
    for (const Vec3d& p : points)
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = std::min(box.lo[axis], p[axis]);
            box.hi[axis] = std::max(box.hi[axis], p[axis]);
        }
    return box;
}

NodeTets node_tets(Index n_nodes, std::span<const Tet> tets) {
    LIMBER_CHECK(tets.size() <= static_cast<std::size_t>(max_tets), "tet * 4 + corner must fit");
    NodeTets result;
    result.begin.assign(static_cast<std::size_t>(n_nodes) + 1, 0);
    for (const Tet& tet : tets)
        for (Index node : tet) {
            LIMBER_CHECK(node >= 0 && node < n_nodes, "tet node out of range");
            ++result.begin[node + 1];
        }
    for (Index node = 0; node < n_nodes; ++node) result.begin[node + 1] += result.begin[node];

    result.entry.resize(tets.size() * 4);
    std::vector<Index> next(result.begin.begin(), result.begin.end() - 1);
    for (Index tet = 0; tet < static_cast<Index>(tets.size()); ++tet)
        for (int corner = 0; corner < 4; ++corner)
            result.entry[next[tets[tet][corner]]++] = tet * 4 + corner;
    return result;
}

NodeGraph node_graph(Index n_nodes, std::span<const Tet> tets) {
    const NodeTets around = node_tets(n_nodes, tets);
    NodeGraph graph;
    graph.begin.assign(static_cast<std::size_t>(n_nodes) + 1, 0);
    for_each_neighbourhood(n_nodes, tets, around, [&](Index node, const std::vector<Index>& near) {
        graph.begin[node + 1] = static_cast<Index>(near.size());
    });
    for (Index node = 0; node < n_nodes; ++node) graph.begin[node + 1] += graph.begin[node];

    graph.column.resize(static_cast<std::size_t>(graph.begin[n_nodes]));
    for_each_neighbourhood(n_nodes, tets, around, [&](Index node, const std::vector<Index>& near) {
        std::copy(near.begin(), near.end(), graph.column.begin() + graph.begin[node]);
    });
    return graph;
}

std::vector<FaceUse> face_uses(std::span<const Tet> tets) {
    std::vector<FaceUse> uses;
    uses.reserve(tets.size() * 4);
    for (Index tet = 0; tet < static_cast<Index>(tets.size()); ++tet)
        for (int k = 0; k < 4; ++k) {
            Triangle key = face_of(tets[tet], k);
            std::sort(key.begin(), key.end());
            uses.push_back({key, tet, k});
        }
    std::sort(uses.begin(), uses.end(), [](const FaceUse& a, const FaceUse& b) {
        return std::tie(a.nodes, a.tet, a.face) < std::tie(b.nodes, b.tet, b.face);
    });
    return uses;
}

std::vector<Triangle> boundary_triangles(std::span<const Tet> tets) {
    const std::vector<FaceUse> uses = face_uses(tets);
    std::vector<std::pair<Index, int>> single;  // (tet, face)
    for (std::size_t i = 0; i < uses.size();) {
        std::size_t end = i + 1;
        while (end < uses.size() && uses[end].nodes == uses[i].nodes) ++end;
        if (end == i + 1) single.emplace_back(uses[i].tet, uses[i].face);
        i = end;
    }
    std::sort(single.begin(), single.end());

    std::vector<Triangle> triangles;
    triangles.reserve(single.size());
    for (const auto& [tet, face] : single) triangles.push_back(face_of(tets[tet], face));
    return triangles;
}

std::vector<Index> nodes_of(std::span<const Triangle> triangles) {
    std::vector<Index> nodes;
    nodes.reserve(triangles.size() * 3);
    for (const Triangle& t : triangles) nodes.insert(nodes.end(), t.begin(), t.end());
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

}  // namespace limber
