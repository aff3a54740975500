// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/materials.h"

#include <gtest/gtest.h>

#include "fem/fem_samples.h"

namespace limber {
namespace {

using namespace testing_fem;

template <class Variant>
struct TypesOf;
template <class... Laws>
struct TypesOf<std::variant<Laws...>> {
    using List = ::testing::Types<Laws...>;
};

template <class Law>
class EveryMaterial : public ::testing::Test {};
using Laws = TypesOf<AnyMaterial>::List;
TYPED_TEST_SUITE(EveryMaterial, Laws);

constexpr double mu = 3e5, lambda = 7e5;  // [Pa]
constexpr double stiffness = lambda + 2 * mu;

/// Turned, stretched, sheared, nearly flat and inverted shapes; σ₂ + signed σ₃ stays above 0.1,
/// where the corotated law can be differentiated.
std::vector<Mat3d> sample_deformations() {
    Random random(20);
    std::vector<Mat3d> out;
    while (out.size() < 1000) {
        const double sign = out.size() % 4 ? 1 : -1;
        const Vec3d s{random.uniform(0.4, 2), random.uniform(0.4, 2),
                      sign * random.uniform(0.001, out.size() % 4 ? 2 : 0.25)};
        const Mat3d F = with_singular_values(random, s);
        if (reference_rotation(F).relative_gap > 0.1) out.push_back(F);
    }
    return out;
}

/// Central differences of a function of F, entry by entry.
template <class Function>
auto differences(const Mat3d& F, double eps, Function&& f) {
    std::vector<decltype((f(F) - f(F)) * 1.0)> out;
    for (int i = 0; i < 9; ++i) {
        Mat3d plus = F, minus = F;
        plus.a[i] += eps;
        minus.a[i] -= eps;
        out.push_back((f(plus) - f(minus)) * (1 / (2 * eps)));
    }
    return out;
}

TYPED_TEST(EveryMaterial, stress_vanishes_at_rest) {
    const TypeParam law = TypeParam::from({mu, lambda});
    EXPECT_LT(max_abs(law.stress(Mat3d::identity())), 1e-14 * stiffness);
    EXPECT_LT(law.energy(Mat3d::identity()), 1e-28 * stiffness);
}

TYPED_TEST(EveryMaterial, stress_is_the_gradient_of_energy) {
    const TypeParam law = TypeParam::from({mu, lambda});
    for (const Mat3d& F : sample_deformations()) {
        const auto gradient = differences(F, 1e-5, [&](const Mat3d& G) { return law.energy(G); });
        const Mat3d P = law.stress(F);
        // Third derivatives of the corotated energy grow like 1/gap²: 1e-10 / 0.1² of the moduli.
        for (int i = 0; i < 9; ++i) ASSERT_NEAR(P.a[i], gradient[i], 1e-7 * stiffness);
    }
}

TYPED_TEST(EveryMaterial, hessian_is_the_gradient_of_stress) {
    const TypeParam law = TypeParam::from({mu, lambda});
    for (const Mat3d& F : sample_deformations()) {
        const auto gradient = differences(F, 1e-6, [&](const Mat3d& G) { return law.stress(G); });
        const Mat9d H = law.hessian(F);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i) ASSERT_NEAR(H(i, j), gradient[j].a[i], 1e-7 * stiffness);
    }
}

TYPED_TEST(EveryMaterial, hessian_is_symmetric) {
    const TypeParam law = TypeParam::from({mu, lambda});
    for (const Mat3d& F : sample_deformations()) {
        const Mat9d H = law.hessian(F);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < j; ++i) ASSERT_NEAR(H(i, j), H(j, i), 1e-12 * stiffness);
    }
}

TYPED_TEST(EveryMaterial, small_strain_is_hookes_law) {
    // ν and E from the Lamé parameters: pull along x by e, let the sides go in by ν e.
    const double young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    const double poisson = lambda / (2 * (lambda + mu)), e = 1e-6;
    const TypeParam law = TypeParam::from({mu, lambda});
    const Mat3d P = law.stress(Mat3d::diagonal(1 + e, 1 - poisson * e, 1 - poisson * e));
    EXPECT_NEAR(P(0, 0), young * e, 1e-8 * young * e);
    EXPECT_NEAR(P(1, 1), 0, 1e-8 * young * e);
    const Lame lame = Lame::from_young(young, poisson);
    EXPECT_NEAR(lame.mu, mu, 1e-9 * mu);
    EXPECT_NEAR(lame.lambda, lambda, 1e-9 * lambda);
}

TYPED_TEST(EveryMaterial, a_packet_gives_the_scalar_results) {
    using P8 = Packet<double, 8>;
    const TypeParam law = TypeParam::from({mu, lambda});
    const std::vector<Mat3d> samples = sample_deformations();
    Mat3<P8> F;
    for (int lane = 0; lane < 8; ++lane)
        for (int i = 0; i < 9; ++i) F.a[i].set(lane, samples[lane].a[i]);
    const P8 energy = law.energy(F);
    const Mat3<P8> stress = law.stress(F);
    for (int lane = 0; lane < 8; ++lane) {
        EXPECT_NEAR(energy[lane], law.energy(samples[lane]), 1e-13 * stiffness);
        for (int i = 0; i < 9; ++i)
            EXPECT_NEAR(stress.a[i][lane], law.stress(samples[lane]).a[i], 1e-12 * stiffness);
    }
}

TEST(Corotated, turns_with_the_body) {
    const CorotatedElastic law{mu, lambda};
    Random random(21);
    for (const Mat3d& F : sample_deformations()) {
        const Mat3d Q = random.rotation();
        ASSERT_NEAR(law.energy(Q * F), law.energy(F), 1e-12 * stiffness);
        ASSERT_LT(max_abs(law.stress(Q * F) - Q * law.stress(F)), 1e-11 * stiffness);
        ASSERT_LT(max_abs(law.stress(F * Q) - law.stress(F) * Q), 1e-11 * stiffness);  // isotropic
    }
}

TEST(Corotated, frozen_hessian_is_the_gradient_of_stress_with_the_rotation_held) {
    const CorotatedElastic law{mu, lambda};
    for (const Mat3d& F : sample_deformations()) {
        const Mat3d R = law.rotation(F);
        const auto gradient =
            differences(F, 1e-4, [&](const Mat3d& G) { return law.stress(G, R); });
        const Mat9d H = law.hessian_frozen(R);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i) {
                ASSERT_NEAR(H(i, j), gradient[j].a[i], 1e-9 * stiffness);  // linear: no truncation
                ASSERT_NEAR(H(i, j), H(j, i), 1e-12 * stiffness);
            }
    }
}

TEST(Corotated, frozen_hessian_is_positive_semidefinite_with_three_spins_free) {
    const CorotatedElastic law{mu, lambda};
    Random random(22);
    const Mat9d H = law.hessian_frozen(random.rotation());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(
        Eigen::Map<const Eigen::Matrix<double, 9, 9>>(H.a));
    EXPECT_NEAR(eigen.eigenvalues()[2], 0, 1e-12 * stiffness);
    EXPECT_NEAR(eigen.eigenvalues()[3], 2 * mu, 1e-12 * stiffness);
    EXPECT_NEAR(eigen.eigenvalues()[8], 2 * mu + 3 * lambda, 1e-12 * stiffness);
}

TEST(Linear, has_no_stress_under_an_infinitesimal_turn_only) {
    const LinearElastic law{mu, lambda};
    const auto stress_at = [&](double angle) {
        return max_abs(law.stress(rotation_about({0, 0, 1}, angle)));
    };
    EXPECT_LT(stress_at(1e-5), 1e-9 * stiffness);
    EXPECT_GT(stress_at(0.5), 0.1 * stiffness);
}

}  // namespace
}  // namespace limber
