// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/tet_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

/// Directed edges with the number of triangles that use them.
std::map<std::pair<Index, Index>, int> directed_edges(const std::vector<Triangle>& triangles) {
    std::map<std::pair<Index, Index>, int> edges;
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    return edges;
}

double enclosed_volume(const TetMesh& mesh, const std::vector<Triangle>& triangles) {
    double sum = 0;
    for (const auto& [a, b, c] : triangles)
        sum += dot(mesh.nodes[a], cross(mesh.nodes[b], mesh.nodes[c])) / 6;
    return sum;
}

TEST(TetVolume, of_the_unit_corner_is_a_sixth_and_changes_sign_with_the_order) {
    const Vec3d o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    EXPECT_DOUBLE_EQ(tet_volume(o, x, y, z), 1.0 / 6);
    EXPECT_DOUBLE_EQ(tet_volume(o, y, x, z), -1.0 / 6);
}

TEST(BoundingBox, holds_the_extreme_coordinates) {
    const std::vector<Vec3d> points{{1, -2, 3}, {-1, 5, 3}, {0, 0, 7}};
    const Box3 box = bounding_box(points);
    EXPECT_EQ(box.lo, (Vec3d{-1, -2, 3}));
    EXPECT_EQ(box.hi, (Vec3d{1, 5, 7}));
    EXPECT_THROW(bounding_box({}), Bug);
}

TEST(NodeTets, list_every_corner_once_in_ascending_order) {
    const TetMesh mesh = make_box({1, 1, 1}, {2, 3, 2});
    const NodeTets around = node_tets(mesh.n_nodes(), mesh.tets);
    ASSERT_EQ(around.begin.size(), static_cast<std::size_t>(mesh.n_nodes()) + 1);
    ASSERT_EQ(around.entry.size(), mesh.tets.size() * 4);
    for (Index node = 0; node < mesh.n_nodes(); ++node) {
        EXPECT_TRUE(std::is_sorted(around.of(node).begin(), around.of(node).end()));
        for (Index entry : around.of(node)) EXPECT_EQ(mesh.tets[entry / 4][entry % 4], node);
    }
}

TEST(NodeTets, refuse_a_node_out_of_range) {
    const std::vector<Tet> tets{{0, 1, 2, 4}};
    EXPECT_THROW(node_tets(4, tets), Bug);
}

TEST(NodeGraph, is_symmetric_sorted_and_holds_exactly_the_shared_tets) {
    const TetMesh mesh = make_box({1, 1, 1}, {3, 2, 2});
    const NodeGraph graph = node_graph(mesh.n_nodes(), mesh.tets);
    std::set<std::pair<Index, Index>> expected;
    for (const Tet& tet : mesh.tets)
        for (Index a : tet)
            for (Index b : tet) expected.insert({a, b});
    std::set<std::pair<Index, Index>> found;
    for (Index node = 0; node < mesh.n_nodes(); ++node)
        for (Index k = graph.begin[node]; k < graph.begin[node + 1]; ++k) {
            if (k > graph.begin[node]) {
                EXPECT_LT(graph.column[k - 1], graph.column[k]);
            }
            found.insert({node, graph.column[k]});
        }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(graph.column.size(), expected.size());
}

TEST(NodeGraph, is_the_same_for_any_number_of_threads) {
    const TetMesh mesh = make_box({1, 1, 1}, {12, 12, 12});
    NodeGraph one, many;
    {
        const ThreadLimit limit(1);
        one = node_graph(mesh.n_nodes(), mesh.tets);
    }
    {
        const ThreadLimit limit(4);
        many = node_graph(mesh.n_nodes(), mesh.tets);
    }
    EXPECT_EQ(one.begin, many.begin);
    EXPECT_EQ(one.column, many.column);
}

TEST(NodeGraph, gives_a_node_without_tets_only_itself) {
    const std::vector<Tet> tets{{0, 1, 2, 3}};
    const NodeGraph graph = node_graph(5, tets);
    ASSERT_EQ(graph.begin[5] - graph.begin[4], 1);
    EXPECT_EQ(graph.column[graph.begin[4]], 4);
}

TEST(Boundary, of_one_tet_is_its_four_faces_seen_from_outside) {
    TetMesh mesh;
    mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    const auto triangles = boundary_triangles(mesh.tets);
    ASSERT_EQ(triangles.size(), 4u);
    EXPECT_DOUBLE_EQ(enclosed_volume(mesh, triangles), 1.0 / 6);
}

TEST(Boundary, is_closed_outward_and_has_the_euler_number_of_a_sphere) {
    for (const TetMesh& mesh :
         {make_box({2, 1, 3}, {4, 3, 5}), make_cylinder(0.5, 2, 5, 3), make_sphere(1, 6)}) {
        const auto triangles = boundary_triangles(mesh.tets);
        const auto edges = directed_edges(triangles);
        for (const auto& [edge, uses] : edges) {
            EXPECT_EQ(uses, 1);
            EXPECT_TRUE(edges.count({edge.second, edge.first}));
        }
        const auto n_nodes = static_cast<long>(nodes_of(triangles).size());
        const auto n_edges = static_cast<long>(edges.size() / 2);
        EXPECT_EQ(n_nodes - n_edges + static_cast<long>(triangles.size()), 2);

        double volume = 0;
        for (const auto& [a, b, c, d] : mesh.tets)
            volume += tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
        EXPECT_NEAR(enclosed_volume(mesh, triangles), volume, 1e-13 * volume);
    }
}

TEST(Boundary, of_a_box_has_two_triangles_a_cell_side) {
    const auto triangles = boundary_triangles(make_box({1, 1, 1}, {2, 3, 4}).tets);
    EXPECT_EQ(triangles.size(), 2u * 2 * (2 * 3 + 3 * 4 + 4 * 2));
    EXPECT_EQ(nodes_of(triangles).size(), 3u * 4 * 5 - 1u * 2 * 3);
}

TEST(Boundary, of_nothing_is_empty) {
    EXPECT_TRUE(boundary_triangles({}).empty());
    EXPECT_TRUE(nodes_of({}).empty());
}

}  // namespace
}  // namespace limber
