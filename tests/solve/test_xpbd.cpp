// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/xpbd.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::rubber;
using test::world_with;

constexpr double h = 0.02, end = 0.2;  // [s]

/// Newton's answer by the trapezoidal rule in steps so small that its error is out of sight.
std::vector<Vec3d> reference(Model model, int parts) {
    model.h = h / parts;
    model.integrator = Integrator::trapezoid;
    finish_model(model);
    NewtonOptions exact;
    exact.rel_tolerance = 1e-9;
    const auto world = world_with<NewtonStepper>(std::move(model), exact);
    for (int k = 0; k < std::lround(end / h) * parts; ++k) EXPECT_FALSE(world->step().failed);
    return world->state().x;
}

std::vector<Vec3d> in_substeps(Model model, int substeps) {
    model.h = h;
    finish_model(model);
    const auto world = world_with<XpbdStepper>(std::move(model), {substeps});
    for (int k = 0; k < std::lround(end / h); ++k) {
        const StepReport report = world->step();
        EXPECT_FALSE(report.failed);
        EXPECT_EQ(report.solve.iterations, substeps);
    }
    return world->state().x;
}

/// Errors of sub-steps are of first order: twice as many, half the error.
void expect_first_order(const Model& model, int first) {
    const ThreadLimit one(1);
    const std::vector<Vec3d> exact = reference(model, 40);
    const double motion = distance(exact, model.mesh.nodes);
    std::vector<double> error;
    for (int n = first; n <= 4 * first; n *= 2)
        error.push_back(distance(in_substeps(model, n), exact) / motion);
    EXPECT_GT(error[0] / error[1], 1.6) << error[0];
    EXPECT_GT(error[1] / error[2], 1.7) << error[1];
    EXPECT_LT(error[1] / error[2], 2.6) << error[1];
    EXPECT_LT(error[2], 0.02);
}

TEST(Xpbd, says_that_it_measures_no_residual) {
    const auto world = world_with<XpbdStepper>(bar(), {5});
    const StepReport report = world->step();
    EXPECT_TRUE(std::isnan(report.solve.residual));
    EXPECT_TRUE(std::isnan(report.solve.absolute_residual));
    EXPECT_EQ(report.flags, 0u);
}

TEST(Xpbd, goes_to_newtons_answer_at_first_order_corotated) {
    expect_first_order(bar(1, true, of<CorotatedElastic>(1e5, 0.3)), 64);
}

TEST(Xpbd, goes_to_newtons_answer_at_first_order_neo_hookean) {
    Material material = of<NeoHookean>(1e5, 0.35);
    material.volume = 5e4;
    material.damping_mass = 0.5;
    material.damping_viscous = 0.02;
    expect_first_order(bar(1, true, material), 64);
}

TEST(Xpbd, stays_calm_where_it_is_far_too_stiff_for_its_substeps) {
    for (const Material& material : {of<CorotatedElastic>(1e9, 0.45), of<NeoHookean>(1e9, 0.45)}) {
        Model model = bar(2, true, material);
        const auto world = world_with<XpbdStepper>(std::move(model), {5});
        for (int k = 0; k < 60; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            ASSERT_LT(report.kinetic, 100);
        }
    }
}

TEST(Xpbd, pins_hold_the_weight_of_a_body_at_rest) {
    Material material = of<CorotatedElastic>(1e5, 0.3);
    material.damping_mass = 5;  // about critical: the lowest mode has 2.6 rad/s
    const auto world = world_with<XpbdStepper>(bar(1, true, material), {50});
    for (int k = 0; k < 240; ++k) world->step();
    double mass = 0;
    Vec3d held;
    for (Index i = 0; i < world->model().n_nodes(); ++i) {
        mass += world->model().mass[i];
        held += world->forces().reaction[i];
    }
    EXPECT_NEAR(held.y, mass * 9.81, 0.02 * mass * 9.81);
    EXPECT_NEAR(held.x, 0, 0.02 * mass * 9.81);
}

TEST(Xpbd, gives_the_same_bits_on_any_number_of_threads) {
    std::vector<std::uint64_t> hashes;
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        const auto world = world_with<XpbdStepper>(bar(4, true, of<NeoHookean>(1e5, 0.4)));
        for (int k = 0; k < 3; ++k) ASSERT_FALSE(world->step().failed);
        hashes.push_back(world->state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Xpbd, rests_on_an_obstacle) {
    Material material = of<CorotatedElastic>(2e5, 0.3);
    material.damping_mass = 2;
    Model model = bar(1, false, material);
    Obstacle floor;
    floor.shape = PlaneShape{{0, 1, 0}};
    floor.position = {0, -0.13, 0};
    model.obstacles.push_back(floor);
    finish_model(model);
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<XpbdStepper>(*owned, XpbdOptions{20});
    World world(std::move(owned), std::move(stepper),
                std::make_unique<PenaltyContact>(PenaltyOptions{}));
    for (int k = 0; k < 240; ++k) ASSERT_FALSE(world.step().failed);
    double mass = 0, force = 0;
    for (Index i = 0; i < world.model().n_nodes(); ++i) {
        mass += world.model().mass[i];
        force += world.forces().contact[i].y;
        EXPECT_GT(world.state().x[i].y, -0.14);
    }
    EXPECT_NEAR(force, mass * 9.81, 0.05 * mass * 9.81);
}

}  // namespace
}  // namespace limber
