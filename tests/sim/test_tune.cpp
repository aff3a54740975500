// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/tune.h"

#include <gtest/gtest.h>

#include "limber/core/parallel.h"
#include "limber/scene/build_model.h"
#include "limber/scene/document.h"
#include "limber/scene/registry.h"
#include "limber/solve/descent.h"

namespace limber {
namespace {

SceneDef swinging_bar(const std::string& options) {
    return make_scene(parse_toml(R"(limber = 1
[time]
step = 0.02
steps = 10
[solver]
kind = "descent"
direction = "jacobi"
precision = "double"
iterations = 32
)" + options + R"(
[material.m]
kind = "neo_hookean"
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
    EXPECT_THROW(swinging_bar("tune = true\ndirection = \"lbfgs\"\n"), InputError);
    EXPECT_FALSE(wants_tuning(swinging_bar("")));
}

}  // namespace
}  // namespace limber
