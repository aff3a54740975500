// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/point_law.h"

#include <gtest/gtest.h>

#include "fem/law_samples.h"

namespace limber {
namespace {

using namespace testing_fem;

template <class Law>
class EveryPointLaw : public ::testing::Test {
  protected:
    PointLaw<Law> plain{sample_law<Law>()};
    PointLaw<Law> full{sample_law<Law>(), 4e5, {.on = true}};
    double k = sample_law<Law>().small_strain().mu;
};
TYPED_TEST_SUITE(EveryPointLaw, EveryLaw);

/// Σ (s_i − 1)² by Eigen's decomposition, the sign of det F in the smallest.
Vec3d reference_stretches(const Mat3d& F) {
    const Eigen::Vector3d s = Eigen::JacobiSVD<Eigen::Matrix3d>(to_eigen(F)).singularValues();
    return {s[0], s[1], determinant(F) < 0 ? -s[2] : s[2]};
}

/// Flat, mirrored, point-like, far stretched and scrambled elements.
std::vector<Mat3d> hard_states() {
    std::vector<Mat3d> out{Mat3d{},
                           Mat3d::diagonal(1, 1, -1),
                           Mat3d::diagonal(-1, -1, -1),
                           Mat3d::diagonal(1, 0, 0),
                           Mat3d::diagonal(1, 1, 0),
                           1e-12 * Mat3d::identity(),
                           1e-200 * Mat3d::identity(),
                           Mat3d::diagonal(1, 0.1, -0.1),
                           Mat3d::diagonal(0.05, 0.05, 0.05),
                           Mat3d::diagonal(100, 0.02, 0.001)};
    Random random(31);
    for (int n = 0; n < 300; ++n) out.push_back(random.matrix(std::pow(10, random.uniform(-4, 1))));
    return out;
}

TYPED_TEST(EveryPointLaw, without_conversion_is_the_law) {
    const Mat3d F = Mat3d::diagonal(1.2, 0.9, 0.7);
    EXPECT_EQ(this->plain.interpolant(Mat3d::diagonal(1, 1, -1), 0.5), 0);
    // Inlined twice, with other fused products: equal but for rounding.
    const double energy = this->plain.law.energy(F);
    const Mat3d stress = this->plain.law.stress(F);
    EXPECT_NEAR(this->plain.energy(F, 0.0), energy, 1e-14 * energy);
    EXPECT_LT(max_abs(this->plain.stress(F, 0.0) - stress), 1e-14 * max_abs(stress));
}

TYPED_TEST(EveryPointLaw, all_of_the_way_is_the_projective_energy) {
    for (const Mat3d& F : hard_states()) {
        const Vec3d s = reference_stretches(F), d = s - Vec3d{1, 1, 1};
        const double W = this->k * dot(d, d);
        ASSERT_NEAR(this->full.energy(F, 1.0), W, 1e-12 * (W + this->k));
    }
}

TYPED_TEST(EveryPointLaw, stress_and_hessian_are_derivatives_with_l_held) {
    for (const double l : {0.0, 0.3, 1.0})
        for (const Mat3d& F : sample_deformations<TypeParam>(100)) {
            const auto dW = differences(F, [&](const Mat3d& G) { return this->full.energy(G, l); });
            const auto dP = differences(F, [&](const Mat3d& G) { return this->full.stress(G, l); });
            const Mat3d P = this->full.stress(F, l);
            const Mat9d H = this->full.hessian(F, l);
            for (int j = 0; j < 9; ++j) {
                ASSERT_NEAR(P.a[j], dW[j], 1e-7 * std::fmax(max_abs(P), stiffness));
                for (int i = 0; i < 9; ++i)
                    ASSERT_NEAR(H(i, j), dP[j].a[i], 1e-7 * std::fmax(max_abs(H), stiffness));
            }
        }
}

TYPED_TEST(EveryPointLaw, projection_is_the_nearest_semidefinite_matrix) {
    // By the eigen-system of the law against a general eigen-decomposition of its Hessian.
    std::size_t indefinite = 0;
    for (const double l : {0.0, 0.4, 1.0})
        for (const Mat3d& F : sample_deformations<TypeParam>(200)) {
            const Mat9d H = this->full.hessian(F, l), A = this->full.projected_hessian(F, l);
            const double size = std::fmax(max_abs(H), stiffness);
            Mat9d nearest = nearest_psd(H);
            if constexpr (ReinforcedLaw<TypeParam>) {
                // Of the isotropic part, with the fibres, which need no projection, beside it.
                const PointLaw<NeoHookean> matrix{this->full.law.isotropic(), this->full.volume,
                                                  this->full.conversion};
                nearest = nearest_psd(matrix.hessian(F, l));
                const Mat9d fibres = this->full.law.convex().hessian(F);
                for (int i = 0; i < 81; ++i) nearest.a[i] += (1 - l) * fibres.a[i];
            }
            ASSERT_LT(max_difference(A, nearest), 1e-11 * size);
            ASSERT_GT(eigenvalues(A)[0], -1e-12 * size);
            indefinite += eigenvalues(H)[0] < -1e-9 * size;
        }
    EXPECT_GT(indefinite, 50u);  // there was something to project
}

TYPED_TEST(EveryPointLaw, equal_stretches_cost_no_digits) {
    // The quotients of differences against differences of the stress, which know no stretches.
    Random random(32);
    for (const double apart : {0.0, 1e-13, 1e-9, 1e-5})
        for (const double s : {0.6, 1.0, 1.7}) {
            if (ReinforcedLaw<TypeParam> && s == 1) continue;  // fibres begin to pull there
            const Mat3d F = with_singular_values(random, {s + apart, s, s - apart});
            const auto dP = differences(
                F, [&](const Mat3d& G) { return this->plain.law.stress(G); }, 1e-3);
            const SignedSvd<double> svd = signed_svd(F);
            Mat9d H = this->plain.law.hessian(F);
            if constexpr (IsotropicLaw<TypeParam>)  // a reinforced one has its Hessian at once
                H = assemble_hessian(svd,
                                     point_law_detail::curvature_of_law(this->plain.law, svd.s));
            if constexpr (InvariantLaw<TypeParam>) {
                EXPECT_LT(max_difference(H, this->plain.law.hessian(F)), 1e-13 * max_abs(H));
            }
            for (int j = 0; j < 9; ++j)
                for (int i = 0; i < 9; ++i)  // the drawn law is C³: second order at its knots
                    EXPECT_NEAR(H(i, j), dP[j].a[i], 1e-6 * stiffness + 1e-7 * max_abs(H));
        }
}

TYPED_TEST(EveryPointLaw, interpolant_follows_equation_17) {
    const Conversion& c = this->full.conversion;
    for (const Mat3d& F : hard_states())
        for (const double before : {0.0, 0.3, 1.0}) {
            const double wanted = (c.upper - reference_stretches(F).z) / (c.upper - c.lower);
            const double l = std::min(1.0, std::max({0.0, before - c.fade, wanted}));
            ASSERT_NEAR(this->full.interpolant(F, before), l, 1e-12);
        }
    EXPECT_EQ(this->full.interpolant(Mat3d::identity(), 0.0), 0);
    EXPECT_EQ(this->full.interpolant(Mat3d::diagonal(1, 1, 0.101), 0.0), 0);
    EXPECT_NEAR(this->full.interpolant(Mat3d::diagonal(1, 1, 0.075), 0.0), 0.5, 1e-12);
}

TYPED_TEST(EveryPointLaw, stays_finite_wherever_an_element_goes) {
    for (const Mat3d& F : hard_states()) {
        const double l = this->full.interpolant(F, 0.0);
        ASSERT_TRUE(std::isfinite(this->full.energy(F, l)));
        ASSERT_TRUE(is_finite(this->full.stress(F, l)));
        const Mat9d A = this->full.projected_hessian(F, l);
        ASSERT_TRUE(std::isfinite(max_abs(A)));
        ASSERT_GE(eigenvalues(A)[0], -1e-12 * max_abs(A));
    }
}

TYPED_TEST(EveryPointLaw, a_stretch_beyond_all_numbers_costs_infinity_not_nan) {
    for (const double l : {0.0, 0.5, 1.0}) {
        Mat3d F = Mat3d::identity();
        F(0, 1) = 1e200;
        EXPECT_FALSE(std::isnan(this->full.energy(F, l))) << l;
        EXPECT_GT(this->full.energy(F, l), 1e300);
    }
}

TYPED_TEST(EveryPointLaw, block_diagonal_is_that_of_the_hessian) {
    Random random(33);
    for (const double l : {0.0, 0.4, 1.0})
        for (const Mat3d& F : sample_deformations<TypeParam>(100)) {
            const Vec3d g = 3.0 * random.direction();
            const Vec3d d = this->full.block_diagonal(F, l, g);
            const Mat9d H = this->full.hessian(F, 0);
            for (int r = 0; r < 3; ++r) {
                double wanted = l * 2 * this->k * dot(g, g);  // Eq. (19): AᵀA, constant
                for (int j = 0; j < 3; ++j)
                    for (int m = 0; m < 3; ++m)
                        wanted += (1 - l) * g[j] * g[m] * H(r + 3 * j, r + 3 * m);
                ASSERT_NEAR(d[r], wanted, 1e-11 * std::fmax(max_abs(H), stiffness) * dot(g, g));
            }
        }
}

TYPED_TEST(EveryPointLaw, block_is_that_of_the_hessian) {
    Random random(34);
    for (const double l : {0.0, 0.4, 1.0})
        for (const Mat3d& F : sample_deformations<TypeParam>(100)) {
            const Vec3d g = 3.0 * random.direction();
            const Mat3d K = this->full.block(F, l, g);
            const Mat9d H = this->full.hessian(F, 0);
            for (int r = 0; r < 3; ++r)
                for (int s = 0; s < 3; ++s) {
                    double wanted = r == s ? l * 2 * this->k * dot(g, g) : 0;
                    for (int j = 0; j < 3; ++j)
                        for (int m = 0; m < 3; ++m)
                            wanted += (1 - l) * g[j] * g[m] * H(r + 3 * j, s + 3 * m);
                    ASSERT_NEAR(K(r, s), wanted,
                                1e-11 * std::fmax(max_abs(H), stiffness) * dot(g, g));
                }
        }
}

template <class P, class Law>
void expect_packet_agrees(const PointLaw<Law>& law, double tolerance) {
    std::vector<Mat3d> states = sample_deformations<Law>(P::width);
    states[3] = Mat3d::diagonal(1, 1, -0.5);
    states[5] = Mat3d::diagonal(1.1, 0.9, 0.1);
    const auto F = packed<P>(states);
    const P l = law.interpolant(F, P(0.f));
    const P energy = law.energy(F, l);
    const Mat3<P> stress = law.stress(F, l);
    const Vec3<P> g{P(1.f), P(-2.f), P(0.5f)}, diagonal = law.block_diagonal(F, l, g);
    for (int lane = 0; lane < P::width; ++lane) {
        const Mat3d& f = states[lane];
        const double part = law.interpolant(f, 0.0);
        const Mat3d p = law.stress(f, part);
        const Vec3d d = law.block_diagonal(f, part, Vec3d{1, -2, 0.5});
        const double size = std::fmax(max_abs(p), stiffness);
        EXPECT_NEAR(l[lane], part, tolerance);
        EXPECT_NEAR(energy[lane], law.energy(f, part), tolerance * size);
        for (int i = 0; i < 9; ++i) EXPECT_NEAR(stress.a[i][lane], p.a[i], 10 * tolerance * size);
        for (int i = 0; i < 3; ++i)
            EXPECT_NEAR(diagonal[i][lane], d[i], 100 * tolerance * std::fmax(norm(d), size));
    }
}

TYPED_TEST(EveryPointLaw, packets_agree_with_scalars) {
    expect_packet_agrees<Packet<double, 8>>(this->full, 1e-13);
    expect_packet_agrees<Packet<float, 16>>(this->full, 1e-5);
}

TEST(VolumeTerm, adds_to_the_bulk_modulus) {
    Material material{.name = "m", .law = NeoHookean::from(sample_moduli), .volume = 5e5};
    EXPECT_NEAR(small_strain(material).bulk(), sample_moduli.bulk() + 5e5, 1e-6);
    EXPECT_NEAR(small_strain(material).mu, sample_moduli.mu, 1e-6);
    visit_law(material, [](const auto& law) {
        EXPECT_EQ(law.volume, 5e5);
        const double e = 1e-6;
        const Mat3d P = law.stress((1 + e) * Mat3d::identity(), 0.0);
        EXPECT_NEAR(P(0, 0), 3 * (sample_moduli.bulk() + 5e5) * e, 1e-4 * stiffness * e);
    });
}

TEST(NearestPsd, of_three_by_three_agrees_with_eigen) {
    Random random(34);
    for (int n = 0; n < 300; ++n) {
        const Mat3d m = random.matrix(1);
        const Mat3d A = m + transpose(m);
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(to_eigen(A));
        const Mat3d wanted =
            from_eigen(eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                       eigen.eigenvectors().transpose());
        ASSERT_LT(max_abs(nearest_psd(A) - wanted), 1e-14 * 10);
    }
    EXPECT_EQ(nearest_psd(Mat3d{}), Mat3d{});
    EXPECT_EQ(nearest_psd(Mat3d::identity()), Mat3d::identity());
}

TEST(CubicSpline, goes_through_its_points_with_two_smooth_derivatives) {
    using P = CubicSpline::Point;
    const std::vector<P> points{{0.2, -3}, {0.5, 1}, {1, 0.5}, {1.8, 4}, {2, 3}};
    const CubicSpline s = CubicSpline::through(points);
    const double eps = 1e-7;
    for (const P& p : points) {
        EXPECT_NEAR(s.value(p[0]), p[1], 1e-13);
        EXPECT_NEAR(s.slope(p[0] - eps), s.slope(p[0] + eps), 1e-4);
        const double left = s.slope(p[0]) - s.slope(p[0] - eps),
                     right = s.slope(p[0] + eps) - s.slope(p[0]);
        EXPECT_NEAR(left / eps, right / eps, 1e-3);
    }
    EXPECT_NEAR(s.slope(-5), s.slope(0.2), 1e-12);  // straight beyond the ends
    EXPECT_NEAR(s.slope(9), s.slope(2), 1e-12);
    for (const double t : {-1.0, 0.3, 0.9, 1.0, 1.5, 1.9, 3.0}) {
        EXPECT_NEAR((s.value(t + 1e-5) - s.value(t - 1e-5)) / 2e-5, s.slope(t), 1e-7);
        EXPECT_NEAR((s.integral(t + 1e-5) - s.integral(t - 1e-5)) / 2e-5, s.value(t), 1e-7);
        for (const double u : {-2.0, 0.5, 1.2, 1.95, 4.0})
            EXPECT_NEAR(s.quotient(t, u), (s.value(t) - s.value(u)) / (t - u), 1e-11);
        EXPECT_NEAR(s.quotient(t, t), s.slope(t), 1e-13);
        EXPECT_NEAR(s.quotient(t, t + 1e-13), s.slope(t), 1e-10);
    }
    EXPECT_EQ(s.integral(1), 0);
    EXPECT_EQ(CubicSpline{}.value(3), 0);
    EXPECT_EQ(CubicSpline{}.quotient(3, 4), 0);
}

TEST(Spline, drawn_from_moduli_is_the_function_it_samples) {
    const SplineLaw law = SplineLaw::from(sample_moduli);
    const Mat3d F = Mat3d::diagonal(1.4, 0.8, 0.5);
    const double J = 1.4 * 0.8 * 0.5;
    EXPECT_NEAR(
        law.energy(F),
        sample_moduli.mu * (0.16 + 0.04 + 0.25) + 0.5 * sample_moduli.lambda * (J - 1) * (J - 1),
        1e-9 * stiffness);
}

}  // namespace
}  // namespace limber
