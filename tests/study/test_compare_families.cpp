// SPDX-License-Identifier: Apache-2.0
// compare() over laws, families, integrators and contact methods.

#include <gtest/gtest.h>

#include "limber/study/compare.h"
#include "limber/study/compare_report.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;
using test::has;

struct Families : testing::Test {
    Folder folder;
    CompareResult compared(const std::string& scene, const std::string& solvers,
                           std::int64_t steps = 12, const std::string& reference = "") {
        CompareOptions options;
        options.scene = test::study_scene(folder, scene);
        options.solvers = parse_solvers(solvers, "--solvers");
        if (!reference.empty()) options.reference = test::spec_of(reference);
        options.steps = steps;
        return compare(options);
    }
    /// Everybody came to the end, and no step of a converged solver was left out.
    static void expect_all_done(const CompareResult& r) {
        for (const ContestantResult& c : r.contestants) {
            EXPECT_EQ(c.refusal, "") << c.spec.text;
            EXPECT_EQ(c.failure, "") << c.spec.text;
            EXPECT_EQ(c.steps, r.steps) << c.spec.text;
            EXPECT_EQ(c.local_left_out, 0) << c.spec.text;
            EXPECT_FALSE(c.local.time.empty()) << c.spec.text;
        }
    }
};

// Positions of a step that two solvers find to 1e-10 of the forces agree far better than 1e-9 of
// the body's size.
constexpr double same_step = 1e-9;

TEST_F(Families, find_no_local_error_in_a_newton_step_that_is_converged) {
    const CompareResult r = compared(test::bar_scene, "newton:rel_tolerance=1e-9,newton");
    expect_all_done(r);
    EXPECT_EQ(r.reference.kind, "newton");
    EXPECT_TRUE(r.contestants[0].local_reference.starts_with("newton:"));
    EXPECT_LT(r.contestants[0].local.worst(), same_step);
    EXPECT_LT(r.contestants[0].global.worst(), 100 * same_step);
    EXPECT_TRUE(r.models.empty()) << "one family: one model";
}

TEST_F(Families, find_a_local_error_of_descent_that_falls_with_iterations) {
    const CompareResult r = compared(test::bar_scene,
                                     "descent:direction=jacobi,iterations=8,precision=double,"
                                     "descent:direction=jacobi,iterations=64,precision=double,"
                                     "descent:direction=jacobi,iterations=512,precision=double");
    expect_all_done(r);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_LT(r.contestants[i].local.mean_square(),
                  0.5 * r.contestants[i - 1].local.mean_square());
}

TEST_F(Families, measure_each_by_its_own_converged_step) {
    const CompareResult r =
        compared(test::bar_scene, "cholesky:rotation_iterations=100,newton:rel_tolerance=1e-9");
    expect_all_done(r);
    EXPECT_EQ(r.reference.kind, "newton");
    EXPECT_TRUE(has(r.reference_why, "two families")) << r.reference_why;
    const ContestantResult &linear = r.contestants[0], &newton = r.contestants[1];
    EXPECT_TRUE(linear.local_reference.starts_with("cholesky:")) << linear.local_reference;
    EXPECT_TRUE(newton.local_reference.starts_with("newton:")) << newton.local_reference;
    EXPECT_LT(linear.local.worst(), same_step);
    EXPECT_LT(newton.local.worst(), same_step);
    // The difference of the models is real, is measured, and is all that cholesky is off by.
    ASSERT_EQ(r.models.size(), 1u);
    EXPECT_EQ(r.models[0].family, SolverFamily::linearly_implicit);
    EXPECT_GT(r.models[0].global.mean_square(), 1e-5);
    EXPECT_NEAR(linear.global.mean_square(), r.models[0].global.mean_square(), 1e-8);
    const std::string text = compare_markdown(r);
    EXPECT_TRUE(has(text, "Two models")) << text;
    EXPECT_TRUE(has(text, "(linearly implicit, converged)")) << text;
}

TEST_F(Families, take_either_model_as_the_reference) {
    const CompareResult r = compared(test::bar_scene, "newton:rel_tolerance=1e-9", 12, "cholesky");
    EXPECT_EQ(r.reference.kind, "cholesky");
    EXPECT_LT(r.contestants[0].local.worst(), same_step) << "still by its own family";
    EXPECT_GT(r.contestants[0].global.mean_square(), 1e-5);
    ASSERT_EQ(r.models.size(), 1u);
    EXPECT_EQ(r.models[0].spec.kind, "newton");
}

TEST_F(Families, compare_solvers_on_rubber) {
    for (const char* reference : {"", "newton"}) {
        const CompareResult r =
            compared(test::rubber_scene,
                     "newton,descent:iterations=400,vertex_block_descent,cholesky", 12, reference);
        EXPECT_EQ(r.reference.kind, "newton");
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(r.contestants[i].steps, 12);
            EXPECT_LT(r.contestants[i].local.mean_square(), 1e-3) << r.contestants[i].spec.text;
        }
        EXPECT_FALSE(r.contestants[3].ran());
        EXPECT_TRUE(has(r.contestants[3].refusal, "mooney_rivlin"));
        EXPECT_TRUE(has(compare_markdown(r), "Not run: `cholesky`. material.rubber: kind = "));
    }
}

TEST_F(Families, compare_solvers_on_cloth) {
    const CompareResult r = compared(
        test::cloth_scene, "newton:rel_tolerance=1e-9,descent,projective_dynamics,xpbd,cholesky");
    EXPECT_EQ(r.reference.kind, "newton");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(r.contestants[i].steps, 12) << i;
    EXPECT_LT(r.contestants[0].local.worst(), same_step);
    EXPECT_FALSE(r.contestants[4].ran());
    EXPECT_EQ(r.n_tets, 0);
    EXPECT_GT(r.n_triangles, 0);
    EXPECT_TRUE(has(compare_markdown(r), " triangles, "));
}

TEST_F(Families, compare_solvers_on_every_law) {
    const std::string newton =
        test::replaced(test::bar_scene, "kind = \"corotational\"", "kind = \"newton\"");
    for (const char* law : {"linear", "corotated", "stvk", "neo_hookean", "neo_hookean_log",
                            "mooney_rivlin", "fung", "projective", "spline"}) {
        std::string scene = test::replaced(newton, "young = 2e5",
                                           "kind = \"" + std::string(law) + "\"\nyoung = 2e5");
        if (std::string(law) == "projective")
            scene = test::replaced(scene, "poisson = 0.4", "poisson = 0");
        const CompareResult r = compared(scene, "newton:rel_tolerance=1e-9", 4);
        expect_all_done(r);
        EXPECT_LT(r.contestants[0].local.worst(), same_step) << law;
    }
}

TEST_F(Families, compare_minimising_solvers_under_every_integrator) {
    for (const char* time :
         {"integrator = \"trapezoid\"", "analysis = \"quasi_static\"", "analysis = \"static\""}) {
        const CompareResult r = compared(
            test::replaced(
                test::replaced(test::bar_scene, "kind = \"corotational\"", "kind = \"newton\""),
                "steps = 20", "steps = 20\n" + std::string(time)),
            "newton:rel_tolerance=1e-9,corotational,xpbd", 8);
        EXPECT_EQ(r.contestants[0].steps, 8) << time;
        EXPECT_EQ(r.contestants[0].local_left_out, 0) << time;
        EXPECT_LT(r.contestants[0].local.worst(), same_step) << time;
        EXPECT_FALSE(r.contestants[1].ran()) << time;
        EXPECT_FALSE(r.contestants[2].ran()) << time;
    }
}

TEST_F(Families, measure_position_based_dynamics_by_newton_and_say_what_that_means) {
    const CompareResult r = compared(test::bar_scene, "xpbd:substeps=2,xpbd:substeps=40");
    expect_all_done(r);
    EXPECT_EQ(r.reference.kind, "newton");
    for (const ContestantResult& c : r.contestants) {
        EXPECT_TRUE(c.local_reference.starts_with("newton:")) << c.local_reference;
        EXPECT_GT(c.local.mean_square(), 1e-6) << "small steps are another model of time";
    }
    EXPECT_TRUE(has(compare_markdown(r), "position based dynamics cuts a step"));
}

TEST_F(Families, compare_solvers_under_every_contact_method) {
    for (const char* method : {"none", "penalty", "projection", "repulsion", "lagrange"}) {
        const CompareResult r = compared(
            test::block_scene(method) + "[solver]\nkind = \"newton\"\n",
            "newton:rel_tolerance=1e-9,descent:iterations=400,precision=double,xpbd,cholesky", 16);
        expect_all_done(r);
        const bool all_take_it =
            std::string(method) != "repulsion" && std::string(method) != "lagrange";
        EXPECT_EQ(r.contact, all_take_it ? method : "penalty");
        EXPECT_EQ(r.contact_note.empty(), all_take_it);
        EXPECT_LT(r.contestants[0].local.worst(), same_step) << method;
        EXPECT_LT(r.contestants[3].local.worst(), 1e-6) << method;
    }
}

TEST_F(Families, compare_newton_and_cholesky_under_constraints) {
    const CompareResult r =
        compared(test::block_scene("lagrange") + "[solver]\nkind = \"newton\"\n",
                 "newton:rel_tolerance=1e-9,cholesky,warp_canceling", 16);
    expect_all_done(r);
    EXPECT_EQ(r.contact, "lagrange");
    EXPECT_LT(r.contestants[0].local.worst(), 1e-6);
    EXPECT_LT(r.contestants[1].local.worst(), 1e-6);
}

TEST_F(Families, show_the_difference_of_the_models_in_windows_too) {
    CompareOptions options;
    options.scene = test::study_scene(folder);
    options.solvers = parse_solvers("cholesky,newton", "--solvers");
    options.steps = 12;
    options.windows = WindowMode::always;
    options.n_windows = 3;
    options.window_steps = 4;
    const CompareResult r = compare(options);
    ASSERT_EQ(r.models.size(), 1u);
    EXPECT_EQ(r.models[0].windows.rms.size(), 3u);
    EXPECT_GT(r.headline_error(r.models[0]), 0);
    EXPECT_TRUE(has(compare_markdown(r), "(rms, windows)"));
}

TEST_F(Families, show_no_local_error_where_nothing_was_measured) {
    CompareResult r = compared(test::bar_scene, "newton", 4);
    r.contestants[0].local = {};
    r.contestants[0].local_left_out = 2;
    EXPECT_TRUE(std::isnan(r.contestants[0].local.mean_square()));
    EXPECT_TRUE(std::isnan(r.contestants[0].local.worst()));
    EXPECT_TRUE(has(compare_markdown(r), "did not converge at 2 of 2 steps"));
}

}  // namespace
}  // namespace limber
