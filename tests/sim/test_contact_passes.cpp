// SPDX-License-Identifier: Apache-2.0
// Contact by constraints over many steps at default options: what a step at rest costs, and that
// neither a factor that is out of date nor a W for the contacts that act changes the answer.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "contact/body_worlds.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/methods/lagrange.h"
#include "limber/linalg/schur/compliance.h"

namespace limber {
namespace {

/// Everything at its default but the solver, where one is named.
std::string head(const std::string& solver, double h = 0.01) {
    return fmt::format(
               "limber = 1\n[time]\nstep = {}\nend = 100\n[material.rubber]\nyoung = \"1 MPa\"\n"
               "poisson = 0.3\ndensity = 1000\ndamping = {{ mass = 4, stiffness = 0.005 }}\n",
               h) +
           (solver.empty() ? "" : "[solver]\nkind = \"" + solver + "\"\n");
}

const std::string floor = "[[obstacle]]\nshape = \"plane\"\n";

std::string box(const std::string& name, const std::string& at, const std::string& more = "") {
    return test::body(name, "shape = \"box\"\nsize = [0.2, 0.1, 0.2]\ncells = [4, 2, 4]", at, more);
}

/// Two stacks of two on the floor, the upper boxes askew. (A ball would never stop to roll.)
std::string at_rest(const std::string& solver) {
    return head(solver) + floor + box("block", "[0, 0.05, 0]") + box("low", "[0.5, 0.05, 0]") +
           test::body("high", "shape = \"box\"\nsize = [0.12, 0.1, 0.12]\ncells = [2, 2, 2]",
                      "[0.51, 0.1502, 0.005]") +
           test::body("crate", "shape = \"box\"\nsize = [0.08, 0.08, 0.08]\ncells = [2, 2, 2]",
                      "[0.02, 0.1402, 0.01]", "rotate = { axis = [0, 1, 0], angle = 20 }");
}

/// Bodies that fall on each other, one of them rigid and one turned.
std::string pile(const std::string& solver) {
    return head(solver) + floor + box("first", "[0, 0.06, 0]") +
           box("second", "[0.06, 0.19, 0.03]", "rotate = { axis = [0, 0, 1], angle = 12 }") +
           test::body("ball", "shape = \"sphere\"\nradius = 0.06\ncell = 0.03",
                      "[-0.05, 0.3, 0.01]", "velocity = [0.2, -1, 0]") +
           test::body("stone", "shape = \"box\"\nsize = [0.06, 0.06, 0.06]\ncells = [1, 1, 1]",
                      "[0.1, 0.4, 0.02]", "rigid = true");
}

/// A ball is pressed into a slab and dragged along it.
std::string tool(const std::string& solver) {
    return head(solver, 0.004) +
           test::body("slab", "shape = \"box\"\nsize = [0.3, 0.06, 0.15]\ncells = [12, 3, 6]",
                      "[0, 0, 0]") +
           "[[pin]]\nbody = \"slab\"\nselect = { side = \"y-\" }\n"
           "[[obstacle]]\nshape = \"sphere\"\nradius = 0.03\nposition = [-0.05, 0.065, 0]\n"
           "friction = 0.4\nmotion = { times = [0, 0.2, 0.7], translate = [[0, 0, 0], [0, -0.02, "
           "0], [0.1, -0.02, 0]] }\n";
}

TEST(ContactPasses, a_step_at_rest_takes_one_pass_and_no_iterations_of_the_solver) {
    for (const char* solver : {"", "async", "cholesky"}) {
        const auto world = test::world_from(at_rest(solver));
        for (int k = 0; k < 500; ++k) ASSERT_FALSE(world->step().failed);
        int sweeps = 0;
        for (int k = 0; k < 100; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            EXPECT_EQ(report.constraints.passes, 1) << solver << ", step " << report.step;
            EXPECT_EQ(report.constraints.rounds, 1) << solver << ", step " << report.step;
            EXPECT_LE(report.solve.iterations, 1) << solver << ", step " << report.step;
            EXPECT_GT(report.constraints.rows, 100);
            sweeps += report.constraints.iterations;
        }
        EXPECT_LE(sweeps, 200) << solver;  // one in most steps, as with a factor of every step
    }
}

/// How far the step's end is from solving all constraints that it knew of, relative as the solver
/// measures it: with W of all their rows, one solve a row, and the velocities the bodies have.
double whole_residual(World& world) {
    const auto& contact = dynamic_cast<const LagrangeContact&>(world.contact());
    const ConstraintSet& set = contact.constraints();
    const std::span<const double> p = contact.impulses();
    DenseMatrix W;
    Delassus().build(set.H, *world.stepper().compliance(), W, SchurMethod::columns);
    std::vector<double> u_free(p.size()), u(p.size());
    double scale = 0;
    for (Index r = 0; r < set.n_rows(); ++r) {
        const double end = set.H.apply(r, world.state().v) + set.target[r];
        u_free[r] = end;
        for (Index s = 0; s < set.n_rows(); ++s) u_free[r] -= W(r, s) * p[s];
        scale = std::max(scale, std::abs(u_free[r]));
    }
    return complementarity_residual({W, u_free, set.groups}, p, u) / scale;
}

TEST(ContactPasses, solve_all_contacts_though_w_has_those_that_act) {
    // Rigid bodies answer apart from the stepper's compliance: none here.
    for (const auto scene : {at_rest, tool})
        for (const char* solver : {"", "async", "cholesky"}) {
            const auto world = test::world_from(scene(solver));
            double built = 0, rows = 0;
            int solved = 0;
            for (int k = 0; k < 120; ++k) {
                const StepReport report = world->step();
                ASSERT_FALSE(report.failed);
                if (report.constraints.rows == 0) continue;
                EXPECT_FALSE(report.has(StepFlag::contact_cap)) << solver << ", step " << k;
                built += report.constraints.built;
                rows += report.constraints.rows;
                ++solved;
                // 1e-6 is the solver's; a factor in floats answers W and impulses to 1e-5 alike.
                EXPECT_LT(whole_residual(*world), solver == std::string() ? 2e-5 : 2e-6)
                    << solver << ", step " << k;
            }
            EXPECT_GT(solved, 100);
            // Under a tool most contacts are open; the floor under blocks carries them all.
            if (scene == tool) {
                EXPECT_LT(built, 0.8 * rows) << solver;
            }
        }
}

double largest_difference(const World& a, const World& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.state().x.size(); ++i)
        out = std::max(out, norm(a.state().x[i] - b.state().x[i]));
    return out;
}

TEST(ContactPasses, of_a_factor_out_of_date_follow_one_of_every_step) {
    // A tool of 3 cm that is dragged by 10 cm, and bodies that come to rest.
    for (const char* solver : {"", "async"}) {
        const auto reference = test::world_from(tool("cholesky")),
                   world = test::world_from(tool(solver));
        for (int k = 0; k < 180; ++k) {
            ASSERT_FALSE(reference->step().failed);
            ASSERT_FALSE(world->step().failed);
            EXPECT_LT(largest_difference(*world, *reference), 1e-4) << solver << ", step " << k;
        }
        const auto fallen = test::world_from(pile("cholesky")),
                   other = test::world_from(pile(solver));
        double deepest = 0;
        for (int k = 0; k < 200; ++k) {
            ASSERT_FALSE(fallen->step().failed);
            const StepReport report = other->step();
            ASSERT_FALSE(report.failed);
            deepest = std::max(deepest, report.max_penetration);
            // Impacts magnify what tolerances leave; the way is 0.3 m.
            EXPECT_LT(largest_difference(*fallen, *other), 5e-3) << solver << ", step " << k;
        }
        EXPECT_LT(deepest, 1e-4) << solver;
    }
}

}  // namespace
}  // namespace limber
