// SPDX-License-Identifier: Apache-2.0
// How deep bodies are inside each other at the end of steps, by a measure of its own: nodes in the
// tets of another body, one after the other, and their way to its surface.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "contact/body_worlds.h"
#include "limber/study/true_depth.h"

namespace limber {
namespace {

using namespace test;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int share_of_steps = 4;  // sanitizers take ten times as long
#else
constexpr int share_of_steps = 1;
#endif

struct GapCase {
    const char* name;
    std::string scene;  // without its solver
    int steps;
    double allowed;  // of the mean edge
};

std::string common(double h, const std::string& gravity) {
    return "limber = 1\ngravity = " + gravity + "\n[time]\nstep = " + std::to_string(h) +
           "\nend = 10\n[material.rubber]\nkind = \"corotated\"\nyoung = \"300 kPa\"\n"
           "poisson = 0.4\ndensity = 1000\ndamping = { stiffness = 0.01 }\n"
           "[contact]\nmethod = \"lagrange\"\n";
}
const std::string flat_ground = "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n";

/// What moves by its cable alone is not on its way in free motion.
std::string fingers() {
    std::string text =
        common(0.02, "[0, 0, 0]") +
        body("ball", "shape = \"sphere\"\nradius = 0.02\ntets = 600", "[0.085, 0, 0]");
    for (const double side : {1.0, -1.0}) {
        const std::string name = side > 0 ? "up" : "down";
        text += body(name, "shape = \"finger\"", "[0, " + std::to_string(0.035 * side) + ", 0]",
                     side > 0 ? "" : "rotate = { axis = [1, 0, 0], angle = 180 }") +
                "[[pin]]\nbody = \"" + name +
                "\"\nselect = { group = \"base\" }\n[[cable]]\nname = \"c" + name +
                "\"\nbodies = [\"\"";
        std::string path;
        for (int k = 0; k < 5; ++k) text += ", \"" + name + '"';
        for (const double at : {-0.01, 0.005, 0.03, 0.055, 0.08, 0.105})
            path += (path.empty() ? "[" : ", [") + std::to_string(at) + ", " +
                    std::to_string(side * (at > 0.1    ? 0.0265
                                           : at > 0.07 ? 0.0258
                                                       : 0.0255)) +
                    ", 0]";
        text += "]\npath = [" + path + "]\ntimes = [0.0, 0.6]\npull = [\"0 mm\", \"14 mm\"]\n";
    }
    return text;
}
std::string ring_on_ring() {
    return common(0.01, "[0, -9.81, 0]") +
           body("a", "shape = \"torus\"\ntets = 800\nscale = 0.3", "[0, 0.05, 0]") +
           body("b", "shape = \"torus\"\ntets = 800\nscale = 0.3", "[0.06, 0.3, 0.03]",
                "rotate = { axis = [1, 0, 0.3], angle = 70 }") +
           flat_ground;
}
std::string thrown_ball() {
    return common(0.01, "[0, -9.81, 0]") +
           body("target", "shape = \"box\"\nsize = [0.3, 0.3, 0.3]\ncells = [4, 4, 4]",
                "[0, 0.1501, 0]") +
           body("ball", "shape = \"sphere\"\nradius = 0.06\ntets = 400", "[-0.5, 0.2, 0.03]",
                "velocity = [20, 0, 0]") +
           flat_ground;
}
std::string pile() {
    std::string text = common(0.01, "[0, -9.81, 0]") + flat_ground;
    for (int k = 0; k < 4; ++k)
        text += body(
            "box" + std::to_string(k), "shape = \"box\"\nsize = [0.2, 0.1, 0.2]\ncells = [3, 2, 3]",
            "[" + std::to_string(0.02 * k) + ", " + std::to_string(0.051 + 0.103 * k) + ", 0]",
            "rotate = { axis = [0, 1, 0], angle = " + std::to_string(20 * k) + " }");
    return text;
}

const GapCase gap_cases[] = {{"fingers", fingers(), 25, 1e-2},
                             {"rings", ring_on_ring(), 60, 5e-3},
                             {"thrown ball", thrown_ball(), 60, 2e-3},
                             {"pile", pile(), 60, 2e-5}};

class TrueGaps : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(TrueGaps, at_the_end_of_every_step) {
    const auto& [solver, which] = GetParam();
    const GapCase& c = gap_cases[which];
    // Newton takes seconds a step where cables close fingers.
    const bool slow = std::string(solver) == "newton" && which == 0;
    const auto world = world_from(c.scene + "[solver]\nkind = \"" + std::string(solver) + "\"\n");
    const double edge = mean_surface_edge(world->model());
    double most = 0;
    const int steps = (slow ? 5 : c.steps) / share_of_steps;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed) << report.failure.what;
        const double depth = true_depth(*world).bodies;
        most = std::max(most, depth);
        // What is reported is what is there.
        EXPECT_NEAR(report.max_penetration, depth, 1e-2 * edge) << c.name << ", step " << k + 1;
    }
    EXPECT_LT(most, c.allowed * edge) << c.name;
}
INSTANTIATE_TEST_SUITE_P(Bodies, TrueGaps,
                         testing::Combine(testing::Values("cholesky", "warp_canceling", "newton"),
                                          testing::Range(0, 4)));

/// A face under the rim touches at its cap and at its wall, at a point each; where the later of the
/// two replaced the other it ended 0.46 mm inside, and 0.68 mm under cholesky.
TEST(TrueGapsOfFaces, are_held_on_both_sides_of_a_rim) {
    for (const char* solver : {"warp_canceling", "cholesky"}) {
        const auto world = world_from(
            "limber = 1\ngravity = [0, -9.81, 0]\n[time]\nstep = 0.01\nend = 10\n"
            "[material.rubber]\nkind = \"corotated\"\nyoung = \"100 kPa\"\npoisson = 0.3\n"
            "density = 300\ndamping = { stiffness = 0.002 }\n" +
            body("pad", "shape = \"sphere\"\nradius = 0.12\ntets = 1200", "[0.03, 0.1205, 0.02]") +
            flat_ground +
            "[[obstacle]]\nshape = \"cylinder\"\nradius = 0.06\nheight = 0.2\n"
            "position = [0, 0.345, 0]\n"
            "motion = { times = [0, 0.8], translate = [[0, 0, 0], [0, -0.06, 0]] }\n"
            "[contact]\nmethod = \"lagrange\"\nfriction = 0.6\n[solver]\nkind = \"" +
            solver + "\"\n");
        double most = 0;
        for (int k = 0; k < 60 / share_of_steps; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed) << report.failure.what;
            EXPECT_FALSE(report.has(StepFlag::contact_cap)) << solver << ", step " << k;
            most = std::max(most, report.max_penetration);
        }
        EXPECT_LE(most, 3e-4) << "m, " << solver;
    }
}

/// Fingers bend away from what they hold, so that faces turn between the place where a node is hit
/// and the end of the step: with the normals of the hit they ended 9e-3 of the edge inside.
TEST(TrueGapsOfBending, fingers_that_lift_a_ball_stay_outside) {
    std::string scene =
        "limber = 1\ngravity = [0, -9.81, 0]\n[time]\nstep = 0.02\nend = 10\n"
        "[solver]\nkind = \"cholesky\"\n[contact]\nmethod = \"lagrange\"\nfriction = 0.8\n"
        "[material.rubber]\nkind = \"corotated\"\nyoung = \"50 kPa\"\npoisson = 0.4\n"
        "density = 150\ndamping = { stiffness = 0.005 }\n"
        "[material.finger]\nkind = \"corotated\"\nyoung = \"2 MPa\"\npoisson = 0.4\n"
        "density = 500\ndamping = { stiffness = 0.005 }\n" +
        body("ball", "shape = \"sphere\"\nradius = 0.2\ntets = 3000", "[0, 0.2, 0]") + flat_ground;
    for (const double side : {1.0, -1.0}) {
        const std::string name = side > 0 ? "left" : "right";
        scene += fmt::format(
            "[[body]]\nname = \"{0}\"\nmaterial = \"finger\"\nshape = \"box\"\n"
            "size = [0.06, 0.5, 0.06]\ncells = [2, 12, 2]\ntranslate = [0.02, 0.42, {1}]\n"
            "[[pin]]\nbody = \"{0}\"\nselect = {{ side = \"y+\" }}\n"
            "motion = {{ times = [0, 0.4, 0.8, 1.6], translate = [[0, 0, 0], [0, 0, {2}], "
            "[0, 0, {2}], [0, 0.3, {2}]] }}\n",
            name, 0.25 * side, -0.16 * side);
    }
    const auto world = world_from(scene);
    const double edge = mean_surface_edge(world->model());
    double most = 0;
    for (int k = 0; k < 55 / share_of_steps; ++k) {
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed) << report.failure.what;
        EXPECT_FALSE(report.has(StepFlag::penetration)) << "step " << k + 1;
        most = std::max(most, true_depth(*world).bodies);
    }
    EXPECT_LT(most, 2e-3 * edge);
}

/// Sweeps alone stopped at their cap in every step of these.
TEST(AutomaticComplementarity, converges_for_stacks_of_meshes_and_hundreds_of_rows) {
    const auto box_on = [](const std::string& name, int cells, const std::string& at,
                           const std::string& material) {
        const std::string n = std::to_string(cells);
        return "[[body]]\nname = \"" + name + "\"\nmaterial = \"" + material +
               "\"\nshape = \"box\"\nsize = [0.2, 0.1, 0.2]\ncells = [" + n + ", 3, " + n +
               "]\ntranslate = " + at + "\n";
    };
    const auto material = [](const std::string& name, double young, double density) {
        return "[material." + name +
               "]\nkind = \"corotated\"\npoisson = 0.3\nyoung = " + std::to_string(young) +
               "\ndensity = " + std::to_string(density) + "\n";
    };
    const std::string start =
        "limber = 1\n[time]\nstep = 0.01\nend = 10\n[solver]\nkind = \"cholesky\"\n"
        "[contact]\nmethod = \"lagrange\"\n" +
        flat_ground;
    const auto stack = [&](double density) {
        return start + material("light", 1e7, 100) + material("heavy", 1e7, density) +
               body("ball", "shape = \"sphere\"\nradius = 0.1\ntets = 600", "[0, 0.1, 0]") +
               material("rubber", 1e7, 100) + box_on("middle", 4, "[0, 0.2505, 0]", "light") +
               box_on("top", 4, "[0.01, 0.351, 0.01]", "heavy");
    };
    const std::pair<std::string, int> scenes[] = {
        {stack(25600), 1},
        {stack(409600), 1},
        // 582 rows and more; the first steps, in which they settle, may need more than there are.
        {start + material("stiff", 1e8, 1000) + box_on("lower", 7, "[0, 0.05, 0]", "stiff") +
             box_on("upper", 7, "[0.01, 0.1501, 0.01]", "stiff"),
         6}};
    for (const auto& [scene, allowed] : scenes) {
        if (share_of_steps > 1 && allowed > 1) continue;  // minutes of pivots under sanitizers
        const auto world = world_from(scene);
        int capped = 0;
        double worst = 0;
        for (int k = 0; k < 30 / share_of_steps; ++k) {
            const StepReport report = world->step();
            capped += report.has(StepFlag::contact_cap);
            worst = std::max(worst, report.constraints.residual);
        }
        EXPECT_LE(capped, allowed);
        EXPECT_LT(worst, 1e-3);
    }
}

}  // namespace
}  // namespace limber
