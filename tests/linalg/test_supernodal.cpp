// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal.h"

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/errors.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

// Condition numbers here stay below 1e4: that many roundings of the factor's scalar, with room for
// the growth of sums of some hundred terms.
template <class T>
constexpr double rounding = std::is_same_v<T, double> ? 1e-11 : 5e-3;

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
            EXPECT_LT(stats.residual, rounding<TypeParam>);
            const Vectors expected = reduced_solution(A, b, free, start);
            EXPECT_LT(distance(x, expected), rounding<TypeParam> * norm_all(expected));
            // Refinement brings either factor to double precision.
            EXPECT_LT(factor.solve(A, b, free, norm_all(b), x, 4).residual, 1e-13);
            EXPECT_LT(distance(x, expected), rounding<double> * norm_all(expected));
        }
    }
}

}  // namespace
}  // namespace limber
