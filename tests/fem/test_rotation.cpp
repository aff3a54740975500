// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/rotation/rounding.h"

#include <gtest/gtest.h>

#include "fem/fem_samples.h"

namespace limber {
namespace {

using namespace testing_fem;

struct Jacobi {
    static constexpr double tolerance = 1e-5;  // its sweeps are too few where the gap is small
    template <class T>
    static Mat3<T> find(const Mat3<T>& F, const Mat3<T>& R, int n) {
        Mat3<T> out = R, S = transpose(R) * F;
        find_polar_jacobi(F, n, out, S);
        return out;
    }
};
struct QuaternionKernel {
    static constexpr double tolerance = 1e-9;
    template <class T>
    static Mat3<T> find(const Mat3<T>& F, const Mat3<T>& R, int n) {
        Mat3<T> out = R, S = transpose(R) * F;
        find_polar_quaternion(F, n, out, S);
        return out;
    }
};
struct Svd {
    static constexpr double tolerance = 1e-9;
    template <class T>
    static Mat3<T> find(const Mat3<T>& F, const Mat3<T>& R, int n) {
        return rotation_svd(F, R, n);
    }
};
struct Exact {
    static constexpr double tolerance = 1e-9;
    template <class T>
    static Mat3<T> find(const Mat3<T>& F, const Mat3<T>& R, int) {
        return rotation_exact(F, R);
    }
};

template <class Kernel>
class EveryRotationKernel : public ::testing::Test {};
using Kernels = ::testing::Types<Jacobi, QuaternionKernel, Svd, Exact>;
TYPED_TEST_SUITE(EveryRotationKernel, Kernels);

constexpr int plenty = 400;  // sweeps: linear convergence of Jacobi at anisotropic F

TYPED_TEST(EveryRotationKernel, agrees_with_eigen_on_stretched_and_inverted_shapes) {
    Random random(1);
    for (int k = 0; k < 2000; ++k) {
        const double sign = k % 2 ? 1 : -1;
        const Vec3d s{random.uniform(0.5, 3), random.uniform(0.3, 2),
                      sign * random.uniform(0.01, 0.8)};
        const Mat3d F = with_singular_values(random, s);
        const ReferenceRotation ref = reference_rotation(F);
        const Mat3d R = TypeParam::find(F, random.rotation(), plenty);
        ASSERT_LT(rotation_error(R), 1e-13) << k;
        if (ref.relative_gap < 1e-2) continue;  // R is hardly determined there
        // The angle left is the asymmetry over the gap.
        ASSERT_LT(max_abs(R - ref.R), TypeParam::tolerance / ref.relative_gap) << k;
    }
}

TYPED_TEST(EveryRotationKernel, agrees_with_eigen_on_flat_shapes) {
    Random random(2);
    for (int k = 0; k < 1000; ++k) {
        const Mat3d F =
            with_singular_values(random, {random.uniform(0.5, 3), random.uniform(0.5, 3), 0});
        const Mat3d R = TypeParam::find(F, random.rotation(), plenty);
        ASSERT_LT(rotation_error(R), 1e-13) << k;
        const ReferenceRotation ref = reference_rotation(F);
        ASSERT_LT(max_abs(R - ref.R), TypeParam::tolerance / ref.relative_gap) << k;
    }
}

TYPED_TEST(EveryRotationKernel, does_not_depend_on_scale) {
    Random random(3);
    for (const double scale : {1e-150, 1e-30, 1e30, 1e150})
        for (int k = 0; k < 50; ++k) {
            const Mat3d F = with_singular_values(random, {1.3, 0.9, 0.7}),
                        start = random.rotation();
            const Mat3d R = TypeParam::find(F * scale, start, plenty);
            ASSERT_LT(rotation_error(R), 1e-13);
            ASSERT_LT(max_abs(R - reference_rotation(F).R), TypeParam::tolerance);
        }
}

TYPED_TEST(EveryRotationKernel, keeps_the_previous_rotation_where_there_is_none) {
    Random random(4);
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {0.0, nan, inf, -inf, 1e308, 1e-310}) {
        Mat3d F;
        for (double& entry : F.a) entry = bad;
        const Mat3d start = random.rotation();
        EXPECT_LT(max_abs(TypeParam::find(F, start, plenty) - start), 1e-14) << bad;
    }
    Mat3d one_bad = Mat3d::identity();
    one_bad(1, 2) = nan;
    const Mat3d start = random.rotation();
    EXPECT_LT(max_abs(TypeParam::find(one_bad, start, plenty) - start), 1e-14);
}

TYPED_TEST(EveryRotationKernel, is_a_rotation_for_degenerate_shapes) {
    Random random(5);
    const Vec3d families[] = {{1, 0, 0},      {1, 1e-9, 0},       {1, 1e-9, -1e-9},   {1, 1, -1},
                              {1, 0.5, -0.5}, {1e-8, 1e-8, 1e-8}, {1, 1e-17, 1e-17},  {1, 1, 1e-12},
                              {1, 1, 1},      {1, 1, -1e-12},     {1, 1e-160, 1e-170}};
    for (const Vec3d& s : families)
        for (int k = 0; k < 100; ++k) {
            const Mat3d F = with_singular_values(random, s);
            const Mat3d R = TypeParam::find(F, random.rotation(), plenty);
            ASSERT_TRUE(is_finite(R));
            ASSERT_LT(rotation_error(R), 1e-12) << s.x << ' ' << s.y << ' ' << s.z;
        }
    Mat3d rank_one;  // exact zeros
    rank_one(2, 1) = -3;
    EXPECT_LT(rotation_error(TypeParam::find(rank_one, Mat3d::identity(), plenty)), 1e-13);
}

TYPED_TEST(EveryRotationKernel, gives_every_lane_of_a_packet_the_scalar_result) {
    using P = Packet<double, 8>;
    Random random(6);
    for (int k = 0; k < 100; ++k) {
        Mat3<P> F, start;
        Mat3d lane_F[8], lane_start[8];
        for (int lane = 0; lane < 8; ++lane) {
            lane_F[lane] = lane == 3 ? Mat3d{} : random.matrix(1);  // one lane without a direction
            if (lane == 5) lane_F[lane].a[4] = std::numeric_limits<double>::quiet_NaN();
            lane_start[lane] = random.rotation();
            for (int i = 0; i < 9; ++i) {
                F.a[i].set(lane, lane_F[lane].a[i]);
                start.a[i].set(lane, lane_start[lane].a[i]);
            }
        }
        const Mat3<P> R = TypeParam::find(F, start, plenty);
        for (int lane = 0; lane < 8; ++lane) {
            Mat3d got;
            for (int i = 0; i < 9; ++i) got.a[i] = R.a[i][lane];
            ASSERT_LT(rotation_error(got), 1e-13);
            const bool lost = lane == 3 || lane == 5;
            if (!lost && reference_rotation(lane_F[lane]).relative_gap < 0.05) continue;
            // A lane may go on for longer than it would alone: equal up to the stopping rule.
            ASSERT_LT(max_abs(got - TypeParam::find(lane_F[lane], lane_start[lane], plenty)), 1e-4);
        }
    }
}

template <class Kernel>
class EveryWarmKernel : public ::testing::Test {};
using WarmKernels = ::testing::Types<Jacobi, QuaternionKernel>;
TYPED_TEST_SUITE(EveryWarmKernel, WarmKernels);

TYPED_TEST(EveryWarmKernel, follows_a_turning_shape_with_two_iterations_a_step) {
    // 0.05 rad a step is five turns a second at h = 1/600; strain up to 30 %.
    Random random(7);
    const Vec3d axis = random.direction();
    Mat3d R = Mat3d::identity();
    double worst = 0;
    for (int step = 0; step < 1000; ++step) {
        const double a = 0.05 * step;
        const Mat3d stretch =
            Mat3d::diagonal(1 + 0.3 * std::sin(a), 1 - 0.2 * std::sin(2 * a), 0.9);
        const Mat3d tilt = rotation_about({0.6, 0.8, 0}, 0.4);
        const Mat3d F = rotation_about(axis, a) * (tilt * stretch * transpose(tilt));
        R = TypeParam::find(F, R, 2);
        worst = std::fmax(worst, max_abs(R - rotation_about(axis, a)));
        ASSERT_LT(rotation_error(R), 1e-13);
    }
    EXPECT_LT(worst, 1e-3);  // 2 % of the turn of a step
}

TYPED_TEST(EveryWarmKernel, never_lowers_the_trace) {
    Random random(8);
    for (int k = 0; k < 1000; ++k) {
        const Mat3d F = random.matrix(1);
        Mat3d R = random.rotation();
        double before = contract(R, F);
        for (int i = 0; i < 6; ++i) {
            R = TypeParam::find(F, R, 1);
            const double after = contract(R, F);
            ASSERT_GT(after, before - 1e-13);
            before = after;
        }
    }
}

TYPED_TEST(EveryWarmKernel, does_nothing_with_no_iterations) {
    Random random(9);
    const Mat3d start = random.rotation();
    EXPECT_LT(max_abs(TypeParam::find(random.matrix(1), start, 0) - start), 1e-15);
}

/// Random ones, nearly and just inverted, flat, and half a turn away from the start, exactly too.
std::vector<std::pair<Mat3d, Mat3d>> hard_deformations(Random& random) {
    std::vector<std::pair<Mat3d, Mat3d>> out;  // F and R of the step before
    for (int k = 0; k < 500; ++k) {
        const double sign = k % 2 ? 1 : -1;
        const Vec3d s{random.uniform(0.8, 2), random.uniform(0.5, 1.2), random.uniform(0.4, 0.8)};
        out.emplace_back(with_singular_values(random, s), random.rotation());
        const double small = sign * std::pow(10, -random.uniform(1, 12));
        out.emplace_back(with_singular_values(random, {s.x, s.y, small}), random.rotation());
        out.emplace_back(with_singular_values(random, {s.x, s.y, -0.3 * s.y}), random.rotation());
        const Mat3d R = random.rotation();
        const Mat3d half = rotation_about(random.direction(), std::acos(-1.0));
        out.emplace_back(half * R, R);
        const Mat3d stretch = Mat3d::diagonal(s.x, s.y, s.z);
        for (const Vec3d& turn : {Vec3d{1, -1, -1}, Vec3d{-1, 1, -1}, Vec3d{-1, -1, 1}})
            out.emplace_back(Mat3d::diagonal(turn.x, turn.y, turn.z) * stretch, Mat3d::identity());
    }
    return out;
}

TYPED_TEST(EveryWarmKernel, comes_to_rounding_where_it_may_iterate) {
    Random random(12);
    double worst = 0;
    for (const auto& [F, start] : hard_deformations(random)) {
        const ReferenceRotation ref = reference_rotation(F);
        const double error = max_abs(TypeParam::find(F, start, 1000) - ref.R);
        // Rounding of F alone moves R by that over the gap.
        worst = std::fmax(worst, error * std::fmin(1, ref.relative_gap));
        ASSERT_LT(error, 1e-14 * std::fmax(1, 1 / ref.relative_gap)) << F.a[0];
    }
    EXPECT_GT(worst, 0);  // compared with something
}

TYPED_TEST(EveryWarmKernel, leaves_no_shape_half_turned_with_the_usual_cap) {
    Random random(13);
    for (const auto& [F, start] : hard_deformations(random)) {
        const Mat3d R = TypeParam::find(F, start, usual_iterations);
        ASSERT_LT(rotation_error(R), 1e-13);
        EXPECT_GE(contract(R, F), 0);
        EXPECT_GE(contract(R, F), contract(start, F) - 1e-13);
    }
}

TEST(RotationQuaternion, needs_few_iterations_more_to_reach_rounding) {
    Random random(14);
    int worst = 0;
    for (int k = 0; k < 300; ++k) {
        const Mat3d Q = random.rotation();
        const Mat3d F = Q * with_singular_values(random, {1.3, 1.0, 0.8});
        const Mat3d reference = reference_rotation(F).R;
        int n = usual_iterations + 1;
        while (n < 50 && max_abs(QuaternionKernel::find(F, Q, n) - reference) > 1e-14) ++n;
        worst = std::max(worst, n);
    }
    EXPECT_LE(worst, 10);  // quadratic: 1e-2, 1e-4, 1e-8, 1e-16 after the line searches
}

TEST(RotationQuaternion, finds_a_pure_rotation_in_three_iterations) {
    Random random(10);
    for (int k = 0; k < 200; ++k) {
        const Mat3d Q = random.rotation();
        // Far away one line search is exact; below half a radian the error is cubed each time.
        EXPECT_LT(max_abs(rotation_quaternion(Q, Mat3d::identity(), 3) - Q), 1e-6);
    }
}

TEST(RotationSvd, is_exact_for_needles) {
    // σ₁/σ₂ = 1e6: an eigenvalue method on FᵀF would lose half of the digits here.
    Random random(11);
    for (int k = 0; k < 200; ++k) {
        const Mat3d U = random.rotation(), V = random.rotation();
        const Mat3d F = U * Mat3d::diagonal(1, 1e-6, 0.7e-6) * transpose(V);
        EXPECT_LT(max_abs(rotation_svd(F, Mat3d::identity()) - U * transpose(V)), 1e-9);
    }
}

}  // namespace
}  // namespace limber
