// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal/scalar.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/parallel.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

// As for SupernodalCholesky: conditions below 1e4.
template <class T>
constexpr double factor_rounding = std::is_same_v<T, double> ? 1e-11 : 5e-3;

/// The pattern of a matrix with blocks that are numbers: a Laplacian with random weights.
BlockCsr scalar_matrix(BlockCsr A, unsigned seed) {
    const Vectors weight = random_vectors(A.n_nodes(), seed);
    std::vector<double> diagonal(static_cast<std::size_t>(A.n_nodes()), 0.1);
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
            const Index j = A.column()[k];
            if (j == i) continue;
            const double w = 1 + weight[i].x * weight[j].x;
            A.blocks()[k] = Mat3d::diagonal(-w, -w, -w);
            diagonal[i] += w;
        }
    for (Index i = 0; i < A.n_nodes(); ++i)
        A.blocks()[A.diagonal_position(i)] = Mat3d::diagonal(diagonal[i], diagonal[i], diagonal[i]);
    return A;
}

std::vector<BlockCsr> samples() {
    return {scalar_matrix(random_spd(40, 4, 1), 2), scalar_matrix(laplacian(5, 5, 5, 1, 50), 3),
            scalar_matrix(laplacian(9, 9, 9, 1, 50), 4),
            scalar_matrix(laplacian(40, 2, 2, 1, 10), 5),
            scalar_matrix(laplacian(24, 24, 24, 1, 50), 6)};
}

template <class T>
class EveryScalarCholesky : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryScalarCholesky, Scalars);

TYPED_TEST(EveryScalarCholesky, solves_what_the_factor_of_blocks_solves) {
    for (const BlockCsr& A : samples()) {
        const Index n = A.n_nodes();
        std::vector<double> value;
        ASSERT_TRUE(scalar_blocks(A, value));
        Vectors whole(static_cast<std::size_t>(n), Vec3d{1, 1, 1});
        for (Index i = 0; i < n; i += 7) whole[i] = {};
        for (const Vectors& free : {Vectors{}, whole, some_prescribed(n)}) {
            SupernodalCholesky<double> blocks;
            ASSERT_EQ(blocks.factorize(A, free).status, SolveStatus::direct);
            ScalarCholesky<TypeParam> factor;
            ASSERT_EQ(factor.factorize(A, value, free).status, SolveStatus::direct);
            EXPECT_EQ(factor.n_factors(), free.empty() || free == whole ? 1 : 3);
            const Vectors b = random_vectors(n, 9);
            Vectors x(static_cast<std::size_t>(n)), expected = x;
            factor.solve(std::span<const Vec3d>(b), std::span(x));
            blocks.solve(b, expected);
            EXPECT_LT(distance(x, expected), factor_rounding<TypeParam> * norm_all(expected));
        }
    }
}

TYPED_TEST(EveryScalarCholesky, takes_and_gives_floats) {
    const BlockCsr A = scalar_matrix(laplacian(8, 8, 8, 1, 50), 3);
    std::vector<double> value;
    ASSERT_TRUE(scalar_blocks(A, value));
    ScalarCholesky<TypeParam> factor;
    factor.factorize(A, value, {});
    const Vectors b = random_vectors(A.n_nodes(), 9);
    std::vector<Vec3<float>> in, out(b.size());
    for (const Vec3d& v : b)
        in.push_back({static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    Vectors x(b.size());
    factor.solve(std::span<const Vec3d>(b), std::span(x));
    factor.solve(std::span<const Vec3<float>>(in), std::span(out));
    double far = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
        far += squared_norm(Vec3d{out[i].x, out[i].y, out[i].z} - x[i]);
    EXPECT_LT(std::sqrt(far), 5e-3 * norm_all(x));
}

TYPED_TEST(EveryScalarCholesky, gives_the_same_bits_for_any_number_of_threads) {
    const BlockCsr A = scalar_matrix(laplacian(30, 20, 20, 1, 50), 3);
    std::vector<double> value;
    ASSERT_TRUE(scalar_blocks(A, value));
    const Vectors b = random_vectors(A.n_nodes(), 9);
    const auto solved = [&](int threads) {
        const ThreadLimit limit(threads);
        ScalarCholesky<TypeParam> factor;
        factor.factorize(A, value, {});
        Vectors x(b.size());
        factor.solve(std::span<const Vec3d>(b), std::span(x));
        return x;
    };
    EXPECT_EQ(solved(1), solved(3));
}

TYPED_TEST(EveryScalarCholesky, names_the_node_of_a_bad_pivot) {
    const BlockCsr A = scalar_matrix(laplacian(5, 5, 5, 1, 50), 3);
    std::vector<double> value;
    ASSERT_TRUE(scalar_blocks(A, value));
    ScalarCholesky<TypeParam> factor;
    Index bad = -1;
    const Index at = A.diagonal_position(17);
    const double was = value[static_cast<std::size_t>(at)];
    value[static_cast<std::size_t>(at)] = -1;
    EXPECT_EQ(factor.factorize(A, value, {}, &bad).status, SolveStatus::indefinite);
    EXPECT_GE(bad, 0);
    EXPECT_FALSE(factor.factorized());
    value[static_cast<std::size_t>(at)] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(factor.factorize(A, value, {}, &bad).status, SolveStatus::not_finite);
    value[static_cast<std::size_t>(at)] = was;
    EXPECT_EQ(factor.factorize(A, value, {}, &bad).status, SolveStatus::direct);
}

TEST(ScalarBlocks, are_told_from_others) {
    std::vector<double> value;
    BlockCsr A = scalar_matrix(laplacian(3, 3, 3, 1, 50), 3);
    EXPECT_TRUE(scalar_blocks(A, value));
    A.blocks()[5](0, 1) = 1e-300;
    EXPECT_FALSE(scalar_blocks(A, value));
    A.blocks()[5](0, 1) = 0;
    A.blocks()[5](2, 2) += 1e-9;
    EXPECT_FALSE(scalar_blocks(A, value));
}

}  // namespace
}  // namespace limber
