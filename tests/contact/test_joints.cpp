// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact/joint_worlds.h"
#include "limber/contact/joints/joint_table.h"
#include "limber/contact/methods/lagrange.h"
#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/corotational.h"

namespace limber {
namespace {

using namespace test;

constexpr Vec3d g{0, -9.81, 0};
constexpr Vec3d half_cube{0.2, 0.2, 0.2};

/// How far the sides of all attachments are apart now.
double violation(const World& world) {
    double worst = 0;
    const double t = world.state().time;
    for (const JointData& any : world.model().joints)
        if (const auto* data = std::get_if<AttachmentData>(&any))
            for (const auto& pair : data->pairs)
                worst = std::max(worst, norm(pair.a.position(world.state().x, t) -
                                             pair.b.position(world.state().x, t)));
    return worst;
}

// Two boxes, one below the other, hang from a point: 8 kg each.
std::string chain_scene(const std::string& between) {
    return joint_scene(0.01, g, 1e6) + box_body("upper", half_cube, "[2, 2, 2]", {0, 0, 0}) +
           box_body("lower", half_cube, "[3, 3, 3]", {0, -0.2, 0}) +
           "[[attach]]\nbody = \"upper\"\npoint = [0, 0.07, 0]\n" + between;
}

TEST(Joints, a_chain_of_boxes_carries_its_weight) {
    for (const std::string between :
         {"[[attach]]\nbody = \"lower\"\nto = \"upper\"\npoint = [0, -0.1, 0]\n",
          "[[attach]]\nbody = \"lower\"\nto = \"upper\"\nselect = { side = \"y+\" }\n"}) {
        const auto world = world_from(chain_scene(between));
        run_joints(*world, 200);
        EXPECT_LT(violation(*world), 1e-8 * 0.2);
        // At rest: it hangs from above its centre, so that it does not swing.
        EXPECT_NEAR(reading(*world, 0, "force_y"), 16 * 9.81, 0.01 * 16 * 9.81);
        EXPECT_NEAR(reading(*world, 1, "force_y"), 8 * 9.81, 0.01 * 8 * 9.81);
        EXPECT_TRUE(world->contacts().contacts.empty()) << "the joint stands for the contact";
    }
}

TEST(Joints, a_region_holds_one_node) {
    const auto joint_of = [](const std::string& more) {
        const auto world = world_from(chain_scene(
            "[[attach]]\nbody = \"lower\"\nto = \"upper\"\nselect = { side = \"y+\" }\n" + more));
        return std::get<AttachmentData>(world->model().joints[1]).pairs.size();
    };
    EXPECT_EQ(joint_of(""), 16u);
    EXPECT_EQ(joint_of("region = 0.15\n"), 4u);
}

TEST(Joints, a_soft_body_follows_a_moving_obstacle_it_is_attached_to) {
    const auto world = world_from(
        joint_scene(0.01, {0, 0, 0}) + box_body("box", half_cube, "[2, 2, 2]", {0, 0, 0}) +
        "[[obstacle]]\nname = \"hand\"\nshape = \"sphere\"\nradius = 0.05\nposition = [0.3, 0, 0]\n"
        "motion = { times = [0, 1], translate = [[0, 0, 0], [0, 0.5, 0]], angle = [0, 90], "
        "axis = [0, 0, 1], center = [0.3, 0, 0] }\n"
        "[[attach]]\nbody = \"box\"\nto = \"hand\"\nselect = { side = \"x+\" }\n");
    run_joints(*world, 100);
    EXPECT_LT(violation(*world), 1e-9);
    // The face at x = 0.1 was 0.2 left of the hand: now it is as far below it.
    const JointPoint p = std::get<AttachmentData>(world->model().joints[0]).pairs[0].a;
    EXPECT_NEAR(p.position(world->state().x, 0).y, 0.5 - 0.2, 1e-9);
}

TEST(Joints, points_apart_are_drawn_together_in_the_time_given) {
    const auto world = world_from(
        joint_scene(0.01, {0, 0, 0}) + box_body("box", half_cube, "[2, 2, 2]", {0, 0, 0}) +
        "[[attach]]\nbody = \"box\"\npoint = [0, 0, 0]\nto_point = [0, 0.5, 0]\n"
        "closing = 0.5\n");
    run_joints(*world, 25);
    EXPECT_NEAR(violation(*world), 0.25, 1e-9);
    run_joints(*world, 30);
    EXPECT_LT(violation(*world), 1e-9);
}

TEST(Joints, a_hinged_box_is_a_pendulum) {
    // About the middle of its upper edge; a rod would turn with another inertia.
    const double h = 1e-3, a = 0.2;
    const auto world = world_from(
        joint_scene(h, g) +
        box_body("box", {a, a, a}, "[1, 1, 1]", {0, -0.5 * a, 0},
                 "rigid = true\nangular_velocity = [0, 0, 0.4]\nvelocity = [0.04, 0, 0]") +
        "[[attach]]\nbody = \"box\"\nhinge = [[0, 0, -0.1], [0, 0, 0.1]]\n");
    const double about_edge = a * a / 6 + 0.25 * a * a;  // per mass
    const double period = 2 * std::numbers::pi * std::sqrt(about_edge / (9.81 * 0.5 * a));
    std::vector<double> crossings;
    double before = 0;
    for (int k = 0; k < 4000 && crossings.size() < 5; ++k) {
        run_joints(*world, 1);
        const double x = world->state().rigid[0].position.x;
        if (before > 0 && x <= 0) crossings.push_back(world->state().time - h * x / (x - before));
        before = x;
        EXPECT_LT(reading(*world, 0, "violation"), 1e-6 * a);
    }
    ASSERT_EQ(crossings.size(), 5u);
    EXPECT_NEAR((crossings.back() - crossings.front()) / 4, period, 0.01 * period);
    EXPECT_NEAR(world->state().rigid[0].position.z, 0, 1e-9) << "it turns about its axis alone";
}

TEST(Joints, a_soft_door_turns_on_a_rigid_post) {
    const auto world =
        world_from(joint_scene(0.005, {0, 0, 0}, 1e6) +
                   box_body("post", {0.1, 0.4, 0.1}, "[1, 1, 1]", {-0.05, 0, 0}, "rigid = true") +
                   box_body("door", {0.3, 0.3, 0.05}, "[4, 4, 1]", {0.15, 0, 0},
                            "velocity = [0, 0, 0.3]\nangular_velocity = [0, -2, 0]") +
                   "[[attach]]\nbody = \"post\"\npoint = [-0.05, 0.2, 0]\n"
                   "[[attach]]\nbody = \"post\"\npoint = [-0.05, -0.2, 0.05]\n"
                   "[[attach]]\nbody = \"post\"\npoint = [-0.05, -0.2, -0.05]\n"
                   "[[attach]]\nbody = \"door\"\nto = \"post\"\n"
                   "hinge = [[0, -0.15, 0], [0, 0.15, 0]]\n");
    run_joints(*world, 200);
    // About the axis by 2 rad/s for a second, less what damping of the bending took.
    const BodyState door = state_of(*world, 1);
    EXPECT_NEAR(std::atan2(door.centre.z, door.centre.x), 2, 0.2);
    // Its tets are not the same above and below: the pull outwards bends it by microns.
    EXPECT_NEAR(door.centre.y, 0, 1e-4);
    EXPECT_LT(reading(*world, 3, "violation"), 1e-4);
}

// ---- cables

std::string finger_scene(const std::string& pull) {
    return joint_scene(0.01, {0, 0, 0}, 1e5) +
           box_body("finger", {0.4, 0.1, 0.1}, "[8, 2, 2]", {0.2, 0, 0}) +
           "[[pin]]\nbody = \"finger\"\nselect = { side = \"x-\" }\n"
           "[[cable]]\nname = \"tendon\"\nbody = \"finger\"\n"
           "path = [[0, -0.04, 0], [0.13, -0.04, 0], [0.26, -0.04, 0], [0.39, -0.04, 0]]\n" +
           pull;
}

TEST(Joints, a_cable_bends_a_finger_and_keeps_its_length) {
    const auto world = world_from(finger_scene("times = [0, 1]\npull = [0, 0.02]\n"));
    run_joints(*world, 200);
    const auto cable = std::make_unique<Cable>(std::get<CableData>(world->model().joints[0]));
    // The length is of second order in a step's motion, which has come to rest.
    EXPECT_NEAR(cable->length(world->state().x, 2), 0.39 - 0.02, 1e-6);
    EXPECT_GT(reading(*world, 0, "force"), 1);
    double lowest = 0;
    for (const Vec3d& x : world->state().x) lowest = std::min(lowest, x.y);
    EXPECT_LT(lowest, -0.06) << "its tip bends towards the cable";
    // The pull is in balance with the pinned end: no force of its own on the finger.
    Vec3d sum{};
    for (const Vec3d& f : world->forces().contact) sum += f;
    EXPECT_LT(norm(sum), 1e-9 * reading(*world, 0, "force"));
}

TEST(Joints, a_cable_does_not_push) {
    const auto world = world_from(finger_scene("times = [0, 1]\npull = [0, -0.02]\n"));
    run_joints(*world, 50);
    EXPECT_EQ(reading(*world, 0, "force"), 0);
    for (Index i = 0; i < world->model().n_nodes(); ++i)
        EXPECT_LT(norm(world->state().x[i] - world->model().mesh.nodes[i]), 1e-12);
}

TEST(Joints, a_cable_over_a_fixed_point_lifts_one_box_by_the_other) {
    // A pulley without friction: 8 kg against 4 kg accelerate with g/3.
    const double h = 0.002;
    const auto world = world_from(
        joint_scene(h, g, 1e6) + box_body("heavy", half_cube, "[2, 2, 2]", {-0.3, 0, 0}) +
        box_body("light", {0.2, 0.1, 0.2}, "[2, 2, 2]", {0.3, 0, 0}) +
        "[[cable]]\npath = [[-0.3, 0, 0], [-0.3, 1, 0], [0.3, 1, 0], [0.3, 0, 0]]\n"
        "bodies = [\"heavy\", \"\", \"\", \"light\"]\n");
    run_joints(*world, 100);
    const BodyState heavy = state_of(*world, 0), light = state_of(*world, 1);
    const double v = 9.81 / 3 * 100 * h;
    EXPECT_NEAR(heavy.velocity.y, -v, 0.02 * v);
    EXPECT_NEAR(light.velocity.y, v, 0.02 * v);
}

// ---- cavities

/// A cube with a cubic hollow; walls of a cell.
TetMesh hollow_cube(double size, Index cells) {
    TetMesh full = make_box({size, size, size}, {cells, cells, cells}), out;
    const double inner = size * (0.5 - 1.0 / cells);
    std::vector<Index> number(full.nodes.size(), -1);
    for (const Tet& tet : full.tets) {
        Vec3d middle{};
        for (const Index node : tet) middle += 0.25 * full.nodes[node];
        if (std::max({std::abs(middle.x), std::abs(middle.y), std::abs(middle.z)}) < inner)
            continue;
        out.tets.push_back(tet);
        for (const Index node : tet) number[node] = 0;
    }
    Index next = 0;
    for (std::size_t i = 0; i < full.nodes.size(); ++i)
        if (number[i] == 0) {
            number[i] = next++;
            out.nodes.push_back(full.nodes[i]);
            out.node_ids.push_back(number[i]);
        }
    for (Tet& tet : out.tets)
        for (Index& node : tet) node = number[node];
    out.tet_ids.resize(out.tets.size());
    for (std::size_t t = 0; t < out.tets.size(); ++t) out.tet_ids[t] = static_cast<FileId>(t);
    return out;
}

/// The faces of the hollow, which all lie well inside.
std::vector<Triangle> hollow_faces(const Model& model, double size) {
    std::vector<Triangle> out;
    for (const Triangle& t : model.bodies[0].surface) {
        const Vec3d m =
            (1.0 / 3) * (model.mesh.nodes[t[0]] + model.mesh.nodes[t[1]] + model.mesh.nodes[t[2]]);
        if (std::max({std::abs(m.x), std::abs(m.y), std::abs(m.z)}) < 0.49 * size) out.push_back(t);
    }
    return out;
}

Model hollow_model() {
    Model model = one_body("cube", hollow_cube(0.4, 4), corotated_material("rubber", 1e5, 0.3));
    model.gravity = {0, 0, 0};
    model.h = 0.01;
    finish_model(model);
    return model;
}

TEST(Joints, a_wall_knows_its_volume_and_its_gradient) {
    const Model model = hollow_model();
    const CavityWall wall(hollow_faces(model, 0.4), {0, 0, 0});
    std::vector<Vec3d> x = model.mesh.nodes;
    EXPECT_NEAR(wall.volume(x), 0.2 * 0.2 * 0.2, 1e-15);
    EXPECT_NEAR(wall.area(x), 6 * 0.2 * 0.2, 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] +=
            Vec3d{0.01 * std::sin(double(i)), 0.01 * std::cos(3.0 * i), 0.01 * std::sin(7.0 * i)};
    std::vector<Vec3d> gradient(wall.nodes().size());
    wall.gradient(x, gradient);
    Vec3d sum{};
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        sum += gradient[k];
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<Vec3d> moved = x;
            moved[wall.nodes()[k]][axis] += 1e-6;
            const double up = wall.volume(moved);
            moved[wall.nodes()[k]][axis] -= 2e-6;
            // Volume is linear in a coordinate: only rounding is left.
            EXPECT_NEAR((up - wall.volume(moved)) / 2e-6, gradient[k][axis], 1e-9);
        }
    }
    EXPECT_LT(norm(sum), 1e-16) << "a closed wall is pushed nowhere";
}

TEST(Joints, pressure_blows_a_hollow_cube_up_evenly) {
    Model model = hollow_model();
    const CavityWall wall(hollow_faces(model, 0.4), {0, 0, 0});
    model.pressures.push_back({"air", wall, {{0, 0.1}, {0, 2000}}});
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<CorotationalStepper>(*owned, CorotationalOptions{});
    World world(std::move(owned), std::move(stepper), std::make_unique<NoContact>());
    for (int k = 0; k < 300; ++k) ASSERT_FALSE(world.step().failed);
    EXPECT_GT(wall.volume(world.state().x), 1.02 * 0.008);
    // It stays where it is, and each side of the hollow is pushed by p times its area.
    Vec3d centre{}, right{}, sum{};
    const auto& rest = world.model().mesh.nodes;
    for (Index i = 0; i < world.model().n_nodes(); ++i) {
        centre += (1.0 / world.model().n_nodes()) * world.state().x[i];
        sum += world.forces().external[i];
        if (rest[i].x > 0) right += world.forces().external[i];
    }
    EXPECT_LT(norm(centre), 1e-9);
    EXPECT_LT(norm(sum), 1e-9);
    // Faces at x > 0 push along x by pressure times the section of the hollow where x = 0, which
    // has grown by a few per cent.
    EXPECT_NEAR(right.x, 2000 * 0.04, 0.1 * 2000 * 0.04);
    EXPECT_GT(right.x, 2000 * 0.04);
    double extent[3]{};
    for (const Vec3d& x : world.state().x)
        for (int a = 0; a < 3; ++a) extent[a] = std::max(extent[a], std::abs(x[a]));
    // The Kuhn grid is the same under cyclic exchange of the axes.
    EXPECT_NEAR(extent[0], extent[1], 1e-6);
    EXPECT_NEAR(extent[1], extent[2], 1e-6);
}

TEST(Joints, a_filled_hollow_has_the_volume_it_is_given) {
    const auto make = [](double ratio) {
        Model model = hollow_model();
        const CavityWall wall(hollow_faces(model, 0.4), {0, 0, 0});
        const double volume = wall.volume(model.mesh.nodes), area = wall.area(model.mesh.nodes);
        model.joints.push_back(
            CavityVolumeData{"water", wall, volume, area, {{0, 0.5}, {1, ratio}}});
        auto owned = std::make_unique<const Model>(std::move(model));
        CorotationalOptions options;
        options.linear = LinearKind::supernodal;
        auto stepper = std::make_unique<CorotationalStepper>(*owned, options);
        auto contact =
            std::make_unique<LagrangeContact>(LagrangeOptions{}, make_joints(owned->joints));
        return std::make_unique<World>(std::move(owned), std::move(stepper), std::move(contact));
    };
    const auto world = make(1.2);
    run_joints(*world, 200);
    const CavityWall& wall = std::get<CavityVolumeData>(world->model().joints[0]).wall;
    EXPECT_NEAR(wall.volume(world->state().x), 1.2 * 0.008, 1e-6 * 0.008);
    const double pressure = reading(*world, 0, "pressure");
    EXPECT_GT(pressure, 0);
    // The force is that pressure on the wall as it is.
    std::vector<Vec3d> gradient(wall.nodes().size());
    wall.gradient(world->state().x, gradient);
    for (std::size_t k = 0; k < gradient.size(); ++k)
        EXPECT_LT(norm(world->forces().contact[wall.nodes()[k]] - pressure * gradient[k]),
                  1e-3 * pressure * 0.01);
}

// ---- what a run promises

TEST(Joints, hold_under_every_solver_that_takes_constraints) {
    // `cholesky` has the matrix of the step itself; the others find what their factors leave out.
    const auto under = [](const std::string& solver, std::string scene) {
        const std::string kind = "kind = \"cholesky\"";
        return scene.replace(scene.find(kind), kind.size(), "kind = \"" + solver + '"');
    };
    const std::string cable = finger_scene("times = [0, 0.3]\npull = [0, 0.02]\n");
    const std::string chain =
        chain_scene("[[attach]]\nbody = \"lower\"\nto = \"upper\"\nselect = { side = \"y+\" }\n");
    const auto bent = world_from(cable), hanging = world_from(chain);
    run_joints(*bent, 60);
    run_joints(*hanging, 60);
    const double tension = reading(*bent, 0, "force"), weight = reading(*hanging, 0, "force_y");
    for (const char* solver : {"warp_canceling", "async", "newton"}) {
        const auto a = world_from(under(solver, cable)), b = world_from(under(solver, chain));
        run_joints(*a, 60);
        run_joints(*b, 60);
        EXPECT_NEAR(reading(*a, 0, "length"), 0.37, 2e-5) << solver;
        EXPECT_NEAR(reading(*a, 0, "force"), tension, 0.02 * tension) << solver;
        EXPECT_LT(violation(*b), 1e-6) << solver;
        EXPECT_NEAR(reading(*b, 0, "force_y"), weight, 0.02 * std::abs(weight)) << solver;
    }
}

TEST(Joints, results_do_not_depend_on_the_number_of_threads) {
    std::uint64_t hash[2]{};
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        const auto world = world_from(finger_scene("times = [0, 1]\npull = [0, 0.02]\n"));
        run_joints(*world, 20);
        hash[threads - 1] = world->state_hash();
    }
    EXPECT_EQ(hash[0], hash[1]);
}

TEST(Joints, contradictions_that_nobody_foresaw_are_flagged_and_stay_finite) {
    // Three points of a rigid body, held at places that are farther apart than it is.
    const auto world = world_from(
        joint_scene(0.01, g) + box_body("box", half_cube, "[1, 1, 1]", {0, 0, 0}, "rigid = true") +
        "[[attach]]\nbody = \"box\"\npoint = [0.1, 0, 0]\nto_point = [0.5, 0, 0]\n"
        "[[attach]]\nbody = \"box\"\npoint = [-0.1, 0, 0]\nto_point = [-0.5, 0, 0]\n");
    for (int k = 0; k < 20; ++k) {
        const StepReport report = world->step();
        EXPECT_FALSE(report.failed) << report.failure.what;
        EXPECT_TRUE(report.has(StepFlag::contact_cap));
    }
    for (const Vec3d& x : world->state().x) EXPECT_LT(norm(x), 2);
}

}  // namespace
}  // namespace limber
