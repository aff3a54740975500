// SPDX-License-Identifier: Apache-2.0
// What is between the nodes touches obstacles too: measured by points strewn over every face.

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/body_worlds.h"
#include "io/temp_folder.h"
#include "limber/contact/contact_finder.h"

namespace limber {
namespace {

using namespace test;

struct FaceDepth {
    double faces = 0, nodes = 0;  // deepest point of either in the first obstacle [m]
    double edge = 0;              // longest edge [m]
};

FaceDepth face_depth(const World& world) {
    const Model& m = world.model();
    const std::vector<Vec3d>& x = world.state().x;
    const auto depth = [&](const Vec3d& p) {
        return -sample(m.obstacles[0], p, world.state().time).distance;
    };
    constexpr int n = 10;
    FaceDepth out;
    for (const Body& body : m.bodies)
        for (const Triangle& t : body.surface) {
            for (int k = 0; k < 3; ++k) {
                out.edge = std::max(out.edge, norm(x[t[k]] - x[t[(k + 1) % 3]]));
                out.nodes = std::max(out.nodes, depth(x[t[k]]));
            }
            for (int i = 0; i <= n; ++i)
                for (int j = 0; i + j <= n; ++j)
                    out.faces = std::max(
                        out.faces, depth((1.0 / n) * (double(i) * x[t[0]] + double(j) * x[t[1]] +
                                                      double(n - i - j) * x[t[2]])));
        }
    return out;
}

struct FaceCase {
    const char* name;
    const char* obstacle;
};
class FacesOnObstacles : public ::testing::TestWithParam<FaceCase> {};

std::string coarse_block(const std::string& obstacle, const std::string& contact) {
    return "limber = 1\ngravity = [0, -9.81, 0]\n[time]\nstep = 0.01\nend = 10\n[contact]\n" +
           contact +
           "\nfriction = 0.8\n[material.rubber]\nyoung = \"200 kPa\"\npoisson = 0.3\ndensity = "
           "1000\n"
           "damping = { stiffness = 0.02 }\n[solver]\nkind = \"cholesky\"\n[[obstacle]]\n" +
           obstacle + "\n[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n" +
           body("block", "shape = \"box\"\nsize = [0.6, 0.1, 0.6]\ncells = [3, 1, 3]",
                "[0, 0.38, 0]");
}

/// A block of three cells a side, its middle over the top of each shape: no node is there.
TEST_P(FacesOnObstacles, coarse_faces_lie_on_them) {
    const auto world = world_from(coarse_block(GetParam().obstacle, "method = \"lagrange\""));
    FaceDepth worst;
    bool pushed = false;
    for (int k = 0; k < 120; ++k) {
        world->step();
        const FaceDepth now = face_depth(*world);
        worst.faces = std::max(worst.faces, now.faces / now.edge);
        worst.nodes = std::max(worst.nodes, now.nodes / now.edge);
        for (const Contact& c : world->contacts().contacts)
            pushed = pushed || (c.at.n > 1 && c.obstacle == 0 && norm(c.force) > 1);
    }
    EXPECT_TRUE(pushed);
    EXPECT_LT(worst.nodes, 2e-3);
    EXPECT_LT(worst.faces, 0.04);  // 0.03 are left to the nodes
}

TEST_P(FacesOnObstacles, penalty_holds_them_within_its_thickness) {
    const auto world = world_from(
        coarse_block(GetParam().obstacle, "method = \"penalty\"\nthickness = \"10 mm\""));
    double worst = 0;
    for (int k = 0; k < 120; ++k) {
        world->step();
        const FaceDepth now = face_depth(*world);
        worst = std::max(worst, now.faces - 0.03 * now.edge);
    }
    EXPECT_LE(worst, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FacesOnObstacles,
    ::testing::Values(
        FaceCase{"sphere",
                 "name = \"o\"\nshape = \"sphere\"\nradius = 0.15\nposition = [0.02, 0.15, 0.01]"},
        FaceCase{"box",
                 "name = \"o\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\nposition = [0, 0.15, 0]\n"
                 "rotate = { axis = [0, 0, 1], angle = 45 }"},
        FaceCase{"cylinder",
                 "name = \"o\"\nshape = \"cylinder\"\nradius = 0.15\nheight = 0.8\n"
                 "position = [0, 0.15, 0]\nrotate = { axis = [1, 0, 0], angle = 90 }"},
        FaceCase{"torus",
                 "name = \"o\"\nshape = \"torus\"\nradius = 0.16\ntube = 0.06\n"
                 "position = [0.03, 0.24, 0.02]"}),
    [](const auto& test) { return std::string(test.param.name); });

/// The bodies of a scene as contact sees them.
struct Seen {
    std::vector<ContactSurface> bodies;
    explicit Seen(const Model& m) {
        for (const Body& b : m.bodies) {
            double mass = 0;
            for (Index i = b.node_begin; i < b.node_end; ++i) mass += m.mass[i];
            bodies.push_back({b.surface, b.surface_nodes, mass, b.cloth.has_value()});
        }
    }
};

const std::string sheet_head =
    "limber = 1\ngravity = [0, 0, 0]\n[time]\nstep = 0.01\nend = 1\n[solver]\nkind = \"newton\"\n"
    "[material.cloth]\nyoung = \"100 kPa\"\npoisson = 0.3\ndensity = 500\n"
    "[[body]]\nname = \"sheet\"\nshape = \"cloth_sheet\"\ncells = [4, 4]\n"
    "cloth = { thickness = 0.001, stretch = \"springs\", bending = 2e-5 }\nmaterial = \"cloth\"\n"
    "translate = [0, 0.5, 0]\n[[pin]]\nbody = \"sheet\"\nselect = { box = [[-1, 0, -1], [-0.4, 1, "
    "1]] }\n[[pin]]\nbody = \"sheet\"\nselect = { box = [[0.4, 0, -1], [1, 1, 1]] }\n";

TEST(FaceContacts, a_fast_ball_between_the_nodes_of_a_sheet_is_met) {
    // 40 m/s: eight of its radii a step, from below to above the sheet. It is caught on the way.
    const auto world = world_from(
        sheet_head +
        "[contact]\nmethod = \"penalty\"\nthickness = 0.002\n[[obstacle]]\nname = \"ball\"\nshape "
        "= \"sphere\"\nradius = 0.05\nposition = [0.08, 0.3, 0.04]\nmotion = { times = [0, 0.01], "
        "translate = [[0, 0, 0], [0, 0.4, 0]] }\n");
    world->step();
    const FaceDepth after = face_depth(*world);
    bool met = false;
    for (const Contact& c : world->contacts().contacts) met = met || c.at.n == 3;
    EXPECT_TRUE(met);
    // The sheet is over the ball: its point above the ball's middle is higher than the ball.
    EXPECT_LT(after.faces, 0.03 * after.edge + 0.002);
    double highest = 0;
    for (const Vec3d& x : world->state().x) highest = std::max(highest, x.y);
    EXPECT_GT(highest, 0.7);
}

TEST(FaceContacts, an_edge_of_two_faces_is_one_contact) {
    const SceneDef scene = scene_from(sheet_head + "[contact]\nmethod = \"penalty\"\n");
    BuildReport report;
    const Model model = build_model(scene, report);
    const Seen seen(model);
    const std::vector<Vec3d> still(model.mesh.nodes.size());
    // Under the middle of each edge in turn: the ball's centre straight below it.
    int n = 0;
    for (const Triangle& t : model.bodies[0].surface)
        for (int k = 0; k < 3; ++k, ++n) {
            const Vec3d middle = 0.5 * (model.mesh.nodes[t[k]] + model.mesh.nodes[t[(k + 1) % 3]]);
            std::vector<Obstacle> ball(1);
            ball[0].shape = SphereShape{0.1};
            ball[0].position = middle - Vec3d{0, 0.095, 0};
            ContactFinder finder;
            ContactSet found;
            finder.find({model.mesh.nodes, still, model.bodies[0].surface_nodes, ball, model.mass,
                         0, 0.01, seen.bodies},
                        {.thickness = 0.01}, found);
            ASSERT_EQ(found.contacts.size(), 1u) << n;
            const Contact& c = found.contacts[0];
            EXPECT_EQ(c.at.n, 2);
            EXPECT_NEAR(c.at.weight[0], 0.5, 1e-2);
            EXPECT_NEAR(c.normal.y, 1, 2e-4);
            const double longest = std::sqrt(2.0) / 4;
            EXPECT_NEAR(c.gap, -0.005 + 0.03 * longest, 1e-5);
        }
    EXPECT_GT(n, 90);
}

TEST(FaceContacts, corners_of_a_mesh_obstacle_do_not_pierce_a_sheet) {
    // A tip that rises 10 cm through the middle of a cell.
    const TempFolder folder;
    const std::string file =
        folder.file("tip.obj",
                    "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0 -0.1 0.15\nv 0 0.1 0\n"
                    "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    const auto world = world_from(
        sheet_head +
        "[contact]\nmethod = \"penalty\"\nthickness = 0.002\n[[obstacle]]\nname = \"tip\"\nshape = "
        "\"mesh\"\nfile = \"" +
        file +
        "\"\nposition = [0.08, 0.38, 0.04]\nmotion = { times = [0, 0.2], translate = [[0, 0, 0], "
        "[0, 0.12, 0]] }\n");
    for (int k = 0; k < 30; ++k) {
        world->step();
        const FaceDepth now = face_depth(*world);
        ASSERT_LT(now.faces, 0.03 * now.edge + 0.002) << k;
    }
    double highest = 0;
    for (const Vec3d& x : world->state().x) highest = std::max(highest, x.y);
    EXPECT_GT(highest, 0.54);
}

}  // namespace
}  // namespace limber
