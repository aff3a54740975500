// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/model.h"

#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>

#include "limber/io/mesh_reader.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::good_scene;
using test::input_error;
using test::scene_of;

Model built(const std::string& toml, BuildReport* report = nullptr) {
    BuildReport own;
    return build_model(scene_of(toml), report ? *report : own);
}
std::string body_with(const std::string& keys) {
    return good_scene + keys;
}
const std::string pin = "[[pin]]\nbody = \"bar\"\n";
const std::string force = "[[force]]\nbody = \"bar\"\n";

/// Sums of the shares, the load the body feels [N].
Vec3d total(const NodalForce& f) {
    Vec3d sum{};
    for (const Vec3d& share : f.share) sum += share;
    return sum;
}

TEST(BuildModel, bodies_follow_each_other) {
    const Model m = built(good_scene +
                          "[[body]]\nname = \"ball\"\nshape = \"sphere\"\ncells = [2]\n"
                          "material = \"rubber\"\nmass = \"consistent\"\n");
    ASSERT_EQ(m.bodies.size(), 2u);
    EXPECT_EQ(m.bodies[0].node_begin, 0);
    EXPECT_EQ(m.bodies[0].node_end, m.bodies[1].node_begin);
    EXPECT_EQ(m.bodies[1].node_end, m.n_nodes());
    EXPECT_EQ(m.bodies[1].tet_end, m.n_tets());
    for (Index t = m.bodies[1].tet_begin; t < m.bodies[1].tet_end; ++t)
        for (const Index node : m.mesh.tets[t]) EXPECT_GE(node, m.bodies[1].node_begin);
    EXPECT_TRUE(m.consistent_mass);
    EXPECT_EQ(m.mesh.node_ids[m.bodies[1].node_begin], 0);
}

TEST(BuildModel, mass_is_density_times_volume) {
    BuildReport report;
    built(good_scene, &report);
    // Rounding of a sum over a few dozen tets.
    EXPECT_NEAR(report.bodies[0].mass, 1000 * 1 * 0.2 * 0.2, 1e-12 * 40);
}

TEST(BuildModel, bodies_are_scaled_then_rotated_then_moved) {
    // The beam 1 x 0.2 x 0.2 stretched to 2 along x, turned so that x becomes y, lifted by 5.
    const Model m = built(body_with(
        "scale = [2, 1, 1]\nrotate = { axis = [0, 0, 1], angle = 90 }\ntranslate = [0, 5, 0]\n"));
    const Box3 box = bounding_box(m.mesh.nodes);
    EXPECT_NEAR(box.lo.x, -0.1, 1e-15);
    EXPECT_NEAR(box.hi.x, 0.1, 1e-15);
    EXPECT_NEAR(box.lo.y, 4, 1e-14);
    EXPECT_NEAR(box.hi.y, 6, 1e-14);
}

TEST(BuildModel, three_ways_to_say_a_rotation_agree) {
    const auto nodes = [](const std::string& rotate) {
        return built(body_with("rotate = " + rotate + "\n")).mesh.nodes;
    };
    const auto a = nodes("{ axis = [0, 0, 3], angle = 90 }"), b = nodes("[0, 0, 90]"),
               c = nodes("[[0, -1, 0], [1, 0, 0], [0, 0, 1]]");
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_LT(norm(a[i] - b[i]), 1e-15);
        EXPECT_LT(norm(a[i] - c[i]), 1e-15);
    }
    // x first, then z: the x axis of the body ends at y, its y axis at z.
    const auto d = nodes("[90, 0, 90]"), rest = nodes("[0, 0, 0]");
    for (std::size_t i = 0; i < d.size(); ++i)
        EXPECT_LT(norm(d[i] - Vec3d{rest[i].z, rest[i].x, rest[i].y}), 1e-15);
}

TEST(BuildModel, a_spinning_body_turns_about_its_centre_of_mass) {
    const Model m = built(
        body_with("translate = [3, 0, 0]\nvelocity = [0, 1, 0]\nangular_velocity = [0, 0, 2]\n"));
    for (Index i = 0; i < m.n_nodes(); ++i) {
        const Vec3d r = m.mesh.nodes[i] - Vec3d{3, 0, 0};
        EXPECT_LT(norm(m.initial_velocity[i] - Vec3d{-2 * r.y, 1 + 2 * r.x, 0}), 1e-14);
    }
}

struct Selection {
    const char* name;
    const char* select;
    Index n_nodes;  // of the 5 x 2 x 2 nodes of the beam
};
class Selections : public testing::TestWithParam<Selection> {};
TEST_P(Selections, pick_the_nodes_they_name) {
    const Model m = built(good_scene + pin + "select = " + GetParam().select + "\n");
    EXPECT_EQ(static_cast<Index>(m.pins[0].nodes.size()), GetParam().n_nodes);
    EXPECT_TRUE(std::is_sorted(m.pins[0].nodes.begin(), m.pins[0].nodes.end()));
}
INSTANTIATE_TEST_SUITE_P(
    All, Selections,
    testing::Values(
        Selection{"side_x_minus", "{ side = \"x-\" }", 4},
        Selection{"side_y_plus", "{ side = \"y+\" }", 10},
        Selection{"side_with_tolerance", "{ side = \"x-\", tolerance = 0.26 }", 8},
        Selection{"box", "{ box = [[-1, -1, -1], [0, 1, 1]] }", 12},
        Selection{"relative_box", "{ box = [[0.5, 0, 0], [1, 1, 1]], relative = true }", 12},
        Selection{"sphere", "{ sphere = { center = [0.5, 0, 0], radius = 0.2 } }", 4},
        Selection{"plane", "{ plane = { point = [0.25, 0, 0], normal = [5, 0, 0] } }", 8},
        Selection{"plane_other_side", "{ plane = { point = [0.2, 0, 0], normal = [-1, 0, 0] } }",
                  12},
        Selection{"group", "{ group = \"z-\" }", 10},
        Selection{"nodes", "{ nodes = [3, 1, 17] }", 3}),
    [](const auto& p) { return p.param.name; });

TEST(BuildModel, pins_hold_the_axes_they_name) {
    const Model m = built(good_scene + pin + "select = { nodes = [2] }\naxes = \"xz\"\n");
    EXPECT_EQ(m.free[2], (Vec3d{0, 1, 0}));
    EXPECT_EQ(m.free[1], (Vec3d{1, 1, 1}));
    EXPECT_TRUE(m.pins[0].motion.still());
}

TEST(BuildModel, two_pins_that_stand_still_may_share_nodes) {
    EXPECT_NO_THROW(built(good_scene + pin + "select = { side = \"x-\" }\n" + pin +
                          "select = { side = \"y-\" }\n"));
    // One moves along x, the other holds y and z: no coordinate is shared.
    EXPECT_NO_THROW(built(good_scene + pin + "select = { side = \"x-\" }\naxes = \"yz\"\n" + pin +
                          "select = { side = \"x-\" }\naxes = \"x\"\nmotion = { times = [0, 1], "
                          "translate = [[0,0,0],[1,0,0]] }\n"));
}

TEST(BuildModel, motion_turns_in_radians_about_a_unit_axis) {
    const Model m = built(good_scene + pin +
                          "select = { side = \"x-\" }\nmotion = { times = [0, 1], angle = [0, 180],"
                          " axis = [2, 0, 0] }\n");
    EXPECT_DOUBLE_EQ(m.pins[0].motion.angle.value(0.5), std::numbers::pi / 2);
    EXPECT_EQ(m.pins[0].motion.axis, (Vec3d{1, 0, 0}));
}

TEST(BuildModel, a_total_force_is_shared_by_area) {
    const Model m = built(good_scene + force + "select = { side = \"x+\" }\ntotal = [0, -12, 0]\n");
    ASSERT_EQ(m.forces[0].nodes.size(), 4u);
    EXPECT_NEAR(total(m.forces[0]).y, -12, 1e-14);
    // Two triangles make the end face: their shared corners carry 4 N each, the others 2 N.
    std::vector<double> y;
    for (const Vec3d& f : m.forces[0].share) y.push_back(f.y);
    std::sort(y.begin(), y.end());
    const double want[] = {-4, -4, -2, -2};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], want[i], 1e-14);
}

TEST(BuildModel, a_total_force_without_a_whole_face_is_shared_equally) {
    const Model m = built(good_scene + force + "select = { nodes = [0, 19] }\ntotal = [6, 0, 0]\n");
    ASSERT_EQ(m.forces[0].nodes.size(), 2u);
    EXPECT_EQ(m.forces[0].share[0].x, 3);
    EXPECT_EQ(m.forces[0].share[1].x, 3);
}

TEST(BuildModel, a_traction_acts_on_the_area) {
    const Model m =
        built(good_scene + force + "select = { side = \"y+\" }\ntraction = [0, -50, 0]\n");
    EXPECT_NEAR(total(m.forces[0]).y, -50 * 1 * 0.2, 1e-13);
}

TEST(BuildModel, forces_on_each_node_and_key_frames) {
    const Model m =
        built(good_scene + force + "each = [0, 0, 1]\ntimes = [0, \"500 ms\"]\nscale = [0, 4]\n");
    EXPECT_EQ(m.forces[0].nodes.size(), 20u);
    EXPECT_EQ(m.forces[0].share[7].z, 1);
    EXPECT_DOUBLE_EQ(m.forces[0].scale.value(0.25), 2);
}

TEST(BuildModel, obstacles_take_their_shape_and_place) {
    const Model m = built(good_scene + R"([[obstacle]]
shape = "plane"
normal = [0, 5, 0]
position = [0, -1, 0]
friction = 0.2
[[obstacle]]
shape = "box"
size = [2, 4, 6]
[[obstacle]]
shape = "cylinder"
radius = 1
height = 3
motion = { times = [0, 1], translate = [[0, 0, 0], [1, 0, 0]] }
[contact]
method = "none"
)");
    ASSERT_EQ(m.obstacles.size(), 3u);
    EXPECT_EQ(std::get<PlaneShape>(m.obstacles[0].shape).normal, (Vec3d{0, 1, 0}));
    EXPECT_EQ(m.obstacles[0].position.y, -1);
    EXPECT_EQ(m.obstacles[0].friction, 0.2);
    EXPECT_LT(m.obstacles[1].friction, 0);
    EXPECT_EQ(std::get<BoxShape>(m.obstacles[1].shape).half, (Vec3d{1, 2, 3}));
    EXPECT_EQ(std::get<CylinderShape>(m.obstacles[2].shape).half_height, 1.5);
    EXPECT_EQ(m.obstacles[2].motion.translate.value(0.5).x, 0.5);
}

TEST(BuildModel, regions_have_their_own_material) {
    const Model m =
        built(body_with("regions = [{ select = { box = [[-1,-1,-1],[0,1,1]] }, material "
                        "= \"hard\" }]\n[material.hard]\nyoung = 1e9\npoisson = 0\n"
                        "density = 1\n"));
    const auto hard = static_cast<Index>(m.materials[0].name == "hard" ? 0 : 1);
    // Half of the four cells lie at x < 0.
    EXPECT_EQ(std::count(m.tet_material.begin(), m.tet_material.end(), hard), m.n_tets() / 2);
}

TEST(BuildModel, every_node_fixed_is_a_notice) {  // S16
    BuildReport report;
    const Model m = built(good_scene + pin + "select = { box = [[-9,-9,-9],[9,9,9]] }\n", &report);
    ASSERT_EQ(report.warnings.size(), 1u);
    EXPECT_NE(report.warnings[0].find("every node is fixed"), std::string::npos);
    EXPECT_EQ(m.free[0], (Vec3d{0, 0, 0}));
}

TEST(BuildModel, assumed_material_values_are_named) {
    BuildReport report;
    built(
        "limber = 1\n[time]\nsteps = 1\n[material.m]\npoisson = 0.2\n[[body]]\nname = \"a\"\n"
        "shape = \"box\"\nmaterial = \"m\"\n[[body]]\nname = \"b\"\nshape = \"box\"\n",
        &report);
    ASSERT_EQ(report.warnings.size(), 2u);
    EXPECT_EQ(report.warnings[0],
              "scene.toml:4: material.m: not given, taken as young = 1e6 Pa density = 1000 kg/m^3");
    EXPECT_NE(report.warnings[1].find("the default material"), std::string::npos);
    EXPECT_NE(report.warnings[1].find("poisson = 0.3"), std::string::npos);
}

TEST(BuildModel, sizes_that_hint_at_another_unit_are_named) {
    BuildReport report;
    built(body_with("scale = 1e5\n"), &report);
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_NE(report.warnings[0].find("is the mesh in another unit?"), std::string::npos);
}

// ---- files

TEST(BuildModel, a_mesh_file_gives_ids_groups_and_warnings) {
    Folder folder;
    TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    for (FileId& id : mesh.node_ids) id = 100 + 10 * id;
    for (FileId& id : mesh.tet_ids) id += 50;
    mesh.tet_groups["core"] = {0, 1};
    std::swap(mesh.tets[5][0], mesh.tets[5][1]);  // inside out
    write_tet_mesh(folder.path("cube.msh"), mesh);
    const std::string path = folder.write("s.toml", R"(limber = 1
[time]
steps = 1
[material.a]
young = 1e5
poisson = 0.3
density = 900
[material.b]
young = 2e5
poisson = 0.3
density = 900
[[body]]
name = "cube"
mesh = "cube.msh"
material = "a"
regions = [{ group = "core", material = "b" }]
[[pin]]
body = "cube"
select = { nodes = [110, 100] }
)");
    BuildReport report;
    const Model m = build_model(load_scene(path), report);
    EXPECT_EQ(m.mesh.node_ids[1], 110);
    EXPECT_EQ(m.pins[0].nodes, (std::vector<Index>{0, 1}));
    for (Index t = 0; t < m.n_tets(); ++t)  // the file may hold them in another order
        EXPECT_EQ(m.tet_material[t], m.mesh.tet_ids[t] < 52 ? 1 : 0);
    EXPECT_EQ(report.bodies[0].mesh.n_reoriented, 1);
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_EQ(report.warnings[0].rfind(folder.path("cube.msh"), 0), 0u) << report.warnings[0];
    EXPECT_NE(input_error([&] { build_model(load_scene(path), report, {.strict = true}); }), "");
    const std::string group_error = input_error([&] {
        build_model(load_scene(path, {.sets = {"body.cube.regions.0.group=cora"}}), report);
    });
    EXPECT_NE(group_error.find("did you mean 'core'?"), std::string::npos) << group_error;
}

TEST(BuildModel, a_missing_mesh_is_a_system_error) {
    BuildReport report;
    EXPECT_THROW(build_model(scene_of("limber = 1\n[time]\nsteps = 1\n[[body]]\nname = \"b\"\n"
                                      "mesh = \"absent.msh\"\n"),
                             report),
                 SystemError);
}

}  // namespace
}  // namespace limber
