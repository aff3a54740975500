// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/stuffing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;

// The same random shapes in every run; a value given from outside goes first.
[[maybe_unused]] const int seeded = setenv("RC_PARAMS", "seed=2007 max_success=60", 0);

/// Everything stuff() promises about a mesh, whatever the shape.
::testing::AssertionResult is_sound(const TetMesh& mesh) {
    std::vector<char> used(mesh.nodes.size(), 0);
    for (const Tet& tet : mesh.tets) {
        for (Index node : tet) used[node] = 1;
        const auto& x = mesh.nodes;
        if (!(tet_volume(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]) > 0))
            return ::testing::AssertionFailure() << "a tet is not positive";
    }
    if (std::find(used.begin(), used.end(), 0) != used.end())
        return ::testing::AssertionFailure() << "a node is not used";
    const std::vector<FaceUse> faces = face_uses(mesh.tets);
    for (std::size_t i = 2; i < faces.size(); ++i)
        if (faces[i].nodes == faces[i - 2].nodes)
            return ::testing::AssertionFailure() << "a face belongs to three tets";
    const DihedralRange range = dihedral_range(mesh);
    if (range.min < min_dihedral_bound || range.max > max_dihedral_bound)
        return ::testing::AssertionFailure()
               << "dihedral angles " << range.min << " to " << range.max;
    const TriMeshReport surface = inspect(boundary_surface(mesh));
    if (!surface.manifold())
        return ::testing::AssertionFailure()
               << "boundary: " << surface.open_edges << " open, " << surface.nonmanifold_edges
               << " non-manifold edges, " << surface.pinched_nodes << " pinched nodes, "
               << surface.misoriented_edges << " misoriented edges";
    if (std::fabs(surface.volume - mesh_volume(mesh)) > 1e-9 * surface.volume)
        return ::testing::AssertionFailure() << "tets overlap or leave gaps";
    return ::testing::AssertionSuccess();
}

StuffingResult stuffed(const Solid& solid, double cell, bool graded = false) {
    StuffingOptions options;
    options.cell = cell;
    options.graded = graded;
    return stuff(*solid, options);
}

/// Euler's number of a closed surface: 2 (parts - handles).
Index euler_number(const TetMesh& mesh) {
    const TriMesh s = boundary_surface(mesh);
    return s.n_nodes() - s.n_triangles() / 2;
}

Solid gyroid_ball() {
    const auto gyroid = [](const Vec3d& p) {
        const double k = 7;
        return (std::sin(k * p.x) * std::cos(k * p.y) + std::sin(k * p.y) * std::cos(k * p.z) +
                std::sin(k * p.z) * std::cos(k * p.x)) /
               k;
    };
    // Each partial derivative is at most 2 / k * k, but |gradient| <= √3 because the six products
    // pair up: (cos cos - sin sin) <= 1 along each axis.
    return intersect(make_ball({0, 0, 0}, 1),
                     make_function(gyroid, {{-1, -1, -1}, {1, 1, 1}}, std::sqrt(3.0)));
}

TEST(Stuffing, fills_a_ball_within_the_curvature_of_its_cells) {
    for (bool graded : {false, true}) {
        const StuffingResult r = stuffed(make_ball({0.1, -0.2, 0.3}, 1), 0.15, graded);
        EXPECT_TRUE(is_sound(r.mesh));
        EXPECT_EQ(euler_number(r.mesh), 2);
        EXPECT_EQ(r.n_parts, 1);
        // Boundary nodes lie on the sphere, so facets of size h cut off about h²/8 of depth.
        EXPECT_NEAR(r.volume, 4 * pi / 3, 4 * pi * 0.15 * 0.15 / 8);
        const TriMesh surface = boundary_surface(r.mesh);
        for (const Vec3d& p : surface.nodes)
            EXPECT_NEAR(norm(p - Vec3d{0.1, -0.2, 0.3}), 1, 1e-6 * 0.15);
    }
}

TEST(Stuffing, fits_a_block_of_whole_cells_exactly) {
    const StuffingResult r = stuffed(make_block({0, 0, 0}, {1, 0.6, 0.4}), 0.1);
    EXPECT_TRUE(is_sound(r.mesh));
    const Box3 box = bounding_box(r.mesh.nodes);
    EXPECT_NEAR(box.size().x, 1, 1e-12);
    EXPECT_NEAR(box.size().z, 0.4, 1e-12);
    EXPECT_NEAR(r.volume, 1 * 0.6 * 0.4, 0.01 * 0.24);
}

TEST(Stuffing, keeps_the_topology_that_the_cell_resolves) {
    EXPECT_EQ(euler_number(stuffed(make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.3), 0.12).mesh), 0);
    const StuffingResult two =
        stuffed(unite(make_ball({-1, 0, 0}, 0.5), make_ball({1, 0, 0}, 0.5)), 0.1);
    EXPECT_EQ(two.n_parts, 2);
    const StuffingResult shell =
        stuffed(subtract(make_ball({0, 0, 0}, 1), make_ball({0, 0, 0}, 0.5)), 0.1);
    EXPECT_TRUE(is_sound(shell.mesh));
    EXPECT_EQ(euler_number(shell.mesh), 4);  // two spheres
}

TEST(Stuffing, keeps_the_bounds_on_many_shapes) {
    const auto shapes = [] {
        std::vector<Solid> s;
        s.push_back(make_block({0.03, 0.01, -0.02}, {1, 0.7, 0.5}));
        s.push_back(place(make_block({0, 0, 0}, {1, 0.7, 0.5}, 0.05),
                          rotation_about({0.6, 0.8, 0}, 0.7), {0.1, 0.2, 0.3}, 1.3));
        s.push_back(make_torus({0, 0, 0}, {0, 1, 0.3}, 0.6, 0.2));
        s.push_back(make_rod({-0.5, 0, 0}, {0.4, 0.3, 0.2}, 0.25));
        s.push_back(make_ellipsoid({0, 0, 0}, {0.8, 0.4, 0.25}));
        s.push_back(make_rounded_cone({0, 0, 0}, 0.5, {0, 1, 0.2}, 0.1));
        s.push_back(smooth_unite(make_ball({-0.4, 0, 0}, 0.5),
                                 make_capsule({0, 0, 0}, {1, 0.5, 0}, 0.2), 0.2));
        s.push_back(
            subtract(make_block({0, 0, 0}, {1, 1, 1}), make_rod({0, -1, 0}, {0, 1, 0}, 0.2)));
        s.push_back(gyroid_ball());
        return s;
    }();
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (bool graded : {false, true})
            EXPECT_TRUE(is_sound(stuffed(shapes[i], 0.083, graded).mesh))
                << "shape " << i << (graded ? ", graded" : ", uniform");
}

TEST(Stuffing, stays_manifold_where_the_shape_is_thinner_than_the_cell) {
    Index n_restored = 0;
    for (double cell : {0.03, 0.05, 0.07, 0.11}) {
        const StuffingResult r = stuffed(
            grow(intersect(gyroid_ball(), make_block({0, 0, 0}, {1.9, 1.1, 0.17})), -0.02), cell);
        EXPECT_TRUE(is_sound(r.mesh)) << "cell " << cell;
        n_restored += r.n_restored;
    }
    EXPECT_GT(n_restored, 0) << "the shape does not test what it is for";
}

/// A handful of balls and capsules, some taken away again.
Solid random_blob(std::uint64_t seed) {
    std::uint64_t state = seed;
    const auto next = [&state] {  // splitmix64, scaled to [-1, 1)
        state += 0x9e3779b97f4a7c15;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>(z ^ (z >> 31)) / 9.2233720368547758e18 - 1;
    };
    const auto point = [&] { return Vec3d{next(), next(), next()}; };
    Solid blob = make_ball(0.3 * point(), 0.5);
    for (int k = 0; k < 5; ++k) {
        const double r = 0.2 + 0.15 * next();
        Solid part = next() < 0 ? make_ball(point(), r) : make_capsule(point(), point(), r);
        const double kind = next();
        if (kind < -0.4)
            blob = subtract(std::move(blob), std::move(part));
        else if (kind < 0.2)
            blob = unite(std::move(blob), std::move(part));
        else
            blob = smooth_unite(std::move(blob), std::move(part), 0.3);
    }
    return blob;
}

TEST(Stuffing, is_sound_for_random_blobs) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed, bool graded) {
        const Solid blob = random_blob(seed);
        const double cell = *rc::gen::element(0.07, 0.11, 0.16, 0.24);
        const auto sound = is_sound(stuffed(blob, cell, graded).mesh);
        RC_LOG() << sound.message();
        RC_ASSERT(bool(sound));
    }));
}

TEST(Stuffing, does_not_depend_on_the_number_of_threads) {
    const auto mesh_with = [](int threads, bool graded) {
        const ThreadLimit limit(threads);
        return stuffed(random_blob(5), 0.05, graded).mesh;
    };
    for (bool graded : {false, true}) {
        const TetMesh one = mesh_with(1, graded), three = mesh_with(3, graded);
        EXPECT_EQ(one.nodes, three.nodes);
        EXPECT_EQ(one.tets, three.tets);
    }
}

TEST(Stuffing, is_coarser_inside_when_graded) {
    const Solid ball = make_ball({0, 0, 0}, 1);
    const StuffingResult uniform = stuffed(ball, 0.06), graded = stuffed(ball, 0.06, true);
    EXPECT_LT(graded.mesh.n_tets(), uniform.mesh.n_tets() * 6 / 10);
    EXPECT_EQ(boundary_triangles(graded.mesh.tets).size(),
              boundary_triangles(uniform.mesh.tets).size());
    EXPECT_NEAR(graded.volume, uniform.volume, 1e-9);
}

TEST(Stuffing, leaves_out_fragments_where_asked) {
    StuffingOptions options;
    options.cell = 0.1;
    const Solid shape = unite(make_ball({0, 0, 0}, 1), make_ball({1.4, 0, 0}, 0.15));
    EXPECT_EQ(stuff(*shape, options).n_parts, 2);
    options.fragments = 0.01;
    const StuffingResult r = stuff(*shape, options);
    EXPECT_TRUE(is_sound(r.mesh));
    EXPECT_EQ(r.n_parts, 1);
    EXPECT_EQ(r.mesh.node_ids.size(), r.mesh.nodes.size());
    ASSERT_EQ(r.remarks.size(), 1u);
    EXPECT_NE(r.remarks[0].find("1 fragment with 0.3"), std::string::npos) << r.remarks[0];
    EXPECT_LT(bounding_box(r.mesh.nodes).hi.x, 1.01);
}

TEST(OptionsForTets, hit_the_number_within_five_per_cent) {
    std::vector<Solid> shapes;
    shapes.push_back(
        smooth_unite(make_ball({0, 0, 0}, 0.5), make_capsule({0, 0, 0}, {1.2, 0.3, 0}, 0.15), 0.2));
    shapes.push_back(make_block({0, 0, 0}, {1, 1, 1}));  // grows by whole layers
    for (const Solid& shape : shapes)
        for (bool graded : {false, true})
            for (Index n : {2000, 30000}) {
                StuffingOptions options;
                options.graded = graded;
                options = options_for_tets(*shape, n, options);
                EXPECT_NEAR(stuff(*shape, options).mesh.n_tets(), n, 0.05 * n) << graded;
            }
}

TEST(Stuffing, matches_the_volume_where_asked) {
    StuffingOptions options;
    options.cell = 0.25;
    options.match_volume = true;
    options.shape_volume = 4 * pi / 3;
    const StuffingResult r = stuff(*make_ball({0, 0, 0}, 1), options);
    EXPECT_TRUE(is_sound(r.mesh));
    EXPECT_NEAR(r.volume, options.shape_volume, 1e-3 * options.shape_volume);
    EXPECT_GT(r.offset, 0);
    EXPECT_LT(r.offset, 0.2 * options.cell);
    EXPECT_LT(stuffed(make_ball({0, 0, 0}, 1), 0.25).volume, 0.99 * options.shape_volume);
}

TEST(StuffingRefuses, a_cell_that_needs_more_memory_than_there_is) {
    StuffingOptions options;
    options.cell = 1e-5;
    try {
        stuff(*make_ball({0, 0, 0}, 1), options);
        FAIL() << "2e15 lattice points were not refused";
    } catch (const InputError& e) {
        EXPECT_NE(e.message().find("GB of memory"), std::string::npos) << e.message();
    }
    options.cell = 0.05;
    options.memory = 1000000;
    EXPECT_THROW(stuff(*make_ball({0, 0, 0}, 1), options), InputError);
}

TEST(StuffingRefuses, cells_and_shapes_that_make_no_sense) {
    const Solid ball = make_ball({0, 0, 0}, 1);
    for (double cell : {0.0, -1.0, std::nan(""), HUGE_VAL})
        EXPECT_THROW(stuffed(ball, cell), InputError) << cell;
    EXPECT_THROW(stuffed(make_half_space({0, 1, 0}, 0), 0.1), InputError);
    EXPECT_THROW(
        stuffed(make_function([](const Vec3d&) { return std::nan(""); }, {{-1, -1, -1}, {1, 1, 1}}),
                0.1),
        InputError);
    EXPECT_THROW(
        stuffed(make_function([](const Vec3d&) { return -1.0; }, {{-1, -1, -1}, {1, 1, 1}}), 0.1),
        InputError);
    EXPECT_THROW(options_for_tets(*ball, 0), InputError);
}

TEST(StuffingRefuses, a_shape_thinner_than_the_cell_everywhere) {
    StuffingOptions options;
    options.cell = 0.3;
    EXPECT_THROW(stuffed(make_block({0, 0, 0}, {1, 1e-3, 1}), 0.1), InputError);
    const Solid apart = intersect(make_ball({0, 0, 0}, 1), make_ball({3, 0, 0}, 1));
    EXPECT_THROW(stuffed(apart, 0.1), InputError);
    // The lattice is centred on the shape: two specks lie off its points.
    const Solid two = unite(make_ball({0.07, 0.03, 0.02}, 0.01), make_ball({1, 1.1, 1.2}, 0.01));
    try {
        stuff(*two, options);
        FAIL() << "two specks between the lattice points were meshed";
    } catch (const InputError& e) {
        EXPECT_NE(e.message().find("try a cell of"), std::string::npos) << e.message();
    }
}

TEST(StuffingRemarks, on_volume_lost_to_a_large_cell) {
    const Solid cross =
        unite(make_block({0, 0, 0}, {2, 0.5, 0.5}), make_block({0, 0.6, 0}, {2, 0.03, 1.3}));
    const StuffingResult coarse = stuffed(cross, 0.24);
    ASSERT_FALSE(coarse.remarks.empty());
    EXPECT_NE(coarse.remarks[0].find("less volume"), std::string::npos) << coarse.remarks[0];
    EXPECT_TRUE(stuffed(make_ball({0, 0, 0}, 1), 0.1).remarks.empty());

    // Two balls that touch become one body where the gap falls between the lattice points.
    StuffingOptions options;
    options.cell = 0.2;
    options.shape_parts = 2;
    const StuffingResult joined =
        stuff(*unite(make_ball({-0.49, 0, 0}, 0.5), make_ball({0.49, 0, 0}, 0.5)), options);
    EXPECT_EQ(joined.n_parts, 1);
    ASSERT_FALSE(joined.remarks.empty());
    EXPECT_NE(joined.remarks.back().find("2 separate parts"), std::string::npos);
}

}  // namespace
}  // namespace limber
