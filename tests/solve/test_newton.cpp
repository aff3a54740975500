// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/newton/newton.h"

#include <gtest/gtest.h>

#include "fixtures.h"

namespace limber {
namespace {

using test::bar;
using test::of;
using test::relative_distance;
using test::rubber;
using test::tight;
using test::world_of;
using test::world_with;

Material linear_rubber() {
    Material material = rubber();
    const Lame lame = Lame::from_young(1e5, 0.4);
    material.law = LinearElastic{lame.mu, lame.lambda};
    return material;
}

TEST(Newton, takes_the_linearly_implicit_step_of_a_linear_law) {
    Material material = linear_rubber();
    material.damping_mass = 0.5;
    material.damping_stiffness = 0.002;
    for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
        const auto model = [&] {
            Model m = bar(2, true, material);
            m.bodies[0].mass = mass;
            finish_model(m);
            return m;
        };
        CorotationalOptions direct = tight();
        direct.linear = LinearKind::supernodal;
        NewtonOptions options;
        options.rel_tolerance = 1e-12;
        const auto a = world_of(model(), direct);
        const auto b = world_with<NewtonStepper>(model(), options);
        for (int k = 0; k < 10; ++k) {
            a->step();
            const StepReport report = b->step();
            EXPECT_EQ(report.solve.status, SolveStatus::converged);
            EXPECT_LE(report.solve.iterations, 2);  // quadratic: one step and its rounding
        }
        EXPECT_LT(relative_distance(b->state().v, a->state().v), 1e-9);
    }
}

TEST(Newton, converges_quadratically_under_large_rotation) {
    NewtonOptions options;
    options.rel_tolerance = 1e-11;
    const auto world = world_with<NewtonStepper>(bar(2), options);
    for (int k = 0; k < 30; ++k) {
        const StepReport report = world->step();
        ASSERT_EQ(report.solve.status, SolveStatus::converged) << k;
        EXPECT_LE(report.solve.iterations, 8);
        EXPECT_LT(report.solve.residual, 1e-11);
    }
}

/// A bar squeezed to half its length by its pins buckles: the exact Hessian is not positive there,
/// as the flag of the shift tells. Every repair goes on to the same energies.
TEST(Newton, every_repair_takes_a_bar_through_its_buckling) {
    double first = 0;
    for (const HessianRepair repair :
         {HessianRepair::on_demand, HessianRepair::project, HessianRepair::shift}) {
        Model model = bar(2);
        model.pins.push_back({"end", model.mesh.node_groups.at("x+"), {true, true, true}, {}});
        model.pins.back().motion.translate.times = {0, 0.1};
        model.pins.back().motion.translate.values = {{0, 0, 0}, {-0.5, 0, 0}};
        finish_model(model);
        NewtonOptions options;
        options.hessian = repair;
        const auto world = world_with<NewtonStepper>(std::move(model), options);
        int shifted = 0;
        StepReport last;
        for (int k = 0; k < 60; ++k) {
            last = world->step();
            ASSERT_FALSE(last.failed) << k;
            // A Hessian that is always projected converges linearly, up to the cap.
            ASSERT_LT(last.solve.residual, repair == HessianRepair::project ? 1e-2 : 1e-6) << k;
            shifted += last.has(StepFlag::indefinite);
        }
        if (repair == HessianRepair::on_demand) first = last.elastic;
        EXPECT_NEAR(last.elastic, first, 0.01 * first);
        EXPECT_EQ(shifted > 0, repair == HessianRepair::shift);
    }
}

/// A linear oscillator has no energy to lose under the trapezoidal rule (Kavan (1)-(4)).
TEST(Newton, trapezoid_keeps_the_energy_that_backward_euler_loses) {
    const auto energy_left = [](Integrator integrator) {
        Model model = bar(2, true, linear_rubber());
        model.integrator = integrator;
        model.gravity = {0, 0, 0};
        for (Index i = 0; i < model.n_nodes(); ++i)
            model.initial_velocity[i] = {0, 0.2 * model.mesh.nodes[i].x, 0};
        finish_model(model);
        NewtonOptions options;
        options.rel_tolerance = 1e-12;
        const auto world = world_with<NewtonStepper>(std::move(model), options);
        const StepReport first = world->step();
        StepReport last;
        for (int k = 0; k < 100; ++k) last = world->step();
        return (last.kinetic + last.elastic) / (first.kinetic + first.elastic);
    };
    EXPECT_NEAR(energy_left(Integrator::trapezoid), 1, 1e-6);
    EXPECT_LT(energy_left(Integrator::backward_euler), 0.7);
}

/// x(t) of one step halved: second order for the trapezoidal rule, first for backward Euler.
TEST(Newton, integrators_have_their_order) {
    const auto end = [](Integrator integrator, int steps) {
        Model model = bar(1, true, linear_rubber());
        model.integrator = integrator;
        model.h = 0.1 / steps;
        finish_model(model);
        NewtonOptions options;
        options.rel_tolerance = 1e-13;
        const auto world = world_with<NewtonStepper>(std::move(model), options);
        for (int k = 0; k < steps; ++k) world->step();
        return world->state().x;
    };
    const auto order = [&](Integrator integrator) {
        const auto exact = end(Integrator::trapezoid, 400);
        return std::log2(relative_distance(end(integrator, 25), exact) /
                         relative_distance(end(integrator, 50), exact));
    };
    EXPECT_NEAR(order(Integrator::trapezoid), 2, 0.1);
    EXPECT_NEAR(order(Integrator::backward_euler), 1, 0.1);
}

/// Own weight on a bar: reactions carry it, and a load ramp ends where one step does.
TEST(Newton, static_load_steps_end_in_the_same_equilibrium) {
    const auto equilibrium = [](int steps) {
        Model model = bar(2, true, rubber(1e6));
        model.integrator = Integrator::quasi_static;
        model.h = 1.0 / steps;
        model.load_ramp = 1;
        finish_model(model);
        NewtonOptions options;
        options.rel_tolerance = 1e-10;
        auto world = world_with<NewtonStepper>(std::move(model), options);
        for (int k = 0; k < steps; ++k)
            EXPECT_EQ(world->step().solve.status, SolveStatus::converged);
        return world;
    };
    const auto one = equilibrium(1), five = equilibrium(5);
    EXPECT_LT(relative_distance(five->state().x, one->state().x), 1e-9);
    EXPECT_EQ(five->state().v[10], (Vec3d{0, 0, 0}));
    Vec3d reaction;
    double mass = 0;
    for (Index i = 0; i < one->model().n_nodes(); ++i) {
        reaction += one->forces().reaction[i];
        mass += one->model().mass[i];
    }
    EXPECT_NEAR(reaction.y, 9.81 * mass, 1e-6 * mass);
    EXPECT_NEAR(reaction.x, 0, 1e-6 * mass);
}

TEST(Newton, says_so_when_it_does_not_converge) {
    NewtonOptions options;
    options.max_iterations = 1;
    options.rel_tolerance = 1e-14;
    Model model = bar(2);
    model.h = 0.1;
    finish_model(model);
    const auto world = world_with<NewtonStepper>(std::move(model), options);
    StepReport report;
    for (int k = 0; k < 3; ++k) report = world->step();
    EXPECT_FALSE(report.failed);
    EXPECT_TRUE(report.has(StepFlag::iteration_cap));
    EXPECT_GT(report.solve.residual, 1e-14);
}

/// A tolerance below what rounding leaves is no reason to go on for ever.
TEST(Newton, sees_that_rounding_is_all_that_is_left) {
    for (const Material& material : {of<LinearElastic>(1e9), of<NeoHookean>(1e9)}) {
        Model model = bar(3, true, material);
        model.integrator = Integrator::quasi_static;
        finish_model(model);
        NewtonOptions options;
        options.rel_tolerance = 1e-18;
        const auto world = world_with<NewtonStepper>(model, options);
        const StepReport report = world->step();
        EXPECT_EQ(report.solve.status, SolveStatus::energy_settled);
        EXPECT_LE(report.solve.iterations, 12);
        EXPECT_LT(report.solve.residual, 1e-8);
        EXPECT_FALSE(report.has(StepFlag::iteration_cap));
    }
}

}  // namespace
}  // namespace limber
