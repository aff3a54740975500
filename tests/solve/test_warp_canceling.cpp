// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/warp_canceling.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::bar;
using test::rubber;
using test::tight;

WarpCancelingOptions every_step() {
    WarpCancelingOptions o;
    o.schedule = ScheduleKind::quality;
    o.refine = 0;
    o.precision = FactorPrecision::double_precision;
    o.threshold_relative = 0;
    o.node_rotations = NodeRotationKind::horn;
    o.rotation.kind = RotationKind::svd;
    return o;
}

std::unique_ptr<World> world_of(Model model, const WarpCancelingOptions& options) {
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<WarpCancelingStepper>(*owned, options);
    return std::make_unique<World>(std::move(owned), std::move(stepper),
                                   std::make_unique<NoContact>());
}

/// A pinned bar that swings through large rotations.
Model swinging_bar(bool consistent = false) {
    Model model = bar(2, true, rubber(3e4));
    if (consistent) {
        model.bodies[0].mass = MassKind::consistent;
        finish_model(model);
    }
    return model;
}

double largest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, norm(a[i] - b[i]));
    return out;
}

TEST(WarpCanceling, with_threshold_zero_equals_the_corotational_method) {
    for (const bool consistent : {false, true})
        for (const auto form : {SystemForm::v, SystemForm::dv})
            for (const auto nodes : {NodeRotationKind::horn, NodeRotationKind::identity}) {
                CorotationalOptions reference = tight();
                reference.linear = LinearKind::eigen_ldlt;
                const auto direct = test::world_of(swinging_bar(consistent), reference);
                WarpCancelingOptions o = every_step();
                o.form = form;
                o.node_rotations = nodes;
                const auto world = world_of(swinging_bar(consistent), o);
                for (int k = 0; k < 40; ++k) {
                    direct->step();
                    const StepReport report = world->step();
                    ASSERT_FALSE(report.failed);
                    EXPECT_LT(report.solve.residual, 1e-11);
                    EXPECT_EQ(report.update.share, 1);
                }
                // Rounding of two factorisations, grown over 40 steps of a swing of 0.3 m.
                EXPECT_LT(largest_difference(world->state().x, direct->state().x), 1e-9);
                EXPECT_LT(largest_difference(world->forces().reaction, direct->forces().reaction),
                          1e-6);
            }
}

/// A free bar that turns at 2 rad/s; the largest residual of 120 steps (4 rad) without updates.
double residual_of_a_turn(NodeRotationKind kind) {
    Model model = bar(2, false, rubber(1e6));
    model.gravity = {};
    Vec3d center{};
    for (const Vec3d& x : model.mesh.nodes) center += (1.0 / model.n_nodes()) * x;
    for (Index i = 0; i < model.n_nodes(); ++i)
        model.initial_velocity[i] = cross({0, 0, 2}, model.mesh.nodes[i] - center);
    WarpCancelingOptions o = every_step();
    o.node_rotations = kind;
    o.schedule = ScheduleKind::time;  // with no budget
    const auto world = world_of(std::move(model), o);
    double largest = 0;
    for (int k = 0; k < 120; ++k) largest = std::max(largest, world->step().solve.residual);
    return largest;
}

TEST(WarpCanceling, node_rotations_carry_a_turn_of_the_whole_body) {
    // What is left with them is the strain of the turn, a fraction of a per cent at this speed.
    const double with = residual_of_a_turn(NodeRotationKind::horn);
    const double without = residual_of_a_turn(NodeRotationKind::identity);
    EXPECT_LT(with, 1e-2);
    EXPECT_GT(without, 20 * with);
}

TEST(WarpCanceling, threshold_trades_updates_for_error) {
    const auto reference = world_of(swinging_bar(), every_step());
    for (int k = 0; k < 60; ++k) reference->step();
    double last_share = 2, first_error = 0, error = 0;
    for (const double threshold : {1e-4, 1e-2, 0.3}) {
        WarpCancelingOptions o = every_step();
        o.threshold_relative = threshold;
        const auto world = world_of(swinging_bar(), o);
        double share = 0;
        for (int k = 0; k < 60; ++k) share += world->step().update.share / 60;
        EXPECT_LT(share, last_share);
        last_share = share;
        error = largest_difference(world->state().x, reference->state().x);
        if (threshold == 1e-4) first_error = error;
    }
    EXPECT_LT(first_error, 1e-4);
    EXPECT_GT(error, 10 * first_error);
}

TEST(WarpCanceling, refinement_makes_the_answer_independent_of_the_schedule) {
    CorotationalOptions exact = tight();
    const auto reference = test::world_of(swinging_bar(), exact);
    for (const auto precision :
         {FactorPrecision::double_precision, FactorPrecision::single_precision}) {
        WarpCancelingOptions o = every_step();
        o.schedule = ScheduleKind::time;  // with no budget: never updated
        o.refine = 100;
        o.rel_tolerance = 1e-11;
        o.precision = precision;
        const auto world = world_of(swinging_bar(), o);
        const auto again = test::world_of(swinging_bar(), exact);
        for (int k = 0; k < 40; ++k) {
            const StepReport report = world->step();
            again->step();
            ASSERT_EQ(report.solve.status, SolveStatus::converged);
            EXPECT_LT(report.solve.iterations, 60);
        }
        EXPECT_LT(largest_difference(world->state().x, again->state().x), 1e-7);
    }
}

TEST(WarpCanceling, budget_too_small_is_damped_and_reported) {
    for (const auto damping : {DampingKind::velocity, DampingKind::rigid}) {
        WarpCancelingOptions o = every_step();
        o.threshold_relative = 1e-3;
        o.schedule = ScheduleKind::time;
        o.damping = damping;
        o.damping_threshold = 10;
        const auto world = world_of(swinging_bar(), o);
        bool damped = false;
        for (int k = 0; k < 120; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            if (k > 0) {
                EXPECT_EQ(report.update.supernodes, 0);
            }
            damped |= report.has(StepFlag::damped);
        }
        EXPECT_TRUE(damped);
    }
}

TEST(WarpCanceling, budget_is_kept) {
    WarpCancelingOptions o = every_step();
    o.threshold_relative = 1e-6;
    o.schedule = ScheduleKind::time;
    o.budget_share = 0.5;
    const auto world = world_of(swinging_bar(), o);
    bool used = false;
    for (int k = 0; k < 60; ++k) {
        const StepReport report = world->step();
        if (k == 0) continue;  // the first factorisation is not an update
        EXPECT_LE(report.update.share, 0.5 + 1e-12);
        used |= report.update.share > 0;
    }
    EXPECT_TRUE(used);
}

TEST(WarpCanceling, decisions_of_the_clock_repeat_the_bits_when_replayed) {
    for (const auto schedule : {ScheduleKind::time, ScheduleKind::hybrid}) {
        WarpCancelingOptions o = every_step();
        o.threshold_relative = 1e-6;
        o.schedule = schedule;
        o.costs = CostKind::clock;
        o.budget_share = 0.5;  // of costs that this machine measures
        const auto recorded = world_of(swinging_bar(), o);
        EXPECT_TRUE(recorded->stepper().clocked());
        // The same without any budget: what it updates comes from the record alone.
        o.budget_share = 0;
        o.must_update = 1e9;
        const auto repeated = world_of(swinging_bar(), o);
        const auto alone = world_of(swinging_bar(), o);
        bool updated = false;
        for (int k = 0; k < 40; ++k) {
            const StepReport report = recorded->step();
            updated |= k > 0 && report.update.supernodes > 0;
            repeated->replay(recorded->decisions());
            EXPECT_EQ(repeated->step().update.supernodes, report.update.supernodes);
            alone->step();
        }
        EXPECT_TRUE(updated);
        EXPECT_EQ(recorded->state_hash(), repeated->state_hash());
        EXPECT_NE(recorded->state_hash(), alone->state_hash());
    }
}

TEST(WarpCanceling, survives_a_change_of_the_step_and_goes_on_exactly) {
    const auto exact = test::world_of(swinging_bar(), tight());
    const auto world = world_of(swinging_bar(), every_step());
    for (int k = 0; k < 5; ++k) world->step();
    // The same stepper asked for half a step, as sub-steps do.
    State state = world->state();
    NodeForces forces = world->forces();
    std::vector<Vec3d> pins(state.x.size());
    StepReport report;
    const Timer clock;
    world->stepper().free_motion({world->model().h / 2, forces.external, pins, {}, &clock}, state,
                                 forces, report);
    EXPECT_EQ(report.update.share, 1);
    EXPECT_LT(report.solve.residual, 1e-11);
}

TEST(WarpCanceling, gives_the_same_bits_on_any_number_of_threads) {
    std::uint64_t hash[2];
    for (int threads = 1; threads <= 2; ++threads) {
        const ThreadLimit limit(threads);
        WarpCancelingOptions o;
        o.node_rotations = NodeRotationKind::horn;
        const auto world = world_of(swinging_bar(), o);
        for (int k = 0; k < 20; ++k) world->step();
        hash[threads - 1] = world->state_hash();
    }
    EXPECT_EQ(hash[0], hash[1]);
}

TEST(WarpCanceling, one_tet_and_two_unconnected_parts_run) {
    for (const int parts : {1, 2}) {
        TetMesh mesh;
        for (int p = 0; p < parts; ++p) {
            const Index base = mesh.n_nodes();
            for (const Vec3d& x : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
                mesh.nodes.push_back(x + Vec3d{3.0 * p, 0, 0});
            mesh.tets.push_back({base, base + 1, base + 2, base + 3});
        }
        Model model = one_body("tets", mesh, rubber());
        finish_model(model);
        const auto world = world_of(std::move(model), every_step());
        for (int k = 0; k < 10; ++k) ASSERT_FALSE(world->step().failed);
        EXPECT_NEAR(world->state().v[0].y, -9.81 * 10 / 60, 1e-9);
    }
}

}  // namespace
}  // namespace limber
