// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/corotational.h"

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::bar;
using test::relative_distance;
using test::tight;
using test::world_of;

TEST(Corotational, both_factorisations_give_the_same_steps) {
    CorotationalOptions eigen = tight(), supernodal = tight();
    eigen.linear = LinearKind::eigen_ldlt;
    supernodal.linear = LinearKind::supernodal;
    const auto a = world_of(bar(), eigen), b = world_of(bar(), supernodal);
    for (int k = 0; k < 10; ++k) {
        a->step();
        EXPECT_EQ(b->step().solve.status, SolveStatus::direct);
    }
    // Ten solves of condition up to 1e4, each a little of rounding.
    EXPECT_LT(relative_distance(b->state().v, a->state().v), 1e-10);
    EXPECT_EQ(b->stepper().name(), "cholesky");
}

TEST(Corotational, every_way_to_solve_gives_the_same_step) {
    CorotationalOptions reference = tight();
    reference.linear = LinearKind::eigen_ldlt;
    const auto direct = world_of(bar(), reference);
    for (int k = 0; k < 10; ++k) direct->step();
    for (auto form : {SystemForm::v, SystemForm::dv})
        for (auto op : {OperatorKind::assembled, OperatorKind::matrix_free})
            for (auto guess : {InitialGuess::zero, InitialGuess::velocity, InitialGuess::euler,
                               InitialGuess::blend})
                for (auto p : {PreconditionerKind::identity, PreconditionerKind::mass,
                               PreconditionerKind::jacobi, PreconditionerKind::block_jacobi}) {
                    CorotationalOptions o = tight();
                    o.form = form;
                    o.matrix = op;
                    o.guess = guess;
                    o.preconditioner = p;
                    const auto world = world_of(bar(), o);
                    for (int k = 0; k < 10; ++k)
                        ASSERT_EQ(world->step().solve.status, SolveStatus::converged);
                    // Ten steps, each solved to 1e-12 of |b|; the condition number here is below
                    // 1e4.
                    EXPECT_LT(relative_distance(world->state().v, direct->state().v), 1e-8);
                }
}

TEST(Corotational, v_form_from_velocity_and_dv_form_from_zero_take_the_same_iterates) {
    // Source 000, below Eq. (13). A swinging bar, so that v and the residual are far from zero.
    for (int iterations = 0; iterations <= 20; ++iterations) {
        std::vector<Vec3d> v[2];
        for (int form = 0; form < 2; ++form) {
            const auto warm = world_of(bar(), tight());
            for (int k = 0; k < 5; ++k) warm->step();
            CorotationalOptions o = tight();
            o.form = form == 0 ? SystemForm::v : SystemForm::dv;
            o.guess = form == 0 ? InitialGuess::velocity : InitialGuess::zero;
            o.pcg.max_iterations = iterations;
            const auto world = world_of(bar(), o);
            world->state() = warm->state();
            world->step();
            v[form] = world->state().v;
        }
        EXPECT_LT(relative_distance(v[0], v[1]), 1e-12) << iterations << " iterations";
    }
}

TEST(Corotational, free_fall_keeps_the_body_rigid_and_follows_the_discrete_parabola) {
    Model model = bar(2, false);
    const auto world = world_of(std::move(model), tight());
    const int n = 60;
    for (int k = 0; k < n; ++k) world->step();
    const Model& m = world->model();
    const double fall = -9.81 * m.h * m.h * n * (n + 1) / 2;  // implicit Euler: Σ k h² g
    for (Index i = 0; i < m.n_nodes(); ++i) {
        EXPECT_NEAR(world->state().x[i].y - m.mesh.nodes[i].y, fall, 1e-9);
        EXPECT_NEAR(world->state().x[i].x - m.mesh.nodes[i].x, 0, 1e-9);
    }
}

TEST(Corotational, linear_momentum_of_a_free_body_changes_by_gravity_alone) {
    Model model = bar(2, false);
    for (Index i = 0; i < model.n_nodes(); ++i)
        model.initial_velocity[i] = {std::sin(3.0 * i), std::cos(2.0 * i), std::sin(5.0 * i)};
    const auto world = world_of(std::move(model), tight());
    const Model& m = world->model();
    const auto momentum = [&] {
        Vec3d p{};
        for (Index i = 0; i < m.n_nodes(); ++i) p += m.mass[i] * world->state().v[i];
        return p;
    };
    const Vec3d before = momentum();
    double mass = 0;
    for (double mi : m.mass) mass += mi;
    for (int k = 0; k < 20; ++k) world->step();
    const Vec3d expected = before + (20 * m.h * mass) * m.gravity;
    EXPECT_LT(norm(momentum() - expected), 1e-8 * norm(expected));
}

TEST(Corotational, slender_cantilever_bends_as_beam_theory_says) {
    // Euler-Bernoulli with small load: tip deflection ρ g A L⁴ / (8 E I). Linear tets are too stiff
    // in bending, so the mesh is fine and the bound wide; it fails for a wrong modulus, mass or
    // load.
    const double E = 1e7, L = 1, a = 0.1;
    Model model = test::model_of(make_box({L, a, a}, {60, 6, 6}), test::rubber(E, 0.0));
    model.pins.push_back({"pin", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    model.h = 10;  // implicit Euler with a long step walks to the static solution
    finish_model(model);
    const auto tip = model.mesh.node_groups.at("x+");
    CorotationalOptions o = tight();
    o.linear = LinearKind::eigen_ldlt;
    const auto world = world_of(std::move(model), o);
    for (int k = 0; k < 5; ++k) world->step();
    double deflection = 0;
    for (Index i : tip)
        deflection += (world->state().x[i].y - world->model().mesh.nodes[i].y) / tip.size();
    const double theory = -1000 * 9.81 * a * a * std::pow(L, 4) / (8 * E * std::pow(a, 4) / 12);
    EXPECT_NEAR(deflection / theory, 1, 0.1);
}

TEST(Corotational, reactions_carry_the_weight_of_a_body_at_rest) {
    Model model = bar(2, true, test::rubber(1e6));
    model.h = 10;
    const auto world = world_of(std::move(model), tight());
    for (int k = 0; k < 10; ++k) world->step();
    Vec3d reaction{};
    double mass = 0;
    const Model& m = world->model();
    for (Index i = 0; i < m.n_nodes(); ++i) {
        reaction += world->forces().reaction[i];
        mass += m.mass[i];
    }
    EXPECT_NEAR(reaction.y, mass * 9.81, 1e-5 * mass * 9.81);
    EXPECT_NEAR(reaction.x, 0, 1e-5 * mass * 9.81);
}

TEST(Corotational, moving_pins_land_on_their_key_frames) {
    Model model = bar(1);
    Pin pull{"pull", model.mesh.node_groups.at("x+"), {true, true, true}, {}};
    pull.motion.angle = {{0.0, 0.5}, {0.0, 1.0}};
    pull.motion.axis = {1, 0, 0};
    pull.motion.translate = {{0.0, 0.5}, {{0, 0, 0}, {0.1, 0, 0}}};
    const std::vector<Index> nodes = pull.nodes;
    const Motion motion = pull.motion;
    model.pins.push_back(pull);
    finish_model(model);
    const auto world = world_of(std::move(model), tight());
    for (int k = 0; k < 40; ++k) {
        world->step();
        for (Index i : nodes) {
            const Vec3d target = motion.apply(world->model().mesh.nodes[i], world->state().time);
            EXPECT_LT(norm(world->state().x[i] - target), 1e-13);
        }
    }
}

TEST(Corotational, one_axis_pins_leave_the_others_free) {
    Model model = bar(1, false);
    model.pins.push_back({"rail", model.mesh.node_groups.at("y-"), {false, true, false}, {}});
    finish_model(model);
    const auto world = world_of(std::move(model), tight());
    world->state().v.assign(world->model().n_nodes(), {0.5, 0, 0});
    for (int k = 0; k < 30; ++k) world->step();
    for (Index i : world->model().pins[0].nodes) {
        EXPECT_NEAR(world->state().x[i].y, world->model().mesh.nodes[i].y, 1e-13);
        EXPECT_GT(world->state().x[i].x - world->model().mesh.nodes[i].x, 0.1);
    }
}

TEST(Corotational, consistent_mass_moves_a_rigid_body_like_lumped_mass) {
    Model model = bar(1, false);
    model.bodies[0].mass = MassKind::consistent;
    finish_model(model);
    const auto world = world_of(std::move(model), tight());
    for (int k = 0; k < 10; ++k) world->step();
    const double fall = -9.81 * world->model().h * world->model().h * 55;
    for (Index i = 0; i < world->model().n_nodes(); ++i)
        EXPECT_NEAR(world->state().x[i].y - world->model().mesh.nodes[i].y, fall, 1e-9);
}

TEST(Corotational, backward_euler_is_first_order_in_the_step) {
    // A damped, gently swinging bar to t = 0.2 against a run with a far smaller step.
    const auto tip_at = [](double h) {
        Model model = bar(1, true, test::rubber(1e6, 0.3));
        model.h = h;
        CorotationalOptions o = tight();
        o.linear = LinearKind::eigen_ldlt;
        const auto world = world_of(std::move(model), o, {.measure_energy = false});
        const int n = static_cast<int>(std::lround(0.2 / h));
        for (int k = 0; k < n; ++k) world->step();
        return world->state().x.back();
    };
    const Vec3d exact = tip_at(0.2 / 8192);
    double previous = 0;
    for (int n : {128, 256, 512}) {
        const double error = norm(tip_at(0.2 / n) - exact);
        if (previous > 0) {
            EXPECT_NEAR(std::log2(previous / error), 1.0, 0.12) << n << " steps";
        }
        previous = error;
    }
}

TEST(Corotational, bits_do_not_depend_on_the_number_of_threads) {
    std::uint64_t hash[3];
    int k = 0;
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        for (auto op : {OperatorKind::assembled, OperatorKind::matrix_free}) {
            CorotationalOptions o;
            o.matrix = op;
            const auto world = world_of(bar(6), o);
            for (int i = 0; i < 5; ++i) world->step();
            hash[k] =
                op == OperatorKind::assembled ? world->state_hash() : hash[k] ^ world->state_hash();
        }
        ++k;
    }
    EXPECT_EQ(hash[0], hash[1]);
    EXPECT_EQ(hash[0], hash[2]);
}

TEST(Corotational, stopping_early_still_moves_and_says_why) {
    CorotationalOptions o;
    o.pcg.max_iterations = 3;
    const auto world = world_of(bar(), o);
    StepReport report = world->step();
    EXPECT_EQ(report.solve.status, SolveStatus::iteration_cap);
    EXPECT_TRUE(report.has(StepFlag::iteration_cap));
    EXPECT_EQ(report.solve.iterations, 3);
    o = {};
    o.pcg.energy_tolerance = 0.5;
    o.pcg.rel_tolerance = 1e-14;
    const auto settled = world_of(bar(), o);
    for (int k = 0; k < 5; ++k) report = settled->step();
    EXPECT_EQ(report.solve.status, SolveStatus::energy_settled);
}

}  // namespace
}  // namespace limber
