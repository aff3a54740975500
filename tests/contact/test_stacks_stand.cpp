// SPDX-License-Identifier: Apache-2.0
// Stacks that are dropped, come to rest and stay there: no creep, no walk, no hum. 900 steps; with
// LIMBER_LONG=1 in the environment 10 000 (./test.sh --long stacks).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "contact/body_worlds.h"

namespace limber {
namespace {

using test::state_of;

constexpr int n_boxes = 5;
constexpr double side = 0.2, drop = 2e-3;  // [m]

struct Stack {
    const char* name;
    const char* solver;
    const char* cells;
    double young;   // [Pa]
    double growth;  // of the density from box to box
    bool rigid;
    double tolerance;  // of contact
};

void PrintTo(const Stack& stack, std::ostream* out) {
    *out << stack.name;
}

std::string scene(const Stack& stack) {
    std::string text = fmt::format(
        "limber = 1\ngravity = [0, -9.81, 0]\n[time]\nstep = 0.01\nend = 1000\n"
        "[solver]\nkind = \"{}\"\n[contact]\nmethod = \"lagrange\"\nfriction = 0.5\n"
        "tolerance = {}\n"
        "[[obstacle]]\nshape = \"plane\"\n",
        stack.solver, stack.tolerance);
    for (int i = 0; i < n_boxes; ++i) {
        text += fmt::format(
            "[material.m{0}]\nyoung = {1}\npoisson = 0.3\ndensity = {2}\n"
            "damping = {{ stiffness = 0.02 }}\n"
            "[[body]]\nname = \"box{0}\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = {3}\n"
            "material = \"m{0}\"\nrotate = {{ axis = [0, 1, 0], angle = {4} }}\n"
            "translate = [{5}, {6}, {7}]\n{8}\n",
            i, stack.young, 200 * std::pow(stack.growth, i), stack.cells, (i % 2 ? -1 : 1) * 4 * i,
            (i % 2 ? 1 : -1) * 0.005, drop + side / 2 + i * (side + 0.2 * drop), 0.004 * (i % 3),
            stack.rigid ? "rigid = true" : "");
    }
    return text;
}

// Rigid boxes take up no energy but in contact, so that they tremble by its tolerance: at the
// default of 1e-6, 5e-6 m/s or 4e-10 of the drop.
class Stacks : public testing::TestWithParam<Stack> {};
INSTANTIATE_TEST_SUITE_P(
    All, Stacks,
    testing::Values(Stack{"soft_by_cholesky", "cholesky", "[2, 2, 2]", 2e5, 1, false, 1e-6},
                    Stack{"soft_by_warp_canceling", "warp_canceling", "[2, 2, 2]", 2e5, 1, false,
                          1e-6},
                    Stack{"stiff_of_16_to_1", "cholesky", "[2, 2, 2]", 2e7, 2, false, 1e-6},
                    Stack{"rigid", "cholesky", "[1, 1, 1]", 2e7, 1, true, 1e-8}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Stacks, stand_without_walking_and_come_to_rest) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // Ten times the work of the others, and the same code.
    if (GetParam().solver == std::string_view("warp_canceling"))
        GTEST_SKIP() << "takes minutes in sanitized code";
#endif
    const bool all = std::getenv("LIMBER_LONG") != nullptr;
    const int settle = all ? 2000 : 600, steps = all ? 10000 : 900;
    const auto world = test::world_from(scene(GetParam()));
    // What the drop frees: each box falls its gap and those of the boxes under it [J].
    double freed = 0;
    for (int i = 0; i < n_boxes; ++i) {
        const double mass = 200 * std::pow(GetParam().growth, i) * side * side * side;
        freed += mass * 9.81 * (drop + 0.2 * drop * i);
    }
    std::vector<Vec3d> before;
    double walk = 0, sink = 0, kinetic = 0;
    int capped = 0;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed) << "step " << k << ": " << report.failure.what;
        kinetic = report.kinetic;
        if (k < settle - 1) continue;
        capped += report.has(StepFlag::contact_cap);
        for (Index b = 0; b < n_boxes; ++b) {
            // Nodes of a rigid body have no mass of their own.
            const Vec3d at =
                GetParam().rigid ? world->state().rigid[b].position : state_of(*world, b).centre;
            if (k == settle - 1) before.push_back(at);
            walk = std::max(walk, std::hypot(at.x - before[b].x, at.z - before[b].z));
            sink = std::max(sink, std::abs(at.y - before[b].y));
        }
    }
    EXPECT_LE(walk, 1e-5) << "m sideways";
    EXPECT_LE(sink, 1e-5) << "m up or down";
    EXPECT_LE(kinetic, 1e-10 * freed) << "J at the end";
    EXPECT_EQ(capped, 0) << "steps";
    fmt::print("{}: walk {:.2g} m, sink {:.2g} m, kinetic {:.2g} of the drop\n", GetParam().name,
               walk, sink, kinetic / freed);
}

}  // namespace
}  // namespace limber
