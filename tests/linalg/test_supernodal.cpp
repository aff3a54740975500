// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal/cholesky.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/errors.h"
#include "limber/linalg/pcg.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

// Condition numbers here stay below 1e4: that many roundings of the factor's scalar, with room for
// the growth of sums of some hundred terms.
template <class T>
constexpr double factor_rounding = std::is_same_v<T, double> ? 1e-11 : 5e-3;

template <class T>
class EverySupernodal : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EverySupernodal, Scalars);

TYPED_TEST(EverySupernodal, solves_the_free_part) {
    for (const BlockCsr& A : {random_spd(40, 4, 1), laplacian(5, 5, 5, 1, 50),
                              laplacian(9, 9, 9, 1, 50), laplacian(40, 2, 2, 1, 10)}) {
        const Vectors b = random_vectors(A.n_nodes(), 2);
        for (const Vectors& free : {Vectors{}, some_prescribed(A.n_nodes())}) {
            SupernodalCholesky<TypeParam> factor;
            EXPECT_EQ(factor.factorize(A, free).status, SolveStatus::direct);
            const Vectors start = random_vectors(A.n_nodes(), 3);
            Vectors x = start;
            const SolveStats stats = factor.solve(A, b, free, norm_all(b), x);
            EXPECT_EQ(stats.status, SolveStatus::direct);
            EXPECT_LT(stats.residual, factor_rounding<TypeParam>);
            const Vectors expected = reduced_solution(A, b, free, start);
            EXPECT_LT(distance(x, expected), factor_rounding<TypeParam> * norm_all(expected));
            // Refinement brings either factor to double precision.
            EXPECT_LT(factor.solve(A, b, free, norm_all(b), x, 4).residual, 1e-13);
            EXPECT_LT(distance(x, expected), factor_rounding<double> * norm_all(expected));
        }
    }
}

TYPED_TEST(EverySupernodal, follows_new_values_masks_and_patterns) {
    SupernodalCholesky<TypeParam> factor;
    const auto check = [&](const BlockCsr& A, const Vectors& free) {
        const Vectors b = random_vectors(A.n_nodes(), 6);
        Vectors x(A.n_nodes());
        ASSERT_EQ(factor.factorize(A, free).status, SolveStatus::direct);
        factor.solve(A, b, free, 1, x);
        const Vectors expected = reduced_solution(A, b, free, Vectors(A.n_nodes()));
        EXPECT_LT(distance(x, expected), factor_rounding<TypeParam> * norm_all(expected));
    };
    check(laplacian(4, 4, 4, 1, 10), {});
    check(laplacian(4, 4, 4, 2, 30), {});
    check(laplacian(4, 4, 4, 2, 30), some_prescribed(64));
    check(random_spd(64, 3, 7), some_prescribed(64));
    check(random_spd(20, 3, 8), {});
}

TYPED_TEST(EverySupernodal, solves_many_right_hand_sides_as_it_solves_one) {
    const BlockCsr A = laplacian(8, 7, 9, 1, 30);
    const Index n = A.n_nodes(), n_rhs = 19;  // two full batches and a rest, or one and a rest
    const Vectors free = some_prescribed(n), b = random_vectors(n * n_rhs, 21);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, free);
    Vectors x(n * n_rhs), one(n);
    factor.solve_many(n_rhs, b, x);
    for (Index k = 0; k < n_rhs; ++k) {
        factor.solve(std::span(b).subspan(k * n, n), one);
        EXPECT_LT(distance(std::span(x).subspan(k * n, n), one),
                  factor_rounding<TypeParam> * norm_all(one));
    }
}

TYPED_TEST(EverySupernodal, walks_only_paths_for_sparse_right_hand_sides) {
    const BlockCsr A = laplacian(8, 7, 9, 1, 30);
    const Index n = A.n_nodes(), n_rhs = 5;
    const Vectors free = some_prescribed(n);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, free);
    const std::vector<Index> from{3, 40, 41, 300}, at{0, 41, 250, 503, 12};
    const Vectors b = random_vectors(static_cast<Index>(from.size()) * n_rhs, 22);
    Vectors x(at.size() * n_rhs), whole(n), expected(n);
    factor.solve_paths(n_rhs, from, b, at, x);
    for (Index k = 0; k < n_rhs; ++k) {
        std::ranges::fill(whole, Vec3d{});
        for (std::size_t i = 0; i < from.size(); ++i) whole[from[i]] = b[k * from.size() + i];
        factor.solve(whole, expected);
        for (std::size_t i = 0; i < at.size(); ++i)
            EXPECT_LT(norm(x[k * at.size() + i] - expected[at[i]]),
                      factor_rounding<TypeParam> * norm_all(expected));
    }
    // The workspace is clean afterwards.
    Vectors again(at.size() * n_rhs);
    factor.solve_paths(n_rhs, from, b, at, again);
    EXPECT_EQ(x, again);
}

TYPED_TEST(EverySupernodal, names_the_node_of_a_pivot_that_is_not_positive) {
    for (double bad : {-2.0, 0.0}) {
        BlockCsr A = matrix_with({{0}, {1}, {2}, {3}, {4}});
        for (Mat3d& B : A.blocks()) B = Mat3d::identity();
        A.blocks()[3](1, 1) = bad;
        SupernodalCholesky<TypeParam> factor;
        Index node = -1;
        const SolveStats stats = factor.factorize(A, {}, &node);
        EXPECT_EQ(stats.status, SolveStatus::indefinite);
        EXPECT_TRUE(stats.failed());
        EXPECT_FALSE(factor.factorized());
        EXPECT_EQ(node, 3);
        Vectors x(5);
        EXPECT_THROW(factor.solve(x, x), Bug);
        // Prescribing that axis makes the rest solvable; an update is enough.
        Vectors free(5, Vec3d{1, 1, 1});
        free[3].y = 0;
        EXPECT_EQ(factor.update(A, free, {}, &node).status, SolveStatus::direct);
        EXPECT_EQ(node, -1);
        factor.solve(x, x);
    }
}

TYPED_TEST(EverySupernodal, reports_numbers_that_are_not_finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BlockCsr A = laplacian(3, 3, 3, 1, 10);
    Vectors b = random_vectors(27, 9), x = random_vectors(27, 10);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    const Vectors start = x;
    b[5].y = nan;
    EXPECT_EQ(factor.solve(A, b, {}, 1, x).status, SolveStatus::not_finite);
    EXPECT_EQ(x, start);
    A.blocks()[A.diagonal_position(5)].a[4] = nan;
    Index node = -1;
    EXPECT_EQ(factor.factorize(A, {}, &node).status, SolveStatus::not_finite);
    EXPECT_GE(node, 0);
    A.blocks()[A.diagonal_position(5)].a[4] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(factor.factorize(A, {}).status, SolveStatus::not_finite);
}

TYPED_TEST(EverySupernodal, takes_systems_without_unknowns) {
    const BlockCsr A = laplacian(3, 3, 3, 1, 10), none;
    const Vectors b = random_vectors(27, 11), fixed(27), start = random_vectors(27, 12);
    Vectors x = start, nothing;
    SupernodalCholesky<TypeParam> factor;
    EXPECT_EQ(factor.factorize(A, fixed).status, SolveStatus::direct);
    EXPECT_EQ(factor.solve(A, b, fixed, 1, x).absolute_residual, 0);
    EXPECT_EQ(x, start);
    EXPECT_EQ(factor.factorize(none, {}).status, SolveStatus::direct);
    EXPECT_EQ(factor.solve(none, {}, {}, 0, nothing).status, SolveStatus::direct);
}

TYPED_TEST(EverySupernodal, takes_parts_that_do_not_touch) {
    std::vector<std::set<Index>> pattern = kuhn_pattern(4, 4, 4);
    for (const std::set<Index>& row : kuhn_pattern(3, 3, 3)) {
        std::set<Index> shifted;
        for (Index j : row) shifted.insert(j + 64);
        pattern.push_back(shifted);
    }
    pattern.push_back({91});  // a node on its own
    BlockCsr A = matrix_with(pattern);
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            A.blocks()[k] = (A.column()[k] == i ? 16.0 : -1.0) * Mat3d::identity();
    const Vectors b = random_vectors(92, 13);
    SupernodalCholesky<TypeParam> factor;
    Vectors x(92);
    ASSERT_EQ(factor.factorize(A, {}).status, SolveStatus::direct);
    EXPECT_LT(factor.solve(A, b, {}, norm_all(b), x).residual, factor_rounding<TypeParam>);
}

TYPED_TEST(EverySupernodal, keeps_its_digits_whatever_the_units) {
    BlockCsr A = laplacian(5, 5, 5, 1, 50);
    Vectors b = random_vectors(125, 14), x(125);
    for (Vec3d& v : b) v *= 1e-60;
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    EXPECT_LT(factor.solve(A, b, {}, norm_all(b), x).residual, factor_rounding<TypeParam>);
}

TYPED_TEST(EverySupernodal, preconditions_conjugate_gradients) {
    // A stale factor: the matrix has become a fifth stiffer since. Eigenvalues of P⁻¹A then lie in
    // [1, 1.2], and CG gains at least a factor ((√1.2 + 1) / (√1.2 - 1)) / 2 > 10 an iteration.
    const BlockCsr old = laplacian(7, 7, 7, 1, 50), A = laplacian(7, 7, 7, 1, 60);
    const Vectors free = some_prescribed(343), b = random_vectors(343, 15);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(old, free);
    const Preconditioner P(factor);
    Pcg pcg({.max_iterations = 20, .rel_tolerance = 1e-8});
    const Vectors start = random_vectors(343, 16);
    Vectors x = start;
    const PcgProblem problem{.A = A, .P = P, .b = b, .free = free, .b_norm = norm_all(b)};
    const SolveStats stats = pcg.solve(problem, x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_LE(stats.iterations, 10);
    const Vectors expected = reduced_solution(A, b, free, start);
    EXPECT_LT(distance(x, expected), 1e-6 * norm_all(expected));
}

}  // namespace
}  // namespace limber
