// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/direct.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/errors.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

// Condition numbers here stay below 1e4.
constexpr double direct_rounding = 1e-11;

TEST(EigenLdlt, solves_the_free_part) {
    for (const BlockCsr& A : {random_spd(40, 4, 1), laplacian(5, 5, 5, 1, 50)}) {
        const Vectors b = random_vectors(A.n_nodes(), 2);
        for (const Vectors& free : {Vectors{}, some_prescribed(A.n_nodes())}) {
            EigenLdlt ldlt;
            EXPECT_EQ(ldlt.factorize(A, free).status, SolveStatus::direct);
            const Vectors start = random_vectors(A.n_nodes(), 3);
            Vectors x = start;
            const SolveStats stats = ldlt.solve(A, b, free, norm_all(b), x);
            EXPECT_EQ(stats.status, SolveStatus::direct);
            EXPECT_LT(stats.residual, direct_rounding);
            EXPECT_GT(stats.absolute_residual, 0);
            const Vectors expected = reduced_solution(A, b, free, start);
            EXPECT_LT(distance(x, expected), direct_rounding * norm_all(expected));
        }
    }
}

TEST(EigenLdlt, result_does_not_depend_on_the_free_entries_of_x) {
    const BlockCsr A = laplacian(4, 4, 4, 1, 10);
    const Vectors b = random_vectors(64, 4), free = some_prescribed(64);
    EigenLdlt ldlt;
    ldlt.factorize(A, free);
    Vectors x(64), y = random_vectors(64, 5);
    for (Index i = 0; i < 64; ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (free[i][axis] == 0) y[i][axis] = 0;
    ldlt.solve(A, b, free, 1, x);
    ldlt.solve(A, b, free, 1, y);
    EXPECT_EQ(x, y);
}

TEST(EigenLdlt, follows_new_values_masks_and_patterns) {
    EigenLdlt ldlt;
    const auto check = [&](const BlockCsr& A, const Vectors& free) {
        const Vectors b = random_vectors(A.n_nodes(), 6);
        Vectors x(A.n_nodes());
        ASSERT_EQ(ldlt.factorize(A, free).status, SolveStatus::direct);
        ldlt.solve(A, b, free, 1, x);
        const Vectors expected = reduced_solution(A, b, free, Vectors(A.n_nodes()));
        EXPECT_LT(distance(x, expected), direct_rounding * norm_all(expected));
    };
    check(laplacian(4, 4, 4, 1, 10), {});
    check(laplacian(4, 4, 4, 2, 30), {});
    check(laplacian(4, 4, 4, 2, 30), some_prescribed(64));
    check(random_spd(64, 3, 7), some_prescribed(64));
    check(random_spd(20, 3, 8), {});
}

TEST(EigenLdlt, names_the_node_of_a_pivot_that_is_not_positive) {
    for (double bad : {-2.0, 0.0}) {
        BlockCsr A = matrix_with({{0}, {1}, {2}, {3}, {4}});
        for (Mat3d& B : A.blocks()) B = Mat3d::identity();
        A.blocks()[3](1, 1) = bad;
        EigenLdlt ldlt;
        Index node = -1;
        const SolveStats stats = ldlt.factorize(A, {}, &node);
        EXPECT_EQ(stats.status, SolveStatus::indefinite);
        EXPECT_TRUE(stats.failed());
        EXPECT_EQ(node, 3);
        Vectors x(5);
        EXPECT_THROW(ldlt.solve(A, x, {}, 1, x), Bug);
        // Prescribing that axis makes the rest solvable.
        Vectors free(5, Vec3d{1, 1, 1});
        free[3].y = 0;
        EXPECT_EQ(ldlt.factorize(A, free, &node).status, SolveStatus::direct);
        EXPECT_EQ(node, -1);
    }
}

TEST(EigenLdlt, reports_numbers_that_are_not_finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BlockCsr A = laplacian(3, 3, 3, 1, 10);
    Vectors b = random_vectors(27, 9), x = random_vectors(27, 10);
    EigenLdlt ldlt;
    ldlt.factorize(A, {});
    const Vectors start = x;
    b[5].y = nan;
    EXPECT_EQ(ldlt.solve(A, b, {}, 1, x).status, SolveStatus::not_finite);
    EXPECT_EQ(x, start);
    A.blocks()[A.diagonal_position(5)].a[4] = nan;
    EXPECT_EQ(ldlt.factorize(A, {}).status, SolveStatus::not_finite);
}

TEST(EigenLdlt, takes_systems_without_unknowns) {
    const BlockCsr A = laplacian(3, 3, 3, 1, 10), none;
    const Vectors b = random_vectors(27, 11), fixed(27), start = random_vectors(27, 12);
    Vectors x = start, nothing;
    EigenLdlt ldlt;
    EXPECT_EQ(ldlt.factorize(A, fixed).status, SolveStatus::direct);
    EXPECT_EQ(ldlt.solve(A, b, fixed, 1, x).absolute_residual, 0);
    EXPECT_EQ(x, start);
    EXPECT_EQ(ldlt.factorize(none, {}).status, SolveStatus::direct);
    EXPECT_EQ(ldlt.solve(none, {}, {}, 0, nothing).status, SolveStatus::direct);
}

}  // namespace
}  // namespace limber
