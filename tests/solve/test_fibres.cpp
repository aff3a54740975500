// SPDX-License-Identifier: Apache-2.0
// Bodies with fibres, against what their law says by hand and solver against solver.

#include <gtest/gtest.h>

#include "fixtures.h"
#include "limber/solve/descent/descent.h"
#include "limber/solve/newton/newton.h"
#include "limber/solve/vertex_block_descent.h"

namespace limber {
namespace {

using test::distance;
using test::model_of;
using test::of;
using test::world_with;

constexpr double young = 1e5, added = 3e5;  // [Pa]

Material fibres_along(const Vec3d& a) {
    Material material = of<FibreReinforced>(young);
    auto& law = std::get<FibreReinforced>(material.law);
    law.k = added;
    law.a = (1 / norm(a)) * a;
    return material;
}

/// The force per area that stretches a bar along x by 1 + e, its sides free.   [Pa]
double pull(const Material& material, double e) {
    Model model = model_of(make_box({1, 0.5, 0.5}, {3, 2, 2}), material);
    model.gravity = {0, 0, 0};
    model.integrator = Integrator::quasi_static;
    model.h = 1;
    const auto& groups = model.mesh.node_groups;
    Motion motion;
    motion.translate = {{0, 1}, {{0, 0, 0}, {e, 0, 0}}};
    model.pins.push_back({"x-", groups.at("x-"), {true, false, false}, {}});
    model.pins.push_back({"y-", groups.at("y-"), {false, true, false}, {}});
    model.pins.push_back({"z-", groups.at("z-"), {false, false, true}, {}});
    model.pins.push_back({"x+", groups.at("x+"), {true, false, false}, motion});
    finish_model(model);
    NewtonOptions options;
    options.rel_tolerance = 1e-10;
    const auto world = world_with<NewtonStepper>(std::move(model), options);
    EXPECT_FALSE(world->step().failed);
    double force = 0;
    for (const Index i : world->model().pins[3].nodes) force += world->forces().reaction[i].x;
    return force / 0.25;
}

TEST(FibreBars, are_stiffer_by_their_fibres_along_them_alone) {
    const double e = 1e-4;
    // Second order in e: strains of 1e-4 with coefficients up to ten or so.
    EXPECT_NEAR(pull(fibres_along({1, 0, 0}), e), (young + added) * e, 2e-3 * (young + added) * e);
    EXPECT_NEAR(pull(fibres_along({0, 1, 0}), e), young * e, 2e-3 * young * e);
    EXPECT_NEAR(pull(fibres_along({0, -1, 1}), e), young * e, 2e-3 * young * e);
}

TEST(FibreBars, are_pushed_along_their_fibres_as_without_them) {
    for (const double e : {-1e-4, -0.2}) {
        const double without = pull(of<NeoHookean>(young), e);
        EXPECT_NEAR(pull(fibres_along({1, 0, 0}), e), without, 1e-7 * std::abs(without));
    }
}

TEST(FibreBars, shear_when_they_are_pulled_askew) {
    // Fibres at 45 degrees lie between both.
    const double e = 1e-3, askew = pull(fibres_along({1, 1, 0}), e);
    EXPECT_GT(askew, 1.05 * young * e);
    EXPECT_LT(askew, 0.9 * (young + added) * e);
}

/// A bar that hangs from its end x-, with a helix of fibres about its axis: in every tet 60 degrees
/// to the axis, around it. With `single` every tet has a material of its own instead of numbers.
Model helix(bool directions, bool single) {
    Model model = model_of(make_box({1, 0.25, 0.25}, {6, 2, 2}), fibres_along({1, 0, 0}));
    const Box3 box = bounding_box(model.mesh.nodes);
    const Vec3d middle = 0.5 * (box.lo + box.hi);
    model.gravity = {9.81, 0, 0};
    model.h = 1.0 / 60;
    if (single) model.materials.clear();
    for (Index t = 0; t < model.n_tets(); ++t) {
        Vec3d c{};
        for (const Index i : model.mesh.tets[t]) c += 0.25 * (model.mesh.nodes[i] - middle);
        const double r = std::hypot(c.y, c.z);
        const Vec3d a{0.5, -std::sqrt(0.75) * c.z / r, std::sqrt(0.75) * c.y / r};
        if (directions && !single) model.tet_data.push_back(TetData{{a.x, a.y, a.z}});
        if (!single) continue;
        model.materials.push_back(fibres_along(a));
        model.tet_material[t] = t;
    }
    model.pins.push_back({"top", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(model);
    return model;
}
template <class Solver>
std::vector<Vec3d> after(Model model, int steps, const typename Solver::Options& options) {
    const auto world = world_with<Solver>(std::move(model), options);
    for (int k = 0; k < steps; ++k) EXPECT_FALSE(world->step().failed) << k;
    return world->state().x;
}
NewtonOptions exact() {
    NewtonOptions options;
    options.rel_tolerance = 1e-11;
    return options;
}

TEST(FibreHelix, is_what_a_material_for_each_tet_is_and_twists_when_it_is_pulled) {
    const Model model = helix(true, false);
    const std::vector<Vec3d> own = after<NewtonStepper>(model, 10, exact()),
                             wanted = after<NewtonStepper>(helix(false, true), 10, exact()),
                             straight = after<NewtonStepper>(helix(false, false), 10, exact());
    const double moved = distance(own, model.mesh.nodes);
    EXPECT_LT(distance(own, wanted), 1e-8 * moved);
    EXPECT_GT(distance(own, straight), 0.05 * moved);
    // A corner of the free end turns about the axis, one way: the helix has a hand.
    const auto turn = [&](const std::vector<Vec3d>& x) {
        double sum = 0;
        const Box3 box = bounding_box(model.mesh.nodes);
        const Vec3d middle = 0.5 * (box.lo + box.hi);
        for (const Index i : model.mesh.node_groups.at("x+")) {
            const Vec3d r = model.mesh.nodes[i] - middle, u = x[i] - model.mesh.nodes[i];
            sum += r.y * u.z - r.z * u.y;
        }
        return sum;
    };
    EXPECT_GT(std::abs(turn(own)), 10 * std::abs(turn(straight)));
}

/// As other laws must: the step's minimum, whatever the method, for a hundred steps.
TEST(FibreHelix, every_minimising_solver_goes_the_same_way_for_a_hundred_steps) {
    const Model model = helix(true, false);
    const std::vector<Vec3d> wanted = after<NewtonStepper>(model, 100, exact());
    const double moved = distance(wanted, model.mesh.nodes);
    EXPECT_LT(distance(after<DescentStepper>(model, 100, {}), wanted), 1e-3 * moved);
    VertexBlockOptions blocks;
    blocks.rel_tolerance = 1e-8;
    blocks.iterations = 5000;
    EXPECT_LT(distance(after<VertexBlockStepper>(model, 100, blocks), wanted), 1e-5 * moved);
}

TEST(FibreHelix, goes_the_same_way_under_every_integrator) {
    for (const Integrator integrator :
         {Integrator::backward_euler, Integrator::trapezoid, Integrator::quasi_static}) {
        Model model = helix(true, false);
        model.integrator = integrator;
        finish_model(model);
        const std::vector<Vec3d> wanted = after<NewtonStepper>(model, 5, exact());
        const double moved = distance(wanted, model.mesh.nodes);
        EXPECT_LT(distance(after<DescentStepper>(model, 5, {}), wanted), 1e-4 * moved);
    }
}

}  // namespace
}  // namespace limber
