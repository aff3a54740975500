// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/block_csr.h"

#include <gtest/gtest.h>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

// Rounding of a row of up to 15 blocks, 45 products of size about 10.
constexpr double rounding = 1e-12;

TEST(BlockCsr, product_is_that_of_the_dense_matrix) {
    for (const BlockCsr& A : {random_spd(50, 4, 1), laplacian(7, 6, 13, 1, 10)}) {
        const Vectors x = random_vectors(A.n_nodes(), 2);
        Vectors y(A.n_nodes());
        const double xy = A.apply(x, y);
        const Eigen::VectorXd expected = dense(A) * dense(x);
        EXPECT_LT((dense(y) - expected).norm(), rounding * expected.norm());
        EXPECT_NEAR(xy, dense(x).dot(expected), rounding * dense(x).norm() * expected.norm());
    }
}

TEST(BlockCsr, product_matches_for_any_size_and_pattern) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        const Index n = 1 + static_cast<Index>(seed % 39);
        const BlockCsr A = random_spd(n, static_cast<int>(seed % 6), seed);
        const Vectors x = random_vectors(n, seed + 1);
        Vectors y(n);
        A.apply(x, y);
        EXPECT_LE((dense(y) - dense(A) * dense(x)).norm(), rounding * (1 + dense(y).norm()));
    }
}

TEST(BlockCsr, product_has_the_same_bits_for_any_number_of_threads) {
    const BlockCsr A = laplacian(11, 12, 13, 1, 10);  // seven chunks
    const Vectors x = random_vectors(A.n_nodes(), 3);
    Vectors first(A.n_nodes());
    double first_sum = 0;
    for (int threads : {1, 2, 3, 4}) {
        const ThreadLimit limit(threads);
        Vectors y(A.n_nodes());
        const double sum = A.apply(x, y);
        if (threads == 1) {
            first = y;
            first_sum = sum;
        }
        EXPECT_EQ(y, first) << threads;
        EXPECT_EQ(sum, first_sum) << threads;
    }
}

TEST(BlockCsr, find_gives_the_block_or_minus_one) {
    const BlockCsr A = matrix_with({{0, 2}, {1}, {0, 2}});
    EXPECT_EQ(A.find(0, 0), 0);
    EXPECT_EQ(A.find(0, 2), 1);
    EXPECT_EQ(A.find(0, 1), -1);
    EXPECT_EQ(A.find(1, 1), 2);
    EXPECT_EQ(A.find(2, 0), 3);
    EXPECT_EQ(A.find(2, 7), -1);
    EXPECT_EQ(A.diagonal_position(2), 4);
    EXPECT_THROW(A.find(3, 0), Bug);
}

TEST(BlockCsr, diagonal_reads_the_diagonal_blocks) {
    const BlockCsr A = random_spd(20, 3, 4);
    std::vector<Mat3d> blocks(20);
    A.diagonal(blocks);
    for (Index i = 0; i < 20; ++i) EXPECT_EQ(blocks[i], A.blocks()[A.find(i, i)]);
}

TEST(BlockCsr, set_zero_clears_every_block) {
    BlockCsr A = laplacian(9, 9, 9, 1, 1);
    A.set_zero();
    for (const Mat3d& B : A.blocks()) ASSERT_EQ(B, Mat3d{});
}

TEST(BlockCsr, takes_no_nodes_at_all) {
    const BlockCsr A, B({0}, {});
    EXPECT_EQ(A.n_nodes(), 0);
    EXPECT_EQ(A.apply({}, {}), 0);
    EXPECT_EQ(B.apply({}, {}), 0);
    EXPECT_TRUE(A.blocks().empty());
}

TEST(BlockCsr, refuses_a_broken_pattern) {
    EXPECT_THROW(BlockCsr({}, {}), Bug);                // no row start
    EXPECT_THROW(BlockCsr({1, 1}, {0}), Bug);           // begins late
    EXPECT_THROW(BlockCsr({0, 2}, {0}), Bug);           // more blocks than columns
    EXPECT_THROW(BlockCsr({0, 3, 2}, {0, 1}), Bug);     // row starts descend
    EXPECT_THROW(BlockCsr({0, 2, 3}, {1, 0, 1}), Bug);  // columns descend
    EXPECT_THROW(BlockCsr({0, 2, 3}, {0, 0, 1}), Bug);  // a column twice
    EXPECT_THROW(BlockCsr({0, 1, 2}, {0, 2}), Bug);     // a column that is no node
    EXPECT_THROW(BlockCsr({0, 1, 2}, {-1, 1}), Bug);    // a negative column
    EXPECT_THROW(BlockCsr({0, 1, 2}, {0, 0}), Bug);     // no diagonal in row 1
    EXPECT_NO_THROW(BlockCsr({0, 2, 4}, {0, 1, 0, 1}));
}

TEST(BlockCsr, product_bytes_counts_each_array_once) {
    const BlockCsr A = matrix_with({{0, 1}, {0, 1}, {2}});
    // 5 blocks of 72 + 4, 3 rows of 4 and one more, x and y of 24 each.
    EXPECT_EQ(A.product_bytes(), 5 * 76 + 4 * 4 + 3 * 48);
}

TEST(BlockCsr, refuses_vectors_of_another_size) {
    const BlockCsr A = random_spd(5, 2, 5);
    Vectors x(5), y(4);
    EXPECT_THROW(A.apply(x, y), Bug);
    EXPECT_THROW(A.apply(y, x), Bug);
}

}  // namespace
}  // namespace limber
