// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/registry.h"
#include "limber/sim/world.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

SceneDef swinging_bar(const std::string& options, const std::string& law = "neo_hookean",
                      const std::string& direction = "jacobi") {
    return make_scene(parse_toml(R"(limber = 1
[time]
step = 0.02
steps = 10
[solver]
kind = "descent"
direction = ")" + direction + R"("
precision = "double"
iterations = 32
)" + options + R"(
[material.m]
kind = ")" + law + R"("
young = "200 kPa"
poisson = 0.35
[[body]]
name = "bar"
shape = "beam"
size = [1, 0.2, 0.2]
cells = [10, 2, 2]
material = "m"
[[pin]]
body = "bar"
select = { side = "x-" }
[contact]
method = "none"
)",
                                 "bar.toml"),
                      "bar.toml");
}

Model model_of(const SceneDef& scene) {
    BuildReport report;
    return build_model(scene, report);
}

std::unique_ptr<World> world_of(const SceneDef& scene, const Model& model) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = make_stepper(scene, *own);
    auto contact = make_contact(scene, *own);
    return std::make_unique<World>(std::move(own), std::move(stepper), std::move(contact),
                                   WorldOptions{.measure_energy = false});
}

/// Mean distance of single steps from Newton's, in parts of their motion, over the steps
/// (from, to] of Newton's run.
double mean_error(const SceneDef& scene, const Model& model, int from, int to) {
    NewtonOptions options;
    options.rel_tolerance = 1e-11;
    auto own = std::make_unique<const Model>(model);
    auto stepper = std::make_unique<NewtonStepper>(*own, options);
    World exact(std::move(own), std::move(stepper), std::make_unique<NoContact>());
    const auto world = world_of(scene, model);
    double sum = 0;
    for (int k = 0; k < to; ++k) {
        world->state() = exact.state();
        const std::vector<Vec3d> before = exact.state().x;
        exact.step();
        world->step();
        double off = 0, moved = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            off += squared_norm(world->state().x[i] - exact.state().x[i]);
            moved += squared_norm(exact.state().x[i] - before[i]);
        }
        if (k >= from) sum += std::sqrt(off / moved);
    }
    return sum / (to - from);
}

/// Starts far below and far above what the bar wants, over laws, in steps that the tuner never saw.
TEST(Tune, is_never_worse_than_what_it_starts_from) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "takes five minutes in sanitized code, five seconds without";
#endif
    const ThreadLimit one(1);  // a few tets: threads only wait for each other
    int improved = 0;
    for (const char* law : {"neo_hookean", "stvk", "mooney_rivlin"})
        for (const char* rho : {"0.5", "0.95", "0.9998"}) {
            const std::string start = fmt::format("rho = [{}]\n", rho);
            const SceneDef scene = swinging_bar("tune = true\n" + start, law);
            const Model model = model_of(scene);
            const TunedScene result = tuned(scene, model);
            const double before = mean_error(swinging_bar(start, law), model, 12, 40),
                         after = mean_error(result.scene, model, 12, 40);
            EXPECT_LE(after, before) << law << ' ' << rho << '\n' << result.text;
            improved += result.improved;
        }
    EXPECT_GE(improved, 6);  // and not by doing nothing
}

/// The minimum is Newton's: what a run of sixteen times the iterations leaves would make a slow
/// start look perfect.
TEST(Tune, errors_are_those_against_the_minimum) {
    const SceneDef scene = swinging_bar("tune = true\ntune_steps = 6\nrho = [0.01]\n");
    const Model model = model_of(scene);
    const std::string text = tuned(scene, model).text;
    // Thirty-two iterations without momentum leave most of what there is to do.
    const std::size_t at = text.find("error ");
    ASSERT_NE(at, std::string::npos) << text;
    const double before = std::stod(text.substr(text.find(", ", at) + 2));
    EXPECT_GT(before, 0.1) << text;
}

TEST(Tune, finds_better_phases_the_same_ones_every_time_and_takes_them_from_its_file) {
    const SceneDef scene = swinging_bar("tune = true\ntune_steps = 6\nrho = [0.5]\n");
    ASSERT_TRUE(wants_tuning(scene));
    const Model model = model_of(scene);
    const TunedScene first = tuned(scene, model);
    EXPECT_TRUE(first.improved) << first.text;
    const auto& found = first.scene.solver.options.as<DescentOptions>();
    EXPECT_EQ(found.rho.size(), 2u);
    EXPECT_EQ(found.phases.size(), 2u);
    EXPECT_EQ(found.phases[0] + found.phases[1], 32);
    EXPECT_FALSE(wants_tuning(first.scene));
    {
        const ThreadLimit two(2);
        EXPECT_EQ(tuned(scene, model).text, first.text);
    }
    const TunedScene again = tuned(scene, model, first.text);
    EXPECT_EQ(again.text, first.text);
    EXPECT_EQ(again.note, "phases from tuned.toml");
    const auto& read = again.scene.solver.options.as<DescentOptions>();
    EXPECT_EQ(read.rho, found.rho);
    EXPECT_EQ(read.phases, found.phases);
}

TEST(Tune, a_file_of_another_scene_or_none_at_all_does_not_count) {
    const SceneDef scene = swinging_bar("tune = true\ntune_steps = 2\ntune_phases = 1\n");
    const Model model = model_of(scene);
    const std::string text = tuned(scene, model).text;
    std::string other = text;
    other[other.find("scene = \"") + 9] ^= 1;
    for (const std::string& wrong : {other, std::string("rho = ["), std::string("x")})
        EXPECT_EQ(tuned(scene, model, wrong).text, text);
}

TEST(Tune, says_when_there_is_nothing_to_find) {
    // Without gravity nothing moves, and no step has an energy to bring down.
    SceneDef scene = swinging_bar("tune = true\ntune_steps = 2\n");
    scene.gravity = {0, 0, 0};
    const TunedScene result = tuned(scene, model_of(scene));
    EXPECT_FALSE(result.improved);
    EXPECT_NE(result.note.find("nothing better"), std::string::npos);
    EXPECT_EQ(result.scene.solver.options.as<DescentOptions>().rho[0], 0.9998);
}

TEST(Tune, is_refused_without_chebyshev) {
    EXPECT_THROW(swinging_bar("tune = true\nacceleration = \"nesterov\"\n"), InputError);
    EXPECT_THROW(swinging_bar("tune = true\n", "neo_hookean", "lbfgs"), InputError);
    EXPECT_THROW(swinging_bar("tune = true\n", "neo_hookean", "newton_cg"), InputError);
    EXPECT_FALSE(wants_tuning(swinging_bar("")));
}

}  // namespace
}  // namespace limber
