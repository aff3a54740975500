// SPDX-License-Identifier: Apache-2.0
// Contact by constraints in whole scenes: what penalty methods get wrong.
#include "limber/contact/methods/lagrange.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "contact/body_worlds.h"
#include "limber/contact/contact_read_back.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::state_of;

/// Scenes under `cholesky` with lagrange contact; `young` in Pa.
std::string scene(double h, const Vec3d& gravity, double young, const std::string& contact = "") {
    return fmt::format(
        "limber = 1\ngravity = [{}, {}, {}]\n[time]\nstep = {}\nend = 1000\n"
        "[solver]\nkind = \"cholesky\"\n"
        "[material.rubber]\nyoung = {}\npoisson = 0.3\ndensity = 1000\n"
        "[contact]\nmethod = \"lagrange\"\ntolerance = 1e-9\n{}\n",
        gravity.x, gravity.y, gravity.z, h, young, contact);
}
std::string block(const std::string& name, double size, const std::string& cells, const Vec3d& at,
                  const std::string& more = "") {
    return test::body(
        name,
        fmt::format("shape = \"box\"\nsize = [{0}, {1}, {0}]\ncells = {2}", 2 * size, size, cells),
        fmt::format("[{}, {}, {}]", at.x, at.y, at.z), more);
}
const std::string floor = "[[obstacle]]\nshape = \"plane\"\n";

/// What must hold in every step whose complementarity solver converged.
void check_step(const World& world, const StepReport& report, double size) {
    ASSERT_FALSE(report.failed) << report.failure.what;
    ASSERT_FALSE(report.has(StepFlag::contact_cap)) << report.constraints.residual;
    EXPECT_GE(report.constraints.smallest_gap, -1e-8 * size);
    const double h = world.model().h;
    double weight = 0;
    for (double m : world.model().mass) weight += 9.81 * m;
    for (const Contact& c : world.contacts().contacts) {
        const double f_n = normal_force(c);
        const Vec3d f_t = friction_force(c);
        const Vec3d u = c.at.gather(world.state().v) - c.surface_velocity;
        const Vec3d u_t = u - dot(c.normal, u) * c.normal;
        EXPECT_GE(f_n, 0);
        EXPECT_LE(norm(f_t), c.friction * f_n * (1 + 1e-7) + 1e-9 * weight);
        EXPECT_LE(dot(f_t, u_t), 1e-9 * weight * size / h) << "friction drives";
        // Complementarity: a force only where the gap closes.
        EXPECT_LE(f_n * std::max(0.0, end_gap(c, world.state().v, h)), 1e-7 * weight * size);
    }
}

struct Scale : testing::TestWithParam<double> {};

TEST_P(Scale, a_block_sticks_below_the_friction_angle_and_slides_by_the_formula_above) {
    // A body of 100 m needs longer to settle.
    const double L = GetParam(), h = 0.01 * std::max(1.0, std::sqrt(L));
    const double angle = 30 * std::numbers::pi / 180;
    const Vec3d g{9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    const double t = std::tan(angle);
    for (const double mu : {0.98 * t, 1.02 * t, 0.5, 0.0}) {
        const auto world =
            test::world_from(scene(h, g, 1e7 * L, fmt::format("friction = {}", mu)) +
                             block("block", 0.2 * L, "[4, 2, 4]", {0, 0.1 * L, 0}) + floor);
        // The body settles for 60 steps; then its speed tells its acceleration.
        const int settle = 60, measured = 40;
        for (int k = 0; k < settle; ++k) check_step(*world, world->step(), L);
        const auto before = state_of(*world, 0);
        for (int k = 0; k < measured; ++k) {
            const StepReport report = world->step();
            check_step(*world, report, L);
            EXPECT_LE(report.max_penetration, 1e-8 * L);  // the true gap, against a plane
        }
        const auto after = state_of(*world, 0);
        const double acceleration = (after.velocity.x - before.velocity.x) / (measured * h);
        if (mu > t) {
            EXPECT_NEAR(after.centre.x, before.centre.x, 1e-7 * L) << "mu " << mu;
        } else {
            const double expected = 9.81 * (std::sin(angle) - mu * std::cos(angle));
            EXPECT_NEAR(acceleration, expected, 0.01 * expected) << "mu " << mu;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Lagrange, Scale, testing::Values(1e-3, 1.0, 100.0));

TEST(Lagrange, a_pressed_and_sheared_block_follows_coulomb_node_by_node) {
    // The top face is pressed down and dragged: the edges begin to slip before the middle.
    const auto world = test::world_from(
        scene(0.01, {0, -9.81, 0}, 1e6, "friction = 0.4") +
        block("block", 0.2, "[6, 2, 4]", {0, 0.1, 0}) + floor +
        "[[pin]]\nbody = \"block\"\nselect = { side = \"y+\" }\nmotion = { times = [0, 0.2, 1], "
        "translate = [[0, -0.01, 0], [0, -0.01, 0], [0.02, -0.01, 0]] }\n");
    bool mixed = false;
    for (int k = 0; k < 100; ++k) {
        check_step(*world, world->step(), 0.4);
        int stick = 0, slip = 0;
        for (const Contact& c : world->contacts().contacts) {
            stick += status_of(c) == ContactStatus::stick;
            slip += status_of(c) == ContactStatus::slip;
            if (status_of(c) != ContactStatus::slip) continue;
            const Vec3d u = c.at.gather(world->state().v) - c.surface_velocity;
            const Vec3d u_t = u - dot(c.normal, u) * c.normal, f_t = friction_force(c);
            if (norm(u_t) > 1e-6) {
                EXPECT_LT(dot(f_t, u_t), -0.999999 * norm(f_t) * norm(u_t)) << "step " << k;
            }
        }
        mixed = mixed || (stick > 0 && slip > 0);
    }
    EXPECT_TRUE(mixed) << "some nodes stick while others slip";
}

TEST(Lagrange, forces_at_rest_carry_the_weight_and_pins_feel_them) {
    const auto world = test::world_from(scene(0.01, {0, -9.81, 0}, 1e6) +
                                        block("block", 0.2, "[4, 2, 4]", {0, 0.1, 0}) + floor);
    for (int k = 0; k < 200; ++k) check_step(*world, world->step(), 0.4);
    const double weight = 0.4 * 0.2 * 0.4 * 1000 * 9.81;
    Vec3d sum{};
    for (const Contact& c : world->contacts().contacts) sum += c.force;
    EXPECT_NEAR(sum.y, weight, 1e-6 * weight);
    const auto pairs = contact_pairs(world->contacts().contacts);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_NEAR(pairs[0].normal_force, weight, 1e-6 * weight);

    // Held at its top, pressed onto the floor: the pins push down with what the floor gives back.
    const auto held = test::world_from(
        scene(0.01, {0, 0, 0}, 1e6) + block("block", 0.2, "[4, 2, 4]", {0, 0.1, 0}) + floor +
        "[[pin]]\nbody = \"block\"\nselect = { side = \"y+\" }\nmotion = { times = [0, 0.5], "
        "translate = [[0, 0, 0], [0, -0.01, 0]] }\n");
    for (int k = 0; k < 300; ++k) check_step(*held, held->step(), 0.4);
    Vec3d floor_force{}, reaction{};
    for (const Vec3d& f : held->forces().contact) floor_force += f;
    for (const Vec3d& f : held->forces().reaction) reaction += f;
    EXPECT_GT(floor_force.y, 1000);
    EXPECT_NEAR(reaction.y, -floor_force.y, 1e-6 * floor_force.y);
}

TEST(Lagrange, a_fast_ball_does_not_pass_a_thin_sheet) {
    // 0.6 m a step, six times the ball's size and thirty times the sheet's.
    const auto world = test::world_from(
        scene(0.01, {0, 0, 0}, 1e6) +
        test::body("sheet", "shape = \"box\"\nsize = [1, 0.02, 1]\ncells = [10, 1, 10]",
                   "[0, 0, 0]") +
        test::body("ball", "shape = \"sphere\"\nradius = 0.05\ncell = 0.03", "[0.01, 0.55, 0.02]",
                   "velocity = [0, -60, 0]") +
        "[[pin]]\nbody = \"sheet\"\nselect = { side = \"x-\" }\n"
        "[[pin]]\nbody = \"sheet\"\nselect = { side = \"x+\" }\n");
    for (int k = 0; k < 30; ++k) {
        ASSERT_FALSE(world->step().failed);
        EXPECT_GT(state_of(*world, 1).centre.y, state_of(*world, 0).box.lo.y) << "step " << k;
    }
}

TEST(Lagrange, stacked_boxes_of_growing_mass_stand_without_walking) {
    std::string text =
        scene(0.01, {0, -9.81, 0}, 1e7, "friction = 0.5\nsolver = \"pivoting\"\n") + floor;
    for (int i = 0; i < 5; ++i)
        text += fmt::format(
            "[material.m{0}]\nyoung = 1e8\npoisson = 0.3\ndensity = {1}\ndamping = {{ mass = 2, "
            "stiffness = 0.01 }}\n"
            "[[body]]\nname = \"box{0}\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = [1, 1, "
            "1]\nmaterial = \"m{0}\"\ntranslate = [0, {2}, 0]\n",
            i, 100 * std::pow(4, i), 0.1 + 0.2 * i);  // 256 : 1 from bottom to top
    const auto world = test::world_from(text);
    const auto walk = [&](int steps) {
        for (int k = 0; k < steps; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            EXPECT_LE(report.max_penetration, 1e-6);
        }
    };
    // Boxes of six tets lean a little under such loads; then they stand.
    walk(400);
    std::vector<Vec3d> before;
    for (Index b = 0; b < 5; ++b) before.push_back(state_of(*world, b).centre);
    walk(100);
    for (Index b = 0; b < 5; ++b) {
        EXPECT_NEAR(state_of(*world, b).centre.x, before[b].x, 1e-6) << b;
        EXPECT_NEAR(state_of(*world, b).centre.z, before[b].z, 1e-6) << b;
        EXPECT_NEAR(state_of(*world, b).centre.x, 0, 2e-3) << b;
    }
}

TEST(Lagrange, a_rigid_ball_rolls_down_a_slope_without_slipping) {
    const double angle = 0.2, mu = 0.5, radius = 0.1;
    const auto world = test::world_from(
        scene(0.002, {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0}, 1e6,
              fmt::format("friction = {}", mu)) +
        test::body("ball", fmt::format("shape = \"sphere\"\nradius = {}\ncell = 0.02", radius),
                   fmt::format("[0, {}, 0]", radius), "rigid = true") +
        floor);
    for (int k = 0; k < 250; ++k) ASSERT_FALSE(world->step().failed);
    const RigidState& ball = world->state().rigid[0];
    // A ball of facets: it rolls as a sphere does up to the polygon of its surface.
    const double expected = 9.81 * std::sin(angle) * 0.5 / (1 + 0.4);
    EXPECT_NEAR(ball.velocity.x, expected, 0.15 * expected);
    EXPECT_NEAR(ball.spin.z, -ball.velocity.x / radius, 0.15 * expected / radius);
}

TEST(Lagrange, a_rigid_body_in_free_flight_keeps_its_momenta) {
    const auto world = test::world_from(
        scene(0.001, {0, 0, 0}, 1e6) +
        test::body("box", "shape = \"box\"\nsize = [0.4, 0.2, 0.1]\ncells = [1, 1, 1]", "[0, 0, 0]",
                   "rigid = true\nvelocity = [1, 2, 3]\nangular_velocity = [5, 0.1, 1]"));
    const MassProperties m = *world->model().bodies[0].rigid;
    EXPECT_NEAR(m.mass, 8, 1e-12);
    EXPECT_NEAR(m.inertia(0, 0), 8 * (0.04 + 0.01) / 12, 1e-12);
    EXPECT_NEAR(m.inertia(1, 1), 8 * (0.16 + 0.01) / 12, 1e-12);
    EXPECT_NEAR(m.inertia(2, 2), 8 * (0.16 + 0.04) / 12, 1e-12);
    const double start = world->step().kinetic;
    for (int k = 0; k < 999; ++k) ASSERT_FALSE(world->step().failed);
    const RigidState& s = world->state().rigid[0];
    EXPECT_NEAR(s.position.x, 1, 1e-9);
    EXPECT_NEAR(s.position.z, 3, 1e-9);
    // The implicit gyroscopic term is of first order and loses, never gains.
    const double end = world->step().kinetic;
    EXPECT_LE(end, start * (1 + 1e-12));
    EXPECT_GE(end, 0.98 * start);
    // Its nodes keep their distances.
    const auto& x = world->state().x;
    const auto& X = world->model().mesh.nodes;
    for (std::size_t i = 1; i < x.size(); ++i)
        EXPECT_NEAR(norm(x[i] - x[0]), norm(X[i] - X[0]), 1e-12);
}

TEST(Lagrange, bits_do_not_depend_on_the_number_of_threads) {
    const std::string text = scene(0.01, {0, -9.81, 0}, 3e5) + floor +
                             block("low", 0.2, "[4, 2, 4]", {0, 0.1, 0}) +
                             block("high", 0.2, "[3, 2, 3]", {0.05, 0.32, 0.03}) +
                             test::body("ball", "shape = \"sphere\"\nradius = 0.1\ncell = 0.05",
                                        "[0, 0.6, 0]", "rigid = true");
    const auto hash = [&](int threads) {
        const ThreadLimit limit(threads);
        const auto world = test::world_from(text);
        for (int k = 0; k < 30; ++k) world->step();
        return world->state_hash();
    };
    const auto one = hash(1);
    EXPECT_EQ(hash(2), one);
    EXPECT_EQ(hash(5), one);
}

TEST(Lagrange, relinearising_takes_the_gap_of_a_hollow_obstacle_down) {
    // A block slides along the inner wall of a ring: tangent planes cut the corner by (v h)² / 2R.
    const auto deepest = [&](int passes, double h) {
        const auto world = test::world_from(
            scene(h, {0, 0, 0}, 1e6, fmt::format("friction = 0\nrelinearise = {}", passes)) +
            block("block", 0.05, "[2, 1, 2]", {0.65, 0, 0}, "velocity = [0, 0, 2]") +
            "[[obstacle]]\nshape = \"torus\"\nradius = 1\ntube = 0.25\n");
        const Model& m = world->model();
        double worst = 0, worst_of_nodes = 0;
        for (int k = 0; k < 0.8 / h; ++k) {
            worst = std::max(worst, world->step().max_penetration);
            worst_of_nodes = std::max(worst_of_nodes,
                                      max_penetration(world->state().x, m.bodies[0].surface_nodes,
                                                      m.obstacles, world->state().time));
        }
        EXPECT_LE(worst_of_nodes, worst);
        return passes == 0 ? worst_of_nodes : worst;
    };
    const double coarse = deepest(0, 0.02), fine = deepest(0, 0.01);
    EXPECT_GT(coarse, 1e-5);
    EXPECT_LT(fine, 0.4 * coarse);  // of second order in h
    EXPECT_LT(deepest(3, 0.02), 0.02 * coarse);
}

TEST(Lagrange, a_deadline_ends_the_iterations_and_can_be_replayed) {
    std::string text = scene(0.01, {0, -9.81, 0}, 1e7, "solver = \"gauss_seidel\"") + floor;
    for (int i = 0; i < 4; ++i)
        text += block("b" + std::to_string(i), 0.2, "[4, 2, 4]", {0, 0.1 + 0.2 * i, 0});
    const auto clocked = test::world_from(text), replayed = test::world_from(text);
    for (int k = 0; k < 5; ++k) {
        // Over before the solver begins: one sweep, and what it left is told.
        const StepReport report = clocked->step(1e-3);
        ASSERT_FALSE(report.failed);
        EXPECT_TRUE(report.has(StepFlag::deadline));
        EXPECT_LE(report.constraints.iterations, 2);
        EXPECT_GT(report.constraints.residual, 1e-9);
        replayed->replay(clocked->decisions());
        replayed->step();
        EXPECT_EQ(replayed->state_hash(), clocked->state_hash());
    }
}

TEST(Lagrange, needs_a_solver_with_a_factor_and_says_so) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            test::world_from(text);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    std::string text =
        scene(0.01, {0, -9.81, 0}, 1e6) + floor + block("block", 0.2, "[1, 1, 1]", {0, 0.1, 0});
    text.replace(text.find("\"cholesky\""), 10, "\"corotational\"");
    EXPECT_NE(message(text).find("needs a solver that factorises"), std::string::npos)
        << message(text);
    std::string rigid = scene(0.01, {0, -9.81, 0}, 1e6) + floor +
                        block("block", 0.2, "[1, 1, 1]", {0, 0.1, 0}, "rigid = true");
    rigid.replace(rigid.find("\"lagrange\"\ntolerance = 1e-9"), 27, "\"penalty\"");
    EXPECT_NE(message(rigid).find("needs contact.method = \"lagrange\""), std::string::npos);
}

}  // namespace
}  // namespace limber
