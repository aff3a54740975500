// SPDX-License-Identifier: Apache-2.0
// Counts every operator new of this program: a second solve of the same size must not need one.
#include <gtest/gtest.h>

#include "count_allocations.h"
#include "limber/core/parallel.h"
#include "limber/linalg/linear_solver.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "linalg/schur_samples.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;

TEST(Allocations, are_counted) {
    const long before = n_allocations;
    const Vectors v(1000);
    EXPECT_GT(n_allocations, before);
    EXPECT_EQ(v.size(), 1000u);
}

TEST(Allocations, none_after_the_first_solve_of_a_size) {
    const BlockCsr A = laplacian(9, 9, 9, 1, 50), small = laplacian(4, 4, 4, 1, 50);
    for (PreconditionerKind kind : {PreconditionerKind::identity, PreconditionerKind::mass,
                                    PreconditionerKind::jacobi, PreconditionerKind::block_jacobi})
        for (int threads : {1, 2}) {
            const ThreadLimit limit(threads);
            const Vectors b = random_vectors(A.n_nodes(), 1), free = some_prescribed(A.n_nodes());
            const std::vector<double> mass(A.n_nodes(), 1.0);
            Vectors x(A.n_nodes());
            Preconditioner P(kind);
            Pcg pcg({.max_iterations = 20, .energy_tolerance = 1e-9});
            const auto solve = [&](const BlockCsr& matrix) {
                const std::size_t n = matrix.n_nodes();
                const FreeMask mask = std::span(free).first(n);
                const auto masses = std::span(mass).first(n);
                P.update(matrix, masses, mask);
                PcgProblem problem{
                    .A = matrix, .P = P, .b = std::span(b).first(n), .free = mask, .b_norm = 1};
                problem.mass = masses;
                pcg.solve(problem, std::span(x).first(n));
            };
            solve(A);
            const long before = n_allocations;
            solve(A);
            solve(small);
            solve(A);
            EXPECT_EQ(n_allocations, before)
                << "kind " << static_cast<int>(kind) << ", threads " << threads;
        }
}

TEST(Allocations, none_after_the_first_factorisation_and_solve) {
    const BlockCsr A = laplacian(13, 13, 13, 1, 50);
    const Vectors b = random_vectors(A.n_nodes(), 3), free = some_prescribed(A.n_nodes());
    Vectors x(A.n_nodes()), many(3 * b.size()), right;
    for (int k = 0; k < 3; ++k) right.insert(right.end(), b.begin(), b.end());
    const std::vector<Index> dirty{5, 700};
    for (const bool lean : {false, true})
        for (int threads : {1, 2}) {
            const ThreadLimit limit(threads);
            SupernodalOptions options;
            options.lean = lean;
            SupernodalCholesky<double> factor(options);
            const auto work = [&] {
                factor.factorize(A, free);
                factor.update(A, free, dirty);
                factor.solve(A, b, free, 1, x, 1);
                factor.solve_many(3, right, many);
            };
            work();
            const long before = n_allocations;
            work();
            EXPECT_EQ(n_allocations, before) << "lean " << lean << ", threads " << threads;
        }
}

TEST(Allocations, none_after_the_first_schur_complement_of_a_size) {
    const BlockCsr A = laplacian(11, 11, 11, 1, 50);
    ConstraintRows H, other;
    add_contacts(60, 0, A.n_nodes(), 5, H);
    add_contacts(60, 0, A.n_nodes(), 6, other);
    std::vector<double> y(H.n_rows(), 1.0), z(y.size());
    for (int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        SupernodalCholesky<double> factor;
        factor.factorize(A, {});
        FactorCompliance<double> compliance(factor);
        UnbuiltDelassus unbuilt(H, compliance);
        Delassus delassus;
        DenseMatrix W;
        const auto work = [&] {
            compliance.forget();
            for (const ConstraintRows* rows : {&H, &other, &H})
                delassus.build(*rows, compliance, W);
            unbuilt.apply(y, z);
            unbuilt.apply(y, z, true);
        };
        work();
        const long before = n_allocations;
        work();
        EXPECT_EQ(n_allocations, before) << "threads " << threads;
    }
}

TEST(Allocations, none_after_the_first_solve_of_every_method_of_ours) {
    const BlockCsr A = laplacian(11, 11, 11, 1, 50);
    const Vectors b = random_vectors(A.n_nodes(), 4), free = some_prescribed(A.n_nodes());
    const Vectors positions = random_vectors(A.n_nodes(), 5);
    for (int k = 0; k < std::ssize(enum_names(LinearMethod{})); ++k)
        for (int threads : {1, 2}) {
            const ThreadLimit limit(threads);
            const std::string_view name = enum_names(LinearMethod{})[k];
            if (name.starts_with("eigen")) continue;  // Eigen's factors are made anew
            const auto solver = make_linear_solver(
                {.method = static_cast<LinearMethod>(k), .max_iterations = 20}, positions);
            Vectors x(A.n_nodes());
            const auto work = [&] {
                solver->prepare(A, free);
                solver->solve(A, b, free, x);
            };
            work();
            std::ranges::fill(x, Vec3d{});
            const long before = n_allocations;
            work();
            EXPECT_EQ(n_allocations, before) << name << ", threads " << threads;
        }
}

}  // namespace
}  // namespace limber
