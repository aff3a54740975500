// SPDX-License-Identifier: Apache-2.0
// The tile tasks of the device's factor, run on the host, against SupernodalCholesky; and on a card
// against both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "limber/core/errors.h"
#include "limber/gpu/device.h"
#include "limber/gpu/errors.h"
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

/// Every seventh tile of a front is at its border: meshes of one front and of many, of less than a
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

}  // namespace
}  // namespace limber
