// SPDX-License-Identifier: Apache-2.0
// direction = "projective_diagonal" of solve/descent/projective_diagonal.cpp.

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::world_with;

DescentOptions diagonal() {
    DescentOptions options;
    options.direction = DirectionKind::projective_diagonal;
    options.precision = Precision::twofold;
    return options;
}

TEST(DescentProjectiveDiagonal, ends_where_newton_does) {
    const auto model = [] {
        Model m = bar(1, true, of<ProjectiveElastic>(1e5, 0));
        m.h = 1.0 / 60;
        finish_model(m);
        return m;
    };
    NewtonOptions exact;
    exact.rel_tolerance = 1e-12;
    DescentOptions options = diagonal();
    options.rel_tolerance = 1e-11;
    options.iterations = 60000;
    options.rho = {0.9};
    const auto a = world_with<NewtonStepper>(model(), exact);
    const auto b = world_with<DescentStepper>(model(), options);
    for (int k = 0; k < 5; ++k) {
        a->step();
        EXPECT_EQ(b->step().solve.status, SolveStatus::converged);
    }
    EXPECT_LT(distance(b->state().x, a->state().x),
              1e-8 * distance(a->state().x, a->model().mesh.nodes));
}

/// The constant matrix bounds the Hessian of a projective law from above, so its diagonal is no
/// smaller than the Hessian's, and steps of one and the same length are shorter.
TEST(DescentProjectiveDiagonal, moves_less_than_the_diagonal_of_the_hessian) {
    const auto first_move = [](DirectionKind direction) {
        Model m = bar(1, true, of<ProjectiveElastic>(1e5, 0));
        finish_model(m);
        DescentOptions options = diagonal();
        options.direction = direction;
        options.acceleration = AccelerationKind::none;
        options.step_length = StepLengthKind::fixed;
        options.step = 0.3;
        options.initial = InitialKind::position;
        options.iterations = 1;
        const auto world = world_with<DescentStepper>(std::move(m), options);
        EXPECT_FALSE(world->step().failed);
        return distance(world->state().x, world->model().mesh.nodes);
    };
    const double constant = first_move(DirectionKind::projective_diagonal);
    EXPECT_GT(constant, 0);
    EXPECT_LT(constant, first_move(DirectionKind::jacobi));
}

}  // namespace
}  // namespace limber
