// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/multigrid/multigrid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/linalg/linear_solver.h"
#include "limber/linalg/multigrid/level.h"
#include "linalg/fem_systems.h"

namespace limber {
namespace {

using namespace test;

BlockPattern pattern_of(const BlockCsr& A) {
    return {{A.row_begin().begin(), A.row_begin().end()}, {A.column().begin(), A.column().end()}};
}

SolveStats solve(const FemSystem& s, LinearMethod method, Vectors* solution = nullptr) {
    const auto solver = make_linear_solver({.method = method, .max_iterations = 5000}, s.positions);
    Vectors x(s.A.n_nodes());
    EXPECT_FALSE(solver->prepare(s.A, s.free).failed());
    const SolveStats stats = solver->solve(s.A, s.b, s.free, x);
    if (solution) *solution = x;
    return stats;
}

TEST(Aggregates, take_every_node_that_is_not_left_out_and_hang_together) {
    const BlockPattern graph = pattern_of(matrix_with(kuhn_pattern(9, 8, 7)));
    std::vector<char> leave_out(graph.n_rows(), 0);
    for (Index i = 0; i < 9; ++i) leave_out[i] = 1;
    std::vector<Index> aggregate;
    const Index n = aggregate_nodes(graph, leave_out, aggregate);
    std::vector<int> size(n, 0);
    for (Index i = 0; i < graph.n_rows(); ++i) {
        EXPECT_EQ(aggregate[i] == -1, leave_out[i] == 1);
        if (aggregate[i] < 0) continue;
        ASSERT_LT(aggregate[i], n);
        ++size[aggregate[i]];
    }
    // A root has up to 14 neighbours, and each of these neighbours that are left over can join it.
    EXPECT_GE(*std::ranges::min_element(size), 1);
    EXPECT_LE(n, graph.n_rows() / 6);
    EXPECT_GE(n, graph.n_rows() / 40);
    for (Index i = 0; i < graph.n_rows(); ++i) {  // nobody is alone in a large aggregate
        if (aggregate[i] < 0 || size[aggregate[i]] == 1) continue;
        int friends = 0;
        for (Index k = graph.row_begin[i]; k < graph.row_begin[i + 1]; ++k)
            friends += graph.column[k] != i && aggregate[graph.column[k]] == aggregate[i];
        EXPECT_GT(friends, 0) << i;
    }
}

TEST(Aggregates, of_nodes_without_neighbours_are_single) {
    std::vector<Index> aggregate;
    EXPECT_EQ(aggregate_nodes(pattern_of(matrix_with({{0}, {1}, {2}})), {}, aggregate), 3);
    EXPECT_EQ(aggregate, (std::vector<Index>{0, 1, 2}));
}

/// The rigid motions of a free body cost no energy, and no coarse level may make them cost any.
TEST(Multigrid, coarse_matrices_keep_the_rigid_motions) {
    FemSystem s = bar_system(5, huge_step);
    std::vector<double> modes;
    for (const Vec3d& x : s.positions)
        for (const double number : {1.0, 0.0, 0.0, 0.0, x.z, -x.y, 0.0, 1.0, 0.0, -x.z, 0.0, x.x,
                                    0.0, 0.0, 1.0, x.y, -x.x, 0.0})
            modes.push_back(number);
    MultigridLevel<3> first;
    first.analyze(pattern_of(s.A), pattern_of(s.A), {});
    ASSERT_TRUE(first.update(s.A, modes));
    MultigridLevel<6> second;
    second.analyze(first.coarse.pattern, first.quotient, {});
    ASSERT_TRUE(second.update(first.coarse, first.coarse_modes));

    const auto largest_energy = [](const CoarseMatrix& A, const std::vector<double>& of) {
        const Index n = A.pattern.n_rows();
        double largest = 0;
        for (int c = 0; c < n_modes; ++c) {
            NodeVector<6> v(n), y(n);
            for (Index i = 0; i < n; ++i)
                for (int k = 0; k < n_modes; ++k) v[i].a[k] = of[(i * n_modes + k) * n_modes + c];
            largest = std::max(largest, A.apply(v, y));
        }
        return largest;
    };
    // What is left is that of the mass, 62.5 kg, against a stiffness of 1e3² * 1e5 N/m.
    EXPECT_LT(largest_energy(first.coarse, first.coarse_modes), 1e3);
    EXPECT_LT(largest_energy(second.coarse, second.coarse_modes), 1e3);
    NodeVector<6> any(first.n_aggregates), y(first.n_aggregates);
    for (Index i = 0; i < first.n_aggregates; ++i) any[i].a[i % n_modes] = i % 2 ? 1 : -1;
    EXPECT_GT(first.coarse.apply(any, y), 1e9);
}

TEST(Multigrid, is_a_symmetric_and_positive_operator) {
    const FemSystem s = bar_system(6, 1e-1, 100);
    Multigrid multigrid(s.positions);
    ASSERT_EQ(multigrid.update(s.A, s.free).status, SolveStatus::direct);
    ASSERT_GE(multigrid.levels().size(), 2u);
    const auto masked_random = [&](unsigned seed) {
        Vectors v = random_vectors(s.A.n_nodes(), seed);
        for (std::size_t i = 0; i < v.size(); ++i)
            for (int axis = 0; axis < 3; ++axis) v[i][axis] *= s.free[i][axis];
        return v;
    };
    for (unsigned seed = 1; seed < 6; ++seed) {
        const Vectors u = masked_random(seed), w = masked_random(seed + 50);
        Vectors Mu(u.size()), Mw(u.size());
        multigrid.apply_inverse(u, Mu);
        multigrid.apply_inverse(w, Mw);
        EXPECT_GT(dot_all(u, Mu), 0);
        EXPECT_NEAR(dot_all(u, Mw), dot_all(w, Mu), 1e-11 * norm_all(u) * norm_all(Mw));
        for (std::size_t i = 0; i < u.size(); ++i)
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_TRUE(s.free[i][axis] == 1 || Mu[i][axis] == 0);
    }
}

/// Jacobi's iterations grow like 1 / mesh width: 10/6 from the first bar to the second.
TEST(Multigrid, iterations_do_not_follow_the_mesh_width) {
    const FemSystem coarse = bar_system(6, huge_step), middle = bar_system(10, huge_step);
    const int jacobi = solve(coarse, LinearMethod::pcg_jacobi).iterations;
    EXPECT_GT(solve(middle, LinearMethod::pcg_jacobi).iterations, 1.5 * jacobi);

    const FemSystem fine = bar_system(19, huge_step);
    ASSERT_GT(coarse.A.n_nodes(), 1000);
    ASSERT_GT(fine.A.n_nodes(), 30000);
    const SolveStats few = solve(coarse, LinearMethod::pcg_multigrid);
    const SolveStats many = solve(fine, LinearMethod::pcg_multigrid);
    EXPECT_EQ(few.status, SolveStatus::converged);
    EXPECT_EQ(many.status, SolveStatus::converged);
    EXPECT_LT(many.iterations, 2 * few.iterations);
    EXPECT_LT(many.iterations, 30);
}

TEST(Multigrid, builds_levels_of_bounded_cost) {
    const FemSystem s = bar_system(12, huge_step);
    Multigrid multigrid(s.positions, {.coarsest_dofs = 200});
    multigrid.update(s.A, s.free);
    const auto levels = multigrid.levels();
    ASSERT_GE(levels.size(), 3u);
    for (std::size_t k = 1; k < levels.size(); ++k)
        EXPECT_LT(4 * levels[k].n_nodes, levels[k - 1].n_nodes);
    EXPECT_LT(multigrid.operator_complexity(), 1.6);
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
        EXPECT_GE(levels[k].lambda_max, 1);
        EXPECT_LT(levels[k].lambda_max, 5);
    }
}

TEST(Multigrid, copes_with_stiff_and_soft_regions_side_by_side) {
    for (const double contrast : {1e-3, 1e3}) {
        const FemSystem s = bar_system(6, huge_step, contrast);
        Vectors x, exact;
        EXPECT_EQ(solve(s, LinearMethod::pcg_multigrid, &x).status, SolveStatus::converged);
        EXPECT_LT(solve(s, LinearMethod::pcg_multigrid).iterations, 60);
        solve(s, LinearMethod::supernodal, &exact);
        EXPECT_LT(distance(x, exact), 1e-4 * norm_all(exact));
    }
}

TEST(Multigrid, follows_a_body_that_has_turned) {
    const Mat3d turn = rotation_about({0, 0, 1}, 1.5);
    const FemSystem at_rest = bar_system(6, huge_step), turned = bar_system(6, huge_step, 1, turn);
    const auto iterations = [&](const FemSystem& s, bool follow) {
        const auto solver =
            make_linear_solver({.method = LinearMethod::pcg_multigrid}, at_rest.positions);
        if (follow) solver->set_positions(s.positions);
        solver->prepare(s.A, s.free);
        Vectors x(s.A.n_nodes());
        return solver->solve(s.A, s.b, s.free, x).iterations;
    };
    const int few = iterations(at_rest, false);
    EXPECT_NEAR(iterations(turned, true), few, 1);
    EXPECT_GT(iterations(turned, false), 1.5 * few);
}

TEST(Multigrid, solves_many_bodies_that_do_not_touch) {
    std::vector<std::set<Index>> pattern;
    for (Index body = 0; body < 300; ++body)
        for (Index k = 0; k < 4; ++k)
            pattern.push_back({4 * body, 4 * body + 1, 4 * body + 2, 4 * body + 3});
    BlockCsr A = matrix_with(pattern);
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            A.blocks()[k] = (A.column()[k] == i ? 3.01 : -1.0) * Mat3d::identity();
    const FemSystem s{A, random_vectors(1200, 1), Vectors(1200, Vec3d{1, 1, 1}),
                      random_vectors(1200, 2)};
    Vectors x, exact;
    EXPECT_EQ(solve(s, LinearMethod::multigrid, &x).status, SolveStatus::converged);
    solve(s, LinearMethod::supernodal, &exact);
    EXPECT_LT(distance(x, exact), 1e-5 * norm_all(exact));
}

TEST(Multigrid, tells_a_matrix_that_is_not_definite) {
    FemSystem s = bar_system(6, 1e-2);
    Multigrid multigrid(s.positions);
    BlockCsr bad = s.A;
    bad.blocks()[bad.diagonal_position(500)] *= -1;
    EXPECT_EQ(multigrid.update(bad, s.free).status, SolveStatus::indefinite);
    EXPECT_EQ(multigrid.update(s.A, s.free).status, SolveStatus::direct);
}

}  // namespace
}  // namespace limber
