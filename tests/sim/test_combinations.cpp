// SPDX-License-Identifier: Apache-2.0
// Every solver with every law and every integrator: it runs, or it is refused in words.

#include <gtest/gtest.h>

#include "limber/scene/build_model.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

using test::law_names;

SceneDef bar(const std::string& solver, const std::string& law, const std::string& time) {
    return make_scene(parse_toml(test::law_bar(solver, law, time, 4, 5), "bar.toml"), "bar.toml");
}

TEST(Combinations, every_solver_law_and_integrator_runs_or_is_refused) {
    int ran = 0, refused = 0;
    for (const OptionCase& solver : stepper_cases())
        for (const std::string& law : law_names())
            for (const char* time : {"", "integrator = \"trapezoid\"",
                                     "analysis = \"quasi_static\"", "analysis = \"static\""}) {
                const std::string what =
                    std::string(solver.name) + ", " + law + ", " + (*time ? time : "dynamic");
                SceneDef scene;
                try {
                    scene = bar(std::string(solver.name), law, time);
                } catch (const InputError& error) {
                    const std::string reason = error.what();
                    EXPECT_NE(reason.find("allowed"), std::string::npos) << what;
                    EXPECT_NE(reason.find("solver.kind = \"" + std::string(solver.name)),
                              std::string::npos)
                        << reason;
                    ++refused;
                    continue;
                }
                BuildReport report;
                auto model = std::make_unique<const Model>(build_model(scene, report));
                auto stepper = make_stepper(scene, *model);
                auto contact = make_contact(scene, *model);
                World world(std::move(model), std::move(stepper), std::move(contact));
                for (int k = 0; k < 4; ++k) {
                    const StepReport step = world.step();
                    ASSERT_FALSE(step.failed) << what << ": " << step.failure.what;
                    EXPECT_EQ(step.substeps, 1) << what;
                }
                // Under its own weight the end sinks, and not by more than its length.
                double lowest = 0;
                for (const Vec3d& x : world.state().x) lowest = std::min(lowest, x.y);
                EXPECT_LT(lowest, -0.1001) << what;
                EXPECT_GT(lowest, -1.2) << what;
                ++ran;
            }
    // Linearly implicit solvers take two laws and one integrator; minimising ones everything.
    EXPECT_GE(ran, 2 * 4 + 4 * static_cast<int>(law_names().size()));
    EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace limber
