// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/energy_balance.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/contact/methods/penalty.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

/// Multiplies all velocities by a factor: energy from nowhere.
class Pump final : public Stepper {
  public:
    Pump(double factor, double longest_h) : factor_(factor), longest_h_(longest_h) {}
    std::string_view name() const override { return "pump"; }
    void free_motion(const StepInput& in, State& state, NodeForces&, StepReport& report) override {
        if (in.h > longest_h_)
            for (Vec3d& v : state.v) v = factor_ * v;
        report.solve.status = SolveStatus::converged;
    }

  private:
    double factor_, longest_h_;
};

/// A free box that flies at 1 m/s, without gravity.
std::unique_ptr<World> pumped(double factor, double longest_h = 0) {
    Model model = test::model_of(make_box({1, 1, 1}, {1, 1, 1}), test::rubber());
    model.bodies[0].name = "box";
    model.gravity = {};
    finish_model(model);
    for (Vec3d& v : model.initial_velocity) v = {1, 0, 0};
    auto owned = std::make_unique<const Model>(std::move(model));
    return std::make_unique<World>(std::move(owned), std::make_unique<Pump>(factor, longest_h),
                                   std::make_unique<NoContact>());
}

/// The largest gain of a run, as a share of its scale; it must not fail.
double largest_gain(World& world, int steps) {
    double most = 0;
    for (int k = 0; k < steps; ++k) {
        const StepReport r = world.step();
        EXPECT_FALSE(r.failed) << r.failure.what;
        EXPECT_FALSE(r.has(StepFlag::substepped)) << "step " << r.step;
        most = std::max(most, r.energy_gain / r.energy_scale);
    }
    return most;
}

std::unique_ptr<World> with_penalty(Model model, const PenaltyOptions& options = {}) {
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<CorotationalStepper>(*owned, test::tight());
    return std::make_unique<World>(std::move(owned), std::move(stepper),
                                   std::make_unique<PenaltyContact>(options));
}

/// A box of half a metre above a floor at y = 0.
Model box_at(double height, double down_speed) {
    TetMesh mesh = make_box({0.5, 0.5, 0.5}, {2, 2, 2});
    for (Vec3d& p : mesh.nodes) p.y += height;
    Model model = test::model_of(std::move(mesh), test::rubber(1e6, 0.3));
    model.bodies[0].name = "box";
    Obstacle floor;
    floor.name = "floor";
    floor.shape = PlaneShape{};
    model.obstacles.push_back(std::move(floor));
    model.h = 0.01;
    finish_model(model);
    for (Vec3d& v : model.initial_velocity) v = {0, -down_speed, 0};
    return model;
}

double lowest(const Model& model) {
    double y = 1e300;
    for (const Vec3d& p : model.mesh.nodes) y = std::min(y, p.y);
    return y;
}

TEST(EnergyBalance, a_bar_that_swings_under_its_weight_gains_nothing) {
    const auto world = test::world_of(test::bar(), test::tight());
    EXPECT_LT(largest_gain(*world, 120), 1e-3);
    EXPECT_GT(world->step().kinetic, 0);
}

TEST(EnergyBalance, the_trapezoidal_rule_keeps_its_energy) {
    Model model = test::bar();
    model.integrator = Integrator::trapezoid;
    model.h = 1.0 / 200;
    const auto world = test::world_with<NewtonStepper>(std::move(model));
    EXPECT_LT(largest_gain(*world, 120), 0.02);
}

TEST(EnergyBalance, what_pins_bring_is_no_gain) {
    for (const bool newton : {false, true}) {
        Model model = test::bar(2, true, test::rubber(1e6, 0.3));
        model.gravity = {};  // nothing but the pins moves anything
        model.pins[0].motion.translate = {{0, 0.2, 0.5}, {{0, 0, 0}, {0, 0.4, 0}, {0.3, 0, 0}}};
        const auto world = newton ? test::world_with<NewtonStepper>(std::move(model))
                                  : test::world_of(std::move(model), test::tight());
        EXPECT_LT(largest_gain(*world, 60), 0.01) << newton;
        EXPECT_GT(world->step().kinetic, 0);
    }
}

TEST(EnergyBalance, what_loads_bring_is_no_gain) {
    Model model = test::bar();
    model.gravity = {};
    NodalForce push{"push", model.mesh.node_groups.at("x+"), {}, {}};
    push.share.assign(push.nodes.size(), Vec3d{0, 0, 3});
    model.forces.push_back(std::move(push));
    const auto world = test::world_of(std::move(model), test::tight());
    EXPECT_LT(largest_gain(*world, 60), 1e-3);
    EXPECT_GT(world->step().kinetic, 0);
}

TEST(EnergyBalance, what_a_moving_obstacle_brings_is_no_gain) {
    Model model = box_at(0, 0);
    const double gap = 0.01 - lowest(model);
    model = box_at(gap, 0);
    model.gravity = {};
    model.obstacles[0].motion.translate = {{0, 0.1, 0.5}, {{0, 0, 0}, {0, 0.1, 0}, {0, 1, 0}}};
    const auto world = with_penalty(std::move(model));
    EXPECT_LT(largest_gain(*world, 50), 0.05);
    EXPECT_GT(world->step().kinetic, 10);  // it was thrown up
}

/// A penalty spring that is pressed together holds energy that no one sees; giving it back is no
/// gain.
TEST(EnergyBalance, a_bounce_is_no_gain) {
    const double gap = 0.05 - lowest(box_at(0, 0));
    const auto world = with_penalty(box_at(gap, 3), {.stiffness = 2e6});
    EXPECT_LT(largest_gain(*world, 100), 0.05);
}

TEST(EnergyBalance, a_body_that_starts_inside_an_obstacle_gains) {
    const double sunk = -0.1 - lowest(box_at(0, 0));
    const auto world = with_penalty(box_at(sunk, 0));
    bool told = false;
    for (int k = 0; k < 20; ++k) {
        const StepReport r = world->step();
        ASSERT_FALSE(r.failed) << r.failure.what;
        told = told || r.has(StepFlag::energy_gained);
    }
    EXPECT_TRUE(told);
    const Fault& fault = world->verdict().of(FaultKind::energy_gained);
    EXPECT_GT(fault.count, 0);
    EXPECT_EQ(fault.body, 0);
    EXPECT_GT(fault.worst, 0);
}

TEST(EnergyBalance, a_change_from_outside_is_no_gain) {
    const auto world = test::world_of(test::bar(2, false), test::tight());
    for (int k = 0; k < 5; ++k) world->step();
    for (Vec3d& v : world->state().v) v.x += 100;
    const StepReport r = world->step();
    EXPECT_GT(r.kinetic, 1e5);
    EXPECT_LT(r.energy_gain, 1e-3 * r.energy_scale);
}

TEST(EnergyBalance, a_run_that_gains_a_little_a_step_is_told_and_goes_on) {
    const auto world = pumped(1.003);
    for (int k = 0; k < 60; ++k) ASSERT_FALSE(world->step().failed);
    const Fault& fault = world->verdict().of(FaultKind::energy_gained);
    EXPECT_GT(fault.first_step, 5);  // 0.6 % a step
    EXPECT_LT(fault.first_step, 12);
    EXPECT_EQ(fault.count, 60 - fault.first_step + 1);
}

TEST(EnergyBalance, a_run_away_is_a_failure_that_names_the_body_and_keeps_the_last_state) {
    for (const double factor : {1.1, 1e4}) {
        const auto world = pumped(factor);
        StepReport r;
        int steps = 0;
        for (; steps < 200 && !r.failed; ++steps) r = world->step();
        ASSERT_TRUE(r.failed) << factor;
        EXPECT_NE(r.failure.what.find("runs away"), std::string::npos) << r.failure.what;
        EXPECT_NE(r.failure.what.find("'box'"), std::string::npos) << r.failure.what;
        EXPECT_NE(r.failure.what.find("tet "), std::string::npos) << r.failure.what;
        EXPECT_EQ(world->state().step, steps - 1);
        const double kept = norm(world->state().v[0]);  // at most 1000 times what it began with
        EXPECT_LT(kept * kept, 1002);
    }
}

TEST(EnergyBalance, a_step_that_runs_away_whole_is_taken_in_parts) {
    const auto world = pumped(1e4, 0.3 / 60);
    const StepReport r = world->step();
    EXPECT_FALSE(r.failed) << r.failure.what;
    EXPECT_EQ(r.substeps, 4);
    EXPECT_FALSE(r.has(StepFlag::energy_gained));
    EXPECT_EQ(world->verdict().of(FaultKind::rejected).count, 1);
    EXPECT_EQ(world->verdict().of(FaultKind::rejected).body, 0);
}

TEST(EnergyBalance, is_not_kept_for_runs_without_inertia) {
    Model model = test::bar();
    model.integrator = Integrator::quasi_static;
    const auto world = test::world_with<NewtonStepper>(std::move(model));
    const StepReport r = world->step();
    EXPECT_FALSE(r.failed) << r.failure.what;
    EXPECT_EQ(r.energy_scale, 0);
    EXPECT_GT(r.elastic, 0);
}

TEST(EnergyBalance, and_verdict_go_on_with_the_same_bits_after_a_checkpoint) {
    const auto through = pumped(1.003), first = pumped(1.003);
    for (int k = 0; k < 90; ++k) through->step();
    for (int k = 0; k < 70; ++k) first->step();
    ByteWriter saved;
    first->save(saved);
    const auto second = pumped(1.003);
    ByteReader reader(saved.bytes(), "memory");
    second->load(reader);
    for (int k = 70; k < 90; ++k) second->step();
    ByteWriter a, b;
    through->save(a);
    second->save(b);
    EXPECT_TRUE(a.bytes() == b.bytes());
}

}  // namespace
}  // namespace limber
