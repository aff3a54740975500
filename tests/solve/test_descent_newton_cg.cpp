// SPDX-License-Identifier: Apache-2.0
// The default of descent, direction = "newton_cg", against Newton's method from the state that the
// run is really in. Whole scenes: tests/sim/test_descent_defaults.cpp.

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/vertex_block_descent.h"
#include "limber/study/contestant.h"
#include "limber/study/step_errors.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::world_with;

NewtonOptions exact() {
    NewtonOptions options;
    options.rel_tolerance = 1e-9;
    return options;
}
/// Errors at every `every`-th step, in parts of what Newton's step moves.
StepErrors run(const Model& model, int steps, int every, const DescentOptions& options) {
    const auto world = world_with<DescentStepper>(model, options);
    const auto newton = world_with<NewtonStepper>(model, exact());
    return step_errors(*world, *newton, steps, every);
}

struct Case {
    std::string name;
    Material material;
    Integrator integrator;
    double h;
};
std::vector<Case> cases() {
    std::vector<Case> out;
    const std::vector<std::pair<std::string, Material>> laws = {
        {"corotated", of<CorotatedElastic>()}, {"linear", of<LinearElastic>()},
        {"stvk", of<StVenantKirchhoff>()},     {"neo_hookean", of<NeoHookean>()},
        {"mooney_rivlin", of<MooneyRivlin>()}, {"fung", of<Fung>()},
        {"spline", of<SplineLaw>()},           {"projective", of<ProjectiveElastic>()}};
    for (const auto& [name, material] : laws)
        for (const Integrator integrator : {Integrator::backward_euler, Integrator::trapezoid})
            for (const double h : {1.0 / 30, 1.0 / 150, 1.0 / 1000})
                out.push_back({name, material, integrator, h});
    return out;
}

TEST(NewtonCg, follows_newton_under_every_law_integrator_and_step_for_100_steps) {
    const ThreadLimit one(1);  // a few tets: threads only wait for each other
    for (const Case& c : cases()) {
        Model model = bar(1, true, c.material);
        model.integrator = c.integrator;
        model.h = c.h;
        finish_model(model);
        const StepErrors e = run(model, 100, 10, {});
        const std::string what = c.name +
                                 (c.integrator == Integrator::trapezoid ? " trapezoid" : "") +
                                 " h " + std::to_string(c.h);
        EXPECT_FALSE(e.failed) << what;
        EXPECT_LT(e.mean, 1e-3) << what;
        EXPECT_LT(e.worst, 1e-2) << what;
        if (c.integrator == Integrator::backward_euler) {
            EXPECT_LT(e.rise, 1e-6) << what;
        }
    }
}

TEST(NewtonCg, holds_plates_a_thousand_times_stiffer_than_what_is_between_them) {
    Model model = bar(2, true, of<NeoHookean>(1e5));
    model.materials.push_back(of<NeoHookean>(1e8));
    for (Index t = 0; t < model.n_tets(); ++t)
        model.tet_material[t] =
            static_cast<int>((model.mesh.nodes[model.mesh.tets[t][0]].x + 0.5) * 8) % 2;
    model.h = 1.0 / 30;
    finish_model(model);
    EXPECT_LT(run(model, 100, 10, {}).mean, 1e-2);
}

TEST(NewtonCg, is_never_worse_when_iterations_double) {
    Model model = bar(2, true, of<NeoHookean>());
    model.h = 1.0 / 30;
    finish_model(model);
    double before = 1;
    for (const int iterations : {12, 24, 48, 96, 192}) {
        DescentOptions options;
        options.iterations = iterations;
        const double error = run(model, 30, 3, options).mean;
        // Where rounding is reached nothing is left to gain.
        EXPECT_LT(error, std::max(before, 1e-6)) << iterations;
        before = error;
    }
    EXPECT_LT(before, 1e-6);
}

/// Nothing but the pin tells how large forces are.
Model pulled_by_its_pin() {
    Model model = bar(2, true, of<NeoHookean>());
    model.gravity = {};
    Motion& motion = model.pins[0].motion;
    motion.translate.times = {0, 1};
    motion.translate.values = {{0, 0, 0}, {0, 0.3, 0}};
    finish_model(model);
    return model;
}
TEST(MovingPin, alone_lets_every_solver_converge) {
    DescentOptions newton_cg, jacobi;
    newton_cg.rel_tolerance = jacobi.rel_tolerance = 1e-6;
    jacobi.direction = DirectionKind::jacobi;
    jacobi.precision = Precision::twofold;
    jacobi.iterations = 2000;
    VertexBlockOptions blocks;
    blocks.rel_tolerance = 1e-6;
    blocks.iterations = 2000;
    for (const auto& world : {world_with<DescentStepper>(pulled_by_its_pin(), newton_cg),
                              world_with<DescentStepper>(pulled_by_its_pin(), jacobi),
                              world_with<VertexBlockStepper>(pulled_by_its_pin(), blocks)}) {
        const StepReport report = world->step();
        EXPECT_EQ(report.solve.status, SolveStatus::converged) << world->stepper().name();
        EXPECT_LT(report.solve.residual, 1e-6);
    }
}

TEST(FarFromTheOrigin, descent_moves_as_at_the_origin) {
    for (const DirectionKind direction : {DirectionKind::newton_cg, DirectionKind::jacobi}) {
        std::vector<std::vector<Vec3d>> ends;
        for (const Vec3d& at : {Vec3d{0, 0, 0}, Vec3d{1000, 0, -1000}}) {
            Model model = bar(2, true, of<NeoHookean>());
            for (Vec3d& x : model.mesh.nodes) x += at;
            model.h = 1e-3;
            finish_model(model);
            DescentOptions options;
            options.direction = direction;
            const auto world = world_with<DescentStepper>(model, options);
            for (int k = 0; k < 100; ++k) world->step();
            ends.push_back(world->state().x);
            for (Vec3d& x : ends.back()) x -= at;
        }
        const std::vector<Vec3d> rest = bar(2).mesh.nodes;
        EXPECT_GT(distance(ends[0], rest), 0.05);
        EXPECT_LT(distance(ends[0], ends[1]),
                  (direction == DirectionKind::jacobi ? 1e-3 : 1e-5) * distance(ends[0], rest));
    }
}

TEST(NewtonCg, resumes_to_the_bit) {
    Model model = bar(2, true, of<MooneyRivlin>());
    const auto world = world_with<DescentStepper>(model, {});
    for (int k = 0; k < 5; ++k) world->step();
    const Snapshot from = snapshot_of(*world);
    const auto other = world_with<DescentStepper>(model, {});
    restart(*other, from);
    for (int k = 0; k < 5; ++k) {
        world->step();
        other->step();
        EXPECT_EQ(world->state_hash(), other->state_hash()) << k;
    }
}

}  // namespace
}  // namespace limber
