// SPDX-License-Identifier: Apache-2.0
#include "limber/study/converged_solver.h"

#include <gtest/gtest.h>

#include <functional>

#include "limber/solve/newton/newton.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;
using test::has;
using test::spec_of;

TEST(ConvergedSolver, is_direct_where_that_is_affordable) {
    const Folder folder;
    const StudyScene study = test::study_scene(folder);
    const SceneDef scene = load_scene(study.path);
    Model model = test::model_of(study);
    EXPECT_EQ(converged_solver(scene, model).spec.kind, "cholesky");
    // A body so large that no direct engine is: only its node range is looked at.
    model.bodies[0].node_end = 5'000'000;
    const ConvergedSolver large = converged_solver(scene, model);
    EXPECT_EQ(large.spec.kind, "corotational");
    EXPECT_EQ(large.spec.value_of("rel_tolerance"), "1e-10");
    EXPECT_TRUE(has(large.why, "predicted"));
    scene_with(study, large.spec, "--reference");  // every option is one the solver has
}

TEST(ConvergedSolver, follows_the_family_of_the_solver) {
    const Folder folder;
    const StudyScene study = test::study_scene(folder);
    const Model model = test::model_of(study);
    for (const StepperEntry& entry : steppers()) {
        const std::string name(entry.options.name);
        if (name == "projective_dynamics") continue;  // of another law
        const SceneDef scene = scene_with(study, spec_of(name), "--solvers");
        EXPECT_EQ(converged_solver(scene, model).spec.kind,
                  entry.family == SolverFamily::linearly_implicit ? "cholesky" : "newton")
            << name;
    }
}

TEST(ConvergedSolver, of_minimising_ones_is_tight_whatever_the_scene_says) {
    const Folder folder;
    const StudyScene study = test::study_scene(
        folder,
        test::replaced(test::bar_scene, "kind = \"corotational\"",
                       "kind = \"newton\"\nrel_tolerance = 1e-2\nmax_iterations = 1\ndecrement = "
                       "0.1\nhessian = \"project\"\nlinear = \"cg\""));
    Model model = test::model_of(study);
    const auto options = [&] {
        const SolverSpec spec = converged_solver(load_scene(study.path), model).spec;
        return scene_with(study, spec, "--reference").solver.options.as<NewtonOptions>();
    };
    EXPECT_EQ(options().rel_tolerance, 1e-10);
    EXPECT_EQ(options().decrement, 0);
    EXPECT_GT(options().max_iterations, 100);
    EXPECT_EQ(options().hessian, HessianRepair::on_demand);
    EXPECT_EQ(options().linear.method, LinearMethod::supernodal);
    model.bodies[0].node_end = 5'000'000;
    EXPECT_EQ(options().linear.method, LinearMethod::pcg_block_jacobi);
    EXPECT_EQ(options().rel_tolerance, 1e-10);
}

TEST(ConvergedSolver, has_a_factor_under_constraints_whatever_it_costs) {
    const Folder folder;
    const StudyScene study = test::study_scene(
        folder, test::block_scene("lagrange") + "[solver]\nkind = \"cholesky\"\n");
    Model model = test::model_of(study);
    model.bodies[0].node_end = 5'000'000;
    for (const char* solver : {"warp_canceling", "newton"}) {
        const SceneDef scene = scene_with(study, spec_of(solver), "--solvers");
        const ConvergedSolver converged = converged_solver(scene, model);
        EXPECT_TRUE(has(converged.why, "constraints")) << converged.why;
        scene_with(study, converged.spec, "--reference");  // is not refused
    }
}

TEST(ConvergedSolver, measures_nothing_by_a_step_that_did_not_converge) {
    StepReport newton;
    newton.solve = {SolveStatus::iteration_cap, 12, 1e-8, 0};
    EXPECT_TRUE(is_converged(newton)) << "at what rounding allows";
    newton.solve.residual = 1e-3;
    EXPECT_FALSE(is_converged(newton));
    StepReport direct;
    direct.solve.status = SolveStatus::direct;
    EXPECT_TRUE(is_converged(direct));
    for (const auto& spoil : std::vector<std::function<void(StepReport&)>>{
             [](StepReport& r) { r.failed = true; }, [](StepReport& r) { r.substeps = 2; },
             [](StepReport& r) { r.constraints.residual = 0.1; }}) {
        StepReport bad = direct;
        spoil(bad);
        EXPECT_FALSE(is_converged(bad));
    }
}

}  // namespace
}  // namespace limber
