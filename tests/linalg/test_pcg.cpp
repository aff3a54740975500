// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/pcg.h"

#include <gtest/gtest.h>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/linalg/direct.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;
using Kind = PreconditionerKind;

constexpr Kind all_kinds[] = {Kind::identity, Kind::mass, Kind::jacobi, Kind::block_jacobi};

std::vector<double> some_mass(Index n) {
    std::vector<double> mass(n);
    for (Index i = 0; i < n; ++i) mass[i] = 1 + 0.5 * (i % 3);
    return mass;
}

/// A system with its right-hand side, mask, mass and preconditioner.
struct System {
    BlockCsr A;
    Vectors b, free;
    std::vector<double> mass;
    Preconditioner P{Kind::block_jacobi};

    System(BlockCsr matrix, Kind kind, Vectors mask = {})
        : A(std::move(matrix)),
          b(random_vectors(A.n_nodes(), 7)),
          free(std::move(mask)),
          mass(some_mass(A.n_nodes())),
          P(kind) {
        P.update(A, mass, free);
    }
    PcgProblem problem() const {
        PcgProblem p{.A = A, .P = P, .b = b, .free = free};
        p.b_norm = norm_all(b);
        return p;
    }
    SolveStats solve(const PcgOptions& options, Vectors& x, PcgTrace* trace = nullptr) const {
        return Pcg(options).solve(problem(), x, trace);
    }
};

PcgOptions tight() {
    return {.max_iterations = 5000, .rel_tolerance = 1e-13};
}
PcgOptions exactly(int iterations) {
    return {.max_iterations = iterations, .rel_tolerance = 1e-300};
}

class EveryPreconditioner : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Pcg, EveryPreconditioner, testing::ValuesIn(all_kinds));

TEST_P(EveryPreconditioner, finds_the_direct_solution) {
    // The condition number is below 1e4, so a residual of 1e-13 leaves an error below 1e-9.
    for (const BlockCsr& A : {random_spd(60, 4, 1), laplacian(6, 7, 8, 1, 100)}) {
        const System s(A, GetParam());
        Vectors x(A.n_nodes()), expected(A.n_nodes());
        const SolveStats stats = s.solve(tight(), x);
        EXPECT_EQ(stats.status, SolveStatus::converged);
        EXPECT_LE(stats.residual, 1e-13);
        EigenLdlt ldlt;
        ASSERT_EQ(ldlt.factorize(A, {}).status, SolveStatus::direct);
        ldlt.solve(A, s.b, {}, norm_all(s.b), expected);
        EXPECT_LT(distance(x, expected), 1e-9 * norm_all(expected));
    }
}

TEST_P(EveryPreconditioner, keeps_prescribed_values_and_solves_for_the_rest) {
    const BlockCsr A = laplacian(5, 4, 6, 1, 20);
    const System s(A, GetParam(), some_prescribed(A.n_nodes()));
    const Vectors start = random_vectors(A.n_nodes(), 8);
    Vectors x = start;
    EXPECT_EQ(s.solve(tight(), x).status, SolveStatus::converged);
    EXPECT_LT(distance(x, reduced_solution(A, s.b, s.free, start)), 1e-10 * norm_all(x));
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (s.free[i][axis] == 0) {
                EXPECT_EQ(x[i][axis], start[i][axis]);
            }
}

TEST_P(EveryPreconditioner, error_in_the_energy_norm_never_grows) {
    const BlockCsr A = laplacian(4, 4, 5, 1, 50);
    const System s(A, GetParam());
    const Eigen::MatrixXd D = dense(A);
    const Eigen::VectorXd exact = D.ldlt().solve(dense(s.b));
    double last = std::numeric_limits<double>::infinity();
    const double floor = 1e-12 * std::sqrt(exact.dot(D * exact));  // rounding
    for (int k = 0; k <= 40; ++k) {
        Vectors x(A.n_nodes());
        s.solve(exactly(k), x);
        const Eigen::VectorXd e = dense(x) - exact;
        const double error = std::sqrt(e.dot(D * e));
        EXPECT_LE(error, std::max(last, floor)) << "iteration " << k;
        last = error;
    }
}

TEST_P(EveryPreconditioner, converges_within_as_many_iterations_as_unknowns) {
    const BlockCsr A = random_spd(8, 2, 9);
    const System s(A, GetParam());
    Vectors x(8);
    const SolveStats stats = s.solve({.max_iterations = 1000, .rel_tolerance = 1e-13}, x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_LE(stats.iterations, 24);
    EXPECT_LT((dense(A) * dense(x) - dense(s.b)).norm(), 1e-12 * norm_all(s.b));
}

TEST_P(EveryPreconditioner, velocity_form_and_delta_form_give_the_same_iterates) {
    // Dahl & Bargteil 2019, section 4: A Δv = b - A v from 0 is A v' = b from v.
    const BlockCsr A = laplacian(6, 6, 6, 1, 30);
    for (const Vectors& mask : {Vectors{}, some_prescribed(A.n_nodes())}) {
        System s(A, GetParam(), mask), delta(A, GetParam(), mask);
        const Vectors v = random_vectors(A.n_nodes(), 11);
        Vectors Av(A.n_nodes());
        A.apply(v, Av);
        for (Index i = 0; i < A.n_nodes(); ++i) delta.b[i] = s.b[i] - Av[i];
        for (int k = 1; k <= 20; ++k) {
            Vectors x = v, dx(A.n_nodes());
            PcgTrace trace, delta_trace;
            PcgProblem problem = s.problem(), delta_problem = delta.problem();
            problem.mass = delta_problem.mass = s.mass;
            delta_problem.b_norm = problem.b_norm;
            delta_problem.velocity = v;
            Pcg(exactly(k)).solve(problem, x, &trace);
            Pcg(exactly(k)).solve(delta_problem, dx, &delta_trace);
            for (Index i = 0; i < A.n_nodes(); ++i) dx[i] += v[i];
            EXPECT_LT(distance(x, dx), 1e-12 * norm_all(x)) << "iteration " << k;
            ASSERT_EQ(trace.kinetic.size(), std::size_t(k + 1));
            EXPECT_NEAR(trace.kinetic[k], delta_trace.kinetic[k], 1e-12 * trace.kinetic[k]);
            EXPECT_NEAR(trace.residual[k], delta_trace.residual[k], 1e-9 * trace.residual[0]);
        }
    }
}

TEST_P(EveryPreconditioner, gives_the_same_bits_for_any_number_of_threads) {
    const BlockCsr A = laplacian(10, 11, 12, 1, 100);
    const System s(A, GetParam(), some_prescribed(A.n_nodes()));
    Vectors first;
    PcgTrace first_trace;
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        Vectors x = random_vectors(A.n_nodes(), 12);
        PcgTrace trace;
        PcgProblem problem = s.problem();
        problem.mass = s.mass;
        Pcg(exactly(30)).solve(problem, x, &trace);
        if (threads == 1) {
            first = x;
            first_trace = trace;
        }
        EXPECT_EQ(x, first);
        EXPECT_EQ(trace.residual, first_trace.residual);
        EXPECT_EQ(trace.kinetic, first_trace.kinetic);
    }
}

TEST(Pcg, reports_the_residual_of_the_iterate_it_returns) {
    const System s(laplacian(6, 6, 6, 1, 30), Kind::jacobi);
    Vectors x = random_vectors(s.A.n_nodes(), 13), Ax(s.A.n_nodes());
    PcgTrace trace;
    const SolveStats stats = s.solve(exactly(15), x, &trace);
    s.A.apply(x, Ax);
    // Recursive and true residual part by rounding only in so few iterations.
    EXPECT_NEAR(stats.absolute_residual, distance(s.b, Ax), 1e-12 * norm_all(s.b));
    EXPECT_DOUBLE_EQ(stats.residual, stats.absolute_residual / norm_all(s.b));
    ASSERT_EQ(trace.residual.size(), 16u);
    EXPECT_EQ(trace.residual.back(), stats.absolute_residual);
    EXPECT_TRUE(trace.kinetic.empty());  // no mass was given
}

TEST(Pcg, trace_holds_the_kinetic_energy_of_every_iterate) {
    const System s(laplacian(5, 5, 5, 1, 30), Kind::block_jacobi);
    const Vectors v = random_vectors(s.A.n_nodes(), 14);
    PcgProblem problem = s.problem();
    problem.mass = s.mass;
    problem.velocity = v;
    PcgTrace trace;
    Vectors x(s.A.n_nodes());
    Pcg(exactly(10)).solve(problem, x, &trace);
    for (int k : {0, 1, 10}) {
        Vectors iterate(s.A.n_nodes());
        Pcg(exactly(k)).solve(problem, iterate);
        double kinetic = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            kinetic += 0.5 * s.mass[i] * squared_norm(v[i] + iterate[i]);
        EXPECT_NEAR(trace.kinetic[k], kinetic, 1e-13 * kinetic);
    }
}

TEST(Pcg, zero_and_nonzero_guesses_take_the_same_path) {
    // A zero guess skips the product with x; a guess of one tiny number does not.
    const System s(laplacian(5, 5, 5, 1, 30), Kind::jacobi);
    Vectors zero(s.A.n_nodes()), tiny(s.A.n_nodes());
    tiny[3].y = 1e-300;
    s.solve(exactly(12), zero);
    s.solve(exactly(12), tiny);
    EXPECT_LT(distance(zero, tiny), 1e-15 * norm_all(zero));
}

TEST(Pcg, allows_one_object_for_systems_of_changing_size) {
    Pcg pcg(tight());
    for (Index n : {5, 40, 3, 40}) {
        const System s(random_spd(n, 2, 15), Kind::block_jacobi);
        Vectors x(n);
        EXPECT_EQ(pcg.solve(s.problem(), x).status, SolveStatus::converged);
        EXPECT_LT((dense(s.A) * dense(x) - dense(s.b)).norm(), 1e-12 * norm_all(s.b));
    }
}

TEST(Pcg, refuses_a_problem_that_does_not_fit_together) {
    const System s(random_spd(5, 2, 16), Kind::jacobi);
    Vectors short_x(4), x(5);
    EXPECT_THROW(s.solve({}, short_x), Bug);
    EXPECT_THROW(s.solve({.energy_tolerance = 0.1}, x), Bug);  // no mass
    EXPECT_THROW(s.solve({.deadline_ms = 1}, x), Bug);         // no clock
    const Preconditioner not_updated(Kind::jacobi);
    const PcgProblem problem{.A = s.A, .P = not_updated, .b = s.b, .free = {}};
    EXPECT_THROW(Pcg({}).solve(problem, x), Bug);
}

}  // namespace
}  // namespace limber
