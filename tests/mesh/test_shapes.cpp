// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/core/errors.h"

namespace limber {
namespace {

double volume_of(const TetMesh& mesh) {
    double sum = 0;
    for (const auto& [a, b, c, d] : mesh.tets)
        sum += tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
    return sum;
}

/// 12 (3V)^(2/3) / Σ edge²: 1 for a regular tet, 0 for a flat one, negative for an inverted one.
double worst_quality(const TetMesh& mesh) {
    double worst = 1;
    for (const Tet& tet : mesh.tets) {
        double edges = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j)
                edges += squared_norm(mesh.nodes[tet[i]] - mesh.nodes[tet[j]]);
        const double v = tet_volume(mesh.nodes[tet[0]], mesh.nodes[tet[1]], mesh.nodes[tet[2]],
                                    mesh.nodes[tet[3]]);
        worst = std::min(worst, 12 * std::cbrt(9 * v * v) / edges * (v > 0 ? 1 : -1));
    }
    return worst;
}

Index bandwidth(const TetMesh& mesh) {
    Index widest = 0;
    for (const Tet& tet : mesh.tets)
        for (Index a : tet)
            for (Index b : tet) widest = std::max(widest, a - b);
    return widest;
}

TEST(Box, of_the_reference_beam_has_the_stated_counts_and_a_small_bandwidth) {
    const TetMesh mesh = make_box({75, 15, 15}, {75, 15, 15});
    EXPECT_EQ(mesh.n_nodes(), 19456);
    EXPECT_EQ(mesh.n_tets(), 101250);
    EXPECT_EQ(mesh.node_ids.size(), mesh.nodes.size());
    EXPECT_EQ(mesh.tet_ids.size(), mesh.tets.size());
    // One layer of 16 x 16 nodes, plus a row and a node of the diagonal neighbour.
    EXPECT_LE(bandwidth(mesh), 16 * 16 + 16 + 1);
    EXPECT_EQ(bandwidth(make_box({1, 1, 5}, {15, 15, 75})), bandwidth(mesh));
}

TEST(Box, fills_its_extent_with_positive_tets_at_any_resolution) {
    for (std::array<Index, 3> cells : {std::array<Index, 3>{1, 1, 1}, {2, 1, 3}, {5, 4, 3}}) {
        const TetMesh mesh = make_box({2, 3, 4}, cells);
        EXPECT_NEAR(volume_of(mesh), 24, 24e-14);
        EXPECT_GT(worst_quality(mesh), 0.1);
        const Box3 box = bounding_box(mesh.nodes);
        EXPECT_EQ(box.lo, (Vec3d{-1, -1.5, -2}));
        EXPECT_EQ(box.hi, (Vec3d{1, 1.5, 2}));
    }
}

TEST(Box, has_its_six_sides_as_ascending_groups) {
    const TetMesh mesh = make_box({2, 2, 2}, {2, 3, 4});
    ASSERT_EQ(mesh.node_groups.size(), 6u);
    EXPECT_EQ(mesh.node_groups.at("x-").size(), 4u * 5);
    EXPECT_EQ(mesh.node_groups.at("y+").size(), 3u * 5);
    EXPECT_EQ(mesh.node_groups.at("z+").size(), 3u * 4);
    for (const auto& [name, nodes] : mesh.node_groups) {
        EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
        const int axis = name[0] - 'x';
        for (Index node : nodes) EXPECT_EQ(mesh.nodes[node][axis], name[1] == '-' ? -1 : 1);
    }
}

TEST(Cylinder, has_positive_well_shaped_tets_at_any_resolution) {
    for (Index n : {1, 2, 3, 4, 5, 8, 13, 24}) {
        // Equal steps across and along, where possible.
        const TetMesh mesh = make_cylinder(0.5, 1, n, n);
        EXPECT_EQ(mesh.n_tets(), 6 * n * n * n);
        EXPECT_GT(worst_quality(mesh), 0.5) << n;
    }
}

TEST(Cylinder, has_its_side_nodes_on_the_circle_and_flat_ends) {
    const TetMesh mesh = make_cylinder(0.7, 2, 6, 4);
    EXPECT_EQ(mesh.node_groups.size(), 2u);
    for (Index node : mesh.node_groups.at("y-")) EXPECT_EQ(mesh.nodes[node].y, -1);
    for (Index node : mesh.node_groups.at("y+")) EXPECT_EQ(mesh.nodes[node].y, 1);
    Index on_side = 0;
    for (const Vec3d& p : mesh.nodes) {
        const double r = std::hypot(p.x, p.z);
        EXPECT_LE(r, 0.7 * (1 + 1e-15));
        on_side += std::fabs(r - 0.7) < 1e-15;
    }
    EXPECT_EQ(on_side, 4 * 6 * 5);
}

TEST(Cylinder, volume_converges_with_second_order) {
    const double exact = std::numbers::pi * 0.25 * 2;
    const auto error = [&](Index n) { return exact - volume_of(make_cylinder(0.5, 2, n, 2)); };
    for (Index n : {4, 8, 16}) EXPECT_NEAR(error(n) / error(2 * n), 4, 0.05);
}

TEST(Sphere, has_positive_well_shaped_tets_at_any_resolution) {
    for (Index n : {1, 2, 3, 4, 5, 8, 13, 24}) {
        const TetMesh mesh = make_sphere(2, n);
        EXPECT_EQ(mesh.n_tets(), 6 * n * n * n);
        EXPECT_GT(worst_quality(mesh), 0.4) << n;
    }
}

TEST(Sphere, has_its_surface_nodes_on_the_sphere) {
    const TetMesh mesh = make_sphere(0.3, 7);
    for (Index node : nodes_of(boundary_triangles(mesh.tets)))
        EXPECT_NEAR(norm(mesh.nodes[node]), 0.3, 1e-15);
    EXPECT_TRUE(mesh.node_groups.empty());
}

TEST(Sphere, volume_converges_with_second_order) {
    const double exact = 4 * std::numbers::pi / 3;
    const auto error = [&](Index n) { return exact - volume_of(make_sphere(1, n)); };
    for (Index n : {4, 8, 16}) EXPECT_NEAR(error(n) / error(2 * n), 4, 0.3);
}

TEST(ShapeDef, takes_its_resolution_from_cells_then_cell_then_a_default) {
    ShapeDef beam{.kind = ShapeKind::beam};
    EXPECT_EQ(resolution_of(beam), (std::array<Index, 3>{10, 2, 2}));
    beam.cell = 0.05;
    EXPECT_EQ(resolution_of(beam), (std::array<Index, 3>{20, 4, 4}));
    beam.cells = {3, 2, 1};
    EXPECT_EQ(make_shape(beam).n_tets(), 36);

    ShapeDef cylinder{.kind = ShapeKind::cylinder, .radius = 1, .height = 3, .cell = 0.5};
    EXPECT_EQ(resolution_of(cylinder), (std::array<Index, 3>{4, 6, 4}));
    ShapeDef sphere{.kind = ShapeKind::sphere, .radius = 1, .cell = 0.25};
    EXPECT_EQ(make_shape(sphere).n_tets(), 6 * 512);
}

TEST(ShapeDef, refuses_what_cannot_be_meshed) {
    const double nan = std::nan("");
    const std::vector<ShapeDef> wrong{
        {.size = Vec3d{1, 0, 1}},
        {.size = Vec3d{1, nan, 1}},
        {.cell = -1},
        {.cell = nan},
        {.cell = 1e-9},  // more tets than an Index can number
        {.cells = {1, 2}},
        {.cells = {1, 0, 2}},
        {.kind = ShapeKind::sphere, .radius = -1},
        {.kind = ShapeKind::sphere, .cells = {1, 2, 3}},
        {.kind = ShapeKind::cylinder, .height = 0},
        {.kind = ShapeKind::cylinder, .cells = {4}},
    };
    for (std::size_t i = 0; i < wrong.size(); ++i)
        EXPECT_THROW(make_shape(wrong[i]), InputError) << i;
    EXPECT_THROW(with_tets({}, 0), InputError);
}

TEST(ShapeDef, reaches_a_target_number_of_tets) {
    const std::vector<ShapeDef> shapes{
        {},
        {.kind = ShapeKind::beam},
        {.kind = ShapeKind::beam, .size = Vec3d{10, 0.1, 1}},
        {.kind = ShapeKind::cylinder},
        {.kind = ShapeKind::cylinder, .radius = 1, .height = 0.01},
        {.kind = ShapeKind::cylinder, .radius = 0.1, .height = 3},
    };
    for (const ShapeDef& shape : shapes)
        for (Index target : {1000, 5000, 20000, 100000})
            EXPECT_NEAR(make_shape(with_tets(shape, target)).n_tets(), target, 0.1 * target);
    // 6 n³ only: half way between n and n + 1 the miss is 15 % at n = 10.
    for (Index target : {7000, 20000, 100000})
        EXPECT_NEAR(make_shape(with_tets({.kind = ShapeKind::sphere}, target)).n_tets(), target,
                    0.15 * target);
}

}  // namespace
}  // namespace limber
