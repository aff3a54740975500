// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/repulsion.h"

#include <random>

#include "contact/body_worlds.h"

namespace limber {
namespace {

TEST(OneSidedTerm, has_the_energy_of_its_force_and_never_pulls) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int k = 0; k < 200; ++k) {
        const Vec3d raw{number(random), number(random), number(random)};
        const Vec3d n = (1 / norm(raw)) * raw;
        const double stiffness = 2 + number(random), depth = number(random);
        const ContactTerm term{ContactStencil::of_node(0), stiffness * outer(n, n),
                               (stiffness * depth) * n, n};
        const Vec3d w{number(random), number(random), number(random)};
        const double s = std::max(0.0, depth - dot(n, w));
        // ½ k max(0, depth − n·w)², shifted to 0 at w = 0 where it acts there.
        EXPECT_NEAR(term.energy(w), 0.5 * stiffness * (s * s - depth * depth), 1e-12);
        const Vec3d force = term.acts(w) ? term.impulse - term.block * w : Vec3d{};
        EXPECT_GE(dot(n, force), 0);
        const double d = 1e-6;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3d more = w, less = w;
            more[axis] += d;
            less[axis] -= d;
            EXPECT_NEAR(-(term.energy(more) - term.energy(less)) / (2 * d), force[axis], 1e-5);
        }
    }
}

std::string scene(const std::string& solver) {
    return "limber = 1\n[time]\nstep = 0.01\nend = 10\n[solver]\nkind = \"" + solver +
           "\"\n[material.rubber]\nyoung = 3e5\npoisson = 0.3\ndensity = 1000\ndamping = { mass = "
           "2 }\n[contact]\nmethod = \"repulsion\"\n[[obstacle]]\nshape = \"plane\"\n" +
           test::body("low", "shape = \"box\"\nsize = [0.4, 0.1, 0.4]\ncells = [3, 1, 3]",
                      "[0, 0.06, 0]") +
           test::body("high", "shape = \"box\"\nsize = [0.2, 0.1, 0.2]\ncells = [2, 1, 2]",
                      "[0, 0.17, 0]") +
           // Without friction anything slides off in the end.
           "[[pin]]\nbody = \"low\"\nselect = { side = \"y+\" }\naxes = \"xz\"\n"
           "[[pin]]\nbody = \"high\"\nselect = { side = \"y+\" }\naxes = \"xz\"\n";
}

TEST(Repulsion, carries_bodies_under_minimising_solvers) {
    for (const char* solver : {"newton", "descent", "vertex_block_descent"}) {
        const auto world = test::world_from(scene(solver));
        test::run(*world, 60);
        double weight = 0, lifted = 0;
        for (double m : world->model().mass) weight += 9.81 * m;
        // Nodes still hop a little: the mean over steps.
        const int steps = 60;
        for (int k = 0; k < steps; ++k) {
            test::run(*world, 1);
            for (const Contact& c : world->contacts().contacts) {
                EXPECT_GE(dot(c.normal, c.force), 0) << solver;
                if (c.obstacle >= 0) lifted += c.force.y / steps;
            }
        }
        // The others stop at a number of iterations: what holds a body up is then less exact.
        if (std::string(solver) == "newton") {
            EXPECT_NEAR(lifted, weight, 0.01 * weight);
        }
        EXPECT_GT(test::state_of(*world, 0).box.lo.y, 0) << solver;
        EXPECT_GT(test::state_of(*world, 1).box.lo.y, 0.09) << solver;
    }
}

TEST(Repulsion, is_refused_where_nothing_is_minimised) {
    EXPECT_THROW(test::world_from(scene("corotational")), InputError);
}

}  // namespace
}  // namespace limber
