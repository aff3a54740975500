// SPDX-License-Identifier: Apache-2.0
// A step that is stopped on its way: the world is where it was, and goes on to the same bits.

#include <gtest/gtest.h>

#include "limber/core/parallel.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/sim/run.h"

namespace limber {
namespace {

struct Pair {
    std::string solver, options, contact;
};

void PrintTo(const Pair& pair, std::ostream* out) {
    *out << pair.solver << " with " << pair.contact;
}

/// Two blocks that fall on each other and on the floor.
std::string scene_of(const Pair& pair) {
    return "limber = 1\n[time]\nstep = 0.01\nend = 10\n[solver]\nkind = \"" + pair.solver + "\"\n" +
           pair.options + "\n[contact]\nmethod = \"" + pair.contact + R"("
[material.rubber]
kind = "corotated"
young = "100 kPa"
poisson = 0.3
density = 1000
[[body]]
name = "lower"
material = "rubber"
shape = "box"
size = [0.2, 0.1, 0.2]
cells = [3, 2, 3]
translate = [0, 0.052, 0]
[[body]]
name = "upper"
material = "rubber"
shape = "box"
size = [0.1, 0.1, 0.1]
cells = [2, 2, 2]
translate = [0.01, 0.154, 0]
[[obstacle]]
shape = "plane"
normal = [0, 1, 0]
friction = 0.3
)";
}

World world_of(const Pair& pair, double stoppable_ms = 0) {
    const SceneDef scene =
        make_scene(parse_toml(scene_of(pair), "scene.toml"), "scene.toml", LoadOptions{});
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return {std::move(model),
            std::move(stepper),
            std::move(contact),
            {.measure_energy = false, .stoppable_ms = stoppable_ms}};
}

std::vector<std::byte> saved(const World& world) {
    ByteWriter out;
    world.save(out);
    return out.bytes();
}

struct StoppedStep : testing::TestWithParam<Pair> {};

/// Looks are counted through the step; later ones are tried more sparsely.
TEST_P(StoppedStep, leaves_the_last_good_state_and_goes_on_to_the_same_bits) {
    const ThreadLimit limit(2);
    constexpr int n_steps = 6;
    World through = world_of(GetParam());
    std::vector<std::uint64_t> hash;
    for (int k = 0; k < n_steps; ++k) {
        through.step();
        hash.push_back(through.state_hash());
    }
    World world = world_of(GetParam());
    StopFlag flag;
    const StopScope scope(&flag);
    int n_stops = 0;
    for (int k = 0; k < n_steps; ++k) {
        const std::vector<std::byte> before = saved(world);
        for (int look = 1;; look += 1 + look / (k % 3 == 1 ? 2 : 8)) {
            flag.request_at_look(look);
            try {
                world.step();
                break;
            } catch (const Stopped&) {
                ++n_stops;
                ASSERT_EQ(world.state().step, k);
                ASSERT_EQ(saved(world), before) << "step " << k << ", look " << look;
            }
        }
        flag.clear();
        if (world.state().step == k) world.step();
        ASSERT_EQ(world.state_hash(), hash[k]) << "step " << k;
    }
    EXPECT_GT(n_stops, 10 * n_steps);
}

INSTANTIATE_TEST_SUITE_P(
    EverySolver, StoppedStep,
    testing::Values(Pair{"corotational", "", "penalty"}, Pair{"cholesky", "", "lagrange"},
                    Pair{"warp_canceling", "", "lagrange"},
                    Pair{"stiffness_warping", "", "penalty"}, Pair{"async", "lag = 2", "lagrange"},
                    Pair{"newton", "", "penalty"}, Pair{"newton", "", "lagrange"},
                    Pair{"descent", "", "penalty"}, Pair{"vertex_block_descent", "", "penalty"},
                    Pair{"xpbd", "", "projection"}),
    [](const auto& p) { return p.param.solver + "_" + p.param.contact; });

TEST(StoppedRun, a_step_that_was_short_is_taken_to_its_end) {
    World world = world_of({"corotational", "", "penalty"}, 1e9);
    StopFlag flag;
    const StopScope scope(&flag);
    flag.request_at_look(5);
    EXPECT_THROW(world.step(), Stopped);  // the first one: nobody knows how long it takes
    flag.clear();
    world.step();
    flag.request_at_look(5);
    EXPECT_NO_THROW(world.step());
    EXPECT_EQ(world.state().step, 2);
}

TEST(StoppedRun, outside_a_scope_no_copy_is_made_and_nothing_stops) {
    World world = world_of({"corotational", "", "penalty"});
    StopFlag flag;
    flag.request();
    EXPECT_NO_THROW(world.step());
}

struct StopAfter final : Observer {
    StopAfter(StopFlag& f, std::int64_t s) : flag(f), step(s) {}
    void before_step(const World& world) override {
        if (world.state().step == step) flag.request_at_look(7);
    }
    void end(const World&) override {
        EXPECT_NO_THROW(parallel_for(1000, 10, [](Index) {}));
    }
    StopFlag& flag;
    std::int64_t step;
};

TEST(StoppedRun, run_returns_interrupted_and_tells_the_observers) {
    World world = world_of({"corotational", "", "penalty"});
    StopFlag flag;
    world.add(std::make_unique<StopAfter>(flag, 3));
    RunOptions options;
    options.last_step = 10;
    options.stop = &flag;
    const RunResult result = run(world, options);
    EXPECT_EQ(result.outcome, RunOutcome::interrupted);
    EXPECT_EQ(world.state().step, 3);
    EXPECT_EQ(result.last.step, 3);
}

}  // namespace
}  // namespace limber
