// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/preconditioner.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/linalg/block_csr.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;
using Kind = PreconditionerKind;

/// Diagonal matrix with one given block.
BlockCsr single(const Mat3d& B) {
    BlockCsr A({0, 1}, {0});
    A.blocks()[0] = B;
    return A;
}

TEST(Preconditioner, block_jacobi_inverts_the_diagonal_blocks) {
    const BlockCsr A = random_spd(40, 4, 1);
    Preconditioner P(Kind::block_jacobi);
    P.update(A, {}, {});
    EXPECT_EQ(P.n_singular(), 0);
    for (Index i = 0; i < 40; ++i) {
        const Mat3d& B = A.blocks()[A.diagonal_position(i)];
        EXPECT_LT(max_abs(P.inverse_blocks()[i] * B - Mat3d::identity()), 1e-13);
        EXPECT_EQ(P.inverse_blocks()[i], transpose(P.inverse_blocks()[i]));
    }
}

TEST(Preconditioner, jacobi_mass_and_identity_hold_a_diagonal) {
    const BlockCsr A = random_spd(40, 4, 2);
    const std::vector<double> mass(40, 4.0);
    Preconditioner jacobi(Kind::jacobi), by_mass(Kind::mass), identity(Kind::identity);
    jacobi.update(A, {}, {});
    by_mass.update(A, mass, {});
    identity.update(A, {}, {});
    for (Index i = 0; i < 40; ++i) {
        const Mat3d& B = A.blocks()[A.diagonal_position(i)];
        const Vec3d expected{1 / B.a[0], 1 / B.a[4], 1 / B.a[8]};
        const Vec3d quarter{0.25, 0.25, 0.25}, one{1, 1, 1};
        EXPECT_EQ(jacobi.inverse_diagonal()[i], expected);
        EXPECT_EQ(by_mass.inverse_diagonal()[i], quarter);
        EXPECT_EQ(identity.inverse_diagonal()[i], one);
    }
    EXPECT_TRUE(jacobi.inverse_blocks().empty());
    EXPECT_THROW(by_mass.update(A, {}, {}), Bug);
}

TEST(Preconditioner, apply_multiplies_by_the_inverse) {
    const BlockCsr A = random_spd(40, 4, 3);
    const Vectors r = random_vectors(40, 4);
    Vectors z(40);
    Preconditioner block(Kind::block_jacobi), jacobi(Kind::jacobi);
    block.update(A, {}, {});
    block.apply(r, z);
    for (Index i = 0; i < 40; ++i)
        EXPECT_LT(norm(A.blocks()[A.diagonal_position(i)] * z[i] - r[i]), 1e-13);
    jacobi.update(A, {}, {});
    jacobi.apply(r, z);
    for (Index i = 0; i < 40; ++i)
        EXPECT_NEAR(A.blocks()[A.diagonal_position(i)](1, 1) * z[i].y, r[i].y, 1e-14);
}

TEST(Preconditioner, prescribed_rows_and_columns_are_identity) {
    const BlockCsr A = random_spd(3, 2, 5);
    const Vectors free{{1, 0, 1}, {0, 0, 0}, {1, 1, 1}};
    const std::vector<double> mass(3, 2.0);
    for (Kind kind : {Kind::identity, Kind::mass, Kind::jacobi}) {
        Preconditioner P(kind);
        P.update(A, mass, free);
        EXPECT_EQ(P.inverse_diagonal()[0].y, 1);
        EXPECT_EQ(P.inverse_diagonal()[1].x, 1);
    }
    Preconditioner P(Kind::block_jacobi);
    P.update(A, mass, free);
    EXPECT_EQ(P.inverse_blocks()[1], Mat3d::identity());
    const Mat3d& inverse = P.inverse_blocks()[0];
    const Mat3d& B = A.blocks()[A.diagonal_position(0)];
    EXPECT_EQ(inverse(1, 1), 1);
    for (int i : {0, 2}) EXPECT_EQ(inverse(1, i), 0);
    // The free rest is the inverse of the 2x2 block of axes x and z.
    const double det = B(0, 0) * B(2, 2) - B(0, 2) * B(2, 0);
    EXPECT_NEAR(inverse(0, 0), B(2, 2) / det, 1e-14);
    EXPECT_NEAR(inverse(0, 2), -B(0, 2) / det, 1e-14);
}

TEST(Preconditioner, singular_blocks_fall_back_to_their_diagonal) {
    Preconditioner P(Kind::block_jacobi);
    P.update(single(outer(Vec3d{1, 2, 4}, Vec3d{1, 2, 4})), {}, {});
    EXPECT_EQ(P.n_singular(), 1);
    EXPECT_EQ(P.inverse_blocks()[0], Mat3d::diagonal(1, 1.0 / 4, 1.0 / 16));

    Mat3d indefinite = Mat3d::diagonal(2, 4, 8);
    indefinite(0, 1) = indefinite(1, 0) = 100;
    P.update(single(indefinite), {}, {});
    EXPECT_EQ(P.n_singular(), 1);
    EXPECT_EQ(P.inverse_blocks()[0], Mat3d::diagonal(0.5, 0.25, 0.125));
}

TEST(Preconditioner, entries_that_are_not_positive_become_one) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Mat3d& B : {Mat3d::diagonal(2, 0, 4), Mat3d::diagonal(2, -3, 4),
                           Mat3d::diagonal(2, nan, 4), Mat3d::diagonal(2, 1e-310, 4)}) {
        Preconditioner block(Kind::block_jacobi), jacobi(Kind::jacobi);
        block.update(single(B), {}, {});
        jacobi.update(single(B), {}, {});
        const Vec3d expected{0.5, 1, 0.25};
        EXPECT_EQ(block.inverse_blocks()[0], Mat3d::diagonal(0.5, 1, 0.25));
        EXPECT_EQ(jacobi.inverse_diagonal()[0], expected);
        EXPECT_EQ(block.n_singular(), 1);
        EXPECT_EQ(jacobi.n_singular(), 1);
    }
}

TEST(Preconditioner, scale_decides_nothing) {
    const Mat3d R = rotation_about({0.6, 0.8, 0}, 0.7);
    const Mat3d B = R * Mat3d::diagonal(1, 10, 1e4) * transpose(R);
    for (double scale : {1e-100, 1e-12, 1.0, 1e12, 1e100}) {
        Preconditioner P(Kind::block_jacobi);
        P.update(single(scale * B), {}, {});
        EXPECT_EQ(P.n_singular(), 0) << scale;
        EXPECT_LT(max_abs(P.inverse_blocks()[0] * (scale * B) - Mat3d::identity()), 1e-10);
    }
}

TEST(Preconditioner, counts_singular_nodes_over_all_chunks) {
    const Index n = 5000;
    std::vector<Index> row_begin(n + 1), column(n);
    for (Index i = 0; i < n; ++i) row_begin[i + 1] = i + 1, column[i] = i;
    BlockCsr A(row_begin, column);
    Index expected = 0;
    for (Index i = 0; i < n; ++i) {
        A.blocks()[i] = Mat3d::identity();
        if (i % 11 == 0) A.blocks()[i] = Mat3d{}, ++expected;
    }
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        Preconditioner P(Kind::block_jacobi);
        P.update(A, {}, {});
        EXPECT_EQ(P.n_singular(), expected);
    }
}

}  // namespace
}  // namespace limber
