// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/hooke.h"

#include <gtest/gtest.h>

#include "fem_samples.h"
#include "limber/core/simd.h"

namespace limber {
namespace {

using testing_fem::Random;
constexpr double mu = 3e5, lambda = 7e5, scale = lambda + 2 * mu;  // [Pa]

Mat3d near_identity(Random& random) {
    return Mat3d::identity() + random.matrix(0.3);
}

TEST(Hooke, stress_is_the_gradient_of_the_energy) {
    Random random(1);
    for (int k = 0; k < 100; ++k) {
        const Mat3d S = near_identity(random), sigma = hooke_stress(mu, lambda, S);
        for (int i = 0; i < 9; ++i) {
            const double step = 1e-3;  // the energy is quadratic: central differences are exact
            Mat3d up = S, down = S;
            up.a[i] += step;
            down.a[i] -= step;
            const double slope =
                (hooke_energy(mu, lambda, up) - hooke_energy(mu, lambda, down)) / (2 * step);
            EXPECT_NEAR(sigma.a[i], slope, 1e-11 * scale / step);
        }
    }
}

TEST(Hooke, change_of_stress_is_the_difference_of_two_stresses) {
    Random random(2);
    for (int k = 0; k < 100; ++k) {
        const Mat3d S = near_identity(random), dS = random.matrix(0.2);
        const Mat3d difference = hooke_stress(mu, lambda, S + dS) - hooke_stress(mu, lambda, S);
        EXPECT_LT(max_abs(hooke_stress_change(mu, lambda, dS) - difference), 1e-14 * scale);
    }
}

TEST(Hooke, is_linear_in_its_parameters_to_the_last_bit_for_powers_of_two) {
    Random random(3);
    const Mat3d S = near_identity(random);
    EXPECT_EQ(hooke_stress(-0.5 * mu, -0.5 * lambda, S), -0.5 * hooke_stress(mu, lambda, S));
    EXPECT_EQ(hooke_energy(4 * mu, 4 * lambda, S), 4 * hooke_energy(mu, lambda, S));
}

TEST(Hooke, hessian_is_the_change_of_stress_in_a_turned_frame) {
    Random random(4);
    for (int k = 0; k < 20; ++k) {
        const Mat3d R = random.rotation(), dF = random.matrix(1);
        const Mat3d dP = R * hooke_stress_change(mu, lambda, transpose(R) * dF);
        const Mat9d H = hooke_hessian(mu, lambda, R);
        for (int i = 0; i < 9; ++i) {
            double sum = 0;
            for (int j = 0; j < 9; ++j) sum += H(i, j) * dF.a[j];
            EXPECT_NEAR(sum, dP.a[i], 1e-13 * 9 * scale);
        }
    }
}

TEST(Hooke, block_is_the_hessian_between_two_nodes) {
    Random random(5);
    for (int k = 0; k < 20; ++k) {
        const Mat3d R = random.rotation();
        const Vec3d a = random.direction(), b = random.direction();
        const Mat3d K = hooke_block(mu, lambda, R * a, R * b);
        const Mat9d H = hooke_hessian(mu, lambda, R);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double sum = 0;
                for (int p = 0; p < 3; ++p)
                    for (int q = 0; q < 3; ++q) sum += a[p] * H(i + 3 * p, j + 3 * q) * b[q];
                EXPECT_NEAR(K(i, j), sum, 1e-13 * 9 * scale);
            }
    }
}

}  // namespace
}  // namespace limber
