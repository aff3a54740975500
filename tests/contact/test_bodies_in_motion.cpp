// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "contact/body_worlds.h"
#include "io/temp_folder.h"
#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/corotational.h"

namespace limber {
namespace {

using namespace test;

const std::string floor_obstacle = "[[obstacle]]\nshape = \"plane\"\n";
const std::string box2 = "shape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = [2, 2, 2]";

std::string ball(double radius, int cells) {
    return "shape = \"sphere\"\nradius = " + std::to_string(radius) + "\ncells = [" +
           std::to_string(cells) + "]";
}

TEST(BodiesInMotion, box_comes_to_rest_on_a_box) {
    const auto world = world_from(head() + body("lower", box2, "[0, 0.101, 0]") +
                                  body("upper", box2, "[0.03, 0.31, 0.02]") + floor_obstacle);
    run(*world, 300);
    const BodyState upper = state_of(*world, 1), lower = state_of(*world, 0);
    EXPECT_LT(upper.fastest, 1e-3);
    // Half a thickness apart, give or take a half and what they give way.
    EXPECT_NEAR(upper.centre.y - lower.centre.y, 0.2, 1e-3);
    EXPECT_EQ(world->contacts().max_penetration, 0);
    EXPECT_NEAR(upper.centre.x, 0.03, 1e-3);
    EXPECT_NEAR(upper.centre.z, 0.02, 1e-3);
    // The force between them carries the upper box, 8 kg.
    Vec3d force{};
    for (const Contact& c : world->contacts().contacts)
        if (c.obstacle < 0) force += c.body == 1 ? c.force : -c.force;
    EXPECT_NEAR(force.y, 8 * 9.81, 0.01 * 8 * 9.81);
}

TEST(BodiesInMotion, separate_bodies_feel_nothing) {
    const std::string bodies =
        body("a", ball(0.1, 3), "[0, 0, 0]") + body("b", ball(0.1, 3), "[0.21, 0, 0]");
    const auto on = world_from(head() + bodies),
               off = world_from(head(0.01, "bodies = false") + bodies);
    run(*on, 20);
    run(*off, 20);
    EXPECT_EQ(on->state_hash(), off->state_hash());
    EXPECT_TRUE(on->contacts().contacts.empty());
}

/// Two boxes over each other above a named floor.
std::string filtered(const std::string& method, const std::string& solver,
                     const std::string& ignore) {
    return "limber = 1\n[time]\nstep = 0.01\nend = 1\n[solver]\nkind = \"" + solver +
           "\"\n[material.rubber]\nyoung = \"500 kPa\"\npoisson = 0.3\ndensity = 1000\n"
           "damping = { stiffness = 0.002 }\n[contact]\nmethod = \"" +
           method + "\"\nignore = " + ignore + '\n' + body("lower", box2, "[0, 0.101, 0]") +
           body("upper", box2, "[0, 0.305, 0]") +
           "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n";
}

TEST(BodiesInMotion, pairs_that_are_ignored_pass_through_each_other) {
    for (const auto& [method, solver] :
         {std::pair("penalty", "corotational"), std::pair("lagrange", "cholesky"),
          std::pair("repulsion", "newton")}) {
        const auto both = world_from(filtered(method, solver, "[]"));
        run(*both, 60);
        EXPECT_GT(state_of(*both, 1).centre.y, 0.25) << method << ": stands on the lower one";
        const auto bodies = world_from(filtered(method, solver, "[[\"upper\", \"lower\"]]"));
        run(*bodies, 60);
        EXPECT_LT(state_of(*bodies, 1).centre.y, 0.12) << method << ": fell to the floor";
        EXPECT_GT(state_of(*bodies, 1).centre.y, 0.08) << method;
        const auto floor = world_from(
            filtered(method, solver, "[[\"floor\", \"lower\"], [\"upper\", \"upper\"]]"));
        run(*floor, 60);
        EXPECT_LT(state_of(*floor, 0).centre.y, -0.1) << method << ": no floor for the lower one";
    }
}

TEST(BodiesInMotion, a_mesh_obstacle_can_be_ignored_too) {
    // A box that falls into a larger one of triangles, which only the other box feels.
    const std::string obj =
        "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    const TempFolder folder;
    const std::string file = folder.file("block.obj", obj);
    const auto world =
        world_from(head(0.01, "ignore = [[\"block\", \"a\"]]") +
                   body("a", box2, "[-0.5, 1.11, 0]") + body("b", box2, "[0.5, 1.11, 0]") +
                   "[[obstacle]]\nname = \"block\"\nshape = \"mesh\"\nfile = \"" + file + "\"\n");
    run(*world, 50);
    EXPECT_LT(state_of(*world, 0).centre.y, 0.5);
    EXPECT_NEAR(state_of(*world, 1).centre.y, 1.1, 0.02);
}

TEST(BodiesInMotion, impact_of_balls_conserves_momentum) {
    for (const char* contact : {"form = \"implicit\"", "form = \"explicit\"\nthickness = 0.01"}) {
        const bool implicit = std::string(contact).find("imp") != std::string::npos;
        const auto world =
            world_from(head(implicit ? 0.01 : 0.001, contact, "[0, 0, 0]") +
                       body("a", ball(0.1, 4), "[0, 0, 0]",
                            "velocity = [2, 0, 0]\nangular_velocity = [0, 0, 3]") +
                       body("b", ball(0.08, 3), "[0.25, 0.06, 0.02]", "velocity = [-1, 0, 0]"));
        const Momentum before = momentum(*world, world->state().x);
        int touching = 0;
        double size = 0;
        for (int k = 0; k < (implicit ? 30 : 200); ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            touching += report.contacts > 0;
            for (Index i = 0; i < world->model().n_nodes(); ++i)
                size = std::max(size, norm(world->state().v[i]));
        }
        const Momentum after = momentum(*world, world->state().x);
        EXPECT_GT(touching, implicit ? 2 : 10);
        EXPECT_LT(size, 6);            // and does not gain speed
        const double scale = 2 * 4.2;  // kg m/s of the larger ball
        // What conjugate gradients leave at 1e-8 a step.
        EXPECT_LT(norm(after.linear - before.linear), 1e-6 * scale) << contact;
        EXPECT_LT(state_of(*world, 0).velocity.x, 1.5);
        EXPECT_GT(state_of(*world, 1).velocity.x, 0) << contact;
    }
}

TEST(BodiesInMotion, block_on_a_body_slides_or_sticks_by_coulombs_law) {
    // Gravity turned by 20 degrees: tan = 0.364.
    const std::string gravity = "[3.3552, -9.2184, 0]";
    for (double mu : {0.2, 0.6}) {
        const auto world =
            world_from(head(0.01, "friction = " + std::to_string(mu), gravity) +
                       body("table", "shape = \"box\"\nsize = [2, 0.1, 0.4]\ncells = [20, 1, 4]",
                            "[0.6, -0.05, 0]") +
                       body("block", box2, "[0, 0.101, 0.01]") +
                       "[[pin]]\nbody = \"table\"\nselect = { side = \"y-\" }\n");
        run(*world, 60);
        const double v0 = state_of(*world, 1).velocity.x;
        run(*world, 30);
        const BodyState block = state_of(*world, 1);
        if (mu > 0.364) {
            EXPECT_LT(std::fabs(block.velocity.x), 2e-3) << mu;
            EXPECT_LT(block.centre.x, 0.02);
        } else {
            const double expected = 3.3552 - mu * 9.2184;
            EXPECT_NEAR((block.velocity.x - v0) / 0.3, expected, 0.15 * expected) << mu;
        }
    }
}

TEST(BodiesInMotion, bullet_does_not_pass_a_plate) {
    // 0.5 m a step through 0.04 m.
    const auto world = world_from(
        head(0.01, "", "[0, 0, 0]") +
        body("plate", "shape = \"box\"\nsize = [0.6, 0.04, 0.6]\ncells = [6, 1, 6]", "[0, 0, 0]") +
        body("bullet", ball(0.05, 2), "[0.03, 0.3, 0.02]", "velocity = [0, -50, 0]") +
        "[[pin]]\nbody = \"plate\"\nselect = { side = \"x-\" }\n"
        "[[pin]]\nbody = \"plate\"\nselect = { side = \"x+\" }\n");
    for (int k = 0; k < 40; ++k) {
        ASSERT_FALSE(world->step().failed);
        const BodyState plate = state_of(*world, 0), bullet = state_of(*world, 1);
        ASSERT_GT(bullet.centre.y, plate.box.lo.y) << k;
    }
    EXPECT_LT(world->contacts().max_penetration, 0.02);
}

TEST(BodiesInMotion, heavy_ball_on_a_light_pad_is_held) {
    const auto world = world_from(
        head() +
        "[material.lead]\nyoung = \"50 MPa\"\npoisson = 0.3\ndensity = 100000\n"
        "[material.foam]\nyoung = \"500 kPa\"\npoisson = 0.2\ndensity = 100\n"
        "damping = { stiffness = 0.01 }\n"
        "[[body]]\nname = \"pad\"\nmaterial = \"foam\"\nshape = \"box\"\nsize = [0.4, 0.2, 0.4]\n"
        "cells = [8, 4, 8]\ntranslate = [0, 0.101, 0]\n"
        "[[body]]\nname = \"ball\"\nmaterial = \"lead\"\n" +
        ball(0.05, 4) + "\ntranslate = [0, 0.26, 0]\n" + floor_obstacle);
    run(*world, 200);
    EXPECT_GT(state_of(*world, 1).box.lo.y, 0.02);
    EXPECT_LT(state_of(*world, 1).fastest, 0.05);
    EXPECT_LT(world->contacts().max_penetration, 1e-3);
}

TEST(BodiesInMotion, sheet_between_balls_is_squeezed_and_holds) {
    const auto world =
        world_from(head(0.01, "thickness = 0.002") + body("lower", ball(0.1, 4), "[0, 0, 0]") +
                   body("sheet", "shape = \"box\"\nsize = [0.3, 0.01, 0.3]\ncells = [10, 1, 10]",
                        "[0, 0.11, 0]") +
                   body("upper", ball(0.1, 4), "[0, 0.24, 0]") +
                   "[[pin]]\nbody = \"lower\"\nselect = { plane = { point = [0, 0, 0], normal = "
                   "[0, 1, 0] } }\n");
    for (int k = 0; k < 60; ++k) {
        ASSERT_FALSE(world->step().failed);
        ASSERT_LT(world->contacts().max_penetration, 0.005) << k;
    }
    EXPECT_GT(state_of(*world, 2).centre.y, state_of(*world, 0).centre.y + 0.15);
}

TEST(BodiesInMotion, bars_come_to_rest_crosswise) {
    const auto world =
        world_from(head() +
                   body("lower", "shape = \"box\"\nsize = [0.6, 0.1, 0.1]\ncells = [3, 1, 1]",
                        "[0, 0, 0]", "rotate = [45, 0, 0]") +
                   body("upper", "shape = \"box\"\nsize = [0.1, 0.1, 0.6]\ncells = [1, 1, 3]",
                        "[0, 0.15, 0]", "rotate = [0, 0, 45]") +
                   "[[pin]]\nbody = \"lower\"\nselect = { box = [[-1, -1, -1], [-0.25, 1, 1]] }\n"
                   "[[pin]]\nbody = \"lower\"\nselect = { box = [[0.25, -1, -1], [1, 1, 1]] }\n");
    run(*world, 30);
    // It balances on one point for a while; without edge contacts it would have fallen 0.4 m.
    EXPECT_GT(state_of(*world, 1).centre.y, 0.1);
}

std::unique_ptr<World> with_obstacle(const std::string& text, const TriMesh& surface,
                                     const Vec3d& position) {
    const SceneDef scene = scene_from(text);
    BuildReport report;
    auto model = std::make_unique<Model>(build_model(scene, report));
    Obstacle o;
    o.shape = MeshShape(surface);
    o.position = position;
    model->obstacles.push_back(std::move(o));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
}

TEST(BodiesInMotion, bowl_of_triangles_holds_a_ball) {
    // A box with a square pit: 1.2 m wide, the pit 0.6 m.
    TetMesh block = make_box({1.2, 0.4, 1.2}, {4, 2, 4});
    std::vector<Tet> kept;
    for (const Tet& tet : block.tets) {
        Vec3d middle{};
        for (Index i : tet) middle += 0.25 * block.nodes[i];
        const bool pit = std::max(std::fabs(middle.x), std::fabs(middle.z)) < 0.3 && middle.y > 0;
        if (!pit) kept.push_back(tet);
    }
    block.tets = kept;
    const auto world = with_obstacle(
        head(0.01) + body("ball", ball(0.1, 4), "[0.05, 0.4, 0.02]", "velocity = [1, 0, 0.3]"),
        boundary_surface(block), {0, 0, 0});
    for (int k = 0; k < 200; ++k) ASSERT_FALSE(world->step().failed);
    const BodyState rest = state_of(*world, 0);
    EXPECT_NEAR(rest.centre.y, 0.1, 0.01);
    EXPECT_LT(std::max(std::fabs(rest.centre.x), std::fabs(rest.centre.z)), 0.22);
}

TEST(BodiesInMotion, spike_holds_a_coarse_plate_up) {
    // The tip meets the middle of a face, far from every vertex of the plate.
    TriMesh spike;
    spike.nodes = {{0, 0.3, 0}, {0.1, 0, 0.1}, {0.1, 0, -0.1}, {-0.1, 0, -0.1}, {-0.1, 0, 0.1}};
    spike.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}, {1, 3, 2}, {1, 4, 3}};
    ASSERT_GT(signed_volume(spike), 0);
    const auto world = with_obstacle(
        head(0.01) + body("plate", "shape = \"box\"\nsize = [0.5, 0.1, 0.5]\ncells = [1, 1, 1]",
                          "[0, 0.353, 0]"),
        spike, {0.02, 0, 0.05});
    for (int k = 0; k < 20; ++k) {
        ASSERT_FALSE(world->step().failed);
        EXPECT_LT(world->contacts().max_penetration, 1e-3);
    }
    EXPECT_GT(state_of(*world, 0).centre.y, 0.33);  // free, it would have fallen 0.2 m
}

TEST(BodiesInMotion, prongs_of_a_fork_press_on_each_other) {
    // A block with a slot of one cell; the prongs beside it are pressed together at their tips.
    const auto slot_width = [](bool self) {
        TetMesh fork = make_box({0.25, 0.5, 0.1}, {5, 10, 2});
        std::vector<Tet> kept;
        for (const Tet& tet : fork.tets) {
            Vec3d middle{};
            for (Index i : tet) middle += 0.25 * fork.nodes[i];
            if (std::fabs(middle.x) > 0.025 || middle.y < -0.15) kept.push_back(tet);
        }
        fork.tets = kept;
        const Lame lame = Lame::from_young(5e5, 0.3);
        Material rubber;
        rubber.law = CorotatedElastic{lame.mu, lame.lambda};
        rubber.damping_stiffness = 0.002;
        auto model = std::make_unique<Model>(one_body("fork", std::move(fork), rubber));
        model->h = 0.01;
        model->gravity = {0, 0, 0};
        model->pins.push_back({"", model->mesh.node_groups.at("y-"), {true, true, true}, {}});
        NodalForce press;
        std::array<Index, 2> tip{};  // upper inner corners of the prongs
        for (Index i = 0; i < model->n_nodes(); ++i) {
            const Vec3d& p = model->mesh.nodes[i];
            if (p.y < 0.249 || p.z < 0.049) continue;
            if (std::fabs(std::fabs(p.x) - 0.025) < 1e-6) tip[p.x > 0] = i;
            if (std::fabs(p.x) < 0.12) continue;
            press.nodes.push_back(i);
            press.share.push_back({p.x > 0 ? -60.0 : 60.0, 0, 0});
        }
        model->forces.push_back(press);
        finish_model(*model);
        auto stepper = std::make_unique<CorotationalStepper>(*model, CorotationalOptions{});
        World world(std::unique_ptr<const Model>(std::move(model)), std::move(stepper),
                    std::make_unique<PenaltyContact>(PenaltyOptions{.self = self}));
        run(world, 100);
        EXPECT_EQ(world.contacts().contacts.empty(), !self);
        return world.state().x[tip[1]].x - world.state().x[tip[0]].x;
    };
    EXPECT_LT(slot_width(false), -0.01);  // they cross
    EXPECT_GT(slot_width(true), 0);
}

TEST(BodiesInMotion, bits_do_not_depend_on_threads) {
    std::vector<std::uint64_t> hashes;
    for (int threads : {1, 2}) {
        ThreadLimit limit(threads);
        const auto world =
            world_from(head(0.01, "self = true") + body("lower", ball(0.1, 4), "[0, 0.101, 0]") +
                       body("upper", ball(0.1, 4), "[0.03, 0.302, 0.02]", "velocity = [0, -1, 0]") +
                       floor_obstacle);
        run(*world, 30);
        hashes.push_back(world->state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(BodiesInMotion, resuming_gives_the_bits_of_running_through) {
    const std::string text = head() + body("lower", box2, "[0, 0.101, 0]") +
                             body("upper", box2, "[0.03, 0.303, 0.02]", "velocity = [0.4, -1, 0]") +
                             floor_obstacle;
    const auto through = world_from(text), resumed = world_from(text);
    run(*through, 20);
    ByteWriter writer;
    through->save(writer);
    ByteReader reader(writer.bytes(), "checkpoint");
    resumed->load(reader);
    run(*through, 10);
    run(*resumed, 10);
    EXPECT_GT(resumed->contacts().contacts.size(), 4u);
    EXPECT_EQ(through->state_hash(), resumed->state_hash());
}

}  // namespace
}  // namespace limber
