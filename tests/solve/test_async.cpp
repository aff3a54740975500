// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/async.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::bar;
using test::rubber;
using test::tight;

AsyncOptions lagging(int lag) {
    AsyncOptions o;
    o.lag = {lag, false};
    return o;
}

std::unique_ptr<World> world_of(Model model, const AsyncOptions& options) {
    return test::world_with<AsyncStepper>(std::move(model), options);
}

/// A pinned bar that swings through large rotations.
Model swinging_bar() {
    return bar(2, true, rubber(3e4));
}

/// A free bar that turns about z at `speed` [rad/s].
Model turning_bar(double speed, double young) {
    Model model = bar(2, false, rubber(young));
    model.gravity = {};
    Vec3d centre{};
    for (const Vec3d& x : model.mesh.nodes) centre += (1.0 / model.n_nodes()) * x;
    for (Index i = 0; i < model.n_nodes(); ++i)
        model.initial_velocity[i] = cross({0, 0, speed}, model.mesh.nodes[i] - centre);
    return model;
}

double column(const World& world, const std::string& name) {
    for (const auto& [key, value] : world.stepper().table()->row)
        if (key == name) return value;
    ADD_FAILURE() << "no column " << name;
    return -1;
}

double largest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, norm(a[i] - b[i]));
    return out;
}

TEST(Async, takes_the_steps_of_the_corotational_method_however_old_the_factor) {
    const auto reference = test::world_of(swinging_bar(), tight());
    for (int k = 0; k < 40; ++k) reference->step();
    for (const int lag : {1, 7})
        for (const auto precision :
             {FactorPrecision::double_precision, FactorPrecision::single_precision})
            for (const auto nodes : {NodeRotationKind::automatic, NodeRotationKind::identity}) {
                AsyncOptions o = lagging(lag);
                o.rel_tolerance = 1e-11;
                o.watchdog = 100;
                o.precision = precision;
                o.node_rotations = nodes;
                o.rotation.kind = RotationKind::svd;
                const auto world = world_of(swinging_bar(), o);
                for (int k = 0; k < 40; ++k) {
                    const StepReport report = world->step();
                    ASSERT_EQ(report.solve.status, SolveStatus::converged);
                    EXPECT_FALSE(report.has(StepFlag::refactored));
                }
                // Residuals of 1e-11, grown over 40 steps of a swing of 0.3 m.
                EXPECT_LT(largest_difference(world->state().x, reference->state().x), 1e-7);
                EXPECT_LT(
                    largest_difference(world->forces().reaction, reference->forces().reaction),
                    1e-4);
            }
}

TEST(Async, uses_the_factor_of_a_step_from_lag_steps_later_on) {
    const auto world = world_of(swinging_bar(), lagging(3));
    // The first step makes its own; the matrix of step 2 is in use from step 5 on, that of step 5
    // from step 8 on.
    for (const int age : {0, 1, 2, 3, 3, 4, 5, 3, 4, 5, 3}) {
        const StepReport report = world->step();
        EXPECT_EQ(column(*world, "factor_age"), age) << "step " << report.step;
        EXPECT_EQ(report.update.share, report.step == 1 || (age == 3 && report.step > 4) ? 1 : 0);
    }
}

TEST(Async, gives_the_same_bits_whatever_the_threads_do) {
    std::uint64_t hash = 0;
    for (const int threads : {1, 2, 4, 2}) {
        const ThreadLimit limit(threads);
        const auto world = world_of(swinging_bar(), lagging(2));
        for (int k = 0; k < 30; ++k) world->step();
        if (hash == 0) hash = world->state_hash();
        EXPECT_EQ(world->state_hash(), hash) << threads << " threads";
    }
}

TEST(Async, repeats_recorded_decisions_to_the_bit) {
    AsyncOptions o;
    o.lag.automatic = true;
    const auto world = world_of(swinging_bar(), o);
    EXPECT_TRUE(world->stepper().clocked());
    std::vector<std::vector<int>> decisions;
    for (int k = 0; k < 30; ++k) {
        world->step();
        decisions.emplace_back(world->decisions().begin(), world->decisions().end());
    }
    const ThreadLimit limit(1);
    const auto again = world_of(swinging_bar(), o);
    for (const auto& decision : decisions) {
        again->replay(decision);
        again->step();
        EXPECT_TRUE(std::ranges::equal(again->decisions(), decision));
    }
    EXPECT_EQ(again->state_hash(), world->state_hash());
}

TEST(Async, takes_a_factor_when_a_replayed_decision_says_so) {
    AsyncOptions o;
    o.lag.automatic = true;
    const auto world = world_of(swinging_bar(), o);
    const std::vector<int> wait{0, -1 - 0}, take{0, -1 - 1};  // iterations, then 0 or 1
    for (const auto& [decision, age] : std::vector<std::pair<std::vector<int>, int>>{
             {wait, 0}, {wait, 1}, {wait, 2}, {wait, 3}, {take, 3}, {take, 1}, {wait, 2}}) {
        world->replay(decision);
        world->step();
        EXPECT_EQ(column(*world, "factor_age"), age);
    }
}

TEST(Async, a_watchdog_makes_the_factor_anew_and_says_so) {
    AsyncOptions o = lagging(1000);
    o.node_rotations = NodeRotationKind::identity;
    o.watchdog = 5;
    const auto world = world_of(turning_bar(4, 1e6), o);
    int refactored = 0;
    for (int k = 0; k < 60; ++k) {
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed);
        EXPECT_EQ(report.solve.status, SolveStatus::converged);
        EXPECT_LT(report.solve.residual, 1e-5);
        refactored += report.has(StepFlag::refactored);
        if (report.has(StepFlag::refactored)) {
            EXPECT_EQ(report.update.share, 1);
            EXPECT_GT(report.solve.iterations, 5);
        } else {
            EXPECT_LE(report.solve.iterations, 8);  // the watchdog's 5, and those of a fresh one
        }
    }
    EXPECT_GT(refactored, 3);
    EXPECT_LT(refactored, 60);
}

TEST(Async, a_stiff_body_that_turns_fast_is_as_stable_as_with_a_fresh_factor) {
    // 19 degrees a step, 95 and more since the step of the factor.
    const double speed = 20;
    CorotationalOptions fresh;
    fresh.linear = LinearKind::supernodal;
    const auto reference = test::world_of(turning_bar(speed, 1e7), fresh);
    AsyncOptions o = lagging(5);
    o.rel_tolerance = 1e-8;
    const auto turned = world_of(turning_bar(speed, 1e7), o);
    o.node_rotations = NodeRotationKind::identity;
    const auto unturned = world_of(turning_bar(speed, 1e7), o);
    int rescued = 0;
    for (int k = 0; k < 100; ++k) {
        const StepReport exact = reference->step();
        const StepReport report = turned->step();
        EXPECT_FALSE(report.has(StepFlag::refactored));
        EXPECT_LE(report.solve.iterations, 12);
        EXPECT_NEAR(report.kinetic + report.elastic, exact.kinetic + exact.elastic,
                    1e-4 * exact.kinetic);
        rescued += unturned->step().has(StepFlag::refactored);
    }
    EXPECT_GT(rescued, 0);  // without node rotations the watchdog has to help
    // Residuals of 1e-8 of the momentum, 100 steps and five turns of a bar of 1 m later.
    EXPECT_LT(largest_difference(turned->state().x, reference->state().x), 1e-4);
    EXPECT_LT(largest_difference(unturned->state().x, reference->state().x), 1e-4);
}

TEST(Async, a_step_of_another_length_gets_a_factor_of_its_own) {
    const Model model = swinging_bar();
    AsyncStepper stepper(model, lagging(2));
    State state;
    state.x = model.mesh.nodes;
    state.v = model.initial_velocity;
    NodeForces forces;
    for (auto* array : {&forces.external, &forces.contact, &forces.reaction})
        array->resize(model.n_nodes());
    for (Index i = 0; i < model.n_nodes(); ++i) forces.external[i] = model.mass[i] * model.gravity;
    const std::vector<Vec3d> still(model.n_nodes());
    for (const double h : {0.01, 0.01, 0.01, 0.0025, 0.0025, 0.01}) {
        StepReport report;
        const StepInput in{h, forces.external, still, {}};
        stepper.free_motion(in, state, forces, report);
        stepper.integrate(in, state);
        EXPECT_EQ(report.solve.status, SolveStatus::converged);
        EXPECT_LE(report.solve.iterations, 8);
    }
    EXPECT_EQ(stepper.table()->row[0].second, 0);  // 0.01 again: that of the earlier ones is gone
}

TEST(BackgroundFactor, has_the_bits_of_a_factor_made_here) {
    const Model model = swinging_bar();
    SystemAssembler assembler(model.elements);
    BlockCsr A = assembler.make_matrix();
    CorotationCache rotations;
    rotations.reset(model.elements);
    LinearStep step(model);
    assembler.assemble(step.set_coefficients(0.01), rotations, A);
    for (const auto precision :
         {FactorPrecision::double_precision, FactorPrecision::single_precision}) {
        auto here = FactoredMatrix::make(precision, A, model.free);
        BackgroundFactor there(FactoredMatrix::make(precision, A, model.free));
        EXPECT_FALSE(there.busy());
        there.start();
        EXPECT_TRUE(there.busy());
        ASSERT_FALSE(here->factorize().failed());
        auto taken = FactoredMatrix::make(precision, A, model.free);
        ASSERT_FALSE(there.take(taken).failed());
        EXPECT_FALSE(there.busy());
        std::vector<Vec3d> f(model.n_nodes()), a(f.size()), b(f.size());
        for (std::size_t i = 0; i < f.size(); ++i) f[i] = {1.0 + static_cast<double>(i), 2, -3};
        here->apply_inverse(f, a);
        taken->apply_inverse(f, b);
        EXPECT_EQ(a, b);
    }
}

}  // namespace
}  // namespace limber
