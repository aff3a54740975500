// SPDX-License-Identifier: Apache-2.0
#include "limber/study/solver_spec.h"

#include <gtest/gtest.h>

#include "limber/solve/corotational.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;
using test::input_error;
using test::spec_of;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(SolverList, gives_options_to_the_solver_before_them) {
    const auto specs =
        parse_solvers("corotational:max_iterations=5,guess=zero, cholesky", "--solvers");
    ASSERT_EQ(specs.size(), 2u);
    EXPECT_EQ(specs[0].kind, "corotational");
    EXPECT_EQ(specs[0].text, "corotational:max_iterations=5,guess=zero");
    ASSERT_EQ(specs[0].options.size(), 2u);
    EXPECT_EQ(specs[0].value_of("guess"), "zero");
    EXPECT_EQ(specs[1].kind, "cholesky");
    EXPECT_TRUE(specs[1].options.empty());
}

TEST(SolverList, does_not_split_inside_quotes) {
    const auto specs = parse_solvers("corotational:guess=\"a,b\"", "--solvers");
    ASSERT_EQ(specs.size(), 1u);
    EXPECT_EQ(specs[0].value_of("guess"), "\"a,b\"");
}

TEST(SolverList, knows_iterations_as_a_short_name) {
    EXPECT_EQ(spec_of("corotational:iterations=7").value_of("max_iterations"), "7");
}

TEST(SolverList, says_what_is_allowed_and_nearest) {
    const auto message = [](const std::string& list) {
        return input_error([&] { parse_solvers(list, "--solvers"); });
    };
    EXPECT_TRUE(has(message("corotatonal"), "did you mean 'corotational'?"));
    EXPECT_TRUE(has(message("corotatonal"), "cholesky")) << "the list";
    EXPECT_TRUE(has(message("corotational:iteratons=5"), "did you mean 'iterations'?"));
    EXPECT_TRUE(has(message("corotational:guess"), "key=value"));
    EXPECT_TRUE(has(message("corotational:guess="), "key=value"));
    EXPECT_TRUE(has(message("guess=zero"), "without a solver"));
    EXPECT_TRUE(has(message("corotational,,cholesky"), "missing"));
    EXPECT_TRUE(has(message("corotational:guess=\"zero"), "left open"));
    EXPECT_TRUE(has(message("corotational:guess=]"), "closes nothing"));
    EXPECT_TRUE(has(message(""), "missing"));
}

TEST(SolverSpec, without_a_key_names_the_curve) {
    const SolverSpec spec = spec_of("corotational:guess=zero,max_iterations=5");
    EXPECT_EQ(spec.without("max_iterations"), "corotational:guess=zero");
    EXPECT_EQ(spec.without("guess"), "corotational:max_iterations=5");
}

TEST(SceneWith, keeps_the_scenes_options_for_its_own_kind_alone) {
    const Folder folder;
    const StudyScene scene = test::study_scene(
        folder, test::replaced(test::bar_scene, "kind = \"corotational\"",
                               "kind = \"corotational\"\nmax_iterations = 3\nrotation = \"svd\""));
    const auto options = [&](const std::string& spec) {
        return scene_with(scene, spec_of(spec), "--solvers")
            .solver.options.as<CorotationalOptions>();
    };
    EXPECT_EQ(options("corotational:guess=zero").pcg.max_iterations, 3);
    EXPECT_EQ(options("corotational:guess=zero").guess, InitialGuess::zero);
    EXPECT_EQ(options("corotational:max_iterations=9").pcg.max_iterations, 9);
    EXPECT_EQ(options("cholesky").rotation.kind, RotationOptions{}.kind);
}

TEST(SceneWith, names_the_argument_the_user_wrote) {
    const Folder folder;
    const std::string message = input_error([&] {
        scene_with(test::study_scene(folder), spec_of("corotational:max_iterations=-1"),
                   "--reference");
    });
    EXPECT_TRUE(message.starts_with("--reference corotational:max_iterations=-1: error:"))
        << message;
}

}  // namespace
}  // namespace limber
