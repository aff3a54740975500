// SPDX-License-Identifier: Apache-2.0
// `kind = "quasi_newton"` at its defaults: runs of 100 steps, each tenth against Newton's minimum
// from the state that the run is really in.

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"
#include "limber/study/step_errors.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

struct Trial {
    std::string name, law, bodies;
    std::string moduli = "young = \"100 kPa\"\npoisson = 0.35";
    std::string integrator = "backward_euler";
    double h = 1.0 / 30;
    std::string contact = "none";
};

SceneDef scene_of(const Trial& run, const std::string& solver) {
    std::string moduli = run.moduli;
    if (run.law == "spline")
        moduli =
            "f = { at = [0.2, 1, 3], slope = [-1.6e5, 0, 4e5] }\n"
            "h = { at = [0, 1, 2], slope = [-1e5, 0, 1e5] }";
    if (run.law == "projective") moduli = "young = \"100 kPa\"\npoisson = 0";
    const std::string text =
        "limber = 1\n[time]\nstep = " + std::to_string(run.h) + "\nsteps = 100\nintegrator = \"" +
        run.integrator + "\"\n[material.m]\nkind = \"" + run.law + "\"\n" + moduli +
        "\ndensity = 1000\n[material.hard]\nkind = \"neo_hookean\"\nyoung = \"100 MPa\"\n"
        "poisson = 0.3\n" +
        run.bodies + "[contact]\nmethod = \"" + run.contact + "\"\n[solver]\n" + solver;
    return make_scene(parse_toml(text, run.name), run.name);
}

/// The mean error of a step is below the bound, in parts of its motion.
void expect_right(const Trial& run, double bound) {
    BuildReport report;
    const SceneDef scene = scene_of(run, "kind = \"quasi_newton\"\n");
    const Model model = build_model(scene, report);
    const auto world = make_world(scene, model);
    const auto newton =
        make_world(scene_of(run, "kind = \"newton\"\nrel_tolerance = 1e-9\n"), model);
    const StepErrors e = step_errors(*world, *newton, 100, 10);
    const std::string what =
        run.name + ' ' + run.law + ' ' + run.integrator + " h = " + std::to_string(run.h);
    if (std::getenv("LIMBER_LONG"))
        std::printf("%-60s mean %.1e worst %.1e flagged %d of %d\n", what.c_str(), e.mean, e.worst,
                    e.flagged, e.count);
    EXPECT_FALSE(e.failed) << what;
    EXPECT_GT(2 * e.count, e.unmeasured) << what;
    EXPECT_LT(e.mean, bound) << what;
    EXPECT_LT(e.unflagged, 0.05) << what;  // a step that is farther off says so
}

std::string box(const std::string& shape, const std::string& size, const std::string& cells,
                const std::string& side, const std::string& more = "") {
    return "[[body]]\nname = \"body\"\nshape = \"" + shape + "\"\nsize = " + size +
           "\ncells = " + cells + "\nmaterial = \"m\"\n" + more +
           "[[pin]]\nbody = \"body\"\nselect = { side = \"" + side + "\" }\n";
}
const std::string bar = box("beam", "[1, 0.2, 0.2]", "[8, 2, 2]", "x-");

TEST(QuasiNewton, follows_newton_on_a_bar_under_every_law_integrator_and_step) {
    for (const std::string& law : test::law_names())
        for (const char* integrator : {"backward_euler", "trapezoid"})
            for (const double h : {1.0 / 30, 1.0 / 150}) {
                Trial run{"bar", law, bar};
                run.integrator = integrator;
                run.h = h;
                expect_right(run, 1e-3);
            }
}

TEST(QuasiNewton, follows_newton_on_larger_bodies) {
    expect_right({"cube", "mooney_rivlin", box("box", "[1, 1, 1]", "[6, 6, 6]", "y+")}, 1e-2);
    // Plates a thousand times as stiff as what is between them: its matrix resists their turning.
    expect_right(
        {"plates", "neo_hookean",
         box("beam", "[1, 0.2, 0.2]", "[16, 2, 2]", "x-",
             "regions = [{ select = { box = [[-0.25, -1, -1], [-0.1, 1, 1]] }, material = \"hard\" "
             "}, { select = { box = [[0.1, -1, -1], [0.25, 1, 1]] }, material = \"hard\" }]\n")},
        0.2);
    expect_right({"armadillo", "corotated",
                  "[[body]]\nname = \"body\"\nshape = \"armadillo\"\ntets = 6000\nmaterial = "
                  "\"m\"\n[[pin]]\nbody = \"body\"\nselect = { box = [[-0.2, -1, -1], [1, 0.05, "
                  "1]] }\n",
                  "young = \"1 MPa\"\npoisson = 0.35"},
                 1e-2);
}

TEST(QuasiNewton, follows_newton_on_a_floor) {
    Trial run{"ball", "neo_hookean",
              "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\ncells = [8]\n"
              "material = \"m\"\ntranslate = [0, 0.13, 0]\nvelocity = [0.5, -1, 0]\n"
              "[[obstacle]]\nshape = \"plane\"\n"};
    run.h = 0.01;
    run.contact = "penalty";
    run.moduli = "young = \"300 kPa\"\npoisson = 0.4";
    expect_right(run, 1e-3);
}

/// Consistent mass, stiffness damping and pins of single axes are not in the constant matrix, or
/// give it a factor for each axis.
TEST(QuasiNewton, follows_newton_with_what_its_matrix_leaves_out) {
    Trial run{"damped", "neo_hookean",
              "[[body]]\nname = \"body\"\nshape = \"beam\"\nsize = [1, 0.2, 0.2]\ncells = [8, 2, "
              "2]\nmaterial = \"m\"\nmass = \"consistent\"\n"
              "[[pin]]\nbody = \"body\"\nselect = { side = \"x-\" }\naxes = \"xy\"\n"};
    run.moduli += "\ndamping = { mass = 0.1, stiffness = 0.01 }";
    expect_right(run, 1e-3);
}

}  // namespace
}  // namespace limber
