// SPDX-License-Identifier: Apache-2.0
// The tile tasks of the device's factor, run on the host, against SupernodalCholesky; and on a card
// against both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/gpu/device.h"
#include "limber/gpu/errors.h"
#include "limber/gpu/factor/schedule.h"
#include "limber/gpu/factor/tile_factor.h"
#include "limber/linalg/residual.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "linalg/fem_systems.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;
using namespace gpu;

// Condition numbers stay below 1e4 here: that many roundings, with room for the growth of sums.
template <class T>
constexpr double tile_rounding = std::is_same_v<T, double> ? 1e-11 : 5e-3;

/// Meshes of one front and of many, of less than a
/// tile and of many, one body and several, with nodes that nothing couples.
std::vector<BlockCsr> tile_systems() {
    std::vector<BlockCsr> out;
    out.push_back(matrix_with({{0}, {1}, {2}}));
    for (Mat3d& B : out.back().blocks()) B = 2.0 * Mat3d::identity();
    out.push_back(random_spd(40, 4, 1));
    out.push_back(random_spd(150, 8, 2));
    out.push_back(laplacian(5, 5, 5, 1, 50));
    out.push_back(laplacian(9, 8, 9, 1, 50));
    out.push_back(laplacian(40, 2, 2, 1, 10));
    // Two bodies and a loose node.
    std::vector<std::set<Index>> pattern = kuhn_pattern(4, 4, 6), other = kuhn_pattern(5, 3, 3);
    const auto n = static_cast<Index>(pattern.size());
    for (const std::set<Index>& row : other) {
        pattern.emplace_back();
        for (Index j : row) pattern.back().insert(n + j);
    }
    pattern.push_back({static_cast<Index>(pattern.size())});
    out.push_back(matrix_with(pattern));
    for (Index i = 0; i < out.back().n_nodes(); ++i) {
        BlockCsr& A = out.back();
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            A.blocks()[k] = (A.column()[k] == i ? 20.0 : -1.0) * Mat3d::identity();
    }
    return out;
}

template <class T>
using MakeFactor = std::unique_ptr<TileFactor<T>> (*)(const TilePlan&, const BlockCsr&);

template <class T>
void expect_solutions(MakeFactor<T> make, const BlockCsr& A, const Vectors& free) {
    const TilePlan plan = plan_tiles(A);
    const auto factor = make(plan, A);
    Index bad = 0;
    ASSERT_EQ(factor->factorize(A, free, &bad).status, SolveStatus::direct);
    EXPECT_EQ(bad, -1);
    const Vectors b = random_vectors(A.n_nodes(), 2);
    Vectors x(A.n_nodes()), expected(A.n_nodes());
    SupernodalCholesky<double> known;
    known.factorize(A, free);
    known.solve(A, b, free, 1, expected, 1);
    factor->solve(b, x);
    EXPECT_LT(distance(x, expected), tile_rounding<T> * norm_all(expected));
    factor->solve(b, x, 4);
    EXPECT_LT(distance(x, expected), tile_rounding<double> * norm_all(expected));
}

template <class T>
class EveryTileFactor : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryTileFactor, Scalars);

TYPED_TEST(EveryTileFactor, solves_the_free_part_on_the_host) {
    for (const BlockCsr& A : tile_systems())
        for (const Vectors& free : {Vectors{}, some_prescribed(A.n_nodes())})
            expect_solutions<TypeParam>(make_host_factor<TypeParam>, A, free);
}

TYPED_TEST(EveryTileFactor, is_as_exact_as_the_factor_of_the_cpu_on_elastic_bars) {
    const FemSystem s = bar_system(4, 0.01);
    const double scale = norm_all(s.b);
    SupernodalCholesky<TypeParam> known;
    known.factorize(s.A, s.free);
    Vectors x(s.b.size());
    const double residual = known.solve(s.A, s.b, s.free, scale, x).residual;
    const TilePlan plan = plan_tiles(s.A);
    const auto factor = make_host_factor<TypeParam>(plan, s.A);
    ASSERT_EQ(factor->factorize(s.A, s.free).status, SolveStatus::direct);
    Vectors y(s.b.size());
    factor->solve(s.b, y);
    // Another order of elimination and of sums: the same size of errors, not the same errors.
    Vectors r(s.b.size());
    EXPECT_LT(FreeResidual().find(s.A, s.b, s.free, y, r) / scale, 5 * residual);
}

TYPED_TEST(EveryTileFactor, gives_the_same_bits_again_and_follows_new_values_and_masks) {
    BlockCsr A = laplacian(6, 5, 6, 1, 50);
    const Vectors free = some_prescribed(A.n_nodes());
    const TilePlan plan = plan_tiles(A);
    const auto factor = make_host_factor<TypeParam>(plan, A);
    factor->factorize(A, free);
    const std::vector<TypeParam> first = factor->tiles();
    const std::uint64_t bits = factor->checksum();
    for (Mat3d& B : A.blocks()) B = 3.0 * B;
    factor->factorize(A, {});
    EXPECT_NE(factor->tiles(), first);
    EXPECT_NE(factor->checksum(), bits);
    A = laplacian(6, 5, 6, 1, 50);
    factor->factorize(A, free);
    EXPECT_EQ(factor->tiles(), first);
    EXPECT_EQ(factor->checksum(), bits);
}

/// A bad pivot at `node`, and what it is reported as; then a matrix that is good.
template <class T>
void expect_bad_node(MakeFactor<T> make) {
    const BlockCsr good = laplacian(6, 5, 6, 1, 50);
    const TilePlan plan = plan_tiles(good);
    const auto factor = make(plan, good);
    SupernodalCholesky<T> known(tile_relaxation());
    for (const double bad : {-5.0, 0.0, std::numeric_limits<double>::quiet_NaN()})
        for (const Index node : {0, 77, 179}) {
            BlockCsr A = good;
            A.blocks()[A.diagonal_position(node)](1, 1) = bad;
            Index expected = -1, found = -1;
            const SolveStatus status = known.factorize(A, {}, &expected).status;
            EXPECT_EQ(factor->factorize(A, {}, &found).status, status);
            EXPECT_EQ(found, expected);
        }
    Index found = 0;
    EXPECT_EQ(factor->factorize(good, {}, &found).status, SolveStatus::direct);
    EXPECT_EQ(found, -1);
    const Vectors b = random_vectors(good.n_nodes(), 2);
    Vectors x(b.size()), r(b.size());
    factor->solve(b, x);
    EXPECT_LT(FreeResidual().find(good, b, {}, x, r), tile_rounding<T> * norm_all(b));
}

TYPED_TEST(EveryTileFactor, names_the_node_of_a_pivot_that_is_not_positive) {
    expect_bad_node<TypeParam>(make_host_factor<TypeParam>);
}

TEST(TilePlan, lists_every_tile_once_and_behind_what_it_needs) {
    // The host's run checks both; a list that lacks a task, or has two in the wrong order, is
    // found.
    const BlockCsr A = laplacian(6, 5, 6, 1, 50);
    const TilePlan plan = plan_tiles(A);
    ASSERT_GT(plan.tasks.size(), 20u);
    EXPECT_EQ(make_host_factor<double>(plan, A)->factorize(A, {}).status, SolveStatus::direct);
    TilePlan without = plan;
    without.tasks.erase(without.tasks.begin());
    EXPECT_THROW(make_host_factor<double>(without, A)->factorize(A, {}), Bug);
    TilePlan turned = plan;
    std::reverse(turned.tasks.begin(), turned.tasks.end());
    EXPECT_THROW(make_host_factor<double>(turned, A)->factorize(A, {}), Bug);
    TilePlan twice = plan;
    twice.tasks.push_back(plan.tasks[0]);
    EXPECT_THROW(make_host_factor<double>(twice, A)->factorize(A, {}), Bug);
}

TEST(TilePlan, is_the_same_for_the_same_pattern) {
    const BlockCsr A = laplacian(6, 5, 6, 1, 50);
    const TilePlan first = plan_tiles(A), second = plan_tiles(A);
    ASSERT_EQ(first.tasks.size(), second.tasks.size());
    EXPECT_EQ(
        std::memcmp(first.tasks.data(), second.tasks.data(), sizeof(TileTask) * first.tasks.size()),
        0);
    EXPECT_EQ(std::memcmp(first.forward.data(), second.forward.data(),
                          sizeof(RowTask) * first.forward.size()),
              0);
}

TEST(TilePlan, asks_for_the_memory_that_a_factor_takes) {
    const BlockCsr A = laplacian(6, 5, 6, 1, 50);
    const TilePlan plan = plan_tiles(A);
    const double wide = static_cast<double>(tile_factor_bytes<double>(plan, A));
    const double tiles = 8.0 * tile_entries * plan.n_tiles;
    EXPECT_GT(wide, tiles);
    EXPECT_LT(wide, 1.5 * tiles);
    EXPECT_LT(tile_factor_bytes<float>(plan, A), wide);
}

TEST(TaskSchedule, keeps_inputs_first_and_the_longest_path_going) {
    // 0 -> 1 -> 2 is a chain, 3 .. 12 are loose: two workers never let the chain wait for them.
    TaskGraph graph;
    graph.work.assign(13, 1);
    graph.end.assign(13, 1);
    graph.inputs = {{0, 1, false}, {1, 2, false}};
    const std::vector<Index> order = schedule(graph, 2);
    ASSERT_EQ(order.size(), 13u);
    const auto place = [&](Index t) { return std::ranges::find(order, t) - order.begin(); };
    EXPECT_EQ(place(0), 0);
    EXPECT_LE(place(1), 3);
    EXPECT_LE(place(2), 5);
    // A task with a late input alone may begin at once, but stands behind it all the same.
    graph.inputs = {{0, 1, true}, {1, 2, true}};
    const std::vector<Index> early = schedule(graph, 2);
    EXPECT_EQ((std::vector<Index>{early[0], early[1]}), (std::vector<Index>{0, 1}));
}

/// The same on a card.
class TileFactorOnDevice : public testing::Test {
  protected:
    void SetUp() override {
        const Device card = device();
        if (!card.found) GTEST_SKIP() << "no device: " << card.missing;
    }
};

TEST_F(TileFactorOnDevice, solves_the_free_part) {
    for (const BlockCsr& A : tile_systems())
        for (const Vectors& free : {Vectors{}, some_prescribed(A.n_nodes())}) {
            expect_solutions<double>(make_cuda_factor<double>, A, free);
            expect_solutions<float>(make_cuda_factor<float>, A, free);
        }
}

template <class T>
void expect_the_tiles_of_the_host() {
    for (const BlockCsr& A : {laplacian(12, 9, 12, 1, 50), random_spd(150, 8, 2)}) {
        const TilePlan plan = plan_tiles(A);
        const auto host = make_host_factor<T>(plan, A), card = make_cuda_factor<T>(plan, A);
        host->factorize(A, {});
        card->factorize(A, {});
        const std::vector<T> a = host->tiles(), b = card->tiles();
        T largest = 0, apart = 0;
        for (std::size_t k = 0; k < a.size(); ++k) {
            largest = std::max(largest, std::abs(a[k]));
            apart = std::max(apart, std::abs(a[k] - b[k]));
        }
        EXPECT_LT(apart, tile_rounding<T> * largest);
    }
}
TEST_F(TileFactorOnDevice, makes_the_tiles_of_the_host) {
    expect_the_tiles_of_the_host<double>();
    expect_the_tiles_of_the_host<float>();
}

template <class T>
void expect_same_bits() {
    const FemSystem s = bar_system(8, 0.01);
    const TilePlan plan = plan_tiles(s.A);
    const auto factor = make_cuda_factor<T>(plan, s.A);
    Vectors first(s.b.size()), x(s.b.size());
    std::uint64_t bits = 0;
    for (int k = 0; k < 10; ++k) {
        ASSERT_EQ(factor->factorize(s.A, s.free).status, SolveStatus::direct);
        factor->solve(s.b, k == 0 ? first : x, 1);
        if (k == 0) bits = factor->checksum();
        EXPECT_EQ(factor->checksum(), bits);
        if (k > 0) {
            EXPECT_EQ(x, first);
        }
    }
}
TEST_F(TileFactorOnDevice, gives_the_same_bits_ten_times) {
    expect_same_bits<double>();
    expect_same_bits<float>();
}

TEST_F(TileFactorOnDevice, names_the_node_of_a_pivot_that_is_not_positive) {
    expect_bad_node<double>(make_cuda_factor<double>);
    expect_bad_node<float>(make_cuda_factor<float>);
}

TEST_F(TileFactorOnDevice, gives_up_a_wait_that_has_no_end) {
    const BlockCsr A = laplacian(6, 5, 6, 1, 50);
    TilePlan plan = plan_tiles(A);
    plan.tasks.erase(plan.tasks.begin());
    const auto factor = make_cuda_factor<double>(plan, A);
    factor->set_patience(0.05);
    EXPECT_THROW(factor->factorize(A, {}), DeviceLost);
}

/// Small: for compute-sanitizer, which takes a hundred times as long.
TEST_F(TileFactorOnDevice, sanitized_runs_touch_nothing_they_should_not) {
    for (const BlockCsr& A : {laplacian(6, 5, 6, 1, 50), random_spd(40, 4, 1)}) {
        const TilePlan plan = plan_tiles(A);
        const auto factor = make_cuda_factor<double>(plan, A);
        factor->set_patience(60);
        const Vectors b = random_vectors(A.n_nodes(), 2), free = some_prescribed(A.n_nodes());
        Vectors x(b.size()), r(b.size());
        ASSERT_EQ(factor->factorize(A, free).status, SolveStatus::direct);
        factor->solve(b, x, 1);
        EXPECT_LT(FreeResidual().find(A, b, free, x, r), 1e-11 * norm_all(b));
    }
}

}  // namespace
}  // namespace limber
