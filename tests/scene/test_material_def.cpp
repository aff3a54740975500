// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/material_def.h"

#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::good_scene;
using test::input_error;
using test::replaced;
using test::scene_of;

/// The material [material.x] of a scene whose bodies do not use it.
Material material_of(const std::string& keys) {
    const SceneDef scene = scene_of(good_scene + "[material.x]\n" + keys + '\n');
    std::string assumed;
    return make_material("x", scene.materials.at("x"), assumed);
}
std::string refusal(const std::string& keys) {
    return input_error([&] { material_of(keys); });
}
void expect_says(const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << part << "\nnot in: " << message;
}

TEST(MaterialDef, every_law_takes_the_moduli_people_know) {
    for (const char* kind : {"corotated", "linear", "stvk", "neo_hookean", "neo_hookean_log",
                             "mooney_rivlin", "fung", "spline"}) {
        const Lame lame = small_strain(
            material_of("kind = \"" + std::string(kind) + "\"\nyoung = 1e6\npoisson = 0.4"));
        EXPECT_NEAR(lame.young(), 1e6, 1e-3) << kind;
        EXPECT_NEAR(lame.poisson(), 0.4, 1e-9) << kind;
    }
    const Lame lame = small_strain(material_of("kind = \"projective\"\nyoung = 1e6"));
    EXPECT_NEAR(lame.young(), 1e6, 1e-3);
    EXPECT_EQ(lame.poisson(), 0);
}

TEST(MaterialDef, laws_take_their_own_parameters) {
    const auto rubber =
        std::get<MooneyRivlin>(material_of("kind = \"mooney_rivlin\"\ns0 = 1e4\ns1 = 2e5\n"
                                           "s2 = \"3 kPa\"")
                                   .law);
    EXPECT_EQ(rubber.s0, 1e4);
    EXPECT_EQ(rubber.s1, 2e5);
    EXPECT_EQ(rubber.s2, 3e3);
    const auto tissue =
        std::get<Fung>(material_of("kind = \"fung\"\ns0 = 1e4\ns1 = 2e5\ns2 = 5e3").law);
    EXPECT_EQ(tissue.s3, 1);  // documented default
    EXPECT_EQ(std::get<Fung>(material_of("kind = \"fung\"\nmu = 4e4\nlambda = 1e5\ns3 = 2").law).s2,
              5e3);  // half of the shear modulus by the exponential: mu / (4 s3)
    const auto split = std::get<MooneyRivlin>(
        material_of("kind = \"mooney_rivlin\"\nmu = 4e4\nlambda = 1e5\ns2 = 5e3").law);
    EXPECT_EQ(split.s0, 15e3);
    const auto half =
        std::get<MooneyRivlin>(material_of("kind = \"mooney_rivlin\"\nmu = 4e4\nlambda = 1e5").law);
    EXPECT_EQ(half.s0, 1e4);
    EXPECT_EQ(half.s2, 1e4);
}

TEST(MaterialDef, volume_conversion_and_tangent_reach_the_material) {
    const Material m = material_of(
        "kind = \"stvk\"\nvolume = \"2 MPa\"\ninvertible = true\nlambda_plus = 0.5\nfade = 0.1");
    EXPECT_EQ(m.volume, 2e6);
    EXPECT_TRUE(m.conversion.on);
    EXPECT_EQ(m.conversion.lower, 0.05);
    EXPECT_EQ(m.conversion.upper, 0.5);
    EXPECT_EQ(m.conversion.fade, 0.1);
    EXPECT_TRUE(std::get<CorotatedElastic>(material_of("tangent = \"frozen\"").law).frozen);
    EXPECT_FALSE(std::get<CorotatedElastic>(material_of("").law).frozen);
}

TEST(MaterialDef, a_drawn_law_goes_through_its_points) {
    const Material m = material_of(
        "kind = \"spline\"\nf = { at = [0.3, 1, 2], slope = [\"-2 MPa\", 0, \"3 MPa\"] }\n"
        "h = { at = [0.5, 1, 1.5], slope = [-1e6, 0, 1e6] }");
    const auto& law = std::get<SplineLaw>(m.law);
    EXPECT_NEAR(law.f.value(0.3), -2e6, 1e-6);
    EXPECT_NEAR(law.f.value(2), 3e6, 1e-6);
    EXPECT_EQ(law.g.n, 0);
    EXPECT_NEAR(law.rest_stress(), 0, 1e-9);
}

TEST(MaterialDef, numbers_that_make_no_material_are_refused_with_the_number) {
    expect_says(refusal("kind = \"neo_hookean\"\ns0 = 1e5\ns1 = -2e5"),
                {"material.x: s0 = 1e+05 and s1 = -2e+05", "bulk modulus of -4e+05 Pa", "> 0"});
    expect_says(refusal("kind = \"mooney_rivlin\"\ns0 = 1e5\ns1 = 1e5\ns2 = -3e5"),
                {"shear modulus of -4e+05 Pa"});
    expect_says(refusal("kind = \"projective\"\npoisson = 0.3"), {"Poisson's ratio 0", "volume"});
    expect_says(refusal("kind = \"fung\"\ns3 = -1"), {"s3 = -1", "> 0"});
    expect_says(refusal("kind = \"neo_hookean\"\npoisson = 0.5"), {"poisson = 0.5", "< 0.5"});
    expect_says(refusal("invertible = true\nlambda_minus = 0.2"),
                {"lambda_minus = 0.2 and lambda_plus = 0.1", "lambda_minus < lambda_plus"});
}

TEST(MaterialDef, keys_of_another_law_are_refused) {
    expect_says(refusal("kind = \"neo_hookean\"\ns0 = 1\ns1 = 1\ns2 = 1"),
                {"kind = \"neo_hookean\" has no s2", "s0, s1"});
    expect_says(refusal("s0 = 1"), {"kind = \"corotated\" has no s0", "young and poisson"});
    expect_says(refusal("kind = \"neo_hookean\"\ns0 = 1e5"), {"s1 is missing"});
    expect_says(refusal("kind = \"stvk\"\nyoung = 1e6\ns0 = 1e5\ns1 = 1e5"),
                {"cannot go with young"});
    expect_says(refusal("kind = \"stvk\"\nf = { at = [0, 1], slope = [-1, 0] }"), {"has no f"});
    expect_says(refusal("kind = \"stvk\"\ntangent = \"exact\""), {"tangent belongs to corotated"});
    expect_says(refusal("fade = 0.1"), {"'fade' needs the key 'invertible'"});
}

TEST(MaterialDef, bad_control_points_are_refused) {
    const auto spline = [](const std::string& f) { return refusal("kind = \"spline\"\nf = " + f); };
    expect_says(spline("{ at = [0, 1, 2], slope = [-1, 0] }"), {"3 numbers in at and 2 in slope"});
    expect_says(spline("{ at = [1], slope = [0] }"), {"1 control points", "2 to 16"});
    expect_says(spline("{ at = [0, 1, 1], slope = [-1, 0, 1] }"), {"at[2] = 1", "increasing"});
    expect_says(spline("{ at = [0, 1, 2], slope = [-1, 1, 3] }"),
                {"rest shape has a stress of 1 Pa", "f'(1) + 2 g'(1) + h'(1) = 0"});
    expect_says(spline("{ at = [0, 1, 2], slope = [1, 0, -1] }"), {"shear modulus of -"});
}

TEST(MaterialDef, linearly_implicit_solvers_refuse_other_laws) {
    const auto used = [](const std::string& keys, const char* solver) {
        return input_error([&] {
            scene_of(replaced(good_scene, "young = 1e6", "young = 1e6\n" + keys) +
                     "[solver]\nkind = \"" + solver + "\"\n");
        });
    };
    for (const StepperEntry& entry : steppers()) {
        const bool linear = entry.family == SolverFamily::linearly_implicit;
        const std::string solver(entry.options.name);
        if (solver == "auto") continue;         // takes what suits the law
        if (solver == "projective_dynamics") {  // takes one law alone
            expect_says(used("kind = \"linear\"", solver.c_str()), {"allowed: \"projective\""});
            continue;
        }
        if (solver == "fast_corotated") {
            expect_says(used("kind = \"linear\"", solver.c_str()),
                        {"cannot go with solver.kind = \"fast_corotated\"", "\"projective\""});
            expect_says(used("invertible = true", solver.c_str()), {"invertible cannot go with"});
            expect_says(used("volume = 1e5", solver.c_str()), {"volume cannot go with"});
            const std::string split = std::string(solver) + "\"\nscheme = \"split";
            const auto swelling = [&](const std::string& kind) {
                return input_error([&] {
                    scene_of(replaced(good_scene, "poisson = 0.4", "poisson = -0.1") +
                             "[solver]\nkind = \"" + kind + "\"\n");
                });
            };
            expect_says(swelling(split), {"poisson below 0 cannot go with", "scheme = \"joint\""});
            EXPECT_EQ(swelling(solver), "");
            expect_says(
                used("tangent = \"frozen\"", (split + "\"\nrel_tolerance = 1e-3 #").c_str()),
                {"rel_tolerance cannot go with scheme"});
            continue;
        }
        if (solver == "xpbd") {
            expect_says(used("kind = \"linear\"", solver.c_str()),
                        {"cannot go with solver.kind = \"xpbd\"", "\"neo_hookean\""});
            expect_says(used("invertible = true", solver.c_str()), {"invertible cannot go with"});
            EXPECT_EQ(used("kind = \"neo_hookean\"", solver.c_str()), "");
            continue;
        }
        EXPECT_EQ(used("kind = \"linear\"", solver.c_str()), "") << solver;
        EXPECT_EQ(used("tangent = \"frozen\"", solver.c_str()), "") << solver;
        if (!linear) continue;
        expect_says(used("kind = \"neo_hookean\"", solver.c_str()),
                    {"scene.toml:7:",
                     "material.rubber: kind = \"neo_hookean\" cannot go with "
                     "solver.kind = \"",
                     "allowed: kind = \"corotated\" or \"linear\""});
        expect_says(used("volume = 1e5", solver.c_str()),
                    {"volume cannot go with", "leave it out"});
        expect_says(used("invertible = true", solver.c_str()), {"invertible cannot go with"});
        expect_says(used("tangent = \"exact\"", solver.c_str()), {"tangent cannot go with"});
    }
}

TEST(MaterialDef, the_resolved_scene_says_the_same) {
    const SceneDef scene = scene_of(good_scene + R"([material.x]
kind = "fung"
mu = 1e5
lambda = 2e5
s3 = 3
invertible = true
lambda_plus = 0.3
[material.y]
kind = "spline"
f = { at = [0.3, 1, 2], slope = [-1e6, 0, 1e6] }
)");
    const SceneDef again = scene_of(resolved_toml(scene));
    std::string assumed;
    const Material m = make_material("x", again.materials.at("x"), assumed);
    EXPECT_EQ(std::get<Fung>(m.law).s3, 3);
    EXPECT_EQ(m.conversion.upper, 0.3);
    const auto drawn =
        std::get<SplineLaw>(make_material("y", again.materials.at("y"), assumed).law);
    EXPECT_NEAR(drawn.f.value(2), 1e6, 1e-6);
}

}  // namespace
}  // namespace limber
