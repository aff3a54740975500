// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/descent.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"
#include "limber/solve/descent/acceleration.h"
#include "limber/solve/descent/step_length.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::rubber;
using test::world_with;

DescentOptions jacobi() {
    DescentOptions options;
    options.direction = DirectionKind::jacobi;
    return options;
}
DescentOptions tight() {
    DescentOptions options = jacobi();
    options.precision = Precision::twofold;
    options.rel_tolerance = 1e-11;
    options.iterations = 60000;
    return options;
}

struct Combination {
    const char* name;
    DescentOptions options;
};
std::vector<Combination> combinations() {
    std::vector<Combination> out;
    const auto add = [&](const char* name, auto&& change) {
        out.push_back({name, tight()});
        change(out.back().options);
    };
    using O = DescentOptions;
    add("jacobi_chebyshev", [](O&) {});
    add("jacobi", [](O& o) { o.acceleration = AccelerationKind::none; });
    add("jacobi_nesterov", [](O& o) { o.acceleration = AccelerationKind::nesterov; });
    add("gradient_chebyshev", [](O& o) { o.direction = DirectionKind::gradient; });
    add("block_jacobi_chebyshev", [](O& o) { o.direction = DirectionKind::block_jacobi; });
    add("cg_fletcher_reeves", [](O& o) {
        o.direction = DirectionKind::nonlinear_cg;
        o.cg = CgFormula::fletcher_reeves;
    });
    add("cg_polak_ribiere", [](O& o) { o.direction = DirectionKind::nonlinear_cg; });
    add("cg_plain", [](O& o) {
        o.direction = DirectionKind::nonlinear_cg;
        o.preconditioned = false;
    });
    add("lbfgs", [](O& o) { o.direction = DirectionKind::lbfgs; });
    add("lbfgs_plain", [](O& o) {
        o.direction = DirectionKind::lbfgs;
        o.preconditioned = false;
    });
    add("projective_search", [](O& o) {
        o.direction = DirectionKind::projective;
        o.step_length = StepLengthKind::line_search;
    });
    add("newton", [](O& o) { o.direction = DirectionKind::newton; });
    add("initial_position", [](O& o) { o.initial = InitialKind::position; });
    add("initial_optimal", [](O& o) { o.initial = InitialKind::optimal; });
    return out;
}

std::vector<Material> laws() {
    return {of<CorotatedElastic>(), of<NeoHookean>(), of<MooneyRivlin>(), of<StVenantKirchhoff>()};
}

class DescentAgrees : public ::testing::TestWithParam<Integrator> {};

/// Every way down ends where Newton's does. Gradients to 1e-11 of the forces put the positions of
/// this bar to 1e-9 of their motion.
TEST_P(DescentAgrees, with_newton_for_every_direction_and_law) {
    const ThreadLimit one(1);  // a few tets: threads only wait for each other
    for (const Material& material : laws()) {
        const auto model = [&] {
            Model m = bar(1, true, material);
            m.integrator = GetParam();
            m.h = 1.0 / 60;
            finish_model(m);
            return m;
        };
        NewtonOptions exact;
        exact.rel_tolerance = 1e-12;
        const auto newton = world_with<NewtonStepper>(model(), exact);
        for (int k = 0; k < 3; ++k) newton->step();
        const std::vector<Vec3d> rest = newton->model().mesh.nodes, x = newton->state().x;
        for (const Combination& c : combinations()) {
            const auto world = world_with<DescentStepper>(model(), c.options);
            for (int k = 0; k < 3; ++k) {
                const StepReport report = world->step();
                EXPECT_EQ(report.solve.status, SolveStatus::converged)
                    << c.name << ' ' << material.law.index() << " residual "
                    << report.solve.residual << " iterations " << report.solve.iterations
                    << " flags " << report.flags;
            }
            EXPECT_LT(distance(world->state().x, x), 1e-8 * distance(x, rest))
                << c.name << ' ' << material.law.index();
        }
    }
}
INSTANTIATE_TEST_SUITE_P(All, DescentAgrees,
                         ::testing::Values(Integrator::backward_euler, Integrator::trapezoid,
                                           Integrator::quasi_static));

/// With damping, consistent mass and a projective law, whose constant matrix allows the length 1.
TEST(Descent, projective_dynamics_agrees_with_newton) {
    Material material = of<ProjectiveElastic>(1e5, 0);
    material.damping_mass = 0.3;
    material.damping_stiffness = 0.002;
    const auto model = [&] {
        Model m = bar(1, true, material);
        m.bodies[0].mass = MassKind::consistent;
        finish_model(m);
        return m;
    };
    NewtonOptions exact;
    exact.rel_tolerance = 1e-12;
    DescentOptions options = tight();
    options.direction = DirectionKind::projective;
    options.acceleration = AccelerationKind::none;
    const auto a = world_with<NewtonStepper>(model(), exact);
    const auto b = world_with<DescentStepper>(model(), options);
    for (int k = 0; k < 5; ++k) {
        a->step();
        const StepReport report = b->step();
        EXPECT_EQ(report.solve.status, SolveStatus::converged);
        EXPECT_FALSE(report.has(StepFlag::line_search));
    }
    EXPECT_LT(distance(b->state().x, a->state().x),
              1e-8 * distance(a->state().x, a->model().mesh.nodes));
}

/// The source's default: 96 iterations in single precision. Positions of a metre carry 6e-8 of it;
/// the bar bends by a tenth of that size.
TEST(Descent, single_precision_stays_near_double) {
    DescentOptions options = jacobi();
    const auto coarse = world_with<DescentStepper>(bar(2, true, of<MooneyRivlin>()), options);
    options.precision = Precision::twofold;
    const auto fine = world_with<DescentStepper>(bar(2, true, of<MooneyRivlin>()), options);
    for (int k = 0; k < 20; ++k) {
        const StepReport a = coarse->step(), b = fine->step();
        EXPECT_EQ(a.solve.iterations, 96);
        EXPECT_EQ(a.solve.status, SolveStatus::iteration_cap);  // as asked for
        EXPECT_FALSE(a.has(StepFlag::iteration_cap));
        EXPECT_LT(b.solve.residual, 0.05);
    }
    EXPECT_LT(distance(coarse->state().x, fine->state().x),
              1e-3 * distance(fine->state().x, fine->model().mesh.nodes));
}

TEST(Descent, gives_the_same_bits_for_any_number_of_threads) {
    const auto hash = [](int threads, const DescentOptions& options) {
        const ThreadLimit limit(threads);
        const auto world = world_with<DescentStepper>(bar(6, true, of<MooneyRivlin>()), options);
        for (int k = 0; k < 3; ++k) world->step();
        return world->state_hash();
    };
    EXPECT_EQ(hash(1, {}), hash(2, {}));
    EXPECT_EQ(hash(1, jacobi()), hash(2, jacobi()));
}

TEST(Descent, resumes_with_the_same_bits) {
    const auto make = [] {
        return world_with<DescentStepper>(bar(2, true, of<MooneyRivlin>()), jacobi());
    };
    const auto through = make();
    for (int k = 0; k < 5; ++k) through->step();
    ByteWriter saved;
    through->save(saved);
    for (int k = 0; k < 5; ++k) through->step();
    const auto resumed = make();
    ByteReader reader(saved.bytes(), "memory");
    resumed->load(reader);
    for (int k = 0; k < 5; ++k) resumed->step();
    EXPECT_EQ(resumed->state_hash(), through->state_hash());
}

TEST(Descent, says_so_when_it_does_not_converge) {
    DescentOptions options = tight();
    options.iterations = 8;
    const auto world = world_with<DescentStepper>(bar(2), options);
    const StepReport report = world->step();
    EXPECT_TRUE(report.has(StepFlag::iteration_cap));
    EXPECT_EQ(report.solve.status, SolveStatus::iteration_cap);
    EXPECT_GT(report.solve.residual, 1e-11);
    EXPECT_FALSE(report.failed);
}

/// A fixed length beyond all bounds brings no energy down: the step ends where it started and says
/// so.
TEST(Descent, says_so_when_no_step_length_is_left) {
    DescentOptions options = jacobi();
    options.step_length = StepLengthKind::fixed;
    options.step = 1e3;
    const auto world = world_with<DescentStepper>(bar(2), options);
    const StepReport report = world->step();
    EXPECT_TRUE(report.has(StepFlag::line_search));
    EXPECT_FALSE(report.failed);
    for (const Vec3d& p : world->state().x) EXPECT_TRUE(is_finite(p));
}

TEST(Descent, refuses_parts_that_do_not_go_together) {
    DescentOptions options;
    EXPECT_EQ(descent_conflict(options), "");
    options.direction = DirectionKind::lbfgs;
    EXPECT_EQ(descent_conflict(options), "");
    options.acceleration = AccelerationKind::chebyshev;
    EXPECT_NE(descent_conflict(options).find("lbfgs"), std::string::npos);
    options = jacobi();
    options.rho = {0.9, 0.95, 0.99};
    options.phases = {30};
    EXPECT_NE(descent_conflict(options).find("phases"), std::string::npos);
    options.direction = DirectionKind::newton_cg;  // has no use for what was asked
    EXPECT_NE(descent_conflict(options).find("rho and phases"), std::string::npos);
    options = {};
    options.step = 0.5;
    EXPECT_NE(descent_conflict(options).find("direction = \"jacobi\""), std::string::npos);
}

TEST(Chebyshev, weights_are_plain_first_and_again_after_a_phase) {
    DescentOptions options;
    options.warm_up = 2;
    options.rho = {0.8, 0.9};
    options.phases = {5};
    Chebyshev chebyshev(options);
    for (int round = 0; round < 2; ++round) {
        chebyshev.begin();
        EXPECT_EQ(chebyshev.next_weight(), 0);
        EXPECT_EQ(chebyshev.next_weight(), 0);
        const double first = 2 / (2 - 0.64);
        EXPECT_DOUBLE_EQ(chebyshev.next_weight(), first - 1);
        const double second = 4 / (4 - 0.64 * first);
        EXPECT_DOUBLE_EQ(chebyshev.next_weight(), second - 1);
        EXPECT_DOUBLE_EQ(chebyshev.next_weight(), 4 / (4 - 0.64 * second) - 1);
        EXPECT_EQ(chebyshev.next_weight(), 0);  // the second phase
        EXPECT_DOUBLE_EQ(chebyshev.next_weight(), 2 / (2 - 0.81) - 1);
    }
}

/// A rise of the energy makes 1 − ρ four times as large, in the steps that follow as well; each
/// forgets half of it.
TEST(Chebyshev, is_careful_after_a_rise_and_forgets_it_slowly) {
    DescentOptions options;
    options.warm_up = 0;
    options.rho = {0.99};
    Chebyshev chebyshev(options);
    const auto weight = [&] {
        EXPECT_EQ(chebyshev.next_weight(), 0);
        return chebyshev.next_weight();
    };
    const auto with = [](double rho) { return 2 / (2 - rho * rho) - 1; };
    chebyshev.begin();
    EXPECT_FALSE(chebyshev.take_blame());  // there was no momentum yet
    EXPECT_DOUBLE_EQ(weight(), with(0.99));
    EXPECT_TRUE(chebyshev.take_blame());
    EXPECT_DOUBLE_EQ(weight(), with(0.96));
    EXPECT_TRUE(chebyshev.take_blame());
    EXPECT_DOUBLE_EQ(weight(), with(0.84));
    chebyshev.acquit();
    chebyshev.restart();
    EXPECT_DOUBLE_EQ(weight(), with(0.96));
    chebyshev.begin();
    EXPECT_DOUBLE_EQ(weight(), with(0.98));
    chebyshev.begin();
    EXPECT_DOUBLE_EQ(weight(), with(0.99));
}

TEST(StepLength, follows_the_rule_of_the_source) {
    DescentOptions options;
    options.step = 0.5;
    options.max_step = 1;
    options.min_step = 0.3;
    options.regrow = 1;
    LengthRule length = make_length_rule(options, 1);
    EXPECT_FALSE(length.wants_longest(0));
    const auto next = [&](bool failed = false) {
        length.finish(failed);
        length.begin();
        return length.alpha;
    };
    length.begin();
    EXPECT_DOUBLE_EQ(length.alpha, 0.5);
    EXPECT_TRUE(length.shorten());
    EXPECT_DOUBLE_EQ(length.alpha, 0.35);
    EXPECT_FALSE(length.shorten());  // below the least
    EXPECT_DOUBLE_EQ(next(), 0.35);  // one quiet step of time first
    EXPECT_DOUBLE_EQ(next(), 0.5);
    EXPECT_DOUBLE_EQ(next(), 0.5 / 0.7);
    EXPECT_DOUBLE_EQ(next(), 1);  // the longest
    EXPECT_DOUBLE_EQ(next(true), 0.5);
}

}  // namespace
}  // namespace limber
