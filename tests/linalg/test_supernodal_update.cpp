// SPDX-License-Identifier: Apache-2.0
// Bringing a factor up to date: the same bits as factorising anew, for any number of threads.
#include <gtest/gtest.h>

#include <random>

#include "limber/core/parallel.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

template <class T>
class EveryUpdate : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryUpdate, Scalars);

/// Solutions are read through every number of L: equal bits there are equal bits of L but for
/// rounding that hides by chance, and several right-hand sides leave no room for that.
template <class T>
Vectors solutions(const SupernodalCholesky<T>& factor) {
    const Index n = factor.n_nodes();
    const Vectors b = random_vectors(3 * n, 31);
    Vectors x(3 * n);
    for (Index k = 0; k < 3; ++k)
        factor.solve(std::span(b).subspan(k * n, n), std::span(x).subspan(k * n, n));
    return x;
}

/// Stiffens a node: its block row, and so one block of each neighbour's.
void change_node(BlockCsr& A, Index i, double by) {
    A.blocks()[A.diagonal_position(i)] += by * Mat3d::identity();
    for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
        const Index j = A.column()[k];
        if (j == i) continue;
        A.blocks()[k] *= 1 - 0.01 * by;
        A.blocks()[A.find(j, i)] *= 1 - 0.01 * by;
    }
}

TYPED_TEST(EveryUpdate, gives_the_bits_of_factorize) {
    BlockCsr A = laplacian(12, 11, 10, 1, 40);
    std::mt19937 engine(32);
    std::uniform_int_distribution<Index> node(0, A.n_nodes() - 1);
    SupernodalCholesky<TypeParam> updated;
    updated.factorize(A, {});
    for (const int n_changes : {1, 10, 100, 1000}) {
        std::vector<Index> dirty;
        for (int k = 0; k < n_changes; ++k) {
            const Index i = node(engine);
            change_node(A, i, 0.5);
            for (Index j = A.row_begin()[i]; j < A.row_begin()[i + 1]; ++j)
                dirty.push_back(A.column()[j]);
        }
        ASSERT_EQ(updated.update(A, {}, dirty).status, SolveStatus::direct);
        if (n_changes == 1) {
            EXPECT_LT(updated.last_work().n_supernodes, updated.n_supernodes());
        }
        SupernodalCholesky<TypeParam> fresh;
        fresh.factorize(A, {});
        EXPECT_EQ(solutions(updated), solutions(fresh)) << n_changes << " changes";
    }
}

TYPED_TEST(EveryUpdate, enters_at_the_supernode_of_the_first_eliminated_node) {
    BlockCsr A = laplacian(9, 9, 9, 1, 40);
    SupernodalCholesky<TypeParam> updated, fresh;
    updated.factorize(A, {});
    const SupernodalStructure& t = updated.structure();
    // One element: the blocks between its four nodes.
    const std::array<Index, 4> tet{300, 301, 310, 391};
    Index first = tet[0];
    for (Index i : tet) {
        ASSERT_GE(A.find(tet[0], i), 0);
        A.blocks()[A.diagonal_position(i)] += 3.0 * Mat3d::identity();
        if (t.position[i] < t.position[first]) first = i;
    }
    const std::array<Index, 1> supernode{t.supernode_of[first]};
    ASSERT_EQ(updated.update_supernodes(A, {}, supernode).status, SolveStatus::direct);
    Index depth = 0;
    for (Index s = supernode[0]; s != -1; s = t.parent[s]) ++depth;
    EXPECT_EQ(updated.last_work().n_supernodes, depth);
    fresh.factorize(A, {});
    EXPECT_EQ(solutions(updated), solutions(fresh));
}

TYPED_TEST(EveryUpdate, follows_changes_of_the_mask) {
    const BlockCsr A = laplacian(8, 8, 8, 1, 40);
    SupernodalCholesky<TypeParam> updated, fresh;
    updated.factorize(A, {});
    Vectors free(A.n_nodes(), Vec3d{1, 1, 1});
    free[100] = {0, 1, 1};
    free[7] = {0, 0, 0};
    updated.update(A, free, {});
    EXPECT_LT(updated.last_work().n_supernodes, updated.n_supernodes());
    fresh.factorize(A, free);
    EXPECT_EQ(solutions(updated), solutions(fresh));
    free[7] = {1, 1, 1};
    updated.update(A, free, {});
    fresh.factorize(A, free);
    EXPECT_EQ(solutions(updated), solutions(fresh));
}

TYPED_TEST(EveryUpdate, does_nothing_when_nothing_changed) {
    const BlockCsr A = laplacian(6, 6, 6, 1, 40);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    const Vectors before = solutions(factor);
    EXPECT_EQ(factor.update(A, {}, {}).status, SolveStatus::direct);
    EXPECT_EQ(factor.last_work().n_supernodes, 0);
    EXPECT_EQ(solutions(factor), before);
}

TYPED_TEST(EveryUpdate, heals_what_a_bad_pivot_left_behind) {
    BlockCsr A = laplacian(8, 8, 8, 1, 40);
    SupernodalCholesky<TypeParam> updated, fresh;
    updated.factorize(A, {});
    const Index i = 200;
    const std::array<Index, 1> dirty{i};
    const Mat3d good = A.blocks()[A.diagonal_position(i)];
    A.blocks()[A.diagonal_position(i)] = -1.0 * good;
    Index node = -1;
    EXPECT_EQ(updated.update(A, {}, dirty, &node).status, SolveStatus::indefinite);
    EXPECT_EQ(node, i);
    A.blocks()[A.diagonal_position(i)] = good;
    EXPECT_EQ(updated.update(A, {}, {}).status, SolveStatus::direct);
    fresh.factorize(A, {});
    EXPECT_EQ(solutions(updated), solutions(fresh));
}

TYPED_TEST(EveryUpdate, lean_factors_have_the_same_bits_in_less_memory) {
    BlockCsr A = laplacian(12, 11, 10, 1, 40);
    SupernodalCholesky<TypeParam> rich;
    rich.factorize(A, {});
    const Vectors before = solutions(rich);
    change_node(A, 600, 0.5);
    std::vector<Index> dirty;
    for (Index j = A.row_begin()[600]; j < A.row_begin()[601]; ++j) dirty.push_back(A.column()[j]);
    SupernodalCholesky<TypeParam> fresh;
    fresh.factorize(A, {});
    const Vectors after = solutions(fresh);
    const BlockCsr original = laplacian(12, 11, 10, 1, 40);

    double last = rich.memory().total();
    EXPECT_EQ(rich.memory().n_dropped, 0);
    for (const double share : {0.95, 0.8, 0.0}) {
        SupernodalOptions options;
        options.lean = true;
        options.memory_limit = share * rich.memory().total();
        for (const int threads : {1, 3}) {
            const ThreadLimit limit(threads);
            SupernodalCholesky<TypeParam> lean(options);
            lean.analyze(original);
            EXPECT_GT(lean.memory().n_dropped, 0);
            EXPECT_LE(lean.memory().total(), last);
            if (threads == 3) last = lean.memory().total();
            lean.factorize(original, {});
            EXPECT_EQ(solutions(lean), before);
            BlockCsr changed = original;
            change_node(changed, 600, 0.5);
            lean.update(changed, {}, dirty);
            EXPECT_LE(lean.last_work().n_supernodes, lean.n_supernodes());
            EXPECT_EQ(solutions(lean), after);
        }
    }
}

// The last grid has fronts that are cut into tiles, and wide rows in the solves.
TYPED_TEST(EveryUpdate, gives_the_same_bits_for_any_number_of_threads) {
    for (const BlockCsr& A : {laplacian(7, 7, 7, 1, 40), laplacian(17, 17, 17, 1, 40)}) {
        Vectors expected, many;
        const Vectors b = random_vectors(9 * A.n_nodes(), 33);
        for (const int threads : {1, 2, 7}) {
            const ThreadLimit limit(threads);
            SupernodalCholesky<TypeParam> factor;
            ASSERT_EQ(factor.factorize(A, {}).status, SolveStatus::direct);
            const Vectors x = solutions(factor);
            Vectors y(b.size());
            factor.solve_many(9, b, y);
            if (threads == 1) {
                expected = x;
                many = y;
            }
            EXPECT_EQ(x, expected) << threads << " threads";
            EXPECT_EQ(y, many) << threads << " threads";
        }
    }
}

}  // namespace
}  // namespace limber
