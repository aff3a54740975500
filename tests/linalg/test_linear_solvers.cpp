// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/linear_solver.h"

#include <gtest/gtest.h>

#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

TEST(LinearSolver, agrees_with_a_dense_solution) {
    for (const LinearMethod method :
         {LinearMethod::supernodal, LinearMethod::eigen_ldlt, LinearMethod::cg,
          LinearMethod::pcg_jacobi, LinearMethod::pcg_block_jacobi}) {
        const BlockCsr A = laplacian(5, 5, 5, 1, 50);
        const Vectors b = random_vectors(A.n_nodes(), 2), free = some_prescribed(A.n_nodes());
        const auto solver = make_linear_solver({.method = method}, {});
        ASSERT_FALSE(solver->prepare(A, free).failed());
        const Vectors start = random_vectors(A.n_nodes(), 3);
        Vectors x = start;
        const SolveStats stats = solver->solve(A, b, free, x);
        EXPECT_FALSE(stats.failed());
        const Vectors expected = reduced_solution(A, b, free, start);
        EXPECT_LT(distance(x, expected), 1e-6 * norm_all(expected));
    }
}

}  // namespace
}  // namespace limber
