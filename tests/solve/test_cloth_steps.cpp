// SPDX-License-Identifier: Apache-2.0
// Bodies of cloth, and damping by air and along edges, under the minimising solvers.

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/vertex_block_descent.h"
#include "limber/solve/xpbd.h"

namespace limber {
namespace {

using test::distance;
using test::rubber;
using test::world_with;

Material linen() {
    Material material = corotated_material("linen", 1e5, 0.3, 500);
    return material;
}

/// A body of n x n cells of cloth, 1 x 1 m, as the last one of the model.
void add_sheet(Model& model, Index n, const ClothOptions& options, const Vec3d& at = {}) {
    ShapeDef def{.kind = ShapeKind::cloth_sheet};
    def.cells = {n, n};
    const ShapeSurface made = make_shape_surface(def);
    Body body;
    body.name = "sheet";
    body.node_begin = model.n_nodes();
    body.tet_begin = body.tet_end = model.n_tets();
    body.cloth =
        ClothSheet{made.mesh.triangles, static_cast<Index>(model.materials.size()), options};
    for (Triangle& t : body.cloth->triangles)
        for (Index& node : t) node += body.node_begin;
    model.materials.push_back(linen());
    for (const Vec3d& x : made.mesh.nodes) {
        model.mesh.node_ids.push_back(model.n_nodes());
        model.mesh.nodes.push_back(x + at);
    }
    body.node_end = model.n_nodes();
    model.bodies.push_back(std::move(body));
}

/// Hanging from two corners.
Model hanging(Index n, StretchKind stretch, double viscous = 0, double air = 0) {
    Model model;
    add_sheet(model, n, {.thickness = 1e-3, .stretch = stretch, .bending = 1e-5});
    model.pins.push_back({"pin", {0, n}, {true, true, true}, {}});
    model.materials[0].damping_viscous = viscous;
    model.materials[0].damping_air = air;
    finish_model(model);
    return model;
}

TEST(ClothBody, has_its_mass_and_no_tets) {
    const Model model = hanging(6, StretchKind::springs);
    double mass = 0;
    for (double m : model.mass) mass += m;
    EXPECT_NEAR(mass, 500 * 1e-3, 1e-12);
    EXPECT_EQ(model.lumped, model.mass);
    EXPECT_EQ(model.n_tets(), 0);
    EXPECT_EQ(model.bodies[0].surface.size(), 72u);
    EXPECT_EQ(model.bodies[0].surface_nodes.size(), 49u);
    for (double k : model.stiffness) EXPECT_GT(k, 0);
}

TEST(ClothBody, newton_converges_and_energy_falls) {
    for (StretchKind stretch : {StretchKind::springs, StretchKind::triangles}) {
        const auto world = world_with<NewtonStepper>(hanging(8, stretch, 0, 0.002));
        double last = 0;
        for (int k = 0; k < 90; ++k) {
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed);
            ASSERT_EQ(report.solve.status, SolveStatus::converged) << k;
            const double energy = report.kinetic + report.elastic + report.potential;
            // The objective falls below that of standing still: implicit Euler takes energy out.
            if (k > 0) {
                ASSERT_LE(energy, last + 1e-5) << k;
            }
            last = energy;
        }
        // It hangs from its corners and is hardly longer: 0.5 kg stretch 100 N/m by some per cent.
        double lowest = 0;
        for (const Vec3d& x : world->state().x) lowest = std::min(lowest, x.y);
        EXPECT_LT(lowest, -0.7);
        EXPECT_GT(lowest, -1.6);
    }
}

TEST(ClothBody, vertex_block_descent_agrees_with_newton) {
    const ThreadLimit one(1);
    for (StretchKind stretch : {StretchKind::springs, StretchKind::triangles}) {
        const Model model = hanging(4, stretch, 0.001, 0.002);
        NewtonOptions exact;
        exact.rel_tolerance = 1e-12;
        VertexBlockOptions tight;
        tight.rel_tolerance = 1e-11;
        tight.iterations = 20000;
        const auto newton = world_with<NewtonStepper>(model, exact);
        const auto blocks = world_with<VertexBlockStepper>(model, tight);
        for (int k = 0; k < 6; ++k) {
            newton->step();
            EXPECT_EQ(blocks->step().solve.status, SolveStatus::converged);
        }
        EXPECT_LT(distance(newton->state().x, blocks->state().x),
                  1e-8 * distance(newton->state().x, model.mesh.nodes));
    }
}

/// Against the trapezoidal rule in small steps: errors of first order in the sub-steps.
TEST(ClothBody, xpbd_of_springs_and_flat_hinges_goes_to_newtons_answer) {
    const ThreadLimit one(1);
    Model model = hanging(4, StretchKind::springs, 0.001, 0.002);
    model.bodies[0].cloth->options.rest = ClothRest::flat;
    model.h = 0.02;
    finish_model(model);
    Model fine = model;
    fine.h = 0.0005;
    fine.integrator = Integrator::trapezoid;
    finish_model(fine);
    const auto exact = world_with<NewtonStepper>(std::move(fine));
    for (int k = 0; k < 200; ++k) ASSERT_FALSE(exact->step().failed);
    std::vector<double> error;
    for (int substeps : {32, 64, 128}) {
        const auto world = world_with<XpbdStepper>(model, {substeps});
        for (int k = 0; k < 5; ++k) ASSERT_FALSE(world->step().failed);
        error.push_back(distance(world->state().x, exact->state().x) /
                        distance(exact->state().x, model.mesh.nodes));
    }
    EXPECT_GT(error[0] / error[1], 1.6) << error[0];
    EXPECT_GT(error[1] / error[2], 1.6) << error[1];
    EXPECT_LT(error[2], 0.02);
}

TEST(ClothBody, steps_are_the_same_for_any_number_of_threads_and_after_a_checkpoint) {
    const auto hash = [](int threads, bool stop) {
        const ThreadLimit limit(threads);
        auto world = world_with<NewtonStepper>(hanging(6, StretchKind::springs, 0.001));
        for (int k = 0; k < 8; ++k) {
            world->step();
            if (!stop || k != 3) continue;
            ByteWriter out;
            world->save(out);
            world = world_with<NewtonStepper>(hanging(6, StretchKind::springs, 0.001));
            ByteReader in(out.bytes(), "checkpoint");
            world->load(in);
        }
        return world->state_hash();
    };
    EXPECT_EQ(hash(1, false), hash(2, false));
    EXPECT_EQ(hash(1, false), hash(2, true));
}

TEST(ClothBody, rests_on_a_soft_body_and_leaves_its_own_faces_alone) {
    Model model = test::model_of(make_box({1.2, 0.2, 1.2}, {6, 1, 6}), rubber(1e6));
    model.mesh.node_ids.resize(model.mesh.nodes.size());
    model.pins.push_back({"pin", model.mesh.node_groups.at("y-"), {true, true, true}, {}});
    add_sheet(model, 6, {.thickness = 1e-3, .bending = 1e-5}, {0.02, 0.103, 0.01});
    finish_model(model);
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<NewtonStepper>(*owned, NewtonOptions{});
    World world(std::move(owned), std::move(stepper),
                std::make_unique<PenaltyContact>(PenaltyOptions{}));
    StepReport report;
    for (int k = 0; k < 30; ++k) report = world.step();
    EXPECT_EQ(report.contacts, 49);
    const Body& sheet = world.model().bodies[1];
    double force = 0;
    for (Index i = sheet.node_begin; i < sheet.node_end; ++i) {
        EXPECT_GT(world.state().x[i].y, 0.0999);
        force += world.forces().contact[i].y;
    }
    EXPECT_NEAR(force, 0.5 * 9.81, 0.05 * 0.5 * 9.81);
}

/// The air alone: m dv/dt = -c v by backward Euler, for tets as well.
TEST(Damping, air_slows_every_node_by_its_own_law) {
    Material material = rubber();
    material.damping_air = 0.3;
    Model model = test::bar(1, false, material);
    model.gravity = {};
    finish_model(model);
    for (Vec3d& v : model.initial_velocity) v = {2, 0, 0};
    NewtonOptions options;
    options.rel_tolerance = 1e-12;
    const auto momentum = [](const World& world) {
        double sum = 0;
        for (Index i = 0; i < world.model().n_nodes(); ++i)
            sum += world.model().mass[i] * world.state().v[i].x;
        return sum;
    };
    const auto drag = [](const World& world) {
        double sum = 0;
        for (const Vec3d& v : world.state().v) sum += 0.3 * v.x;
        return sum;
    };
    const auto newton = world_with<NewtonStepper>(model, options);
    const auto linear = test::world_of(model, test::tight());
    for (World* world : {newton.get(), linear.get()}) {
        const double before = momentum(*world);
        world->step();
        EXPECT_NEAR(momentum(*world) - before, -model.h * drag(*world), 1e-8 * before);
    }
}

TEST(Damping, viscosity_stops_deformation_and_not_rigid_motion) {
    const auto speeds = [](double viscous) {
        Model model = hanging(5, StretchKind::springs, viscous);
        model.pins.clear();
        model.gravity = {};
        finish_model(model);
        for (Index i = 0; i < model.n_nodes(); ++i)
            model.initial_velocity[i] = {1 + 0.3 * (i % 2 ? 1 : -1), 0, 0};
        Vec3d momentum;
        for (Index i = 0; i < model.n_nodes(); ++i)
            momentum += model.mass[i] * model.initial_velocity[i];
        NewtonOptions options;
        options.rel_tolerance = 1e-11;
        const auto world = world_with<NewtonStepper>(std::move(model), options);
        world->step();
        Vec3d after;
        double spread = 0;
        const State& state = world->state();
        for (std::size_t i = 0; i < state.v.size(); ++i) {
            after += world->model().mass[i] * state.v[i];
            spread = std::max(spread, norm(state.v[i] - state.v[0]));
        }
        EXPECT_LT(norm(after - momentum), 1e-9 * norm(momentum));
        return spread;
    };
    EXPECT_LT(speeds(1000), 0.01 * speeds(0));
}

TEST(Damping, where_materials_meet_the_larger_viscosity_counts_once) {
    Model model = test::bar(1, false);
    model.materials.push_back(model.materials[0]);
    model.materials[0].damping_viscous = 1;
    model.materials[1].damping_viscous = 3;
    for (Index t = 0; t < model.n_tets(); t += 2) model.tet_material[t] = 1;
    finish_model(model);
    for (std::size_t k = 1; k < model.viscous.size(); ++k)
        EXPECT_LT(model.viscous[k - 1].nodes, model.viscous[k].nodes);
    const auto edges = [&](Index t) {
        double least = 10;
        for (const ViscousEdge& edge : model.viscous) {
            int shared = 0;
            for (Index node : model.mesh.tets[t])
                shared += node == edge.nodes[0] || node == edge.nodes[1];
            if (shared == 2) least = std::min(least, edge.c);
        }
        return least;
    };
    EXPECT_EQ(edges(0), 3);
}

}  // namespace
}  // namespace limber
