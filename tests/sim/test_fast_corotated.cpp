// SPDX-License-Identifier: Apache-2.0
// `kind = "fast_corotated"` at its defaults: runs of 100 steps, each tenth against Newton's minimum
// from the state that the run is really in.

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "limber/study/step_errors.h"

namespace limber {
namespace {

struct Case {
    std::string name, bodies;
    std::string law = "corotated", moduli = "young = \"100 kPa\"\npoisson = 0.35";
    std::string integrator = "backward_euler";
    double h = 1.0 / 30;
    std::string contact = "none";
    std::string solver = "";  // options beside its kind
};

SceneDef scene_of(const Case& run, const std::string& solver) {
    const std::string text =
        "limber = 1\n[time]\nstep = " + std::to_string(run.h) + "\nsteps = 100\nintegrator = \"" +
        run.integrator + "\"\n[material.m]\nkind = \"" + run.law + "\"\n" + run.moduli +
        "\ndensity = 1000\n[material.hard]\nkind = \"corotated\"\nyoung = \"100 MPa\"\n"
        "poisson = 0.3\n" +
        run.bodies + "[contact]\nmethod = \"" + run.contact + "\"\n[solver]\n" + solver;
    return make_scene(parse_toml(text, run.name), run.name);
}

StepErrors errors_of(const Case& run, const std::string& reference) {
    BuildReport report;
    const SceneDef scene = scene_of(run, "kind = \"fast_corotated\"\n" + run.solver);
    const Model model = build_model(scene, report);
    const auto world = make_world(scene, model);
    const auto exact = make_world(scene_of(run, reference), model);
    const StepErrors e = step_errors(*world, *exact, 100, 10);
    if (std::getenv("LIMBER_LONG"))
        std::printf(
            "%-12s %-10s %-14s h = %.4f mean %.1e worst %.1e unflagged %.1e flagged %d of "
            "%d beyond %.1e\n",
            run.name.c_str(), run.law.c_str(), run.integrator.c_str(), run.h, e.mean, e.worst,
            e.unflagged, e.flagged, e.count, e.beyond);
    return e;
}

/// The mean error of a step is below the bound, in parts of its motion, and no step brings energy
/// that the converged one does not. What is left is rounding in float, carried on by the
/// acceleration: builds of two vector levels differ by up to 1.7 times.
void expect_right(const Case& run, double bound) {
    const StepErrors e = errors_of(run, "kind = \"newton\"\nrel_tolerance = 1e-9\n");
    EXPECT_FALSE(e.failed) << run.name;
    EXPECT_GT(2 * e.count, e.unmeasured) << run.name;
    EXPECT_LT(e.mean, bound) << run.name;
    EXPECT_LT(e.unflagged, 0.05) << run.name;  // a step that is farther off says so
    EXPECT_LT(e.beyond, 2 * bound) << run.name;
}

std::string box(const std::string& shape, const std::string& size, const std::string& cells,
                const std::string& side, const std::string& more = "",
                const std::string& motion = "") {
    return "[[body]]\nname = \"body\"\nshape = \"" + shape + "\"\nsize = " + size +
           "\ncells = " + cells + "\nmaterial = \"m\"\n" + more +
           "[[pin]]\nbody = \"body\"\nselect = { side = \"" + side + "\" }\n" + motion;
}
const std::string bar = box("beam", "[1, 0.2, 0.2]", "[8, 2, 2]", "x-");

TEST(FastCorotatedRuns, follow_newton_on_a_bar_under_both_laws_integrators_and_steps) {
    for (const char* law : {"corotated", "projective"})
        for (const char* integrator : {"backward_euler", "trapezoid"})
            for (const double h : {1.0 / 30, 1.0 / 150}) {
                Case run{"bar", bar};
                run.law = law;
                if (run.law == "projective") run.moduli = "young = \"100 kPa\"\npoisson = 0";
                run.integrator = integrator;
                run.h = h;
                expect_right(run, 1e-3);
            }
}

TEST(FastCorotatedRuns, follow_newton_on_larger_bodies) {
    expect_right({"cube", box("box", "[1, 1, 1]", "[6, 6, 6]", "y+")}, 1e-2);
    Case run{"armadillo",
             "[[body]]\nname = \"body\"\nshape = \"armadillo\"\ntets = 6000\nmaterial = "
             "\"m\"\n[[pin]]\nbody = \"body\"\nselect = { box = [[-0.2, -1, -1], [1, 0.05, "
             "1]] }\n"};
    run.moduli = "young = \"1 MPa\"\npoisson = 0.35";
    expect_right(run, 1e-2);
}

TEST(FastCorotatedRuns, follow_newton_near_the_incompressible) {
    Case run{"nu 0.49", bar};
    run.moduli = "young = \"100 kPa\"\npoisson = 0.49";
    expect_right(run, 5e-2);
}

/// Plates a thousand times as stiff as what is between them: the matrix resists their turning, and
/// every step says that it ends far off.
TEST(FastCorotatedRuns, tell_that_plates_in_something_soft_are_not_for_them) {
    const StepErrors e = errors_of(
        {"plates",
         box("beam", "[1, 0.2, 0.2]", "[16, 2, 2]", "x-",
             "regions = [{ select = { box = [[-0.25, -1, -1], [-0.1, 1, 1]] }, material = \"hard\" "
             "}, { select = { box = [[0.1, -1, -1], [0.25, 1, 1]] }, material = \"hard\" }]\n")},
        "kind = \"newton\"\nrel_tolerance = 1e-9\n");
    EXPECT_FALSE(e.failed);
    EXPECT_GT(e.mean, 0.05);  // else this test asks for too little
    EXPECT_LT(e.unflagged, 0.05);
    EXPECT_LT(e.beyond, 0.2);
}

TEST(FastCorotatedRuns, follow_newton_with_damping_consistent_mass_and_a_pin_that_turns) {
    Case run{"turned", box("beam", "[1, 0.2, 0.2]", "[8, 2, 2]", "x-", "mass = \"consistent\"\n",
                           "motion = { times = [0, 1, 2], angle = [0, 90, -90], axis = [1, 0, 0], "
                           "center = [-0.5, 0, 0] }\n")};
    run.moduli += "\ndamping = { mass = 0.1, stiffness = 0.01 }";
    expect_right(run, 2e-3);
}

TEST(FastCorotatedRuns, follow_newton_on_a_floor) {
    Case run{"ball",
             "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\ncells = [8]\n"
             "material = \"m\"\ntranslate = [0, 0.13, 0]\nvelocity = [0.5, -1, 0]\n"
             "[[obstacle]]\nshape = \"plane\"\n"};
    run.h = 0.01;
    run.contact = "penalty";
    run.moduli = "young = \"300 kPa\"\npoisson = 0.4";
    expect_right(run, 1e-3);
}

/// Beside linearly implicit steps, which freeze rotations at the start of a step: small steps of
/// both are the same motion.
TEST(FastCorotatedRuns, are_near_linearly_implicit_steps_where_those_are_small) {
    Case run{"bar", bar};
    run.h = 1.0 / 2000;
    BuildReport report;
    const SceneDef scene = scene_of(run, "kind = \"fast_corotated\"\n");
    const Model model = build_model(scene, report);
    const auto world = make_world(scene, model);
    const auto other = make_world(scene_of(run, "kind = \"cholesky\"\n"), model);
    for (int k = 0; k < 400; ++k) {
        EXPECT_FALSE(world->step().failed);
        EXPECT_FALSE(other->step().failed);
    }
    double apart = 0, moved = 0;
    for (std::size_t i = 0; i < world->state().x.size(); ++i) {
        apart = std::max(apart, norm(world->state().x[i] - other->state().x[i]));
        moved = std::max(moved, norm(world->state().x[i] - model.mesh.nodes[i]));
    }
    EXPECT_LT(apart, 5e-3 * moved);
}

/// The source's scheme, one iteration and two sweeps, is near Newton's steps where those are small.
/// A stiff body it holds back: the error is the motion itself.
TEST(FastCorotatedRuns, of_the_split_scheme_are_near_newton_in_small_steps_alone) {
    Case run{"split", bar};
    run.solver = "scheme = \"split\"\n";
    run.h = 1.0 / 1000;
    const std::string newton = "kind = \"newton\"\nrel_tolerance = 1e-9\n";
    const StepErrors small = errors_of(run, newton);
    EXPECT_FALSE(small.failed);
    EXPECT_LT(small.mean, 0.02);
    run.h = 1.0 / 30;
    run.moduli = "young = \"5 MPa\"\npoisson = 0.3";
    const StepErrors stiff = errors_of(run, newton);
    EXPECT_FALSE(stiff.failed);
    EXPECT_GT(stiff.mean, 0.1);
}

/// Undamped, dropped and crushed by a pin: what comes back has no more energy than went in.
TEST(FastCorotatedRuns, survive_a_body_that_is_pushed_through_itself) {
    Case run{"crushed",
             box("beam", "[1, 0.2, 0.2]", "[8, 2, 2]", "x-") +
                 "[[pin]]\nbody = \"body\"\nselect = { side = \"x+\" }\nmotion = { times = [0, "
                 "0.5, 1.5], translate = [[0, 0, 0], [-1.6, 0, 0], [0, 0, 0]] }\n"};
    for (const char* scheme : {"joint", "split"}) {
        run.solver = std::string("scheme = \"") + scheme + "\"\n";
        BuildReport report;
        const SceneDef scene = scene_of(run, "kind = \"fast_corotated\"\n" + run.solver);
        const auto world = make_world(scene, build_model(scene, report));
        StepReport last;
        for (int k = 0; k < 150; ++k) {
            last = world->step();
            ASSERT_FALSE(last.failed) << scheme << " step " << k << ": " << last.failure.what;
        }
        // 8 kg that fell by half a metre would have 40 J.
        if (run.solver.find("joint") != std::string::npos) {
            EXPECT_LT(last.kinetic, 40);
            EXPECT_EQ(last.inverted_tets, 0);
        }
    }
}

}  // namespace
}  // namespace limber
