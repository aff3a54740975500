// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/materials.h"

#include <gtest/gtest.h>

#include "fem/law_samples.h"
#include "limber/fem/point_law.h"

namespace limber {
namespace {

using namespace testing_fem;

template <class Law>
class EveryMaterial : public ::testing::Test {};
TYPED_TEST_SUITE(EveryMaterial, EveryLaw);

/// Laws without a decomposition take dual numbers.
template <class Law>
constexpr bool closed_form =
    InvariantLaw<Law> || ReinforcedLaw<Law> || std::is_same_v<Law, LinearElastic>;

TYPED_TEST(EveryMaterial, stress_vanishes_at_rest) {
    const auto law = sample_law<TypeParam>();
    EXPECT_LT(max_abs(law.stress(Mat3d::identity())), 1e-14 * stiffness);
    EXPECT_LT(std::fabs(law.energy(Mat3d::identity())), 1e-14 * stiffness);
}

TYPED_TEST(EveryMaterial, stress_is_the_gradient_of_energy) {
    const auto law = sample_law<TypeParam>();
    for (const Mat3d& F : sample_deformations<TypeParam>()) {
        const auto gradient = differences(F, [&](const Mat3d& G) { return law.energy(G); });
        const Mat3d P = law.stress(F);
        const double size = std::fmax(max_abs(P), stiffness);
        for (int i = 0; i < 9; ++i) ASSERT_NEAR(P.a[i], gradient[i], 1e-7 * size);
    }
}

TYPED_TEST(EveryMaterial, hessian_is_the_gradient_of_stress) {
    const auto law = sample_law<TypeParam>();
    for (const Mat3d& F : sample_deformations<TypeParam>()) {
        const auto gradient = differences(F, [&](const Mat3d& G) { return law.stress(G); });
        const Mat9d H = law.hessian(F);
        const double size = std::fmax(max_abs(H), stiffness);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i) ASSERT_NEAR(H(i, j), gradient[j].a[i], 1e-7 * size);
    }
}

TYPED_TEST(EveryMaterial, derivatives_of_closed_forms_agree_with_dual_numbers) {
    if constexpr (closed_form<TypeParam>) {
        const auto law = sample_law<TypeParam>();
        Random random(23);
        for (int n = 0; n < 1000; ++n) {
            const Mat3d F = with_singular_values(
                random,
                {random.uniform(0.05, 3), random.uniform(0.05, 3), random.uniform(0.05, 3)});
            const Mat3d P = law.stress(F);
            const Mat9d H = law.hessian(F);
            // Rounding: moduli times the largest power of the stretches in each.
            const double p = std::fmax(max_abs(P), std::fabs(law.energy(F)) / 0.05);
            const double h = std::fmax(max_abs(H), p / 0.05);
            for (int j = 0; j < 9; ++j) {
                ASSERT_NEAR(law.energy(with_tangent(F, j)).d, P.a[j], 1e-12 * p);
                const Mat3<Dual> column = law.stress(with_tangent(F, j));
                for (int i = 0; i < 9; ++i) ASSERT_NEAR(column.a[i].d, H(i, j), 1e-12 * h);
            }
        }
    }
}

TYPED_TEST(EveryMaterial, hessian_is_symmetric) {
    const auto law = sample_law<TypeParam>();
    for (const Mat3d& F : sample_deformations<TypeParam>()) {
        const Mat9d H = law.hessian(F);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < j; ++i) ASSERT_NEAR(H(i, j), H(j, i), 1e-14 * max_abs(H));
    }
}

TYPED_TEST(EveryMaterial, small_strain_is_hookes_law) {
    // Pull along x by e, let the sides go in by ν e: uniaxial stress.
    const auto law = across(sample_law<TypeParam>());
    const Lame lame = law.small_strain();
    const double young = lame.young(), poisson = lame.poisson(), e = 1e-6;
    const Mat3d P = law.stress(Mat3d::diagonal(1 + e, 1 - poisson * e, 1 - poisson * e));
    // Second order in e for the nonlinear laws, with coefficients up to ten or so.
    EXPECT_NEAR(P(0, 0), young * e, 3e-5 * young * e);
    EXPECT_NEAR(P(1, 1), 0, 3e-5 * young * e);
    const Lame back = Lame::from_young(young, poisson);
    EXPECT_NEAR(back.mu, lame.mu, 1e-9 * lame.mu);
    EXPECT_NEAR(back.lambda, lame.lambda, 1e-9 * stiffness);
    EXPECT_NEAR(Lame::from_bulk(lame.mu, lame.bulk()).lambda, lame.lambda, 1e-9 * stiffness);
}

TYPED_TEST(EveryMaterial, moduli_go_in_and_come_out) {
    const Lame lame = TypeParam::from(sample_moduli).small_strain();
    EXPECT_NEAR(lame.mu, sample_moduli.mu, 1e-9 * stiffness);
    const double lambda = TypeParam::name == "projective" ? 0 : sample_moduli.lambda;
    EXPECT_NEAR(lame.lambda, lambda, 1e-9 * stiffness);
}

TYPED_TEST(EveryMaterial, rest_has_three_zero_modes_and_six_stiff_ones) {
    // The three turns in the space of F; with three translations they are the six of an element.
    // It is so for every law, projective and linear too: both see only the symmetric part of a
    // small displacement gradient. Five shears of 2 μ and a dilation of 2 μ + 3 λ are left.
    // Fibres that are neither pulled nor pushed add nothing.
    const auto law = across(sample_law<TypeParam>());
    const Lame lame = law.small_strain();
    const auto values = eigenvalues(law.hessian(Mat3d::identity()));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[i], 0, 1e-12 * stiffness);
    for (int i = 3; i < 8; ++i) EXPECT_NEAR(values[i], 2 * lame.mu, 1e-12 * stiffness);
    EXPECT_NEAR(values[8], 3 * lame.bulk(), 1e-12 * stiffness);
}

TYPED_TEST(EveryMaterial, turns_with_the_body_and_has_no_direction_but_its_fibres) {
    if (TypeParam::name == "linear") return;  // swells when it turns: its own test below
    const auto law = sample_law<TypeParam>();
    Random random(21);
    for (const Mat3d& F : sample_deformations<TypeParam>()) {
        const Mat3d Q = random.rotation(), P = law.stress(F);
        const double size = std::fmax(max_abs(P), stiffness);
        ASSERT_NEAR(law.energy(Q * F), law.energy(F), 1e-12 * size);
        ASSERT_LT(max_abs(law.stress(Q * F) - Q * P), 1e-11 * size);
        ASSERT_LT(max_abs(turned(law, Q).stress(F * Q) - P * Q), 1e-11 * size);
    }
}

TYPED_TEST(EveryMaterial, energy_is_not_negative) {
    // Promised by every law made from moduli with λ >= 0; a drawn one promises nothing.
    const TypeParam law = TypeParam::from(sample_moduli);
    Random random(24);
    for (int n = 0; n < 2000; ++n) {
        const Mat3d F = random.matrix(std::pow(10, random.uniform(-6, 3)));
        ASSERT_GE(law.energy(F), -1e-12 * stiffness);  // also true of infinity, not of NaN
    }
}

TYPED_TEST(EveryMaterial, a_packet_gives_the_scalar_results) {
    using P8 = Packet<double, 8>;
    using P16 = Packet<float, 16>;
    const auto law = sample_law<TypeParam>();
    const std::vector<Mat3d> samples = sample_deformations<TypeParam>(16);
    const auto F = packed<P8>(samples);
    const auto G = packed<P16>(samples);
    const P8 energy = law.energy(F);
    const Mat3<P8> stress = law.stress(F);
    const P16 single_energy = law.energy(G);
    const Mat3<P16> single_stress = law.stress(G);
    for (int lane = 0; lane < 16; ++lane) {
        const double W = law.energy(samples[lane]);
        const Mat3d P = law.stress(samples[lane]);
        const double size = std::fmax(max_abs(P), stiffness);
        // Single: rounding 6e-8 of sums that cancel by a factor of about ten.
        EXPECT_NEAR(single_energy[lane], W, 5e-6 * size);
        for (int i = 0; i < 9; ++i) EXPECT_NEAR(single_stress.a[i][lane], P.a[i], 2e-5 * size);
        if (lane >= 8) continue;
        EXPECT_NEAR(energy[lane], W, 1e-13 * size);
        for (int i = 0; i < 9; ++i) EXPECT_NEAR(stress.a[i][lane], P.a[i], 1e-12 * size);
    }
}

TYPED_TEST(EveryMaterial, an_element_without_volume_costs_infinity_or_a_finite_number) {
    const auto law = sample_law<TypeParam>();
    for (const Mat3d& F : {Mat3d::diagonal(1, 1, 0), Mat3d::diagonal(1, 1, -1e-9), Mat3d{},
                           Mat3d::diagonal(-1, -1, -1), Mat3d::diagonal(2, 1, -3)}) {
        EXPECT_EQ(std::isinf(law.energy(F)), !takes_inversion<TypeParam>());
        EXPECT_GE(law.energy(F), 0);
        EXPECT_TRUE(is_finite(law.stress(F)));
    }
}

TEST(Corotated, frozen_hessian_is_the_gradient_of_stress_with_the_rotation_held) {
    CorotatedElastic law = CorotatedElastic::from(sample_moduli);
    law.frozen = true;
    for (const Mat3d& F : sample_deformations<CorotatedElastic>()) {
        const Mat3d R = law.rotation(F);
        const auto gradient = differences(F, [&](const Mat3d& G) { return law.stress(G, R); });
        const Mat9d H = law.hessian_frozen(R);
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i) {
                ASSERT_NEAR(H(i, j), gradient[j].a[i], 1e-9 * stiffness);  // linear: no truncation
                ASSERT_NEAR(H(i, j), H(j, i), 1e-12 * stiffness);
            }
        ASSERT_LT(max_difference(H, law.hessian(F)), 1e-11 * stiffness);
    }
}

TEST(Corotated, frozen_hessian_is_positive_semidefinite_with_three_spins_free) {
    const CorotatedElastic law = CorotatedElastic::from(sample_moduli);
    Random random(22);
    const auto values = eigenvalues(law.hessian_frozen(random.rotation()));
    EXPECT_NEAR(values[2], 0, 1e-12 * stiffness);
    EXPECT_NEAR(values[3], 2 * law.mu, 1e-12 * stiffness);
    EXPECT_NEAR(values[8], 2 * law.mu + 3 * law.lambda, 1e-12 * stiffness);
}

TEST(Linear, has_no_stress_under_an_infinitesimal_turn_only) {
    const LinearElastic law = LinearElastic::from(sample_moduli);
    const auto stress_at = [&](double angle) {
        return max_abs(law.stress(rotation_about({0, 0, 1}, angle)));
    };
    EXPECT_LT(stress_at(1e-5), 1e-9 * stiffness);
    EXPECT_GT(stress_at(0.5), 0.1 * stiffness);
}

TEST(NeoHookean, family_has_the_forms_of_the_paper) {
    // Wang & Yang 2016, Eqs. (12)-(15), volume term corrected, written out for diagonal F.
    const double a = 1.3, b = 0.8, c = 0.9, J = a * b * c;
    const Mat3d F = Mat3d::diagonal(a, b, c);
    const double I = a * a + b * b + c * c, II = std::pow(a, 4) + std::pow(b, 4) + std::pow(c, 4);
    const double shape = std::pow(J, -2.0 / 3) * I - 3, bulk = (J - 1) * (J - 1);
    const auto near = [](double x, double y) { EXPECT_NEAR(x, y, 1e-12 * std::fabs(y)); };
    near(StVenantKirchhoff{2, 3}.energy(F),
         2.0 / 2 * (I - 3) * (I - 3) + 3.0 / 4 * (II - 2 * I + 3));
    near(NeoHookean{2, 3}.energy(F), 2 * shape + 3 * bulk);
    near(MooneyRivlin{2, 3, 5}.energy(F),
         2 * shape + 3 * bulk + 5 * (0.5 * std::pow(J, -4.0 / 3) * (I * I - II) - 3));
    near(Fung{2, 3, 5, 0.7}.energy(F), 2 * shape + 3 * bulk + 5 * (std::exp(0.7 * shape) - 1));
    near(NeoHookeanLog{2, 3}.energy(F),
         (I - 3) - 2 * std::log(J) + 1.5 * std::log(J) * std::log(J));
}

TEST(Fibre, pulls_along_its_direction_and_never_pushes) {
    const FibreReinforced law = sample_law<FibreReinforced>();
    const NeoHookean matrix = law.isotropic();
    const Mat3d along = outer(law.a, law.a), I = Mat3d::identity();
    for (const double e : {1e-4, 0.3, 2.0}) {
        // ψ = k/8 (s² − 1)² at a stretch s of the fibre, whatever happens across it.
        const double s = 1 + e, pull = s * s - 1;
        const Mat3d F = I + e * along, P = law.stress(F) - matrix.stress(F);
        EXPECT_NEAR(law.energy(F) - matrix.energy(F), law.k / 8 * pull * pull, 1e-9 * law.k);
        EXPECT_LT(max_abs(P - (law.k / 2 * pull * s) * along), 1e-12 * law.k * (1 + pull * s));
    }
    for (const double e : {-1e-4, -0.3, -0.9}) {
        const Mat3d F = I + e * along;
        EXPECT_EQ(law.energy(F), matrix.energy(F));
        EXPECT_EQ(law.stress(F), matrix.stress(F));
        EXPECT_EQ(max_difference(law.hessian(F), matrix.hessian(F)), 0);
    }
}

TEST(Fibre, adds_youngs_modulus_along_itself_at_small_strains) {
    // Uniaxial stress along the fibre: the sides go in as Poisson's ratio says, and P = (E + k) e.
    FibreReinforced law = sample_law<FibreReinforced>();
    law.a = {1, 0, 0};
    const double e = 1e-6, young = law.small_strain().young(), nu = law.small_strain().poisson();
    const Mat3d F = Mat3d::diagonal(1 + e, 1 - nu * e, 1 - nu * e), P = law.stress(F);
    EXPECT_NEAR(P(0, 0), (young + law.k) * e, 3e-5 * (young + law.k) * e);
    EXPECT_NEAR(P(1, 1), 0, 3e-5 * young * e);
}

TEST(Fibre, has_a_continuous_stress_where_it_begins_to_pull) {
    const FibreReinforced law = sample_law<FibreReinforced>();
    const Mat3d along = outer(law.a, law.a), I = Mat3d::identity();
    const double e = 1e-9;
    const Mat3d jump = law.stress(I + e * along) - law.stress(I - e * along);
    EXPECT_LT(max_abs(jump), 10 * e * (stiffness + law.k));
    const Mat9d pulled = law.hessian(I + e * along), pushed = law.hessian(I - e * along);
    EXPECT_GT(max_difference(pulled, pushed), 0.1 * law.k);
}

TEST(Fibre, is_never_indefinite) {
    const FibresOf<double> fibres = sample_law<FibreReinforced>().convex();
    Random random(25);
    for (int n = 0; n < 300; ++n) {
        const Mat9d H = fibres.hessian(random.matrix(2));
        ASSERT_GE(eigenvalues(H)[0], -1e-13 * max_abs(H));
    }
}

TEST(Fung, an_exponent_beyond_the_number_type_costs_infinity) {
    const Fung law = Fung::from(sample_moduli, 10);
    const Mat3d F = Mat3d::diagonal(30, 0.2, 0.2);
    EXPECT_TRUE(std::isinf(law.energy(F)));
    EXPECT_TRUE(is_finite(law.stress(F)));
}

}  // namespace
}  // namespace limber
