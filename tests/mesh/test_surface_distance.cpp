// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/surface_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "limber/core/errors.h"
#include "limber/mesh/proximity.h"

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;

/// The six faces of a block, outwards.
TriMesh block_surface(const Vec3d& lo, const Vec3d& hi) {
    TriMesh mesh;
    for (int k = 0; k < 8; ++k)
        mesh.nodes.push_back({k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z});
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

TriMesh joined(TriMesh a, const TriMesh& b) {
    const Index shift = a.n_nodes();
    a.nodes.insert(a.nodes.end(), b.nodes.begin(), b.nodes.end());
    for (const auto& [i, j, k] : b.triangles)
        a.triangles.push_back({i + shift, j + shift, k + shift});
    return a;
}

TriMesh ball_surface(double cell = 0.2) {
    StuffingOptions options;
    options.cell = cell;
    return boundary_surface(stuff(*make_ball({0, 0, 0}, 1), options).mesh);
}

std::string refusal(const TriMesh& surface) {
    try {
        SurfaceSolid solid(surface);
    } catch (const InputError& e) {
        return e.message();
    }
    return "";
}

TEST(TriMesh, report_of_a_block_finds_nothing_wrong) {
    const TriMeshReport r = inspect(block_surface({0, 0, 0}, {1, 2, 3}));
    EXPECT_TRUE(r.manifold());
    EXPECT_FALSE(r.inside_out());
    EXPECT_EQ(r.parts, 1);
    EXPECT_DOUBLE_EQ(r.volume, 6);
    EXPECT_DOUBLE_EQ(r.area, 22);
    EXPECT_TRUE(inspect(turned(block_surface({0, 0, 0}, {1, 2, 3}))).inside_out());
}

TEST(TriMesh, report_counts_each_fault) {
    TriMesh mesh = block_surface({0, 0, 0}, {1, 1, 1});
    mesh.triangles.pop_back();
    EXPECT_EQ(inspect(mesh).open_edges, 3);
    mesh = block_surface({0, 0, 0}, {1, 1, 1});
    std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
    EXPECT_EQ(inspect(mesh).misoriented_edges, 3);
    mesh = block_surface({0, 0, 0}, {1, 1, 1});
    mesh.triangles.push_back(mesh.triangles[4]);
    EXPECT_EQ(inspect(mesh).duplicates, 1);
    EXPECT_EQ(inspect(mesh).nonmanifold_edges, 3);
    mesh = block_surface({0, 0, 0}, {1, 1, 1});
    mesh.triangles.push_back({1, 1, 2});
    mesh.nodes.push_back({5, 5, 5});
    EXPECT_EQ(inspect(mesh).degenerate, 1);
    EXPECT_EQ(inspect(mesh).unused_nodes, 1);
    // Two blocks that share one corner only.
    mesh = welded(joined(block_surface({0, 0, 0}, {1, 1, 1}), block_surface({1, 1, 1}, {2, 2, 2})));
    EXPECT_EQ(mesh.n_nodes(), 15);
    EXPECT_EQ(inspect(mesh).pinched_nodes, 1);
    EXPECT_EQ(inspect(mesh).parts, 2);
}

TEST(TriangleBvh, finds_the_same_closest_point_and_ray_hit_as_looking_at_every_triangle) {
    const TriMesh mesh = ball_surface();
    const TriangleBvh tree(mesh);
    for (int i = 0; i < 300; ++i) {
        const Vec3d p{1.7 * std::sin(1.1 * i), 1.7 * std::sin(2.3 * i + 1),
                      1.7 * std::sin(3.7 * i)};
        double nearest = HUGE_VAL;
        for (const auto& [a, b, c] : mesh.triangles)
            nearest = std::min(
                nearest,
                norm(p -
                     nearest_on_triangle(p, mesh.nodes[a], mesh.nodes[b], mesh.nodes[c]).point));
        const TriangleBvh::Closest found = tree.closest(p);
        EXPECT_DOUBLE_EQ(found.distance, nearest);
        EXPECT_NEAR(norm(p - found.point), nearest, 1e-14);
    }
    // Facets of a cell of 0.2 lie within 0.2²/8 of the sphere.
    EXPECT_NEAR(tree.first_hit({0, 0, 0}, {0.6, 0, 0.8}, 0), 1, 0.006);
    EXPECT_NEAR(tree.first_hit({0, 0, -3}, {0, 0, 1}, 2.5), 4, 0.006);
    EXPECT_EQ(tree.first_hit({0, 3, -3}, {0, 0, 1}, 0), HUGE_VAL);
}

TEST(TriangleBvh, winding_number_is_one_inside_and_zero_outside) {
    const TriangleBvh tree(ball_surface(0.1));
    for (int i = 0; i < 300; ++i) {
        const double r = 2 * (i + 0.5) / 300;
        const Vec3d d{std::sin(1.1 * i), std::sin(2.3 * i + 1), std::sin(3.7 * i)};
        if (std::fabs(r - 1) < 0.01) continue;
        EXPECT_NEAR(tree.winding_number((r / norm(d)) * d), r < 1 ? 1 : 0, 0.1) << r;
    }
}

TEST(SurfaceSolid, is_the_signed_distance_of_a_block) {
    const SurfaceSolid solid(block_surface({-1, -1, -1}, {1, 1, 1}));
    const Solid exact = make_block({0, 0, 0}, {2, 2, 2});
    EXPECT_TRUE(solid.surface().remarks.empty());
    for (int i = 0; i < 500; ++i) {
        const Vec3d p{1.5 * std::sin(1.1 * i), 1.5 * std::sin(2.3 * i + 1),
                      1.5 * std::sin(3.7 * i)};
        EXPECT_NEAR(solid.value(p), exact->value(p), 1e-12);
    }
}

TEST(SurfaceSolid, turns_an_inside_out_surface_and_says_so) {
    const SurfaceSolid solid(turned(block_surface({0, 0, 0}, {1, 1, 1})));
    EXPECT_LT(solid.value({0.5, 0.5, 0.5}), 0);
    ASSERT_EQ(solid.surface().remarks.size(), 1u);
    EXPECT_EQ(solid.surface().remarks[0], "the surface was inside out and was turned");
}

TEST(SurfaceSolid, turns_single_triangles_to_agree_with_the_rest) {
    TriMesh mesh = block_surface({0, 0, 0}, {1, 1, 1});
    std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
    std::swap(mesh.triangles[8][0], mesh.triangles[8][1]);
    const SurfaceSolid solid(mesh);
    EXPECT_NEAR(solid.surface().volume, 1, 1e-15);
    ASSERT_EQ(solid.surface().remarks.size(), 1u);
    EXPECT_EQ(solid.surface().remarks[0], "2 triangles were turned to agree with their neighbours");
}

TEST(SurfaceSolid, closes_holes_and_says_so) {
    TriMesh mesh = block_surface({0, 0, 0}, {1, 1, 1});
    mesh.triangles.resize(10);  // the side x = 1 is open
    const SurfaceSolid solid(mesh);
    EXPECT_LT(solid.value({0.9, 0.5, 0.5}), 0);
    EXPECT_GT(solid.value({1.1, 0.5, 0.5}), 0);
    EXPECT_NEAR(solid.surface().volume, 1, 1e-15);
    ASSERT_EQ(solid.surface().remarks.size(), 1u);
    EXPECT_NE(solid.surface().remarks[0].find("1 hole with 4 open edges"), std::string::npos)
        << solid.surface().remarks[0];
}

TEST(SurfaceSolid, takes_crossing_and_hollow_surfaces) {
    const SurfaceSolid crossing(
        joined(block_surface({0, 0, 0}, {1, 1, 1}), block_surface({0.5, 0.5, 0.5}, {2, 2, 2})));
    for (double x : {0.25, 0.75, 1.5}) EXPECT_LT(crossing.value({x, x, x}), 0);
    const SurfaceSolid hollow(
        joined(block_surface({0, 0, 0}, {3, 3, 3}), turned(block_surface({1, 1, 1}, {2, 2, 2}))));
    EXPECT_GT(hollow.value({1.5, 1.5, 1.5}), 0);
    EXPECT_LT(hollow.value({0.5, 1.5, 1.5}), 0);
}

TEST(SurfaceSolid, joins_the_loose_triangles_of_an_stl_file) {
    const TriMesh block = block_surface({0, 0, 0}, {1, 1, 1});
    TriMesh loose;
    for (const Triangle& t : block.triangles) {
        const Index n = loose.n_nodes();
        loose.triangles.push_back({n, n + 1, n + 2});
        for (Index node : t) loose.nodes.push_back(block.nodes[node]);
    }
    EXPECT_TRUE(SurfaceSolid(loose).surface().found.manifold());
}

TEST(SurfaceSolid, refuses_what_has_no_inside) {
    EXPECT_EQ(refusal({}), "the surface has no triangles");
    TriMesh flat;
    flat.nodes = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    flat.triangles = {{0, 1, 2}, {2, 1, 0}};
    EXPECT_EQ(refusal(flat), "none of the surface's 2 triangles has an area");
    flat.nodes[2] = {0, 1, 0};
    flat.triangles.pop_back();
    EXPECT_NE(refusal(flat).find("encloses no volume"), std::string::npos) << refusal(flat);
    flat.nodes[1].x = std::nan("");
    EXPECT_NE(refusal(flat).find("not finite"), std::string::npos);
    // A tall open tube without ends is closed; a shallow bowl's rim takes more than there is.
    TriMesh bottom = block_surface({0, 0, 0}, {1, 1, 1});
    bottom.triangles.resize(2);
    bottom.triangles.push_back({4, 5, 7});
    EXPECT_NE(refusal(bottom), "");
}

// Every lattice point on the block's faces is a tie that rounding decides.
TEST(SurfaceSolid, of_a_block_of_whole_cells_is_meshed_exactly) {
    const SurfaceSolid solid(block_surface({0.3, 0, 0}, {1.3, 0.6, 0.4}));
    StuffingOptions options;
    solid.describe(options);
    EXPECT_EQ(options.shape_parts, 1);
    EXPECT_NEAR(options.shape_volume, 0.24, 1e-15);
    EXPECT_NEAR(options.thinnest, 0.4, 1e-12);
    options.cell = 0.1;
    const StuffingResult r = stuff(solid, options);
    EXPECT_TRUE(r.remarks.empty());
    EXPECT_TRUE(inspect(boundary_surface(r.mesh)).manifold());
    EXPECT_GE(r.dihedral.min, min_dihedral_bound);
    EXPECT_NEAR(r.volume, 0.24, 0.01 * 0.24);  // the edges are cut off
    EXPECT_NEAR(bounding_box(r.mesh.nodes).size().y, 0.6, 1e-9);
}

TEST(MeasureDistance, of_a_mesh_to_its_own_shape_is_the_facets_depth) {
    const TriMesh fine = ball_surface(0.05), coarse = ball_surface(0.2);
    const SurfaceDistance d = measure_distance(coarse, fine);
    EXPECT_LT(d.max_to, 0.05 * 0.05 / 4);  // coarse nodes lie on the sphere
    EXPECT_LT(d.max_from, 0.2 * 0.2 / 4);  // facets of edges up to about a cell
    EXPECT_GT(d.max_from, 10 * d.max_to / 4);
    EXPECT_LE(d.mean_from, d.max_from);
}

// Readers for the files below, no more than these files need.

TriMesh read_off(std::istream& in) {
    std::string word;
    Index n_nodes = 0, n_faces = 0, skipped = 0;
    in >> word >> n_nodes >> n_faces >> skipped;
    TriMesh mesh;
    mesh.nodes.resize(n_nodes);
    for (Vec3d& p : mesh.nodes) in >> p.x >> p.y >> p.z;
    for (Index i = 0; i < n_faces; ++i) {
        Index n = 0;
        Triangle t;
        in >> n >> t[0] >> t[1] >> t[2];
        mesh.triangles.push_back(t);
        std::getline(in, word);
    }
    return mesh;
}

TriMesh read_obj(std::istream& in) {
    TriMesh mesh;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "v") {
            Vec3d p;
            words >> p.x >> p.y >> p.z;
            mesh.nodes.push_back(p);
        } else if (word == "f") {
            std::vector<Index> face;
            while (words >> word) face.push_back(std::stoi(word) - 1);  // stops at the slash
            for (std::size_t k = 2; k < face.size(); ++k)
                mesh.triangles.push_back({face[0], face[k - 1], face[k]});
        }
    }
    return mesh;
}

TriMesh read_binary_stl(std::istream& in) {
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    TriMesh mesh;
    for (std::size_t at = 84; at + 50 <= bytes.size(); at += 50) {
        float x[9];
        std::memcpy(x, bytes.data() + at + 12, sizeof x);
        const Index n = mesh.n_nodes();
        for (int k = 0; k < 3; ++k) mesh.nodes.push_back({x[3 * k], x[3 * k + 1], x[3 * k + 2]});
        mesh.triangles.push_back({n, n + 1, n + 2});
    }
    return mesh;
}

TriMesh read_surface(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (path.extension() == ".off") return read_off(in);
    return path.extension() == ".obj" ? read_obj(in) : read_binary_stl(in);
}

TEST(RealSurfaces, are_meshed_within_two_per_cent_of_their_volume) {
    const char* given = std::getenv("LIMBER_TEST_MESHES");
    const std::filesystem::path root =
        given ? std::filesystem::path(given) : LIMBER_SOURCE_DIR "/../shared/meshes";
    if (!std::filesystem::exists(root / "surface"))
        GTEST_SKIP() << "no surfaces in " << root << "; LIMBER_TEST_MESHES names their folder";
    for (const char* name : {"spot.obj", "ChineseDragon-10kv.off", "liver-smooth.obj",
                             "raptor_8kp.obj", "elephant.off", "sphere_binary.stl"}) {
        const TriMesh surface = read_surface(root / "surface" / name);
        const SurfaceSolid solid(surface);
        StuffingOptions options;
        solid.describe(options);
        options = options_for_tets(solid, 58000, options);
        const StuffingResult r = stuff(solid, options);
        EXPECT_NEAR(r.mesh.n_tets(), 58000, 0.05 * 58000) << name;
        EXPECT_NEAR(r.volume, solid.surface().volume, 0.02 * solid.surface().volume) << name;
        EXPECT_EQ(r.n_parts == 1, r.remarks.empty()) << name;  // the raptor's claws come off
        EXPECT_GE(r.dihedral.min, min_dihedral_bound) << name;
        EXPECT_LE(r.dihedral.max, max_dihedral_bound) << name;
        EXPECT_TRUE(inspect(boundary_surface(r.mesh)).manifold()) << name;
        const SurfaceDistance d = measure_distance(boundary_surface(r.mesh), surface);
        EXPECT_LT(d.mean_to, 0.05 * options.cell) << name;
    }
}

}  // namespace
}  // namespace limber
