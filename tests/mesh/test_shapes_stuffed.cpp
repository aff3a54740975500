// SPDX-License-Identifier: Apache-2.0
// The shapes that are filled by the mesher: everything in mesh/shapes/.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/core/errors.h"
#include "limber/mesh/shapes.h"
#include "limber/mesh/shapes/stuffed_shape.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {
namespace {

std::string name_of(ShapeKind kind) {
    return std::string(enum_names(kind)[static_cast<std::size_t>(kind)]);
}

std::vector<ShapeKind> stuffed_kinds() {
    std::vector<ShapeKind> kinds;
    for (const ShapeInfo& info : shape_table())
        if (info.make) kinds.push_back(info.kind);
    return kinds;
}

/// Vertices - edges + faces of the boundary: 2 - 2 genus for one closed surface.
Index euler_characteristic(const TetMesh& mesh) {
    const TriMesh surface = boundary_surface(mesh);
    return surface.n_nodes() - surface.n_triangles() / 2;
}

void expect_sound(const TetMesh& mesh) {
    EXPECT_TRUE(inspect(boundary_surface(mesh)).manifold());
    for (const auto& [a, b, c, d] : mesh.tets)
        ASSERT_GT(tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]), 0);
    const std::vector<Index> part = tet_parts(mesh);
    EXPECT_EQ(*std::max_element(part.begin(), part.end()), 0) << "more than one part";
    const DihedralRange range = dihedral_range(mesh);
    EXPECT_GT(range.min, 10.7);
    EXPECT_LT(range.max, 164.8);
}

/// Every region has tets, no tet has two, and together they are the whole.
void expect_regions(const TetMesh& mesh) {
    if (mesh.tet_groups.empty()) return;
    std::vector<int> uses(mesh.tets.size(), 0);
    for (const auto& [name, tets] : mesh.tet_groups) {
        EXPECT_FALSE(tets.empty()) << name;
        EXPECT_TRUE(std::is_sorted(tets.begin(), tets.end())) << name;
        for (Index t : tets) ++uses[t];
    }
    EXPECT_TRUE(std::all_of(uses.begin(), uses.end(), [](int n) { return n == 1; }));
}

void expect_node_groups(const TetMesh& mesh) {
    EXPECT_TRUE(mesh.node_groups.count("base"));
    for (const auto& [name, nodes] : mesh.node_groups) {
        EXPECT_FALSE(nodes.empty()) << name;
        EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end())) << name;
        EXPECT_LT(nodes.size(), mesh.nodes.size() / 2) << name;
    }
}

class StuffedShapes : public ::testing::TestWithParam<ShapeKind> {};

TEST_P(StuffedShapes, are_sound_at_their_own_and_a_finer_resolution) {
    const double cell = shape_info(GetParam()).make().cell;
    for (double finer : {1.0, 1.25}) {
        SCOPED_TRACE(finer);
        const TetMesh mesh = make_shape({.kind = GetParam(), .cell = cell / finer});
        expect_sound(mesh);
        expect_regions(mesh);
        expect_node_groups(mesh);
    }
}

TEST_P(StuffedShapes, have_the_number_of_tets_that_was_asked_for) {
    const Index n = 6000;
    EXPECT_NEAR(make_shape({.kind = GetParam(), .tets = n}).n_tets(), n, 0.05 * n);
}

INSTANTIATE_TEST_SUITE_P(all, StuffedShapes, ::testing::ValuesIn(stuffed_kinds()),
                         [](const auto& p) { return name_of(p.param); });

TEST(ShapeTable, has_one_row_a_kind_in_their_order) {
    ASSERT_EQ(shape_table().size(), enum_names(ShapeKind{}).size());
    std::set<std::string_view> texts;
    for (std::size_t i = 0; i < shape_table().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(shape_table()[i].kind), i);
        texts.insert(shape_table()[i].about);
    }
    EXPECT_EQ(texts.size(), shape_table().size());
    EXPECT_TRUE(shape_info(ShapeKind::cylinder).reads("radius"));
    EXPECT_TRUE(shape_info(ShapeKind::cylinder).reads("cells"));
    EXPECT_FALSE(shape_info(ShapeKind::cylinder).reads("size"));
    EXPECT_FALSE(shape_info(ShapeKind::bear).reads("cells"));
    EXPECT_FALSE(shape_info(ShapeKind::box).reads("cell s"));
}

TEST(ThreeTorus, has_three_holes_and_the_torus_one) {
    EXPECT_EQ(euler_characteristic(make_shape({.kind = ShapeKind::three_torus})), -4);
    EXPECT_EQ(euler_characteristic(make_shape({.kind = ShapeKind::torus})), 0);
    EXPECT_EQ(euler_characteristic(make_shape({.kind = ShapeKind::bear})), 2);
}

TEST(Sculpture, is_a_ball_of_the_stated_radius_with_many_holes_at_every_resolution) {
    const TetMesh coarse = make_shape({.kind = ShapeKind::sculpture, .tets = 6681});
    const TetMesh fine = make_shape({.kind = ShapeKind::sculpture, .cell = 0.05});
    EXPECT_NEAR(coarse.n_tets(), 6681, 0.05 * 6681);
    EXPECT_LT(euler_characteristic(fine), -20);  // genus over 11
    EXPECT_EQ(euler_characteristic(coarse), euler_characteristic(fine));
    double radius = 0;
    for (const Vec3d& x : fine.nodes) radius = std::max(radius, norm(x));
    EXPECT_NEAR(radius, 0.8, 0.01);
}

TEST(Finger, has_its_cable_along_its_length_and_its_cavity_open_at_the_base) {
    const TetMesh mesh = make_shape({.kind = ShapeKind::finger});
    std::vector<double> x;
    for (Index i : mesh.node_groups.at("cable")) {
        x.push_back(mesh.nodes[i].x);
        EXPECT_NEAR(mesh.nodes[i].y, -0.009, 0.003);
        EXPECT_NEAR(mesh.nodes[i].z, 0, 0.003);
    }
    std::sort(x.begin(), x.end());
    EXPECT_LT(x.front(), 0.004);
    EXPECT_GT(x.back(), 0.105);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) EXPECT_LT(x[i + 1] - x[i], 0.006);
    EXPECT_EQ(euler_characteristic(mesh), 2);  // a dent, not a bubble
    for (Index i : mesh.node_groups.at("cavity"))
        EXPECT_LT(std::hypot(mesh.nodes[i].y - 0.001, mesh.nodes[i].z), 0.006);
}

TEST(Spider, hangs_by_its_thread_with_soft_joints_between_stiff_parts) {
    const TetMesh mesh = make_shape({.kind = ShapeKind::spider});
    for (const char* name : {"thread", "joints", "body", "legs"})
        EXPECT_GT(mesh.tet_groups.at(name).size(), 50u) << name;
    double top = 0;
    for (const Vec3d& x : mesh.nodes) top = std::max(top, x.y);
    for (Index i : mesh.node_groups.at("thread_top")) EXPECT_GT(mesh.nodes[i].y, top - 0.02);
}

TEST(Sheet, is_flat_with_six_tets_a_cell_and_any_thickness) {
    const TetMesh mesh = make_shape({.kind = ShapeKind::sheet});
    EXPECT_EQ(mesh.n_tets(), 6 * 20 * 20);
    const Box3 box = bounding_box(mesh.nodes);
    EXPECT_EQ(box.size().x, 1);
    EXPECT_EQ(box.size().y, 1e-4);
    EXPECT_EQ(box.size().z, 1);
    const TetMesh thick =
        make_shape({.kind = ShapeKind::sheet, .size = Vec3d{1, 0.1, 1}, .tets = 10'000});
    EXPECT_NEAR(thick.n_tets(), 10'000, 1000);
}

TEST(ShapeDef, refuses_what_the_mesher_cannot_do) {
    EXPECT_THROW(make_shape({.kind = ShapeKind::bear, .cell = -1}), InputError);
    EXPECT_THROW(make_shape({.kind = ShapeKind::bear, .cell = 10}), InputError);
    EXPECT_THROW(make_shape({.kind = ShapeKind::bear, .cell = 1e-7}), InputError);  // memory
    EXPECT_THROW(make_shape({.kind = ShapeKind::bear, .tets = -5}), InputError);
}

}  // namespace
}  // namespace limber
