// SPDX-License-Identifier: Apache-2.0
// `kind = "descent"` as users write it: every option at its default, runs of 100 steps and more, on
// bodies of several kinds, against Newton's minimum from the state that the run is really in. With
// LIMBER_LONG every body meets every law, and four bodies are drawn by LIMBER_SEED.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "limber/study/step_errors.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

bool everything() {
    return std::getenv("LIMBER_LONG") != nullptr;
}

struct Trial {
    std::string name, law;
    std::string body;  // [[body]] and [[pin]]
    std::string moduli = "young = \"100 kPa\"\npoisson = 0.35";
    std::string integrator = "backward_euler";
    double h = 1.0 / 30;
    int steps = 100, every = 10;
};

std::string scene_text(const Trial& run) {
    std::string moduli = run.moduli;
    if (run.law == "spline")
        moduli =
            "f = { at = [0.2, 1, 3], slope = [-1.6e5, 0, 4e5] }\n"
            "h = { at = [0, 1, 2], slope = [-1e5, 0, 1e5] }";
    if (run.law == "projective") moduli = "young = \"100 kPa\"\npoisson = 0";
    return "limber = 1\n[time]\nstep = " + std::to_string(run.h) +
           "\nsteps = " + std::to_string(run.steps) + "\nintegrator = \"" + run.integrator +
           "\"\n[material.m]\nkind = \"" + run.law + "\"\n" + moduli +
           "\ndensity = 1000\n[material.hard]\nkind = \"" + run.law + "\"\n" +
           (run.law == "spline" ? moduli
                                : "young = \"100 MPa\"\npoisson = " +
                                      std::string(run.law == "projective" ? "0" : "0.3")) +
           "\n" + run.body + "[contact]\nmethod = \"none\"\n";
}

SceneDef scene_of(const Trial& run, const std::string& solver) {
    const std::string text = scene_text(run) + "[solver]\n" + solver;
    return make_scene(parse_toml(text, run.name), run.name);
}

StepErrors errors_of(const Trial& run, const std::string& solver = "kind = \"descent\"\n") {
    BuildReport report;
    const SceneDef scene = scene_of(run, solver);
    const Model model = build_model(scene, report);
    const auto world = make_world(scene, model);
    const auto newton =
        make_world(scene_of(run, "kind = \"newton\"\nrel_tolerance = 1e-9\n"), model);
    return step_errors(*world, *newton, run.steps, run.every);
}

/// The best of twelve runs of the source's method, each with a ρ of its own.
double best_of_twelve(const Trial& run) {
    double best = 1e300;
    for (const char* rho : {"0.5", "0.8", "0.9", "0.95", "0.98", "0.99", "0.995", "0.998", "0.999",
                            "0.9995", "0.9998", "0.9999"}) {
        const StepErrors e = errors_of(
            run, std::string("kind = \"descent\"\ndirection = \"jacobi\"\nrho = [") + rho + "]\n");
        if (!e.failed) best = std::min(best, e.mean);
    }
    return best;
}

/// The mean error is below the bound, or at most 1.2 times the least of twelve fixed rho.
void expect_right(const Trial& run, double bound) {
    StepErrors e = errors_of(run);
    const std::string what =
        run.name + ' ' + run.law + ' ' + run.integrator + " h = " + std::to_string(run.h);
    if (everything()) {
        std::printf("%-60s mean %.1e worst %.1e rise %.1e flagged %d of %d\n", what.c_str(), e.mean,
                    e.worst, e.beyond, e.flagged, e.count);
        if (e.mean >= bound) {
            // Steps in which a body snaps from one shape into another hold most of such an error,
            // one in five or so: four steps of a run would leave the comparison to chance.
            Trial often = run;
            often.every = 5;
            e = errors_of(often);
            bound = std::max(bound, 1.2 * best_of_twelve(often));
            std::printf("    every 5th step: %.1e; 1.2 times the best of twelve rho: %.1e\n",
                        e.mean, bound);
        }
        std::fflush(stdout);
    }
    EXPECT_FALSE(e.failed) << what;
    if (run.law == "stvk" && 2 * e.count <= e.unmeasured)
        // Past the compression that this law bears Newton's method comes to no end either, with
        // most tets inside out: nothing to be measured by, and every such step says that it is
        // wrong.
        EXPECT_EQ(e.untold, 0) << what;
    else
        EXPECT_GT(2 * e.count, e.unmeasured) << what;
    EXPECT_LT(e.mean, bound) << what;
    EXPECT_LT(e.unflagged, 0.05) << what;  // a step that is farther off says so
    // Off its minimum a step holds more energy than Newton's, by about the square of the distance.
    if (run.integrator == "backward_euler") {
        EXPECT_LT(e.beyond, std::clamp(e.worst * e.worst, 1e-9, 1e-4)) << what;
    }
}

std::string box(const std::string& shape, const std::string& size, const std::string& cells,
                const std::string& side, const std::string& more = "") {
    return "[[body]]\nname = \"body\"\nshape = \"" + shape + "\"\nsize = " + size +
           "\ncells = " + cells + "\nmaterial = \"m\"\n" + more +
           "[[pin]]\nbody = \"body\"\nselect = { side = \"" + side + "\" }\n";
}
const std::string bar = box("beam", "[1, 0.2, 0.2]", "[8, 2, 2]", "x-");
const std::string cube = box("box", "[1, 1, 1]", "[6, 6, 6]", "y+");
const std::string small_cube = box("box", "[1, 1, 1]", "[3, 3, 3]", "y+");
/// Plates a thousand times as stiff as what is between them.
const std::string plates =
    box("beam", "[1, 0.2, 0.2]", "[16, 2, 2]", "x-",
        "regions = [{ select = { box = [[-0.25, -1, -1], [-0.1, 1, 1]] }, material = \"hard\" }, "
        "{ select = { box = [[0.1, -1, -1], [0.25, 1, 1]] }, material = \"hard\" }]\n");
const std::string armadillo =
    "[[body]]\nname = \"body\"\nshape = \"armadillo\"\ntets = 6000\nmaterial = \"m\"\n"
    "[[pin]]\nbody = \"body\"\nselect = { box = [[-0.2, -1, -1], [1, 0.05, 1]] }\n";
const std::string cloth =
    "[[body]]\nname = \"body\"\nshape = \"cloth_sheet\"\ncells = [12, 12]\n"
    "cloth = { thickness = 0.001, stretch = \"springs\", bending = 2e-5 }\nmaterial = \"m\"\n"
    "[[pin]]\nbody = \"body\"\nselect = { box = [[0, 0, 0], [0, 1, 0]], relative = true }\n"
    "[[pin]]\nbody = \"body\"\nselect = { box = [[1, 0, 0], [1, 1, 0]], relative = true }\n";

TEST(DescentDefaults, follow_newton_on_a_bar_under_every_law_integrator_and_step) {
    for (const std::string& law : test::law_names())
        for (const char* integrator : {"backward_euler", "trapezoid"})
            for (const double h : {1.0 / 30, 1.0 / 150, 1.0 / 1000}) {
                Trial run{"bar", law, bar};
                run.integrator = integrator;
                run.h = h;
                expect_right(run, 1e-3);
            }
}

TEST(DescentDefaults, follow_newton_on_a_cube_and_plates) {
    for (const char* integrator : {"backward_euler", "trapezoid"})
        for (const Trial& body :
             {Trial{"cube", "mooney_rivlin", cube}, Trial{"plates", "neo_hookean", plates}}) {
            Trial run = body;
            run.integrator = integrator;
            expect_right(run, 1e-3);
        }
}

/// Where cloth buckles a step has several minima, and two methods that both converge may end in
/// different ones. Without the damping of backward Euler it does so all the time: 1e-2 on average,
/// 3e-3 with 400 iterations, against 5e-3 for the best ρ of the source's method in runs of its own.
TEST(DescentDefaults, follow_newton_on_cloth) {
    Trial run{"cloth", "corotated", cloth};
    expect_right(run, 1e-3);
    run.integrator = "trapezoid";
    const StepErrors e = errors_of(run);
    EXPECT_FALSE(e.failed);
    EXPECT_LT(e.mean, 0.04);
}

TEST(DescentDefaults, follow_newton_on_a_pulled_armadillo) {
    Trial run{"armadillo", "mooney_rivlin", armadillo};
    run.every = 25;
    expect_right(run, 1e-3);
}

/// There the projected tangent is many times as stiff as the energy: steps of its own length went a
/// small part of the way each, and the fiftieth of this run ended 2e-2 of its motion off.
TEST(DescentDefaults, follow_newton_where_tets_turn_inside_out) {
    Trial run{"armadillo", "projective", armadillo};
    run.h = 1.0 / 150;
    run.steps = run.every = 50;
    expect_right(run, 5e-3);
}

/// A claim about our own choice: no ρ that one could have set by hand does better.
TEST(DescentDefaults, are_not_worse_than_the_best_of_twelve_rho) {
    Trial run{"plates", "neo_hookean", plates};
    EXPECT_LT(errors_of(run).mean, 1.2 * best_of_twelve(run));
}

/// A small cube and one step; with LIMBER_LONG every body that has laws, both integrators, all
/// steps.
TEST(DescentDefaults, follow_newton_on_bodies_under_every_law) {
    using Bodies = std::vector<std::pair<std::string, std::string>>;
    const Bodies bodies = everything() ? Bodies{{"cube", cube}, {"armadillo", armadillo}}
                                       : Bodies{{"small cube", small_cube}};
    const std::vector<std::string> integrators =
        everything() ? std::vector<std::string>{"backward_euler", "trapezoid"}
                     : std::vector<std::string>{"backward_euler"};
    const std::vector<double> lengths = everything()
                                            ? std::vector<double>{1.0 / 30, 1.0 / 150, 1.0 / 1000}
                                            : std::vector<double>{1.0 / 30};
    for (const auto& [name, body] : bodies)
        for (const std::string& law : test::law_names())
            for (const std::string& integrator : integrators)
                for (const double h : lengths) {
                    Trial run{name, law, body};
                    run.integrator = integrator;
                    run.h = h;
                    run.every = 25;
                    expect_right(run, 1e-3);
                }
}

/// The estimate behind the flag can be wrong in both ways: with few iterations it must be there,
/// and no step that is far off may be without it.
TEST(DescentDefaults, steps_that_end_far_from_their_minimum_say_so) {
    for (const Trial& run : {Trial{"cube", "mooney_rivlin", cube}, Trial{"bar", "stvk", bar},
                             Trial{"plates", "neo_hookean", plates}}) {
        int flagged = 0;
        for (const int iterations : {1, 2, 4, 8, 16, 32}) {
            const StepErrors e = errors_of(
                run, "kind = \"descent\"\niterations = " + std::to_string(iterations) + '\n');
            if (everything())
                std::printf("%s, %d iterations: worst %.1e, unflagged %.1e, flagged %d of %d\n",
                            run.name.c_str(), iterations, e.worst, e.unflagged, e.flagged, e.count);
            EXPECT_LT(e.unflagged, 0.05) << run.name << ", " << iterations << " iterations";
            if (e.worst < 1e-3) {
                EXPECT_EQ(e.flagged, 0) << run.name << ", " << iterations << " iterations";
            }
            flagged += e.flagged;
        }
        EXPECT_GT(flagged, 0) << run.name;
    }
}

/// Shape, cells, law, stiffness and step by a seed: one body; with LIMBER_LONG four, and the seed
/// changes with the commit.
TEST(DescentDefaults, follow_newton_on_bodies_drawn_by_a_seed) {
    const char* seed = std::getenv("LIMBER_SEED");
    const unsigned number = seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 16)) : 1;
    std::printf("seed %x\n", number);
    std::mt19937 random(number);
    const auto pick = [&](int least, int most) {
        return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
    };
    const std::vector<std::string> laws = test::law_names();
    for (int k = 0; k < (everything() ? 4 : 1); ++k) {
        const auto triple = [](double a, double b, double c) {
            return '[' + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c) +
                   ']';
        };
        const auto cells = [](int a, int b, int c) {
            return '[' + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c) +
                   ']';
        };
        const int nx = pick(2, 12), ny = pick(2, 8), nz = pick(2, 8);
        const double edge = 0.05 * pick(1, 4);
        Trial run{"drawn " + std::to_string(k), laws[random() % laws.size()],
                  box("box", triple(nx * edge, ny * edge, nz * edge), cells(nx, ny, nz),
                      pick(0, 1) ? "x-" : "y+")};
        const double young = std::pow(10.0, 4 + 0.01 * pick(0, 400));
        run.moduli =
            "young = " + std::to_string(young) + "\npoisson = 0." + std::to_string(pick(10, 45));
        run.h = std::vector<double>{1.0 / 30, 1.0 / 60, 1.0 / 150, 1.0 / 1000}[random() % 4];
        run.integrator = pick(0, 1) ? "trapezoid" : "backward_euler";
        std::printf("%s: E = %.3g Pa, %d x %d x %d cells of %g m\n", run.name.c_str(), young, nx,
                    ny, nz, edge);
        expect_right(run, everything() ? 1e-3 : std::max(1e-3, 1.2 * best_of_twelve(run)));
    }
}

}  // namespace
}  // namespace limber
