// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "contact/complementarity_samples.h"
#include "limber/contact/complementarity.h"

namespace limber {
namespace {

using Kind = ConstraintGroup::Kind;

std::vector<ComplementarityMethod> all_methods() {
    std::vector<ComplementarityMethod> methods;
    for (std::size_t i = 0; i < enum_names(ComplementarityMethod{}).size(); ++i)
        methods.push_back(static_cast<ComplementarityMethod>(i));
    return methods;
}

class EverySolver : public testing::TestWithParam<ComplementarityMethod> {
  protected:
    std::unique_ptr<ComplementaritySolver> solver = make_complementarity_solver(GetParam());
    ComplementarityStats solve(const SampleProblem& s, std::vector<double>& p,
                               ComplementarityOptions options = {.max_iterations = 20000}) {
        const ComplementarityStats stats = solver->solve(s.view(), options, p);
        EXPECT_TRUE(std::isfinite(stats.residual));
        for (const double x : p) EXPECT_TRUE(std::isfinite(x));
        return stats;
    }
};
INSTANTIATE_TEST_SUITE_P(Complementarity, EverySolver, testing::ValuesIn(all_methods()),
                         [](const auto& method) {
                             return std::string(
                                 enum_names(method.param)[static_cast<int>(method.param)]);
                         });

/// The friction at no contact pushes along its slip, but for what the residual allows.
void expect_no_work_of_friction(const SampleProblem& s, const std::vector<double>& p,
                                double residual) {
    std::vector<double> u(p.size());
    complementarity_residual(s.view(), p, u);
    for (const ConstraintGroup& g : s.groups) {
        if (g.kind != Kind::friction) continue;
        const double* q = &p[g.row];
        const double work = q[1] * u[g.row + 1] + q[2] * u[g.row + 2];
        const double allowed = 4 * residual * s.scale() * std::hypot(q[0], q[1], q[2]) * (1 + g.mu);
        EXPECT_LE(work, allowed + 1e-300);
    }
}

TEST_P(EverySolver, is_made_by_its_name) {
    EXPECT_EQ(solver->name(), enum_names(GetParam())[static_cast<int>(GetParam())]);
}

TEST_P(EverySolver, converges_with_friction_of_any_size) {
    for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0, 100.0}) {
        // Its shifts settle for mu up to about 5 only; the others take any.
        if (mu > 5 && GetParam() == ComplementarityMethod::projected_gradient) continue;
        for (const Index n : {1, 2, 5, 20, 50}) {
            SampleProblem s;
            for (Index i = 0; i < n; ++i) s.add(Kind::friction, 3, mu);
            fill_random(s, 17 * n, 6 * n, 0.2);
            std::vector<double> p = s.zero();
            const ComplementarityStats stats = solve(s, p);
            EXPECT_TRUE(stats.converged) << "mu " << mu << ", contacts " << n << ", residual "
                                         << stats.residual << " after " << stats.iterations;
            EXPECT_LE(stats.residual, 1e-10);
            EXPECT_NEAR(s.residual(p), stats.residual, 1e-15);
            expect_no_work_of_friction(s, p, stats.residual);
        }
    }
}

TEST_P(EverySolver, lets_friction_do_no_work_where_it_stops_early) {
    SampleProblem s;
    for (Index i = 0; i < 30; ++i) s.add(Kind::friction, 3, 0.5);
    fill_random(s, 23, 60, 0.01);
    for (int n = 0; n < 20; ++n) {
        std::vector<double> p = s.zero();
        const ComplementarityStats stats = solve(s, p, {.max_iterations = n});
        EXPECT_LE(stats.iterations, n);
        expect_no_work_of_friction(s, p, stats.residual);
    }
}

/// Sets p so that u = 0 on the rows (Gaussian elimination; W is definite there); false where an
/// impulse would pull.
bool hold(const SampleProblem& s, const std::vector<Index>& rows, std::vector<double>& p) {
    const std::size_t n = rows.size();
    std::vector<std::vector<double>> A(n, std::vector<double>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[i][j] = s.W(rows[i], rows[j]);
        A[i][n] = -s.u_free[rows[i]];
    }
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = k + 1; i < n; ++i)
            for (std::size_t j = n + 1; j-- > k;) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    for (std::size_t i = n; i-- > 0;) {
        double sum = A[i][n];
        for (std::size_t j = i + 1; j < n; ++j) sum -= A[i][j] * p[rows[j]];
        p[rows[i]] = sum / A[i][i];
        if (p[rows[i]] < 0) return false;
    }
    return true;
}

/// min ½ pᵀWp + pᵀu_free over p >= 0 by complete enumeration of the active rows: the reference for
/// small problems.
std::vector<double> enumerate_active_sets(const SampleProblem& s) {
    const Index n = s.n_rows();
    for (unsigned set = 0; set < 1u << n; ++set) {
        std::vector<Index> rows;
        for (Index i = 0; i < n; ++i)
            if (set >> i & 1) rows.push_back(i);
        std::vector<double> p = s.zero();
        if (!hold(s, rows, p)) continue;
        if (s.residual(p) < 1e-12) return p;
    }
    ADD_FAILURE() << "no active set solves the problem";
    return s.zero();
}

TEST_P(EverySolver, presses_like_an_enumeration_of_active_sets) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        SampleProblem s;
        for (Index i = 0; i < 10; ++i) s.add(Kind::contact, 1);
        fill_random(s, seed, 20, 0.1);
        const std::vector<double> expected = enumerate_active_sets(s);
        std::vector<double> p = s.zero();
        EXPECT_TRUE(solve(s, p, {.max_iterations = 20000, .tolerance = 1e-12}).converged);
        for (Index i = 0; i < 10; ++i) EXPECT_NEAR(p[i], expected[i], 1e-9);
    }
}

TEST_P(EverySolver, agrees_on_the_unique_solution_without_friction) {
    for (const Index n : {1, 7, 50}) {
        SampleProblem s;
        for (Index i = 0; i < n; ++i) s.add(Kind::contact, 1);
        fill_random(s, 100 + n, 2 * n, 0.2);
        std::vector<double> p = s.zero(), reference = s.zero();
        EXPECT_TRUE(solve(s, p, {.max_iterations = 20000, .tolerance = 1e-12}).converged);
        make_complementarity_solver(ComplementarityMethod::gauss_seidel)
            ->solve(s.view(), {.max_iterations = 20000, .tolerance = 1e-13}, reference);
        for (Index i = 0; i < n; ++i) EXPECT_NEAR(p[i], reference[i], 1e-9);
    }
}

TEST_P(EverySolver, mixes_bilateral_rows_and_contacts) {
    SampleProblem s;
    for (int i = 0; i < 6; ++i) {
        s.add(Kind::bilateral, 1 + i % 3);
        s.add(Kind::friction, 3, 0.4);
        s.add(Kind::contact, 1);
    }
    fill_random(s, 8, 100, 0.1);
    std::vector<double> p = s.zero();
    const ComplementarityStats stats = solve(s, p);
    EXPECT_TRUE(stats.converged) << stats.residual;
    std::vector<double> u(p.size());
    complementarity_residual(s.view(), p, u);
    for (const ConstraintGroup& g : s.groups)
        for (Index i = 0; i < (g.kind == Kind::bilateral ? g.n_rows : 0); ++i)
            EXPECT_NEAR(u[g.row + i], 0, 1e-10 * s.scale());
}

TEST_P(EverySolver, keeps_limited_rows_within_their_limits) {
    SampleProblem s;
    for (int i = 0; i < 8; ++i) {
        s.add(Kind::limited, 1);
        s.groups.back().limit = i == 0 ? 0 : 0.05 * i;  // some slip, some stick
        s.add(Kind::bilateral, 2);
        s.add(Kind::friction, 3, 0.4);
    }
    fill_random(s, 9, 100, 0.1);
    std::vector<double> p = s.zero();
    const ComplementarityStats stats = solve(s, p);
    EXPECT_TRUE(stats.converged) << stats.residual;
    std::vector<double> u(p.size());
    complementarity_residual(s.view(), p, u);
    int sticking = 0, slipping = 0;
    for (const ConstraintGroup& g : s.groups) {
        if (g.kind != Kind::limited) continue;
        EXPECT_LE(std::abs(p[g.row]), g.limit * (1 + 1e-12));
        if (std::abs(p[g.row]) < g.limit * (1 - 1e-9)) {
            EXPECT_NEAR(u[g.row], 0, 1e-9 * s.scale());
            ++sticking;
        } else {
            EXPECT_LE(p[g.row] * u[g.row], 1e-12) << "against the slip";
            ++slipping;
        }
    }
    EXPECT_GT(sticking, 0);
    EXPECT_GT(slipping, 1);
}

TEST_P(EverySolver, solves_redundant_contacts) {
    for (const double mu : {0.0, 0.3}) {
        SampleProblem s;
        for (Index i = 0; i < 20; ++i)
            s.add(mu > 0 ? Kind::friction : Kind::contact, mu > 0 ? 3 : 1, mu);
        fill_random(s, 31, 12, 0);  // twelve degrees of freedom under 20 or 60 rows
        make_consistent(s, 32);
        std::vector<double> p = s.zero();
        const ComplementarityStats stats = solve(s, p);
        EXPECT_TRUE(stats.converged) << stats.residual << " after " << stats.iterations;
        expect_no_work_of_friction(s, p, stats.residual);
    }
}

TEST_P(EverySolver, keeps_a_box_with_four_corners_where_it_is) {
    const SampleProblem s = box_stack({2.0}, 0.5, 0.02);  // pushed inside the cone
    std::vector<double> p = s.zero(), u = s.zero();
    EXPECT_TRUE(solve(s, p).converged);
    complementarity_residual(s.view(), p, u);
    double total = 0;
    for (int corner = 0; corner < 4; ++corner) total += p[3 * corner];
    EXPECT_NEAR(total, 2 * 9.81 * 0.01, 1e-9);  // its weight for a step
    for (const double x : u) EXPECT_NEAR(x, 0, 1e-9);
}

TEST_P(EverySolver, reports_contradictory_rows_and_stays_finite) {
    SampleProblem s;
    s.add(Kind::bilateral, 1);
    s.add(Kind::bilateral, 1);
    s.add(Kind::contact, 1);
    s.W.resize(3);
    s.W.set_zero();
    s.W(0, 0) = s.W(0, 1) = s.W(1, 0) = s.W(1, 1) = s.W(2, 2) = 1;
    s.u_free = {1, -1, -1};  // the same velocity shall be 1 and -1
    std::vector<double> p = s.zero();
    const ComplementarityStats stats = solve(s, p, {.max_iterations = 500});
    EXPECT_FALSE(stats.converged);
    EXPECT_GT(stats.residual, 0.5);
    EXPECT_LE(stats.residual, 1);
}

TEST_P(EverySolver, has_nothing_to_do_at_its_own_solution) {
    SampleProblem s;
    for (Index i = 0; i < 15; ++i) s.add(Kind::friction, 3, 0.5);
    fill_random(s, 4, 60, 0.1);
    std::vector<double> p = s.zero();
    ASSERT_TRUE(solve(s, p).converged);
    const std::vector<double> solution = p;
    EXPECT_EQ(solve(s, p).iterations, 0);
    EXPECT_EQ(p, solution);
    for (double& u : s.u_free) u *= 1 + 1e-9;
    EXPECT_LE(solve(s, p).iterations, 12);  // a start near the solution is used
}

TEST_P(EverySolver, reports_numbers_that_are_not_finite) {
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity()};
    for (const double x : bad)
        for (int where = 0; where < 4; ++where) {
            SampleProblem s;
            s.add(Kind::friction, 3, 0.5);
            s.add(Kind::contact, 1);
            s.add(Kind::bilateral, 2);
            fill_random(s, 2, 12, 0.1);
            std::vector<double> p(6, 0.0);
            if (where == 0) s.u_free[1] = x;
            if (where == 1) s.u_free[5] = -x;
            if (where == 2) s.W(0, 4) = s.W(4, 0) = x;
            if (where == 3) s.W(2, 2) = x;
            const ComplementarityStats stats = solve(s, p);
            EXPECT_FALSE(stats.converged);
            EXPECT_EQ(p, s.zero());
        }
}

TEST_P(EverySolver, takes_a_start_that_is_not_finite_or_outside_the_cone) {
    SampleProblem s;
    for (Index i = 0; i < 5; ++i) s.add(Kind::friction, 3, 0.5);
    fill_random(s, 6, 30, 0.1);
    std::vector<double> p = s.zero();
    for (double& x : p) x = -3;
    EXPECT_TRUE(solve(s, p).converged);
    p[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(solve(s, p).converged);
}

TEST_P(EverySolver, solves_the_empty_problem_and_the_one_at_rest) {
    SampleProblem s;
    std::vector<double> p;
    EXPECT_TRUE(solve(s, p).converged);
    s.add(Kind::friction, 3, 0.5);
    fill_random(s, 1, 3, 1);
    s.u_free.assign(3, 0.0);
    p = {1, 0.2, 0};
    EXPECT_TRUE(solve(s, p).converged);
    EXPECT_EQ(p, s.zero());
}

TEST_P(EverySolver, holds_stacks_of_256_to_1) {
    for (const double mu : {0.0, 0.5}) {
        const SampleProblem s = box_stack(graded_masses(9, 1.0 / 256), mu);  // heaviest below
        std::vector<double> p = s.zero();
        const ComplementarityStats stats = solve(s, p, {.max_iterations = 5000, .tolerance = 1e-8});
        EXPECT_TRUE(stats.converged) << stats.residual << " after " << stats.iterations;
    }
}

}  // namespace
}  // namespace limber
