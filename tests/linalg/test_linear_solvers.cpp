// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/linear_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "limber/core/parallel.h"
#include "limber/linalg/incomplete_cholesky.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/stationary.h"
#include "linalg/fem_systems.h"

namespace limber {
namespace {

using namespace test;

constexpr auto names = enum_names(LinearMethod{});

std::string name_of(LinearMethod method) {
    return std::string(names[static_cast<std::size_t>(method)]);
}

std::vector<LinearMethod> all_methods() {
    std::vector<LinearMethod> out;
    for (std::size_t k = 0; k < names.size(); ++k) out.push_back(static_cast<LinearMethod>(k));
    return out;
}

/// |b - A x| over the free degrees of freedom.
double residual_norm(const BlockCsr& A, const Vectors& b, const Vectors& free, const Vectors& x) {
    Vectors r(x.size());
    A.apply(x, r);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (free.empty() || free[i][axis] != 0)
                sum += (b[i][axis] - r[i][axis]) * (b[i][axis] - r[i][axis]);
    return std::sqrt(sum);
}

/// Zero where free, x where prescribed.
Vectors prescribed_part(const Vectors& free, const Vectors& x) {
    Vectors out(x.size());
    for (std::size_t i = 0; i < free.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (free[i][axis] == 0) out[i][axis] = x[i][axis];
    return out;
}

class EveryMethod : public testing::TestWithParam<LinearMethod> {
  protected:
    LinearSolverOptions options(double tolerance = 1e-10) const {
        return {.method = GetParam(), .max_iterations = 200000, .rel_tolerance = tolerance};
    }
    bool needs_definite() const {
        return GetParam() != LinearMethod::eigen_lu && GetParam() != LinearMethod::gmres;
    }
};

INSTANTIATE_TEST_SUITE_P(LinearSolver, EveryMethod, testing::ValuesIn(all_methods()),
                         [](const auto& parameter) { return name_of(parameter.param); });

/// Solves from a random start and compares with the supernodal factor. The error of x is at most
/// the condition times that of the residual; none of the systems here has one above 1e6.
void expect_solution(const LinearSolverOptions& options, const FemSystem& s) {
    const Vectors start = random_vectors(s.A.n_nodes(), 3);
    Vectors x = start, exact = start;
    const auto reference = make_linear_solver({}, {});
    ASSERT_EQ(reference->prepare(s.A, s.free).status, SolveStatus::direct);
    reference->solve(s.A, s.b, s.free, exact);

    const auto solver = make_linear_solver(options, s.positions);
    ASSERT_FALSE(solver->prepare(s.A, s.free).failed());
    const SolveStats stats = solver->solve(s.A, s.b, s.free, x);
    EXPECT_EQ(stats.status,
              is_direct(options.method) ? SolveStatus::direct : SolveStatus::converged);
    const double norm_b = residual_norm(s.A, s.b, s.free, prescribed_part(s.free, start));
    const double residual = residual_norm(s.A, s.b, s.free, x);
    EXPECT_LE(residual, 1.01 * options.rel_tolerance * norm_b);
    EXPECT_NEAR(stats.absolute_residual, residual, 0.1 * options.rel_tolerance * norm_b);
    EXPECT_NEAR(stats.residual, residual / norm_b, 0.1 * options.rel_tolerance);
    EXPECT_LT(distance(x, exact), 1e6 * options.rel_tolerance * norm_all(exact));
    EXPECT_EQ(prescribed_part(s.free, x), prescribed_part(s.free, start));
}

TEST_P(EveryMethod, solves_small_systems) {
    for (const BlockCsr& A : {random_spd(40, 4, 1), laplacian(5, 5, 5, 1, 50)})
        for (const Vectors& free : {Vectors{}, some_prescribed(A.n_nodes())})
            expect_solution(options(), {A, random_vectors(A.n_nodes(), 2), free,
                                        random_vectors(A.n_nodes(), 4)});
}

TEST_P(EveryMethod, solves_a_bar_with_a_tiny_step) {
    expect_solution(options(), bar_system(5, tiny_step));
}

TEST_P(EveryMethod, solves_a_static_bar) {
    expect_solution(options(1e-9), bar_system(2, huge_step));
}

TEST_P(EveryMethod, gives_the_same_bits_for_any_number_of_threads) {
    const BlockCsr A = laplacian(13, 13, 13, 1, 50);  // several chunks, several multigrid levels
    const Vectors b = random_vectors(A.n_nodes(), 2), free = some_prescribed(A.n_nodes());
    const auto solution = [&](int threads) {
        const ThreadLimit limit(threads);
        const auto solver = make_linear_solver(options(1e-6), random_vectors(A.n_nodes(), 3));
        Vectors x(A.n_nodes());
        solver->prepare(A, free);
        EXPECT_FALSE(solver->solve(A, b, free, x).failed());
        return x;
    };
    EXPECT_EQ(solution(1), solution(2));
}

TEST_P(EveryMethod, does_not_remember_earlier_systems) {
    const BlockCsr A = laplacian(9, 9, 9, 1, 50);
    const Vectors b = random_vectors(A.n_nodes(), 2), free = some_prescribed(A.n_nodes());
    const Vectors positions = random_vectors(A.n_nodes(), 3);
    const auto solve = [&](LinearSolver& solver, const BlockCsr& matrix, const Vectors& mask) {
        Vectors x(A.n_nodes());
        EXPECT_FALSE(solver.prepare(matrix, mask).failed());
        EXPECT_FALSE(solver.solve(matrix, b, mask, x).failed());
        return x;
    };
    const auto used = make_linear_solver(options(1e-6), positions);
    solve(*used, laplacian(9, 9, 9, 2, 10), free);      // other values
    solve(*used, A, {});                                // another mask
    solve(*used, random_spd(A.n_nodes(), 2, 4), free);  // another pattern
    const auto fresh = make_linear_solver(options(1e-6), positions);
    EXPECT_EQ(solve(*used, A, free), solve(*fresh, A, free));
}

TEST_P(EveryMethod, finds_zero_for_zero) {
    const BlockCsr A = laplacian(4, 4, 4, 1, 10);
    const Vectors b(64);
    Vectors x(64);
    const auto solver = make_linear_solver(options(), random_vectors(64, 1));
    solver->prepare(A, {});
    const SolveStats stats = solver->solve(A, b, {}, x);
    EXPECT_FALSE(stats.failed());
    EXPECT_EQ(stats.residual, 0);
    EXPECT_EQ(x, Vectors(64));
}

TEST_P(EveryMethod, accepts_an_empty_system) {
    const BlockCsr A = matrix_with({});
    const auto solver = make_linear_solver(options(), {});
    EXPECT_FALSE(solver->prepare(A, {}).failed());
    EXPECT_FALSE(solver->solve(A, {}, {}, {}).failed());
}

TEST_P(EveryMethod, finds_zero_for_zero_from_elsewhere) {
    const BlockCsr A = laplacian(4, 4, 4, 1, 10);
    const Vectors b(64);
    Vectors x = random_vectors(64, 2);
    const auto solver = make_linear_solver(options(), random_vectors(64, 1));
    solver->prepare(A, {});
    EXPECT_FALSE(solver->solve(A, b, {}, x).failed());
    EXPECT_LT(norm_all(x), 1e-7);
}

TEST_P(EveryMethod, leaves_a_body_alone_that_is_prescribed_whole) {
    const BlockCsr A = laplacian(4, 4, 4, 1, 10);
    const Vectors b = random_vectors(64, 1), start = random_vectors(64, 2), none(64);
    Vectors x = start;
    const auto solver = make_linear_solver(options(), random_vectors(64, 3));
    ASSERT_FALSE(solver->prepare(A, none).failed());
    EXPECT_FALSE(solver->solve(A, b, none, x).failed());
    EXPECT_EQ(x, start);
}

TEST_P(EveryMethod, says_so_when_a_number_is_not_finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const BlockCsr good = laplacian(4, 4, 4, 1, 10);
    BlockCsr bad = good;
    bad.blocks()[bad.diagonal_position(20)](1, 1) = nan;
    const auto solver = make_linear_solver(options(), random_vectors(64, 1));
    Vectors b = random_vectors(64, 2), x(64);
    SolveStats stats = solver->prepare(bad, {});
    if (!stats.failed()) stats = solver->solve(bad, b, {}, x);
    EXPECT_EQ(stats.status, SolveStatus::not_finite);
    EXPECT_EQ(x, Vectors(64));

    b[7].y = nan;
    ASSERT_FALSE(solver->prepare(good, {}).failed());
    EXPECT_EQ(solver->solve(good, b, {}, x).status, SolveStatus::not_finite);
    EXPECT_EQ(x, Vectors(64));
}

TEST_P(EveryMethod, tells_a_matrix_that_is_not_definite_or_solves_it) {
    BlockCsr A = laplacian(4, 4, 4, 1, 10);
    A.blocks()[A.diagonal_position(20)] -= 1e4 * Mat3d::identity();
    const Vectors b = random_vectors(64, 2);
    Vectors x(64);
    const auto solver = make_linear_solver(options(), random_vectors(64, 1));
    SolveStats stats = solver->prepare(A, {});
    if (!stats.failed()) stats = solver->solve(A, b, {}, x);
    if (needs_definite()) {
        EXPECT_EQ(stats.status, SolveStatus::indefinite);
    } else {
        EXPECT_FALSE(stats.failed());
        const Vectors expected = reduced_solution(A, b, {}, x);
        EXPECT_LT(distance(x, expected), 1e-7 * norm_all(expected));
    }
}

TEST_P(EveryMethod, stops_at_the_cap_and_reports_the_residual_left) {
    const BlockCsr A = laplacian(11, 11, 11, 1e-3, 50);
    const Vectors b = random_vectors(A.n_nodes(), 2), positions = random_vectors(A.n_nodes(), 3);
    for (const int cap : {0, 2}) {
        LinearSolverOptions few = options();
        few.max_iterations = cap;
        const auto solver = make_linear_solver(few, positions);
        Vectors x(A.n_nodes());
        ASSERT_FALSE(solver->prepare(A, {}).failed());
        const SolveStats stats = solver->solve(A, b, {}, x);
        EXPECT_NEAR(stats.absolute_residual, residual_norm(A, b, {}, x), 1e-9 * norm_all(b));
        if (is_direct(GetParam())) {
            EXPECT_EQ(stats.status, SolveStatus::direct);  // there is nothing to cap
            continue;
        }
        EXPECT_EQ(stats.status, SolveStatus::iteration_cap);
        EXPECT_EQ(stats.iterations, cap);
        EXPECT_EQ(x == Vectors(A.n_nodes()), cap == 0);
    }
}

TEST(LinearMethod, has_a_name_of_its_own_for_each) {
    EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
    EXPECT_EQ(name_of(LinearMethod::multigrid), "multigrid");
    EXPECT_EQ(name_of(LinearMethod::pcg_ic), "pcg_ic");
    EXPECT_EQ(name_of(LinearMethod::sor), "sor");
}

TEST(Sor, with_omega_one_is_gauss_seidel_bit_for_bit) {
    const FemSystem s = bar_system(3, 1e-2);
    const auto solution = [&](LinearMethod method, double omega) {
        const auto solver =
            make_linear_solver({.method = method, .max_iterations = 37, .omega = omega}, {});
        Vectors x(s.A.n_nodes());
        solver->prepare(s.A, s.free);
        solver->solve(s.A, s.b, s.free, x);
        return x;
    };
    EXPECT_EQ(solution(LinearMethod::sor, 1), solution(LinearMethod::gauss_seidel, 1.7));
    EXPECT_NE(solution(LinearMethod::sor, 1.2), solution(LinearMethod::gauss_seidel, 1.7));
}

TEST(Sor, one_sweep_solves_with_d_over_omega_plus_the_lower_triangle) {
    const BlockCsr A = random_spd(12, 3, 1);
    const Vectors b = random_vectors(12, 2);
    const double omega = 1.3;
    Vectors x(12);
    StationarySolver solver({.method = LinearMethod::sor, .max_iterations = 1, .omega = omega});
    solver.prepare(A, {});
    solver.solve(A, b, {}, x);
    const Eigen::MatrixXd D = dense(A);
    Eigen::MatrixXd P = D.triangularView<Eigen::StrictlyLower>();
    P.diagonal() = D.diagonal() / omega;
    EXPECT_LT((dense(x) - P.triangularView<Eigen::Lower>().solve(dense(b))).norm(),
              1e-14 * dense(x).norm());
}

TEST(Sor, takes_fewer_sweeps_than_gauss_seidel_and_that_fewer_than_jacobi) {
    const FemSystem s = bar_system(3, 1e-1);
    const auto sweeps = [&](LinearMethod method) {
        const auto solver =
            make_linear_solver({.method = method, .max_iterations = 100000, .omega = 1.7}, {});
        Vectors x(s.A.n_nodes());
        solver->prepare(s.A, s.free);
        const SolveStats stats = solver->solve(s.A, s.b, s.free, x);
        EXPECT_EQ(stats.status, SolveStatus::converged);
        return stats.iterations;
    };
    const int sor = sweeps(LinearMethod::sor), seidel = sweeps(LinearMethod::gauss_seidel);
    EXPECT_LT(2 * sor, seidel);
    EXPECT_LT(2 * seidel, sweeps(LinearMethod::jacobi));
}

TEST(Jacobi, diverges_undamped_on_elasticity_and_says_so) {
    const FemSystem s = bar_system(3, 1e-1);
    const auto run = [&](double damping) {
        StationarySolver solver(
            {.method = LinearMethod::jacobi, .max_iterations = 50000, .damping = damping});
        Vectors x(s.A.n_nodes());
        EXPECT_FALSE(solver.prepare(s.A, s.free).failed());
        const SolveStats stats = solver.solve(s.A, s.b, s.free, x);
        for (const Vec3d& v : x) EXPECT_TRUE(is_finite(v));
        EXPECT_LT(solver.omega(), damping > 0 ? 1.1 : 0.9);
        return stats;
    };
    EXPECT_EQ(run(1).status, SolveStatus::not_finite);
    const SolveStats damped = run(0);
    EXPECT_EQ(damped.status, SolveStatus::converged);
}

TEST(Gmres, solves_a_matrix_that_is_not_symmetric) {
    BlockCsr A = random_spd(40, 4, 1);
    for (Index i = 0; i < 40; ++i) {
        Mat3d& D = A.blocks()[A.diagonal_position(i)];
        D(0, 1) += 2;
        D(1, 0) -= 2;
    }
    const Vectors b = random_vectors(40, 2);
    const Eigen::VectorXd expected = dense(A).partialPivLu().solve(dense(b));
    for (const LinearMethod method : {LinearMethod::gmres, LinearMethod::eigen_lu}) {
        const auto solver = make_linear_solver({.method = method, .rel_tolerance = 1e-12}, {});
        Vectors x(40);
        ASSERT_FALSE(solver->prepare(A, {}).failed());
        EXPECT_FALSE(solver->solve(A, b, {}, x).failed());
        EXPECT_LT((dense(x) - expected).norm(), 1e-9 * expected.norm()) << name_of(method);
    }
}

TEST(Gmres, ends_within_as_many_iterations_as_unknowns) {
    const BlockCsr A = laplacian(3, 3, 3, 1e-2, 50);
    const Vectors b = random_vectors(27, 2);
    const auto solver = make_linear_solver(
        {.method = LinearMethod::gmres, .rel_tolerance = 1e-10, .restart = 81}, {});
    Vectors x(27);
    solver->prepare(A, {});
    const SolveStats stats = solver->solve(A, b, {}, x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_LE(stats.iterations, 81);
}

/// A chain of nodes has no fill: the incomplete factor is the whole one.
TEST(IncompleteCholesky, is_exact_where_there_is_no_fill) {
    const BlockCsr A = laplacian(60, 1, 1, 1e-3, 50);
    IncompleteCholesky factor;
    for (const Vectors& free : {Vectors{}, some_prescribed(60)}) {
        ASSERT_EQ(factor.update(A, free).status, SolveStatus::direct);
        EXPECT_EQ(factor.shift(), 0);
        Vectors r = random_vectors(60, 1), z(60);
        for (Index i = 0; i < 60 && !free.empty(); ++i)
            for (int axis = 0; axis < 3; ++axis) r[i][axis] *= free[i][axis];
        factor.apply_inverse(r, z);
        const Vectors exact = reduced_solution(A, r, free, Vectors(60));
        EXPECT_LT(distance(z, exact), 1e-9 * norm_all(exact));
    }
}

/// Kershaw's matrix: positive definite, yet its incomplete factor has a negative pivot.
TEST(IncompleteCholesky, shifts_the_diagonal_where_a_pivot_fails) {
    BlockCsr A = matrix_with({{0, 1, 3}, {0, 1, 2}, {1, 2, 3}, {0, 2, 3}});
    const double entry[4][4] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    for (Index i = 0; i < 4; ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            A.blocks()[k] = entry[i][A.column()[k]] * Mat3d::identity();
    IncompleteCholesky factor;
    ASSERT_EQ(factor.update(A, {}).status, SolveStatus::direct);
    EXPECT_GT(factor.shift(), 0);
    const Preconditioner P(factor);
    Pcg pcg({.rel_tolerance = 1e-12});
    const Vectors b = random_vectors(4, 1);
    Vectors x(4);
    EXPECT_EQ(pcg.solve({.A = A, .P = P, .b = b}, x).status, SolveStatus::converged);
    EXPECT_LT(distance(x, reduced_solution(A, b, {}, x)), 1e-10 * norm_all(x));
}

TEST(IncompleteCholesky, saves_two_thirds_of_the_iterations_on_a_bar) {
    const FemSystem s = bar_system(4, huge_step);
    const auto iterations = [&](LinearMethod method) {
        const auto solver = make_linear_solver({.method = method, .max_iterations = 5000}, {});
        Vectors x(s.A.n_nodes());
        solver->prepare(s.A, s.free);
        return solver->solve(s.A, s.b, s.free, x).iterations;
    };
    EXPECT_LT(3 * iterations(LinearMethod::pcg_ic), iterations(LinearMethod::pcg_jacobi));
}

}  // namespace
}  // namespace limber
