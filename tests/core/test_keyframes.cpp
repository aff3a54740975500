// SPDX-License-Identifier: Apache-2.0
#include "limber/core/keyframes.h"

#include <gtest/gtest.h>

namespace limber {
namespace {

const double pi = std::acos(-1.0);

TEST(Track, is_linear_between_keys_and_constant_outside) {
    const Track<double> track{{1, 2, 4}, {10, 20, 0}};
    EXPECT_EQ(track.value(-5), 10);
    EXPECT_EQ(track.value(1), 10);
    EXPECT_DOUBLE_EQ(track.value(1.25), 12.5);
    EXPECT_EQ(track.value(2), 20);
    EXPECT_DOUBLE_EQ(track.value(3), 10);
    EXPECT_EQ(track.value(4), 0);
    EXPECT_EQ(track.value(100), 0);
}

TEST(Track, without_keys_is_zero_and_with_one_key_constant) {
    const Track<Vec3d> none;
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.value(1), Vec3d{});
    const Vec3d value{1, 2, 3};
    const Track<Vec3d> one{{5}, {value}};
    for (double t : {0.0, 5.0, 9.0}) EXPECT_EQ(one.value(t), value);
}

TEST(Track, moves_all_components_of_a_vector) {
    const Track<Vec3d> track{{0, 2}, {{0, 0, 0}, {2, -4, 8}}};
    const Vec3d middle{1, -2, 4};
    EXPECT_EQ(track.value(1), middle);
}

TEST(Motion, without_tracks_leaves_every_point) {
    Motion motion;
    motion.center = {1, 2, 3};
    const Vec3d p{0.1, 0.2, 0.3};
    EXPECT_TRUE(motion.still());
    EXPECT_EQ(motion.apply(p, 7), p);
    EXPECT_EQ(motion.rotation(7), Mat3d::identity());
}

TEST(Motion, translates_along_its_track) {
    Motion motion;
    motion.translate = {{0, 1}, {{0, 0, 0}, {0, 2, 0}}};
    EXPECT_FALSE(motion.still());
    EXPECT_LT(norm(motion.apply({1, 1, 1}, 0.5) - Vec3d{1, 2, 1}), 1e-15);
}

TEST(Motion, turns_about_the_axis_through_its_center) {
    Motion motion;
    motion.angle = {{0, 2}, {0, pi}};
    motion.axis = {0, 0, 1};
    motion.center = {1, 0, 5};
    EXPECT_LT(norm(motion.apply({2, 0, 0}, 1) - Vec3d{1, 1, 0}), 1e-15);      // a quarter turn
    EXPECT_LT(norm(motion.apply({2, 0, 0}, 2) - Vec3d{0, 0, 0}), 1e-15);      // a half turn
    EXPECT_LT(norm(motion.apply({1, 0, -3}, 1.3) - Vec3d{1, 0, -3}), 1e-15);  // on the axis
}

TEST(Motion, turns_first_and_then_moves) {
    Motion motion;
    motion.angle = {{0, 1}, {0, pi / 2}};
    motion.axis = {0, 0, 1};
    motion.translate = {{0, 1}, {{0, 0, 0}, {10, 0, 0}}};
    EXPECT_LT(norm(motion.apply({1, 0, 0}, 1) - Vec3d{10, 1, 0}), 1e-14);
}

TEST(Motion, keeps_distances) {
    Motion motion;
    motion.angle = {{0, 1}, {0.3, 4}};
    motion.axis = {0.6, 0, 0.8};
    motion.center = {0.5, 0.5, 0.5};
    motion.translate = {{0, 1}, {{0, 1, 0}, {3, 0, 0}}};
    const Vec3d a{1, 2, 3}, b{-1, 0.5, 2};
    for (double t : {0.0, 0.4, 1.0})
        EXPECT_NEAR(norm(motion.apply(a, t) - motion.apply(b, t)), norm(a - b), 1e-14);
}

}  // namespace
}  // namespace limber
