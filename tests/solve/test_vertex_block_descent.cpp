// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/vertex_block_descent.h"

#include <gtest/gtest.h>

#include <random>

#include "fixtures.h"
#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

using test::bar;
using test::distance;
using test::of;
using test::rubber;
using test::world_with;

VertexBlockOptions tight(BlockAcceleration acceleration) {
    VertexBlockOptions options;
    options.acceleration = acceleration;
    options.rel_tolerance = 1e-11;
    options.iterations = 20000;
    options.check_every = 8;
    return options;
}

std::vector<Vec3d> by_newton(Model model, int steps) {
    NewtonOptions exact;
    exact.rel_tolerance = 1e-12;
    const auto newton = world_with<NewtonStepper>(std::move(model), exact);
    for (int k = 0; k < steps; ++k) EXPECT_FALSE(newton->step().failed);
    return newton->state().x;
}

/// Gradients to 1e-11 of the forces put the positions of this bar to 1e-9 of their motion.
TEST(VertexBlockDescent, agrees_with_newton_for_laws_and_integrators) {
    const ThreadLimit one(1);
    for (const Integrator integrator :
         {Integrator::backward_euler, Integrator::trapezoid, Integrator::quasi_static})
        for (const Material& material :
             {of<CorotatedElastic>(), of<LinearElastic>(), of<NeoHookean>(), of<MooneyRivlin>(),
              of<FibreReinforced>()})
            for (const auto acceleration :
                 {BlockAcceleration::none, BlockAcceleration::chebyshev}) {
                Model model = bar(1, true, material);
                model.integrator = integrator;
                finish_model(model);
                const std::vector<Vec3d> rest = model.mesh.nodes, x = by_newton(model, 3);
                const auto world = world_with<VertexBlockStepper>(model, tight(acceleration));
                for (int k = 0; k < 3; ++k)
                    EXPECT_EQ(world->step().solve.status, SolveStatus::converged)
                        << material.law.index();
                EXPECT_LT(distance(world->state().x, x), 1e-8 * distance(x, rest))
                    << material.law.index() << ' ' << static_cast<int>(integrator);
            }
}

/// Damping and consistent mass couple nodes beyond their elements' energies; two materials share
/// nodes; an axis is pinned alone; a volume term is added.
TEST(VertexBlockDescent, agrees_with_newton_where_everything_is_coupled) {
    const ThreadLimit one(1);
    Material soft = of<NeoHookean>(1e5), stiff = of<StVenantKirchhoff>(8e5);
    soft.damping_mass = 0.3;
    soft.damping_stiffness = 0.002;
    soft.damping_viscous = 0.01;
    soft.volume = 5e4;
    Model model = test::model_of(make_box({1, 0.25, 0.25}, {4, 1, 1}), soft);
    model.materials.push_back(stiff);
    for (Index t = 0; t < model.n_tets(); t += 2) model.tet_material[t] = 1;
    model.bodies[0].mass = MassKind::consistent;
    model.pins.push_back({"pin 1", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    model.pins.push_back({"pin 2", model.mesh.node_groups.at("x+"), {false, false, true}, {}});
    finish_model(model);
    const std::vector<Vec3d> rest = model.mesh.nodes, x = by_newton(model, 4);
    const auto world = world_with<VertexBlockStepper>(model, tight(BlockAcceleration::chebyshev));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(world->step().solve.status, SolveStatus::converged);
    EXPECT_LT(distance(world->state().x, x), 1e-8 * distance(x, rest));
}

/// Two cubes that press against each other and one against a floor: terms of one node and of four.
std::unique_ptr<World> touching(std::unique_ptr<Stepper> (*make)(const Model&)) {
    Model model = test::model_of(make_box({1, 1, 1}, {2, 2, 2}), of<NeoHookean>(2e4));
    model.h = 0.01;
    TetMesh above = make_box({0.8, 0.8, 0.8}, {2, 2, 2});
    Body body = model.bodies[0];
    body.name = "above";
    body.node_begin = model.n_nodes();
    body.tet_begin = model.n_tets();
    for (const Vec3d& p : above.nodes) {
        model.mesh.nodes.push_back(p + Vec3d{0.07, 0.895, 0.03});
        model.mesh.node_ids.push_back(model.n_nodes());
    }
    for (Tet t : above.tets) {
        for (Index& node : t) node += body.node_begin;
        model.mesh.tets.push_back(t);
        model.tet_material.push_back(0);
        model.mesh.tet_ids.push_back(model.n_tets());
    }
    body.node_end = model.n_nodes();
    body.tet_end = model.n_tets();
    model.bodies.push_back(body);
    Obstacle floor;
    floor.shape = PlaneShape{{0, 1, 0}};
    floor.position = {0, -0.49, 0};
    model.obstacles.push_back(floor);
    finish_model(model);
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = make(*owned);
    PenaltyOptions penalty;
    penalty.stiffness = 1e4;
    return std::make_unique<World>(std::move(owned), std::move(stepper),
                                   std::make_unique<PenaltyContact>(penalty));
}

TEST(VertexBlockDescent, agrees_with_newton_in_contact) {
    const ThreadLimit one(1);
    const auto newton = touching([](const Model& m) -> std::unique_ptr<Stepper> {
        NewtonOptions exact;
        exact.rel_tolerance = 1e-12;
        return std::make_unique<NewtonStepper>(m, exact);
    });
    const auto blocks = touching([](const Model& m) -> std::unique_ptr<Stepper> {
        return std::make_unique<VertexBlockStepper>(m, tight(BlockAcceleration::chebyshev));
    });
    std::size_t tied = 0;
    for (int k = 0; k < 6; ++k) {
        newton->step();
        EXPECT_EQ(blocks->step().solve.status, SolveStatus::converged);
        for (const ContactTerm& term : blocks->contacts().terms) tied += term.at.n > 1;
    }
    EXPECT_GT(tied, 0u);
    EXPECT_LT(distance(newton->state().x, blocks->state().x),
              1e-8 * distance(newton->state().x, newton->model().mesh.nodes));
}

TEST(VertexBlockDescent, sweeps_never_raise_the_energy) {
    Model model = bar(2, false, of<MooneyRivlin>());
    model.gravity = {0, 0, 0};
    VertexBlockOptions options;
    options.acceleration = BlockAcceleration::none;
    const auto world = world_with<VertexBlockStepper>(model, options);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-0.04, 0.04);  // cells are 0.125 wide
    for (Vec3d& p : world->state().x) p += {uniform(random), uniform(random), uniform(random)};
    Objective<double> objective(world->model());
    const std::vector<Vec3d> zero(model.n_nodes());
    const StepInput in{model.h, zero, zero, {}};
    objective.begin(in, world->state());
    std::vector<double> values;
    EXPECT_TRUE(world->stepper().watch(
        [&](const Iterate& at) { values.push_back(objective.value(at.x)); }));
    ASSERT_FALSE(world->step().failed);
    ASSERT_EQ(values.size(), 21u);
    for (std::size_t k = 1; k < values.size(); ++k)
        EXPECT_LE(values[k], values[k - 1] + 1e-12 * std::abs(values[0])) << k;
    EXPECT_LT(values.back(), 0.5 * values.front());
}

TEST(VertexBlockDescent, gives_the_same_bits_on_any_number_of_threads) {
    std::vector<std::uint64_t> hashes;
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        const auto world = world_with<VertexBlockStepper>(bar(4, true, of<NeoHookean>()));
        for (int k = 0; k < 3; ++k) ASSERT_FALSE(world->step().failed);
        hashes.push_back(world->state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(DescentStep, goes_down_for_any_matrix) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 1000; ++k) {
        Mat3d H;
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) H(i, j) = H(j, i) = normal(random);
        const Vec3d g{normal(random), normal(random), normal(random)};
        const Vec3d free{1, k % 2 ? 1.0 : 0.0, k % 3 ? 1.0 : 0.0};
        const Vec3d d = descent_step(H, g, free);
        EXPECT_LT(dot(g, d), 0);
        for (int axis = 0; axis < 3; ++axis)
            if (free[axis] == 0) {
                EXPECT_EQ(d[axis], 0);
            }
        const Mat3d A = transpose(H) * H + Mat3d::identity();  // definite: Newton's step itself
        const Vec3d exact = descent_step(A, g, {1, 1, 1});
        EXPECT_LT(norm(A * exact + g), 1e-12 * norm(g) * trace(A));
    }
    EXPECT_LT(dot(descent_step(Mat3d{}, {1, 0, 0}, {1, 1, 1}), Vec3d{1, 0, 0}), 0);
}

}  // namespace
}  // namespace limber
