// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/world.h"

#include <gtest/gtest.h>

#include <limits>

#include "count_allocations.h"
#include "fixtures.h"
#include "limber/core/parallel.h"
#include "limber/solve/async.h"

namespace limber {
namespace {

using test::bar;
using test::world_of;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(World, a_steady_step_allocates_nothing) {
    for (int threads : {1, 2})
        for (auto op : {OperatorKind::assembled, OperatorKind::matrix_free})
            for (auto form : {SystemForm::v, SystemForm::dv}) {
                const ThreadLimit limit(threads);
                CorotationalOptions o;
                o.matrix = op;
                o.form = form;
                const auto world = world_of(bar(), o);
                for (int k = 0; k < 3; ++k) world->step();
                const long before = n_allocations;
                for (int k = 0; k < 10; ++k) world->step();
                EXPECT_EQ(n_allocations - before, 0) << threads << " threads";
            }
}

TEST(World, a_steady_step_with_a_factor_made_beside_allocates_nothing) {
    AsyncOptions o;
    o.lag = {2, false};
    const auto world = test::world_with<AsyncStepper>(bar(), o);
    for (int k = 0; k < 6; ++k) world->step();  // both factors have been made
    const long before = n_allocations;
    for (int k = 0; k < 10; ++k) world->step();
    EXPECT_EQ(n_allocations - before, 0);
}

TEST(World, time_is_the_step_count_times_the_step) {
    const auto world = world_of(bar(1));
    for (int k = 0; k < 100; ++k) world->step();
    EXPECT_EQ(world->state().step, 100);
    EXPECT_EQ(world->state().time, 100 * world->model().h);
}

TEST(World, stage_times_add_up_to_at_most_the_wall_time) {
    const auto world = world_of(bar());
    for (int k = 0; k < 5; ++k) {
        const StepReport report = world->step();
        double sum = 0;
        for (double ms : report.stage_ms) sum += ms;
        EXPECT_LE(sum, report.wall_ms + 1e-6);
        EXPECT_GT(report.ms(Stage::rotate), 0);
        EXPECT_GT(report.ms(Stage::assemble), 0);
        EXPECT_GT(report.ms(Stage::free_motion), 0);
    }
}

TEST(World, a_load_that_is_not_finite_fails_by_name_and_keeps_the_last_good_state) {
    Model model = bar(1);
    NodalForce force{"force 1", {3}, {{0, nan, 0}}, {}};
    model.forces.push_back(force);
    const auto world = world_of(std::move(model));
    const std::uint64_t before = world->state_hash();
    const StepReport report = world->step();
    EXPECT_TRUE(report.failed);
    EXPECT_NE(report.failure.what.find("body 'body'"), std::string::npos) << report.failure.what;
    EXPECT_NE(report.failure.what.find("node 3"), std::string::npos) << report.failure.what;
    EXPECT_NE(report.failure.what.find("not finite"), std::string::npos) << report.failure.what;
    EXPECT_EQ(world->state_hash(), before);
    EXPECT_TRUE(std::isfinite(report.elastic));
}

TEST(World, nan_planted_in_position_or_velocity_is_found_in_the_same_step) {
    for (int where = 0; where < 2; ++where) {
        const auto world = world_of(bar(1));
        world->step();
        (where ? world->state().v : world->state().x)[7].z = nan;
        EXPECT_TRUE(world->step().failed);
    }
}

/// A stepper that fails for long steps: what sub-stepping is for.
class ShortStepsOnly final : public Stepper {
  public:
    std::string_view name() const override { return "short_steps_only"; }
    void free_motion(const StepInput& in, State& state, NodeForces&, StepReport& report) override {
        ++calls;
        report.solve = {};
        for (Vec3d& v : state.v) v = in.h > 0.005 ? Vec3d{nan, 0, 0} : Vec3d{1, 0, 0};
    }
    void reset() override { ++resets; }
    int calls = 0, resets = 0;
};

TEST(World, a_rejected_step_is_repeated_in_smaller_parts) {
    auto model = std::make_unique<const Model>(bar(1, false));
    auto stepper = std::make_unique<ShortStepsOnly>();
    const ShortStepsOnly& watched = *stepper;
    World world(std::move(model), std::move(stepper), std::make_unique<NoContact>());
    const double x0 = world.state().x[0].x;
    const StepReport report = world.step();
    EXPECT_FALSE(report.failed);
    EXPECT_EQ(report.substeps, 4);  // 1/60, 1/120, 1/240
    EXPECT_TRUE(report.has(StepFlag::substepped));
    EXPECT_EQ(watched.calls, 1 + 1 + 4);
    EXPECT_EQ(watched.resets, 2);
    EXPECT_NEAR(world.state().x[0].x - x0, world.model().h, 1e-15);
    EXPECT_EQ(world.state().time, world.model().h);
}

TEST(World, replayed_decisions_repeat_the_bits) {
    CorotationalOptions o;
    o.pcg.rel_tolerance = 1e-14;
    o.pcg.deadline_ms = 0.05;  // stops somewhere, wherever this machine is by then
    const auto recorded = world_of(bar(), o), repeated = world_of(bar(), o);
    std::vector<std::vector<int>> decisions;
    for (int k = 0; k < 10; ++k) {
        recorded->step();
        decisions.emplace_back(recorded->decisions().begin(), recorded->decisions().end());
    }
    for (int k = 0; k < 10; ++k) {
        repeated->replay(decisions[k]);
        repeated->step();
    }
    EXPECT_TRUE(recorded->stepper().clocked());
    EXPECT_EQ(recorded->state_hash(), repeated->state_hash());
}

TEST(World, yanks_stay_finite_and_come_back_to_rest) {
    // Gravity x 1000 for ten steps, then a node dragged ten body lengths away, then damped rest.
    Material material = test::rubber(1e5, 0.3);
    material.damping_mass = 5;
    Model model = test::model_of(make_box({1, 0.25, 0.25}, {4, 1, 1}), material);
    model.gravity = {0, 0, 0};
    model.pins.push_back({"pin", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(model);
    const auto world = world_of(std::move(model), test::tight());
    for (Vec3d& v : world->state().v) v = {0, -1000, 0};
    for (int k = 0; k < 10; ++k) ASSERT_FALSE(world->step().failed);
    world->state().x.back() += Vec3d{10, 0, 0};
    for (int k = 0; k < 1200; ++k) ASSERT_FALSE(world->step().failed);
    for (Index i = 0; i < world->model().n_nodes(); ++i)
        EXPECT_LT(norm(world->state().x[i] - world->model().mesh.nodes[i]), 1e-3);
}

/// A body that has collapsed lets its inner nodes through a floor on which its surface stands.
TEST(World, measures_how_deep_inner_nodes_are_where_tets_are_inverted) {
    Model model = test::model_of(make_box({1, 1, 1}, {2, 2, 2}), test::rubber());
    model.h = 1e-9;  // nothing moves
    Obstacle floor;
    floor.shape = PlaneShape{};
    floor.position = {0, -0.5, 0};
    model.obstacles.push_back(std::move(floor));
    finish_model(model);
    Index inner = -1;
    for (Index i = 0; i < model.n_nodes(); ++i)
        if (norm(model.mesh.nodes[i]) < 1e-9) inner = i;
    ASSERT_GE(inner, 0);
    EXPECT_LT(test::world_of(model)->step().max_penetration, 1e-6);
    model.initial_displacement[inner] = {0, -0.75, 0};
    const StepReport report = test::world_of(model)->step();
    EXPECT_GT(report.inverted_tets, 0);
    EXPECT_NEAR(report.max_penetration, 0.25, 1e-3);
}

}  // namespace
}  // namespace limber
