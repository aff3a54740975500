// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/core/parallel.h"
#include "limber/linalg/schur/schur.h"
#include "linalg/schur_samples.h"

namespace limber {
namespace {

using namespace test;

template <class T>
class EveryReuse : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryReuse, Scalars);

template <class T>
Eigen::MatrixXd afresh(const SupernodalCholesky<T>& factor, const std::vector<Index>& nodes) {
    IsolatedColumns<T> columns;
    DenseMatrix out;
    columns.solve(factor, nodes);
    columns.gather(out);
    return dense(out);
}

template <class T>
Eigen::MatrixXd ask(IsolatedColumns<T>& columns, const SupernodalCholesky<T>& factor,
                    const std::vector<Index>& nodes) {
    DenseMatrix out;
    columns.solve(factor, nodes);
    columns.gather(out);
    return dense(out);
}

TYPED_TEST(EveryReuse, solves_new_nodes_only) {
    const BlockCsr A = laplacian(9, 8, 10, 1, 50);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, some_prescribed(A.n_nodes()));
    IsolatedColumns<TypeParam> columns;
    ask(columns, factor, range_of(0, 100));
    EXPECT_EQ(columns.work().n_solved, 100);
    ask(columns, factor, range_of(0, 100));
    EXPECT_EQ(columns.work().n_solved, 0);
    EXPECT_EQ(columns.work().flops(), 0);
    ask(columns, factor, range_of(2, 103));
    EXPECT_EQ(columns.work().n_solved, 3);
    ask(columns, factor, range_of(0, 103));  // those that left are still known
    EXPECT_EQ(columns.work().n_solved, 0);
    columns.forget();
    ask(columns, factor, range_of(0, 5));
    EXPECT_EQ(columns.work().n_solved, 5);
}

TEST(Reuse, what_it_costs_to_solve_all_columns_again_is_known_beforehand) {
    const BlockCsr A = apart({laplacian(8, 8, 8, 1, 50), laplacian(5, 5, 9, 2, 9)});
    SupernodalCholesky<double> factor;
    ASSERT_EQ(factor.factorize(A, {}).status, SolveStatus::direct);
    std::vector<double> scratch;
    for (const Index every : {1, 7, 60}) {
        std::vector<Vec3d> f(A.n_nodes());
        std::vector<Index> nodes;
        for (Index i = 0; i < A.n_nodes(); i += every) {
            f[i] = {0, 1, 0};
            nodes.push_back(i);
        }
        IsolatedColumns<double> columns;
        columns.solve(factor, nodes);
        const double share = columns_share(factor.structure(), f, scratch);
        // The work counts whole strips of eight, which few nodes do not fill.
        EXPECT_NEAR(share * factor.structure().total_flops, columns.work().flops(),
                    0.5 * columns.work().flops())
            << every;
        EXPECT_GT(share, 0);
    }
    EXPECT_EQ(columns_share(factor.structure(), {}, scratch), 0);
    EXPECT_EQ(columns_share(factor.structure(), std::vector<Vec3d>(A.n_nodes()), scratch), 0);
}

TYPED_TEST(EveryReuse, changes_no_bit_whatever_came_before) {
    const BlockCsr A = apart({laplacian(9, 8, 10, 1, 50), laplacian(5, 5, 5, 1, 20)});
    const Index n = A.n_nodes();
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, some_prescribed(n));
    IsolatedColumns<TypeParam> columns;
    std::mt19937 engine(7);
    std::set<Index> set;
    Index n_solved = 0, n_asked = 0;
    for (int step = 0; step < 120; ++step) {
        for (int k = 0; k < 4; ++k) set.insert(static_cast<Index>(engine() % n));
        while (set.size() > 150) set.erase(std::next(set.begin(), engine() % set.size()));
        if (step % 40 == 39) set.clear();
        const std::vector<Index> nodes(set.begin(), set.end());
        const ThreadLimit limit(1 + step % 3);
        EXPECT_EQ(ask(columns, factor, nodes), afresh(factor, nodes)) << "step " << step;
        n_solved += columns.work().n_solved;
        n_asked += columns.work().n_nodes;
    }
    EXPECT_LT(n_solved, n_asked / 3);
}

TYPED_TEST(EveryReuse, follows_updates_body_by_body) {
    BlockCsr A = apart({laplacian(7, 7, 7, 1, 50), laplacian(6, 6, 6, 1, 20)});
    const Index first = 343;
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    IsolatedColumns<TypeParam> columns;
    std::vector<Index> nodes = range_of(0, 40);
    for (Index i = first; i < first + 30; ++i) nodes.push_back(i);
    const Eigen::MatrixXd before = ask(columns, factor, nodes);
    factor.update(A, {}, {});  // nothing changed, nothing done
    ask(columns, factor, nodes);
    EXPECT_EQ(columns.work().n_solved, 0);

    A.blocks()[A.diagonal_position(first + 7)] += 3.0 * Mat3d::identity();
    const std::vector<Index> dirty{first + 7};
    factor.update(A, {}, dirty);
    const Eigen::MatrixXd after = ask(columns, factor, nodes);
    EXPECT_EQ(columns.work().n_solved, 30);
    EXPECT_EQ(after, afresh(factor, nodes));
    EXPECT_EQ(after.topLeftCorner(120, 120), before.topLeftCorner(120, 120));
    EXPECT_NE(after.bottomRightCorner(90, 90), before.bottomRightCorner(90, 90));
    EXPECT_EQ(after.topRightCorner(120, 90).norm(), 0);

    Vectors free(A.n_nodes(), Vec3d{1, 1, 1});
    free[5] = {0, 1, 1};
    factor.update(A, free, {});  // a mask alone
    const Eigen::MatrixXd masked = ask(columns, factor, nodes);
    EXPECT_EQ(columns.work().n_solved, 40);
    EXPECT_EQ(masked, afresh(factor, nodes));
    EXPECT_EQ(masked.row(15).norm(), 0);
}

TYPED_TEST(EveryReuse, knows_another_factor_in_the_same_place) {
    const BlockCsr A = laplacian(5, 5, 5, 1, 50), B = laplacian(5, 5, 5, 2, 10),
                   small = laplacian(3, 4, 3, 1, 10);
    SupernodalCholesky<TypeParam> factor, other, third;
    factor.factorize(A, {});
    other.factorize(B, {});
    third.factorize(small, {});
    IsolatedColumns<TypeParam> columns;
    const std::vector<Index> nodes = range_of(0, 20);
    ask(columns, factor, nodes);
    std::swap(factor, other);
    EXPECT_EQ(ask(columns, factor, nodes), afresh(factor, nodes));
    std::swap(factor, third);
    EXPECT_EQ(ask(columns, factor, nodes), afresh(factor, nodes));
}

TEST(Reuse, keeps_bounded_memory_as_contact_wanders) {
    const BlockCsr A = laplacian(60, 4, 4, 1, 20);
    SupernodalCholesky<double> factor;
    factor.factorize(A, {});
    IsolatedColumns<double> columns;
    double early = 0;
    for (Index step = 0; step < 300; ++step) {
        const Index begin = 2 * step % 800;
        ask(columns, factor, range_of(begin, begin + 64));
        if (step < 100)
            early = std::max(early, columns.kept_bytes());
        else
            EXPECT_LE(columns.kept_bytes(), 3 * early);
    }
}

}  // namespace
}  // namespace limber
