// SPDX-License-Identifier: Apache-2.0
#include "limber/core/math.h"

#include <gtest/gtest.h>

#include "limber/core/simd.h"

namespace limber {
namespace {

Mat3d sample_matrix() {
    Mat3d m;
    for (int i = 0; i < 9; ++i) m.a[i] = 0.3 * i * i - 1.1 * i + 0.7;
    return m;
}

TEST(Mat3, inverse_times_matrix_is_identity) {
    const Mat3d m = sample_matrix();
    EXPECT_LT(max_abs(m * inverse(m) - Mat3d::identity()), 1e-12);
}

TEST(Mat3, cofactor_is_the_derivative_of_the_determinant) {
    const Mat3d m = sample_matrix(), c = cofactor(m);
    const double eps = 1e-6;
    for (int i = 0; i < 9; ++i) {
        Mat3d plus = m, minus = m;
        plus.a[i] += eps;
        minus.a[i] -= eps;
        EXPECT_NEAR((determinant(plus) - determinant(minus)) / (2 * eps), c.a[i], 1e-8);
    }
}

TEST(Rotation, turns_x_to_y_about_z) {
    const Vec3d y = rotation_about({0, 0, 1}, std::acos(-1.0) / 2) * Vec3d{1, 0, 0};
    EXPECT_NEAR(y.x, 0, 1e-15);
    EXPECT_NEAR(y.y, 1, 1e-15);
}

TEST(Packet, lanes_give_the_scalar_result) {
    using P = Packet<double, 8>;
    Mat3<P> m;
    for (int lane = 0; lane < 8; ++lane)
        for (int i = 0; i < 9; ++i) m.a[i].set(lane, sample_matrix().a[i] * (1 + 0.1 * lane));
    const P det = determinant(m);
    for (int lane = 0; lane < 8; ++lane)
        EXPECT_NEAR(det[lane], determinant(sample_matrix() * (1 + 0.1 * lane)), 1e-12);
}

TEST(Packet, select_takes_the_first_where_the_mask_is_set) {
    using P = Packet<double, 4>;
    const double values[4] = {-1, 2, -3, 4};
    const P p = P::load(values), a = abs(p);
    for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(a[lane], std::fabs(values[lane]));
}

}  // namespace
}  // namespace limber
