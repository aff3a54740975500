// SPDX-License-Identifier: Apache-2.0
// solver.kind = "auto" and contact.method = "auto": what a scene gets.

#include <gtest/gtest.h>

#include "limber/contact/methods/lagrange.h"
#include "limber/contact/methods/penalty.h"
#include "limber/scene/scene.h"

namespace limber {
namespace {

SceneDef chosen_for(const std::string& law, const std::string& cells, const std::string& more = "",
                    const std::string& time = "", const std::string& solver = "auto") {
    const std::string text = "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n" + time +
                             "\n[solver]\nkind = \"" + solver +
                             "\"\n[contact]\nmethod = \"auto\"\n[material.m]\npoisson = 0.3\n"
                             "density = 1000\n" +
                             (law.find("young") == law.npos ? "young = 1e6\n" : "") + law +
                             "\n[[body]]\nname = \"a\"\nmaterial = \"m\"\nshape = \"box\"\n"
                             "size = [1, 1, 1]\ncells = " +
                             cells + "\n[[pin]]\nbody = \"a\"\nselect = { side = \"x-\" }\n" + more;
    return make_scene(parse_toml(text, "a.toml"), "a.toml");
}
using Names = std::pair<std::string, std::string>;
Names names_of(const SceneDef& scene) {
    return {scene.solver.options.name, scene.contact.options.name};
}
const std::string floor_below = "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n";

TEST(AutomaticChoice, goes_by_law_size_contact_and_time) {
    const std::string linear = "kind = \"corotated\"", rubber = "kind = \"neo_hookean\"";
    EXPECT_EQ(names_of(chosen_for(linear, "[4, 4, 4]")), Names("warp_canceling", "lagrange"));
    // Soft things that touch bend their factor away: it is made anew, unless they are large.
    const std::string soft = linear + "\nyoung = \"50 kPa\"";
    EXPECT_EQ(names_of(chosen_for(soft, "[4, 4, 4]")).first, "warp_canceling");
    EXPECT_EQ(names_of(chosen_for(soft, "[4, 4, 4]", floor_below)).first, "cholesky");
    EXPECT_EQ(names_of(chosen_for(soft, "[30, 30, 30]", floor_below)).first, "warp_canceling");
    EXPECT_EQ(names_of(chosen_for(linear, "[20, 20, 20]", floor_below)),
              Names("warp_canceling", "lagrange"));
    EXPECT_EQ(names_of(chosen_for(rubber, "[4, 4, 4]", floor_below)), Names("newton", "lagrange"));
    EXPECT_EQ(names_of(chosen_for(rubber, "[20, 20, 20]", floor_below)),
              Names("newton", "lagrange"));
    EXPECT_EQ(names_of(chosen_for(rubber, "[20, 20, 20]")), Names("descent", "penalty"));
    EXPECT_EQ(names_of(chosen_for(linear + "\ninvertible = true", "[4, 4, 4]")).first, "newton");
    EXPECT_EQ(names_of(chosen_for(linear, "[4, 4, 4]", "", "integrator = \"trapezoid\"")),
              Names("newton", "penalty"));
    EXPECT_EQ(names_of(chosen_for(linear, "[4, 4, 4]", "", "analysis = \"static\"")),
              Names("newton", "lagrange"));
}

TEST(AutomaticChoice, gives_cloth_a_minimising_solver_and_rigid_bodies_constraints) {
    const std::string start =
        "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[solver]\nkind = \"auto\"\n"
        "[contact]\nmethod = \"auto\"\n" +
        floor_below + "[[body]]\nname = \"a\"\n";
    const auto load = [&](const std::string& body) {
        return names_of(make_scene(parse_toml(start + body, "a.toml"), "a.toml"));
    };
    EXPECT_EQ(load("shape = \"cloth_sheet\"\ncells = [4, 4]\n"
                   "cloth = { thickness = 0.001 }\n")
                  .first,
              "newton");
    EXPECT_EQ(load("shape = \"box\"\nsize = [1, 1, 1]\ncells = [2, 2, 2]\nrigid = true\n").second,
              "lagrange");
}

TEST(AutomaticChoice, of_contact_follows_a_solver_by_name) {
    const std::string linear = "kind = \"corotated\"";
    for (const auto& [solver, contact] :
         {Names("corotational", "penalty"), Names("cholesky", "lagrange"),
          Names("warp_canceling", "lagrange"), Names("vertex_block_descent", "penalty"),
          Names("newton", "lagrange"), Names("xpbd", "penalty")})
        EXPECT_EQ(names_of(chosen_for(linear, "[2, 2, 2]", floor_below, "", solver)),
                  Names(solver, contact));
}

TEST(AutomaticChoice, says_why_and_is_written_into_the_scene_of_the_run) {
    const SceneDef scene = chosen_for("kind = \"corotated\"", "[4, 4, 4]", floor_below);
    ASSERT_EQ(scene.chosen.size(), 2u);
    EXPECT_EQ(
        scene.chosen[0],
        "solver.kind = \"warp_canceling\": corotated or linear laws, about 384 tets: the factor "
        "is kept over steps");
    const std::string text = resolved_toml(scene);
    EXPECT_TRUE(text.starts_with("# auto: solver.kind = \"warp_canceling\": "))
        << text.substr(0, 200);
    const SceneDef again = make_scene(parse_toml(text, "a.toml"), "a.toml");
    EXPECT_EQ(names_of(again), names_of(scene));
    EXPECT_TRUE(again.chosen.empty());
}

SceneDef loaded(const std::string& tables) {
    const std::string text =
        "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[[body]]\nname = \"a\"\nshape = "
        "\"box\"\nsize = [1, 1, 1]\ncells = [2, 2, 2]\n" +
        floor_below + tables;
    return make_scene(parse_toml(text, "a.toml"), "a.toml");
}

TEST(Defaults, are_auto_and_say_what_version_0_1_took) {
    const SceneDef scene = loaded("");
    EXPECT_EQ(names_of(scene), Names("warp_canceling", "lagrange"));
    ASSERT_EQ(scene.chosen.size(), 2u);
    EXPECT_TRUE(scene.chosen[0].ends_with("(by default; version 0.1 took \"corotational\")"))
        << scene.chosen[0];
    EXPECT_TRUE(scene.chosen[1].ends_with("(by default; version 0.1 took \"penalty\")"))
        << scene.chosen[1];
}

TEST(Defaults, hand_on_what_auto_contact_was_given) {
    const SceneDef scene = loaded("[contact]\nfriction = 0.7\nself = true\nbodies = false\n");
    ASSERT_EQ(scene.contact.options.name, "lagrange");
    const auto& options = scene.contact.options.as<LagrangeOptions>();
    EXPECT_EQ(options.friction, 0.7);
    EXPECT_TRUE(options.self);
    EXPECT_FALSE(options.bodies);
    const SceneDef springs =
        loaded("[solver]\nkind = \"corotational\"\n[contact]\nfriction = 0.7\n");
    ASSERT_EQ(springs.contact.options.name, "penalty");
    EXPECT_EQ(springs.contact.options.as<PenaltyOptions>().friction, 0.7);
}

TEST(Defaults, of_tables_with_options_and_no_name_are_those_of_version_0_1) {
    const SceneDef scene =
        loaded("[solver]\nmax_iterations = 7\n[contact]\nthickness = 0.003\nfriction = 0.7\n");
    EXPECT_EQ(names_of(scene), Names("corotational", "penalty"));
    EXPECT_EQ(scene.contact.options.as<PenaltyOptions>().thickness, 0.003);
    EXPECT_EQ(scene.contact.options.as<PenaltyOptions>().friction, 0.7);
    ASSERT_EQ(scene.chosen.size(), 2u);
    EXPECT_EQ(scene.chosen[0],
              "solver.kind = \"corotational\": the file gives solver.max_iterations and no kind, "
              "which version 0.1 read so");
    EXPECT_THROW(loaded("[solver]\nkind = \"auto\"\nmax_iterations = 7\n"), InputError);
}

}  // namespace
}  // namespace limber
