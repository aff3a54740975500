// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/first_step.h"

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::input_error;
using test::replaced;
using test::scene_of;

/// A box of 1 m above a floor, of good rubber.
const std::string box_scene = R"(limber = 1
[time]
step = 0.01
end = 1
[solver]
kind = "corotational"
[material.rubber]
young = "1 MPa"
poisson = 0.3
density = 1000
[[body]]
name = "box"
shape = "box"
cells = [2, 2, 2]
material = "rubber"
translate = [0, 0.6, 0]
[[obstacle]]
name = "floor"
shape = "plane"
)";

std::string warnings_of(const std::string& toml) {
    BuildReport report;
    build_model(scene_of(toml), report);
    std::string all;
    for (const std::string& warning : report.warnings) all += warning + "\n";
    return all;
}

void expect_warning(const std::string& toml, const std::string& says) {
    const std::string all = warnings_of(toml);
    EXPECT_NE(all.find(says), std::string::npos) << says << "\n" << all;
}

std::string with(const std::string& from, const std::string& to) {
    return replaced(box_scene, from, to);
}

TEST(StartLimits, say_nothing_about_a_sound_scene) {
    EXPECT_EQ(warnings_of(box_scene), "");
}

TEST(InsideObstacle, part_of_a_body_is_a_warning_with_obstacle_count_and_depth) {
    expect_warning(with("[0, 0.6, 0]", "[0, 0.4, 0]"),
                   "scene.toml:11: body 'box' begins inside obstacle 'floor': 9 of 26 surface "
                   "nodes up to 0.1 m deep");
}

TEST(InsideObstacle, most_of_a_body_is_an_error) {
    const std::string deep = input_error([] { warnings_of(with("[0, 0.6, 0]", "[0, -0.2, 0]")); });
    EXPECT_NE(deep.find("scene.toml:11:1: error: body 'box' begins inside obstacle 'floor': 17 of "
                        "26 surface nodes up to 0.7 m deep"),
              std::string::npos)
        << deep;
    const std::string turned =
        input_error([] { warnings_of(box_scene + "normal = [0, -1, 0]\n"); });
    EXPECT_NE(turned.find("the normal of a plane points out of the solid side"), std::string::npos)
        << turned;
}

TEST(InsideObstacle, between_the_nodes_of_a_body_is_told) {
    // A post through a face of the box, 0.5 m from each of its nodes to the next.
    const std::string post = replaced(with("[0, 0.6, 0]", "[0, 0.5, 0]"), "shape = \"plane\"",
                                      "shape = \"cylinder\"\nradius = 0.05\nheight = 1\n"
                                      "position = [0.2, -0.3, 0.1]");
    expect_warning(post, "obstacle 'floor' begins inside body 'box', between its nodes: 0.05 m");
    EXPECT_EQ(warnings_of(replaced(post, "[0.2, -0.3, 0.1]", "[0.2, -0.6, 0.1]")), "");
}

TEST(InsideObstacle, does_not_matter_where_nothing_touches) {
    const std::string deep = with("[0, 0.6, 0]", "[0, -0.2, 0]");
    for (const char* contact :
         {"[contact]\nmethod = \"none\"\n", "[contact]\nignore = [[\"box\", \"floor\"]]\n",
          "[contact]\nseparate = true\n"}) {
        const std::string all = warnings_of(deep + contact);
        EXPECT_EQ(all.find("begins inside"), std::string::npos) << contact << all;
    }
    // What pins hold is where the user put it.
    EXPECT_EQ(warnings_of(with("[0, 0.6, 0]", "[0, 0.4, 0]") +
                          "[[pin]]\nbody = \"box\"\nselect = { side = \"y-\" }\n")
                  .find("begins inside"),
              std::string::npos);
}

TEST(TooSoft, for_its_own_weight_is_told_with_the_numbers) {
    const std::string soft = with("\"1 MPa\"", "5");
    expect_warning(soft, "scene.toml:11: body 'box' is too soft for its own weight");
    expect_warning(soft,
                   "height 1 m = 9.81e+03 Pa is more than the 5 Pa of young of material "
                   "'rubber'");
    EXPECT_EQ(warnings_of(with("\"1 MPa\"", "10000")), "");
    EXPECT_NE(warnings_of(with("\"1 MPa\"", "9000")), "");
}

TEST(TooSoft, a_body_that_nothing_holds_or_no_gravity_pulls_is_not) {
    std::string flying = with("\"1 MPa\"", "5");
    EXPECT_EQ(warnings_of(flying.substr(0, flying.find("[[obstacle]]"))), "");
    EXPECT_EQ(warnings_of(replaced(flying, "limber = 1", "limber = 1\ngravity = [0, 0, 0]")), "");
}

TEST(Locking, of_linear_tets_is_told_above_0_45) {
    expect_warning(with("poisson = 0.3", "poisson = 0.49"),
                   "scene.toml:9: material.rubber: a Poisson's ratio of 0.49 locks linear tets");
    EXPECT_EQ(warnings_of(with("poisson = 0.3", "poisson = 0.45")), "");
    // By whatever numbers it is given; nothing of a material that no tet has.
    expect_warning(with("young = \"1 MPa\"\npoisson = 0.3", "mu = 1e5\nlambda = 1e7"),
                   "locks linear tets");
    EXPECT_EQ(warnings_of(box_scene + "[material.other]\nyoung = 1e6\npoisson = 0.49\n"
                                      "density = 1000\n"),
              "");
}

TEST(TooLongAStep, in_which_gravity_moves_a_body_past_its_thickness_is_told) {
    expect_warning(with("step = 0.01", "step = 0.5"),
                   "scene.toml:3: time.step = 0.5 s is too long: in one step gravity moves body "
                   "'box' by 2.45 m, more than its thickness of 1 m; safe: time.step <= 0.1 s");
}

TEST(TooLongAStep, for_the_run_is_told) {
    expect_warning(with("end = 1", "end = 0.001"), "is longer than time.end = 0.001 s");
}

TEST(ExplicitContact, that_would_run_away_is_refused_with_what_is_safe) {
    const std::string contact = "[contact]\nform = \"explicit\"\nstiffness = ";
    const std::string stiff = input_error([&] { warnings_of(box_scene + contact + "1e9\n"); });
    EXPECT_NE(stiff.find("contact.stiffness = 1e+09 N/m is too stiff for explicit contact forces: "
                         "with time.step = 0.01 s the nodes of body 'box' that touch run away"),
              std::string::npos)
        << stiff;
    EXPECT_EQ(warnings_of(box_scene + contact + "1e3\n"), "");
    EXPECT_EQ(warnings_of(box_scene + contact + "1e9\nunsafe = true\n"), "");
    EXPECT_EQ(warnings_of(box_scene + "[contact]\nform = \"implicit\"\nstiffness = 1e9\n"), "");
}

TEST(ExplicitContact, that_would_sink_in_is_refused_with_what_holds) {
    // 1.4 m/s after a fall of 0.1 m: 14 mm a step, 15 with the weight. Edges are half a metre.
    EXPECT_EQ(warnings_of(box_scene + "[contact]\nform = \"explicit\"\n"), "");
    const std::string high =
        with("[0, 0.6, 0]", "[0, 3.5, 0]") + "[contact]\nform = \"explicit\"\n";
    const std::string sinks = input_error([&] { warnings_of(high); });
    EXPECT_NE(sinks.find("body 'box' would sink about 0.077 m into what it meets at the 7.67 m/s "
                         "of its fall"),
              std::string::npos)
        << sinks;
    EXPECT_NE(sinks.find("form = \"implicit\" or method = \"lagrange\" hold"), std::string::npos);
    EXPECT_EQ(warnings_of(high + "unsafe = true\n"), "");
    EXPECT_EQ(warnings_of(replaced(high, "step = 0.01", "step = 0.001")), "");
    // By the solver's own choice as well.
    const std::string by_solver = replaced(with("[0, 0.6, 0]", "[0, 3.5, 0]"), "\"corotational\"",
                                           "\"warp_canceling\"\nlinearise = false") +
                                  "[contact]\nmethod = \"penalty\"\n";
    EXPECT_NE(input_error([&] { warnings_of(by_solver); }).find("would sink"), std::string::npos);
}

TEST(LongForItsEdges, single_precision_is_warned_of) {
    const std::string jacobi = "kind = \"descent\"\ndirection = \"jacobi\"";
    const auto by = [&](const std::string& scene) {
        return replaced(scene, "kind = \"corotational\"", jacobi);
    };
    const std::string rope =
        with("cells = [2, 2, 2]", "size = [4000, 0.2, 0.2]\ncells = [4000, 1, 1]");
    expect_warning(by(rope), "body 'box' reaches 2e+03 m from its middle");
    expect_warning(by(rope), "solver.precision = \"double\"");
    EXPECT_EQ(warnings_of(replaced(by(rope), jacobi, jacobi + "\nprecision = \"double\"")), "");
    EXPECT_EQ(warnings_of(replaced(rope, "corotational", "descent")), "");  // holds doubles
    EXPECT_EQ(warnings_of(by(with("[0, 0.6, 0]", "[5000, 0.6, 0]"))), "");  // far, but small
}

TEST(StaticContact, by_penalty_or_projection_is_refused_with_the_reason) {
    const std::string still =
        replaced(replaced(with("end = 1", "end = 1\nanalysis = \"quasi_static\""), "corotational",
                          "newton"),
                 "[0, 0.6, 0]", "[0, 0.5, 0]") +
        "[[pin]]\nbody = \"box\"\nselect = { side = \"y+\" }\n";
    EXPECT_EQ(warnings_of(still), "");  // by default it is lagrange
    const std::string sliding =
        input_error([&] { warnings_of(still + "[contact]\nmethod = \"penalty\"\n"); });
    EXPECT_NE(sliding.find("contact.method = \"penalty\" with friction cannot go with"),
              std::string::npos)
        << sliding;
    EXPECT_EQ(warnings_of(still + "[contact]\nmethod = \"penalty\"\nfriction = 0\n"), "");
    const std::string named =
        input_error([&] { warnings_of(still + "[contact]\nmethod = \"projection\"\n"); });
    EXPECT_NE(named.find("contact.method = \"projection\" cannot go with"), std::string::npos)
        << named;
    for (const char* method : {"lagrange", "none", "repulsion"})
        EXPECT_EQ(warnings_of(still + "[contact]\nmethod = \"" + method + "\"\n"), "") << method;
    // Where nothing can touch the method does not matter.
    EXPECT_EQ(
        warnings_of(replaced(still, "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n", "")),
        "");
}

}  // namespace
}  // namespace limber
