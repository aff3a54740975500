// SPDX-License-Identifier: Apache-2.0
// Every solver with every law and every integrator: it ends where Newton's method does, or is
// refused in words.

#include <gtest/gtest.h>

#include "limber/core/distance.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

using test::law_names;

SceneDef bar(const std::string& solver, const std::string& law, const std::string& time) {
    return make_scene(parse_toml(test::law_bar(solver, law, time, 30, 5), "bar.toml"), "bar.toml");
}

/// Where the nodes are after the run.
std::vector<Vec3d> end_of(const SceneDef& scene, const std::string& what, int steps) {
    BuildReport report;
    const auto world = make_world(scene, build_model(scene, report));
    for (int k = 0; k < steps; ++k) {
        const StepReport step = world->step();
        EXPECT_FALSE(step.failed) << what << ": " << step.failure.what;
        EXPECT_EQ(step.substeps, 1) << what;
    }
    return world->state().x;
}

TEST(Combinations, every_solver_law_and_integrator_follows_newton_or_is_refused) {
    int ran = 0, refused = 0;
    for (const std::string& law : law_names())
        for (const char* time : {"", "integrator = \"trapezoid\"", "analysis = \"quasi_static\"",
                                 "analysis = \"static\""}) {
            const bool at_rest = std::string(time).find("static") != std::string::npos;
            const int steps =
                at_rest ? 3 : 30;  // 0.3 s: the end of the bar falls by its length / 4
            const SceneDef exact = bar("newton", law, time);
            const std::vector<Vec3d> there = end_of(exact, "newton, " + law, steps);
            BuildReport report;
            const double motion = distance(there, build_model(exact, report).mesh.nodes);
            for (const OptionCase& solver : stepper_cases()) {
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
                const double off = distance(end_of(scene, what, steps), there) / motion;
                // Minimising solvers agree; small steps and rotated factors are another Euler.
                const bool same = stepper_entry(solver.name).family == SolverFamily::minimising;
                EXPECT_LT(off, same ? 1e-2 : 0.1) << what;
                ++ran;
            }
        }
    // Linearly implicit solvers take two laws and one integrator, Newton and descent everything
    // there is, sweeps what moves.
    EXPECT_GT(ran, 10 * static_cast<int>(law_names().size()));
    EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace limber
