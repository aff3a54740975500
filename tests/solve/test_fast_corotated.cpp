// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/splitting/fast_corotated.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/splitting/subspace.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::world_with;

NewtonOptions exact() {
    NewtonOptions options;
    options.rel_tolerance = 1e-11;
    return options;
}
FastCorotatedOptions options_of(SplittingScheme scheme, int iterations, Precision precision) {
    FastCorotatedOptions options;
    options.scheme = scheme;
    options.iterations = {iterations, false};
    options.precision = precision;
    return options;
}

/// Newton's minimum of the step after `state`.
std::vector<Vec3d> minimum_after(const Model& model, const State& state) {
    const auto newton = world_with<NewtonStepper>(model, exact());
    newton->state() = state;
    EXPECT_FALSE(newton->step().failed);
    return newton->state().x;
}

/// The error of step `number` of a run, in parts of the motion of that step.
double error_of(const Model& model, const FastCorotatedOptions& options, int number) {
    const auto world = world_with<FastCorotatedStepper>(model, options);
    State before;
    for (int k = 0; k < number; ++k) {
        before = world->state();
        EXPECT_FALSE(world->step().failed);
    }
    const std::vector<Vec3d> right = minimum_after(model, before);
    return distance(world->state().x, right) / distance(right, before.x);
}

Model swinging(const Material& material, double h = 1.0 / 60,
               Integrator integrator = Integrator::backward_euler) {
    Model model = bar(2, true, material);
    model.h = h;
    model.integrator = integrator;
    finish_model(model);
    return model;
}

TEST(FastCorotated, goes_to_newtons_minimum) {
    Material damped = of<CorotatedElastic>(1e5, 0.4);
    damped.damping_mass = 0.5;
    damped.damping_stiffness = 0.01;
    damped.damping_viscous = 0.02;
    for (const Material& material :
         {of<CorotatedElastic>(1e5, 0.4), of<CorotatedElastic>(1e5, -0.2),
          of<CorotatedElastic>(1e5, 0.47), of<ProjectiveElastic>(1e5, 0), damped})
        for (const auto integrator : {Integrator::backward_euler, Integrator::trapezoid}) {
            const Model model = swinging(material, 1.0 / 60, integrator);
            const auto at = [&](int iterations) {
                return error_of(
                    model, options_of(SplittingScheme::joint, iterations, Precision::twofold), 12);
            };
            const double few = at(4), more = at(80);
            EXPECT_LT(few, 0.2);
            EXPECT_GT(few, 1e-8);  // the test sees something
            EXPECT_LT(more, 2e-8);
        }
}

TEST(FastCorotated, stops_at_its_tolerance) {
    FastCorotatedOptions options = options_of(SplittingScheme::joint, 300, Precision::twofold);
    options.rel_tolerance = 1e-7;
    const auto world =
        world_with<FastCorotatedStepper>(swinging(of<CorotatedElastic>(1e5, 0.4)), options);
    for (int k = 0; k < 20; ++k) {
        const StepReport report = world->step();
        EXPECT_EQ(report.solve.status, SolveStatus::converged);
        EXPECT_LE(report.solve.residual, 1e-6);
        EXPECT_LT(report.solve.iterations, 120);
        EXPECT_FALSE(report.has(StepFlag::iteration_cap));
    }
}

TEST(FastCorotated, too_few_iterations_are_told) {
    Model model = swinging(of<CorotatedElastic>(1e6, 0.49));
    const auto world = world_with<FastCorotatedStepper>(
        std::move(model), options_of(SplittingScheme::joint, 1, Precision::single));
    int told = 0;
    for (int k = 0; k < 10; ++k) told += world->step().has(StepFlag::iteration_cap);
    EXPECT_GT(told, 5);
}

/// Without a volume term nothing is split: rotations and solves alone go to the minimum. With one,
/// more iterations do not help.
TEST(FastCorotated, the_split_scheme_leaves_what_splitting_leaves) {
    const auto error = [](double poisson, int iterations) {
        const Model model = swinging(poisson == 0 ? of<ProjectiveElastic>(1e5, 0)
                                                  : of<CorotatedElastic>(1e5, poisson));
        return error_of(model, options_of(SplittingScheme::split, iterations, Precision::twofold),
                        6);
    };
    EXPECT_GT(error(0, 1), 1e-5);
    EXPECT_LT(error(0, 2000), 1e-7);
    EXPECT_GT(error(0.4, 2000), 5e-3);
    EXPECT_LT(error(0.4, 1), 0.5);
}

/// A pin that moves one end away and about, and a pin of single axes: factors of their own.
TEST(FastCorotated, follows_moving_pins_and_pins_of_single_axes) {
    Model model = bar(2, false, of<CorotatedElastic>(1e5, 0.4));
    model.h = 1.0 / 60;
    Pin pin{"pin 1", model.mesh.node_groups.at("x-"), {true, true, true}, {}};
    pin.motion.translate = {{0, 1}, {{0, 0, 0}, {0.5, 1, -0.3}}};
    model.pins.push_back(pin);
    model.pins.push_back({"pin 2", model.mesh.node_groups.at("x+"), {false, false, true}, {}});
    finish_model(model);
    EXPECT_LT(error_of(model, options_of(SplittingScheme::joint, 80, Precision::twofold), 10),
              1e-7);
    EXPECT_LT(error_of(model, options_of(SplittingScheme::joint, 12, Precision::single), 10), 2e-3);
}

TEST(FastCorotated, has_the_reactions_of_newton) {
    const Model model = swinging(of<CorotatedElastic>(1e5, 0.4));
    const auto world = world_with<FastCorotatedStepper>(
        model, options_of(SplittingScheme::joint, 80, Precision::twofold));
    const auto newton = world_with<NewtonStepper>(model, exact());
    for (int k = 0; k < 5; ++k) {
        world->step();
        newton->step();
    }
    EXPECT_LT(distance(world->forces().reaction, newton->forces().reaction),
              1e-6 * distance(newton->forces().reaction,
                              std::vector<Vec3d>(newton->forces().reaction.size())));
}

/// A body that is thrown far away moves as at the origin: floats see it from its own middle.
TEST(FastCorotated, does_not_mind_where_a_body_is) {
    const auto run = [](double shift) {
        Model model = bar(2, true, of<CorotatedElastic>(1e5, 0.4));
        for (Vec3d& p : model.mesh.nodes) p.x += shift;
        finish_model(model);
        const auto world = world_with<FastCorotatedStepper>(std::move(model));
        for (int k = 0; k < 20; ++k) EXPECT_FALSE(world->step().failed);
        std::vector<Vec3d> x = world->state().x;
        for (Vec3d& p : x) p.x -= shift;
        return x;
    };
    const std::vector<Vec3d> here = run(0);
    EXPECT_LT(distance(run(1000), here), 1e-4 * distance(here, bar(2, true).mesh.nodes));
}

TEST(FastCorotated, has_the_same_bits_on_any_number_of_threads) {
    const auto run = [](int threads, SplittingScheme scheme) {
        const ThreadLimit limit(threads);
        FastCorotatedOptions options;
        options.scheme = scheme;
        const auto world =
            world_with<FastCorotatedStepper>(bar(4, true, of<CorotatedElastic>(1e5, 0.4)), options);
        for (int k = 0; k < 6; ++k) EXPECT_FALSE(world->step().failed);
        return world->state_hash();
    };
    for (const auto scheme : {SplittingScheme::joint, SplittingScheme::split})
        EXPECT_EQ(run(1, scheme), run(4, scheme));
}

/// On a quadratic objective the corrected iteration is that of conjugate gradients: as many
/// iterations as the matrix has eigenvalues, where P is the identity.
TEST(Subspace, solves_a_quadratic_problem_of_few_eigenvalues) {
    const Index n = 40;
    const double eigenvalue[] = {1, 0.5, 0.1, 0.02};
    const auto run = [&](int history, int iterations) {
        Subspace<double> subspace(n, history);
        std::vector<Vec3d> x(n), g(n), r(n), r_before(n), d(n);
        double s_g = 0, size = 0;
        for (int k = 0; k <= iterations; ++k) {
            for (Index i = 0; i < n; ++i)
                for (int a = 0; a < 3; ++a) {
                    g[i][a] = eigenvalue[(i + a) % 4] * x[i][a] - (1 + (i * 7 + a) % 5);
                    r[i][a] = -g[i][a];
                }
            if (k == iterations) break;
            if (k > 0)
                subspace.add(d, r_before, r, g, s_g);
            else
                subspace.look(g);
            subspace.correct(r, d);
            s_g = 0;
            for (Index i = 0; i < n; ++i) {
                x[i] += d[i];
                s_g += dot(d[i], g[i]);
            }
            std::swap(r, r_before);
        }
        for (const Vec3d& v : g) size = std::max(size, norm(v));
        return size;
    };
    EXPECT_LT(run(8, 6), 1e-9);
    EXPECT_GT(run(0, 30), 0.1);
    EXPECT_LT(run(2, 60), 1e-6);
}

/// The last gradient's part along the steps is taken out without another r.
TEST(Subspace, projects_out_the_steps_it_has) {
    const Index n = 3;
    Subspace<double> subspace(n, 4);
    const std::vector<Vec3d> s{{1, 0, 0}, {0, 2, 0}, {0, 0, 0}};
    // A quadratic of the Hessian 4: y = 4 s.
    const std::vector<Vec3d> g{{4, 1, 0}, {0, 8, 3}, {5, 0, 0}};
    double s_g_now = 0, ss = 0;
    for (Index i = 0; i < n; ++i) {
        s_g_now += dot(s[i], g[i]);
        ss += dot(s[i], s[i]);
    }
    subspace.add(s, s, {}, g, s_g_now - 4 * ss);
    std::vector<Vec3d> x(n);
    subspace.project(x);
    double left = s_g_now;
    for (Index i = 0; i < n; ++i) left += 4 * dot(s[i], x[i]);
    EXPECT_NEAR(left, 0, 1e-12 * s_g_now);
    subspace.drop_newest();
    EXPECT_EQ(subspace.size(), 0);
}

}  // namespace
}  // namespace limber
