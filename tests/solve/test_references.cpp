// SPDX-License-Identifier: Apache-2.0
// Static and dynamic results against solutions that owe nothing to the code they test.

#include <gtest/gtest.h>

#include <functional>

#include "fixtures.h"
#include "limber/fem/point_law.h"
#include "limber/solve/modal.h"
#include "limber/solve/newton/newton.h"

namespace limber {
namespace {

using test::model_of;
using test::rubber;
using test::world_with;

std::vector<Material> laws() {
    const Lame lame = Lame::from_young(1e5, 0.3);
    std::vector<Material> out;
    [&]<class... Law>(const std::variant<Law...>*) {
        const auto add = [&](const std::string& name, const AnyMaterial& law) {
            Material m = rubber();
            m.name = name;
            m.law = law;
            out.push_back(m);
        };
        (add(std::string(Law::name), Law::from(lame)), ...);
    }(static_cast<const AnyMaterial*>(nullptr));
    return out;
}

NewtonOptions tight_newton() {
    NewtonOptions options;
    options.rel_tolerance = 1e-10;
    return options;
}

Mat3d stress_at(const Material& material, const Mat3d& F) {
    Mat3d P;
    visit_law(material, [&](const auto& law) { P = law.stress(F, 0.0); });
    return P;
}

/// The stretch across a bar pulled to `along` with free sides: P_yy = 0, by bisection.
double free_cross_stretch(const Material& material, double along) {
    double low = 0.5, high = 1.5;
    for (int k = 0; k < 200; ++k) {
        const double middle = (low + high) / 2;
        (stress_at(material, Mat3d::diagonal(along, middle, middle))(1, 1) > 0 ? high : low) =
            middle;
    }
    return low;
}

/// A block on three sliding faces, pulled at the fourth.
Model pulled_block(const Material& material, double along) {
    Model model = model_of(make_box({1, 0.5, 0.5}, {3, 2, 2}), material);
    model.gravity = {0, 0, 0};
    model.integrator = Integrator::quasi_static;
    model.h = 1;
    const auto& groups = model.mesh.node_groups;
    Motion pull;
    pull.translate = {{0, 1}, {{0, 0, 0}, {along - 1, 0, 0}}};
    model.pins.push_back({"x-", groups.at("x-"), {true, false, false}, {}});
    model.pins.push_back({"y-", groups.at("y-"), {false, true, false}, {}});
    model.pins.push_back({"z-", groups.at("z-"), {false, false, true}, {}});
    model.pins.push_back({"x+", groups.at("x+"), {true, false, false}, pull});
    finish_model(model);
    return model;
}

TEST(References, a_pulled_block_stretches_as_its_law_says) {
    for (const Material& material : laws())
        for (const double along : {0.8, 1.4}) {
            const auto world =
                world_with<NewtonStepper>(pulled_block(material, along), tight_newton());
            const StepReport report = world->step();
            ASSERT_FALSE(report.failed) << material.name;
            const double across = free_cross_stretch(material, along);
            const Model& model = world->model();
            const Vec3d corner = model.mesh.nodes[0];
            double pull = 0;
            for (Index i = 0; i < model.n_nodes(); ++i) {
                const Vec3d r = model.mesh.nodes[i] - corner, d = world->state().x[i] - corner;
                EXPECT_NEAR(d.x, along * r.x, 1e-8) << material.name;
                EXPECT_NEAR(d.y, across * r.y, 1e-7) << material.name;
                EXPECT_NEAR(d.z, across * r.z, 1e-7) << material.name;
                if (r.x > 0.99) pull += world->forces().reaction[i].x;
            }
            const double P = stress_at(material, Mat3d::diagonal(along, across, across))(0, 0);
            EXPECT_NEAR(pull, 0.25 * P, 1e-6 * std::abs(0.25 * P)) << material.name;
        }
}

// ---- manufactured solutions on the unit cube, nothing moves at its boundary

Vec3d exact_displacement(const Vec3d& X) {
    const double s = std::sin(M_PI * X.x) * std::sin(M_PI * X.y) * std::sin(M_PI * X.z);
    return (0.06 * s) * Vec3d{1, 0.5, -0.7};
}
Mat3d exact_gradient(const Vec3d& X) {
    const double h = 1e-5;
    Mat3d F;
    for (int j = 0; j < 3; ++j) {
        Vec3d step;
        step[j] = h;
        const Vec3d d =
            (1 / (2 * h)) * (exact_displacement(X + step) - exact_displacement(X - step));
        for (int i = 0; i < 3; ++i) F(i, j) = d[i] + (i == j);
    }
    return F;
}
/// b = −Div P(F(X)), by differences.
Vec3d body_force(const Material& material, const Vec3d& X) {
    const double h = 1e-3;
    Vec3d b;
    for (int j = 0; j < 3; ++j) {
        Vec3d step;
        step[j] = h;
        const Mat3d up = stress_at(material, exact_gradient(X + step));
        const Mat3d down = stress_at(material, exact_gradient(X - step));
        for (int i = 0; i < 3; ++i) b[i] -= (up(i, j) - down(i, j)) / (2 * h);
    }
    return b;
}

/// Four points of a tet that integrate quadratics exactly.
template <class F>
void for_each_point(const TetMesh& mesh, F&& f) {
    constexpr double a = 0.58541019662496852, b = 0.13819660112501050;
    for (const Tet& tet : mesh.tets) {
        const Vec3d p = mesh.nodes[tet[0]];
        const double volume =
            determinant(Mat3d::from_columns(mesh.nodes[tet[1]] - p, mesh.nodes[tet[2]] - p,
                                            mesh.nodes[tet[3]] - p)) /
            6;
        for (int q = 0; q < 4; ++q) {
            std::array<double, 4> shape;
            Vec3d X;
            for (int c = 0; c < 4; ++c) {
                shape[c] = c == q ? a : b;
                X += shape[c] * mesh.nodes[tet[c]];
            }
            f(tet, shape, X, volume / 4);
        }
    }
}

double manufactured_error(const Material& material, int n) {
    Model model = model_of(make_box({1, 1, 1}, {n, n, n}), material);
    model.gravity = {0, 0, 0};
    model.integrator = Integrator::quasi_static;
    const Box3 box = bounding_box(model.mesh.nodes);
    for (Vec3d& p : model.mesh.nodes) p -= box.lo;
    NodalForce load;
    load.share.resize(model.mesh.nodes.size());
    std::vector<Index> boundary;
    for (Index i = 0; i < model.mesh.n_nodes(); ++i) {
        load.nodes.push_back(i);
        const Vec3d& X = model.mesh.nodes[i];
        for (int k = 0; k < 3; ++k)
            if (X[k] < 1e-9 || X[k] > 1 - 1e-9) {
                boundary.push_back(i);
                break;
            }
    }
    for_each_point(model.mesh, [&](const Tet& tet, const auto& shape, const Vec3d& X, double w) {
        const Vec3d b = body_force(material, X);
        for (int c = 0; c < 4; ++c) load.share[tet[c]] += (w * shape[c]) * b;
    });
    model.forces.push_back(load);
    model.pins.push_back({"boundary", boundary, {true, true, true}, {}});
    finish_model(model);
    const TetMesh mesh = model.mesh;
    const auto world = world_with<NewtonStepper>(std::move(model), tight_newton());
    EXPECT_EQ(world->step().solve.status, SolveStatus::converged) << material.name;
    double error = 0;
    for_each_point(mesh, [&](const Tet& tet, const auto& shape, const Vec3d& X, double w) {
        Vec3d u;
        for (int c = 0; c < 4; ++c) u += shape[c] * (world->state().x[tet[c]] - mesh.nodes[tet[c]]);
        error += w * squared_norm(u - exact_displacement(X));
    });
    return std::sqrt(error);
}

TEST(References, manufactured_solutions_converge_with_the_square_of_the_cell) {
    for (const Material& material : laws()) {
        if (material.name != "linear" && material.name != "neo_hookean") continue;
        const double order =
            std::log2(manufactured_error(material, 10) / manufactured_error(material, 20));
        EXPECT_GT(order, 1.9) << material.name;
        EXPECT_LT(order, 2.2) << material.name;
    }
}

// ---- dynamics

/// A mode of a linear body swings as one oscillator. The trapezoidal rule turns it by
/// θ = 2 atan(ω h / 2) a step and loses nothing: u = (a/ω) sin kθ, v = a cos kθ.
TEST(References, a_mode_swings_as_the_trapezoidal_rule_says) {
    Material material = rubber();
    material.law = LinearElastic::from(Lame::from_young(1e5, 0.3));
    Model model = test::bar(2, true, material);
    model.gravity = {0, 0, 0};
    model.integrator = Integrator::trapezoid;
    const Mode mode = lowest_modes(model, 1)[0];
    const double omega = std::sqrt(mode.omega2), a = 0.01;
    model.h = 0.3 / omega;
    finish_model(model);
    for (Index i = 0; i < model.n_nodes(); ++i) model.initial_velocity[i] = a * mode.shape[i];
    const std::vector<Vec3d> rest = model.mesh.nodes;
    NewtonOptions options = tight_newton();
    options.rel_tolerance = 1e-13;
    const auto world = world_with<NewtonStepper>(std::move(model), options);
    const double theta = 2 * std::atan(0.3 / 2);
    for (int k = 1; k <= 50; ++k) {
        world->step();
        for (std::size_t i = 0; i < rest.size(); i += 7) {
            const Vec3d u = (a / omega * std::sin(k * theta)) * mode.shape[i];
            EXPECT_LT(norm(world->state().x[i] - rest[i] - u), 1e-8 * a / omega);
            const Vec3d v = (a * std::cos(k * theta)) * mode.shape[i];
            EXPECT_LT(norm(world->state().v[i] - v), 1e-7 * a);
        }
    }
}

/// Backward Euler falls h/2 of velocity too far a step: y = -g h² n (n + 1) / 2 exactly.
TEST(References, a_free_body_falls_as_its_rule_says) {
    for (const Integrator integrator : {Integrator::backward_euler, Integrator::trapezoid}) {
        Model model = test::bar(1, false);
        model.integrator = integrator;
        model.h = 0.01;
        finish_model(model);
        const double start = model.mesh.nodes[0].y;
        const auto world = world_with<NewtonStepper>(std::move(model), tight_newton());
        const int n = 20;
        for (int k = 0; k < n; ++k) world->step();
        const double steps = integrator == Integrator::trapezoid ? n * n : n * (n + 1.0);
        EXPECT_NEAR(world->state().x[0].y - start, -9.81 * 1e-4 * steps / 2, 1e-9);
        EXPECT_NEAR(world->state().v[0].y, -9.81 * 0.01 * n, 1e-7);
    }
}

}  // namespace
}  // namespace limber
