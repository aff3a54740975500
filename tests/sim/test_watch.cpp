// SPDX-License-Identifier: Apache-2.0
// Whoever watches a solve sees its iterates in their order, under every solver that has any.

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

TEST(Watch, shows_the_iterates_of_every_solver_that_says_so) {
    int shown = 0;
    for (const StepperEntry& entry : steppers()) {
        if (entry.open) continue;
        const std::string name(entry.options.name);
        SceneDef scene;
        try {
            scene = make_scene(parse_toml(test::law_bar(name, "corotated", "", 30, 5), name), name);
        } catch (const InputError&) {
            continue;  // other laws alone
        }
        BuildReport report;
        const auto world = make_world(scene, build_model(scene, report));
        std::vector<int> numbers;
        double first = NAN, last = NAN;  // what falls: the objective, or the residual
        const bool has = world->stepper().watch([&](const Iterate& at) {
            numbers.push_back(at.number);
            last = std::isnan(at.value) ? at.residual : at.value;
            if (numbers.size() == 1) first = last;
        });
        world->step();
        EXPECT_EQ(has, !numbers.empty()) << name;
        for (std::size_t k = 1; k < numbers.size(); ++k)
            EXPECT_GT(numbers[k], numbers[k - 1]) << name;
        if (has && !std::isnan(first)) {
            EXPECT_LT(last, first) << name;
        }
        numbers.clear();
        world->stepper().watch({});
        world->step();
        EXPECT_TRUE(numbers.empty()) << name;
        shown += has;
    }
    EXPECT_GE(shown, 3);
}

}  // namespace
}  // namespace limber
