// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/objective.h"

#include <gtest/gtest.h>

#include <random>

#include "fixtures.h"

namespace limber {
namespace {

using test::bar;
using test::rubber;

/// Everything an objective can hold: consistent or lumped mass, Rayleigh damping, contact on one
/// node and between four.
class ObjectiveOf {
  public:
    ObjectiveOf(Integrator integrator, MassKind mass) {
        Material material = rubber();
        material.damping_mass = 0.7;
        material.damping_stiffness = 0.01;
        model_ = bar(2, true, material);
        model_.integrator = integrator;
        model_.bodies[0].mass = mass;
        finish_model(model_);
        const Index n = model_.n_nodes();
        std::mt19937 random(5);
        std::normal_distribution<double> normal;
        const auto vector = [&](double size) {
            return Vec3d{size * normal(random), size * normal(random), size * normal(random)};
        };
        for (Index i = 0; i < n; ++i) {
            state_.x.push_back(model_.mesh.nodes[i] + vector(0.005));
            state_.v.push_back(vector(0.3));
            x_.push_back(state_.x[i] + vector(0.005));
            direction_.push_back(vector(1));
            external_.push_back(vector(2));
            start_.push_back(vector(2));
        }
        pin_velocity_.resize(n);
        terms_.push_back({ContactStencil::of_node(3), Mat3d::diagonal(0.1, 0.2, 0.3), {1, 2, 3}});
        terms_.push_back({{{5, 9, 12, 17}, {1, -0.2, -0.3, -0.5}, 4},
                          Mat3d::diagonal(0.3, 0.1, 0.2),
                          {0.5, 0, -1}});
        in_ = {0.02, external_, pin_velocity_, terms_, nullptr, -1, start_};
        objective_ = std::make_unique<Objective<double>>(model_);
        objective_->begin(in_, state_);
        objective_->hold(x_);
    }
    std::vector<Vec3d> moved(double amount) const {
        std::vector<Vec3d> out = x_;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += amount * direction_[i];
        return out;
    }
    std::vector<Vec3d> gradient(const std::vector<Vec3d>& x) {
        std::vector<Vec3d> g(x.size());
        objective_->gradient(x, g);
        return g;
    }

    Model model_;
    State state_;
    std::vector<Vec3d> x_, direction_, external_, start_, pin_velocity_;
    std::vector<ContactTerm> terms_;
    StepInput in_{};
    std::unique_ptr<Objective<double>> objective_;
};

double dot_all(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
    return sum;
}

class ObjectiveCases : public ::testing::TestWithParam<std::tuple<Integrator, MassKind>> {};

TEST_P(ObjectiveCases, gradient_is_the_derivative_of_the_value) {
    ObjectiveOf o(std::get<0>(GetParam()), std::get<1>(GetParam()));
    const double step = 1e-6;
    const double difference =
        (o.objective_->value(o.moved(step)) - o.objective_->value(o.moved(-step))) / (2 * step);
    const double slope = dot_all(o.gradient(o.x_), o.direction_);
    EXPECT_NEAR(difference, slope, 1e-6 * std::abs(slope));
}

TEST_P(ObjectiveCases, hessian_is_the_derivative_of_the_gradient) {
    ObjectiveOf o(std::get<0>(GetParam()), std::get<1>(GetParam()));
    const double step = 1e-6;
    const auto up = o.gradient(o.moved(step)), down = o.gradient(o.moved(-step));
    const BlockCsr& H = o.objective_->hessian(o.x_, HessianKind::exact);
    std::vector<Vec3d> product(up.size()), d(up.size());
    H.apply(o.direction_, product);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < up.size(); ++i) {
        worst = std::max(worst, norm((1 / (2 * step)) * (up[i] - down[i]) - product[i]));
        largest = std::max(largest, norm(product[i]));
    }
    EXPECT_LT(worst, 1e-6 * largest);
    std::vector<Mat3d> D(up.size());
    o.objective_->diagonal(o.x_, d);
    o.objective_->diagonal_blocks(o.x_, HessianKind::exact, D);
    for (Index i = 0; i < o.model_.n_nodes(); ++i) {
        const Mat3d& block = H.blocks()[H.diagonal_position(i)];
        EXPECT_LT(max_abs(D[i] - block), 1e-9 * max_abs(block));
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(d[i][k], block(k, k), 1e-9 * max_abs(block));
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, ObjectiveCases,
    ::testing::Combine(::testing::Values(Integrator::backward_euler, Integrator::trapezoid,
                                         Integrator::quasi_static),
                       ::testing::Values(MassKind::lumped, MassKind::consistent)));

}  // namespace
}  // namespace limber
