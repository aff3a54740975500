// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "contact/complementarity_samples.h"
#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/projected_gradient.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using Kind = ConstraintGroup::Kind;
using Method = ComplementarityMethod;

ComplementarityStats solve(Method method, const SampleProblem& s, std::vector<double>& p,
                           const ComplementarityOptions& options) {
    return make_complementarity_solver(method)->solve(s.view(), options, p);
}

/// A smooth punch on an elastic half space: n x n points whose compliance falls with distance
/// (Boussinesq 1/r, blunted), gap a paraboloid, sheared along x.
SampleProblem press(Index n, double mu, double shear) {
    SampleProblem s;
    const Index n_points = n * n, rows = mu > 0 ? 3 : 1;
    for (Index i = 0; i < n_points; ++i) s.add(mu > 0 ? Kind::friction : Kind::contact, rows, mu);
    s.W.resize(s.n_rows());
    s.W.set_zero();
    s.u_free.assign(s.n_rows(), 0);
    const double R = 0.5 * n;
    for (Index i = 0; i < n_points; ++i) {
        const double x = i % n - R + 0.5, y = static_cast<double>(i / n) - R + 0.5;
        s.u_free[rows * i] = -1.5 + (x * x + y * y) / (R * R);
        if (mu > 0) s.u_free[rows * i + 1] = shear;
        for (Index j = 0; j < n_points; ++j) {
            const double dx = i % n - j % n, dy = static_cast<double>(i / n) - j / n;
            for (Index k = 0; k < rows; ++k)
                s.W(rows * i + k, rows * j + k) = 1 / std::sqrt(dx * dx + dy * dy + 0.36);
        }
    }
    return s;
}

/// Lemke's method with the covering vector 1, for w = q + M z, 0 <= w ⊥ z >= 0: an independent
/// reference without iteration to a tolerance.
std::vector<double> lemke(const SampleProblem& s) {
    const Index n = s.n_rows(), z0 = 2 * n, q = 2 * n + 1;
    std::vector<std::vector<double>> T(n, std::vector<double>(2 * n + 2, 0.0));
    std::vector<Index> basis(n);
    for (Index i = 0; i < n; ++i) {
        T[i][i] = 1;
        for (Index j = 0; j < n; ++j) T[i][n + j] = -s.W(i, j);
        T[i][z0] = -1;
        T[i][q] = s.u_free[i];
        basis[i] = i;
    }
    const auto pivot = [&](Index r, Index c) {
        const double d = T[r][c];
        for (double& x : T[r]) x /= d;
        for (Index i = 0; i < n; ++i) {
            const double f = T[i][c];
            if (i == r || f == 0) continue;
            for (Index j = 0; j < 2 * n + 2; ++j) T[i][j] -= f * T[r][j];
        }
        return std::exchange(basis[r], c);
    };
    Index row = 0;
    for (Index i = 1; i < n; ++i)
        if (T[i][q] < T[row][q]) row = i;
    Index leaving = T[row][q] < 0 ? pivot(row, z0) : z0;
    for (int step = 0; step < 1000 && leaving != z0; ++step) {
        const Index entering = leaving < n ? leaving + n : leaving - n;
        row = -1;
        for (Index i = 0; i < n; ++i)
            if (T[i][entering] > 1e-12 &&
                (row < 0 || T[i][q] / T[i][entering] < T[row][q] / T[row][entering]))
                row = i;
        if (row < 0) break;
        leaving = pivot(row, entering);
    }
    EXPECT_EQ(leaving, z0);
    std::vector<double> p = s.zero();
    for (Index i = 0; i < n; ++i)
        if (basis[i] >= n && basis[i] < 2 * n) p[basis[i] - n] = T[i][q];
    return p;
}

TEST(Press, matches_lemkes_method) {
    const SampleProblem s = press(9, 0, 0);
    const std::vector<double> expected = lemke(s);
    const auto n_acting =
        std::count_if(expected.begin(), expected.end(), [](double x) { return x > 0; });
    EXPECT_GT(n_acting, 20);  // a round patch of contact, not all of it
    EXPECT_LT(n_acting, 70);
    EXPECT_EQ(std::max_element(expected.begin(), expected.end()) - expected.begin(), 40);  // centre
    for (std::size_t m = 0; m < enum_names(Method{}).size(); ++m) {
        std::vector<double> p = s.zero();
        EXPECT_TRUE(
            solve(Method(m), s, p, {.max_iterations = 10000, .tolerance = 1e-12}).converged);
        for (Index i = 0; i < s.n_rows(); ++i) EXPECT_NEAR(p[i], expected[i], 1e-10) << m;
    }
}

TEST(Press, follows_coulomb_point_by_point) {
    const SampleProblem s = press(9, 0.3, 0.12);  // the rim slips, the middle sticks
    for (std::size_t m = 0; m < enum_names(Method{}).size(); ++m) {
        std::vector<double> p = s.zero(), u = s.zero();
        EXPECT_TRUE(
            solve(Method(m), s, p, {.max_iterations = 10000, .tolerance = 1e-12}).converged);
        complementarity_residual(s.view(), p, u);
        int n_open = 0, n_stick = 0, n_slip = 0;
        for (const ConstraintGroup& g : s.groups) {
            const double *q = &p[g.row], *v = &u[g.row];
            const double q_t = std::hypot(q[1], q[2]), v_t = std::hypot(v[1], v[2]);
            EXPECT_GE(v[0], -1e-10);
            EXPECT_LE(q_t, 0.3 * q[0] + 1e-14);
            if (q[0] == 0) {
                ++n_open;
            } else if (v_t < 1e-9) {
                ++n_stick;
            } else {
                ++n_slip;
                EXPECT_NEAR(q_t, 0.3 * q[0], 1e-9);
                EXPECT_NEAR(q[1] * v[1] + q[2] * v[2], -q_t * v_t, 1e-10);  // opposite
            }
        }
        EXPECT_GT(n_open, 10);
        EXPECT_GT(n_stick, 4);
        EXPECT_GT(n_slip, 4);
    }
}

TEST(Stack, of_4096_to_1_needs_pivots) {
    for (const double mu : {0.0, 0.5}) {
        const SampleProblem s = box_stack(graded_masses(5, 4096), mu);  // heaviest on top
        std::vector<double> p = s.zero(), u = s.zero();
        const ComplementarityOptions options{.max_iterations = 1000, .tolerance = 1e-8};
        EXPECT_FALSE(solve(Method::gauss_seidel, s, p, options).converged);
        p = s.zero();
        const ComplementarityStats stats = solve(Method::pivoting, s, p, options);
        EXPECT_TRUE(stats.converged) << stats.residual;
        EXPECT_LT(stats.iterations, 100);
        // The ground carries everything.
        double carried = 0, weight = 0;
        for (int corner = 0; corner < 4; ++corner) carried += p[(mu > 0 ? 3 : 1) * corner];
        for (const double m : graded_masses(5, 4096)) weight += 9.81 * 0.01 * m;
        EXPECT_NEAR(carried, weight, 1e-6 * weight);
    }
}

TEST(Stack, of_256_to_1_is_held_by_sweeps_and_faster_by_conjugate_gradients) {
    const SampleProblem s = box_stack(graded_masses(5, 256), 0);
    const ComplementarityOptions options{.max_iterations = 20000, .tolerance = 1e-8};
    std::vector<double> p = s.zero(), q = s.zero();
    const ComplementarityStats plain = solve(Method::gauss_seidel, s, p, options);
    const ComplementarityStats fast = solve(Method::nonsmooth_cg, s, q, options);
    EXPECT_TRUE(plain.converged);
    EXPECT_TRUE(fast.converged);
    EXPECT_LT(2 * fast.iterations, plain.iterations);  // measured: 929 and 8600
}

TEST(Pivoting, finishes_to_rounding_with_friction) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        SampleProblem s;
        for (Index i = 0; i < 12; ++i) s.add(Kind::friction, 3, 0.2 + 0.1 * (seed % 10));
        fill_random(s, seed, 40, 1e-3);
        std::vector<double> p = s.zero();
        const ComplementarityStats stats = solve(Method::pivoting, s, p, {.tolerance = 1e-12});
        EXPECT_TRUE(stats.converged) << seed << ": " << stats.residual;
    }
}

/// Bodies that do not touch each other: zero blocks of W, and batches of every size.
SampleProblem islands(Index n_islands) {
    SampleProblem s, part;
    std::vector<SampleProblem> parts;
    for (Index k = 0; k < n_islands; ++k) {
        part = {};
        for (Index i = 0; i < 12 + 3 * k; ++i) {
            const Kind kind = i % 5 == 3   ? Kind::contact
                              : i % 7 == 5 ? Kind::bilateral
                                           : Kind::friction;
            const Index rows = kind == Kind::contact ? 1 : kind == Kind::bilateral ? 2 : 3;
            part.add(kind, rows, 0.4);
            s.add(kind, rows, 0.4);
        }
        fill_random(part, k, 2 * part.n_rows(), 0.05);
        parts.push_back(part);
    }
    s.W.resize(s.n_rows());
    s.W.set_zero();
    Index first = 0;
    for (const SampleProblem& one : parts) {
        for (Index i = 0; i < one.n_rows(); ++i)
            for (Index j = 0; j < one.n_rows(); ++j) s.W(first + i, first + j) = one.W(i, j);
        s.u_free.insert(s.u_free.end(), one.u_free.begin(), one.u_free.end());
        first += one.n_rows();
    }
    return s;
}

TEST(Coloured, gives_the_same_bits_for_any_number_of_threads) {
    SampleProblem dense;
    for (Index i = 0; i < 150; ++i) dense.add(Kind::friction, 3, 0.5);  // 10 batches
    fill_random(dense, 9, 500, 0.05);
    for (const SampleProblem& s : {dense, islands(6)})
        for (std::size_t m = 0; m < enum_names(Method{}).size(); ++m) {
            if (Method(m) == Method::pivoting && s.n_rows() > 400) continue;  // only slow
            std::vector<double> one = s.zero(), two = s.zero(), four = s.zero();
            const ComplementarityOptions options{.max_iterations = 15};
            const auto run = [&](int threads, std::vector<double>& p) {
                const ThreadLimit limit(threads);
                return solve(Method(m), s, p, options);
            };
            const ComplementarityStats stats = run(1, one);
            EXPECT_EQ(run(2, two).residual, stats.residual);
            EXPECT_EQ(run(4, four).residual, stats.residual);
            EXPECT_EQ(one, two);
            EXPECT_EQ(one, four);
        }
}

TEST(Coloured, is_gauss_seidel_where_everything_couples) {
    SampleProblem s;
    for (Index i = 0; i < 60; ++i) s.add(Kind::friction, 3, 0.5);
    fill_random(s, 12, 300, 0.05);
    std::vector<double> p = s.zero(), q = s.zero();
    EXPECT_EQ(solve(Method::gauss_seidel, s, p, {}).iterations,
              solve(Method::coloured, s, q, {}).iterations);
    EXPECT_EQ(p, q);
}

TEST(Sweeps, solve_separate_bodies_of_mixed_constraints) {
    const SampleProblem s = islands(8);
    for (const Method method : {Method::gauss_seidel, Method::coloured, Method::nonsmooth_cg}) {
        std::vector<double> p = s.zero();
        EXPECT_TRUE(solve(method, s, p, {}).converged);
        EXPECT_LE(s.residual(p), 1e-10);
    }
}

TEST(Sweeps, are_as_exact_from_single_precision) {
    const SampleProblem s = islands(4);
    for (const double tolerance : {1e-5, 1e-10, 1e-13})
        for (const bool single : {true, false}) {
            std::vector<double> p = s.zero();
            EXPECT_TRUE(solve(Method::gauss_seidel, s, p,
                              {.tolerance = tolerance, .single_precision = single})
                            .converged);
            EXPECT_LE(s.residual(p), tolerance);
        }
    // 1e-9 between the rows is lost in single precision: the sweeps go on in double.
    SampleProblem twins;
    twins.add(Kind::bilateral, 1);
    twins.add(Kind::contact, 1);
    twins.W.resize(2);
    twins.W(0, 0) = twins.W(1, 1) = 1;
    twins.W(0, 1) = twins.W(1, 0) = 1 - 1e-3 - 1e-9;
    twins.u_free = {1, -1.1};
    std::vector<double> p = twins.zero();
    EXPECT_TRUE(solve(Method::gauss_seidel, twins, p, {.max_iterations = 100000}).converged);
}

class CountedOperator final : public ImpulseOperator {
  public:
    explicit CountedOperator(const DenseMatrix& W) : W_(W) {}
    Index n_rows() const override { return W_.n(); }
    void apply(std::span<const double> p, std::span<double> u) override {
        ++n_products;
        for (Index i = 0; i < W_.n(); ++i) {
            u[i] = 0;
            for (Index j = 0; j < W_.n(); ++j) u[i] += W_(i, j) * p[j];
        }
    }
    int n_products = 0;

  private:
    const DenseMatrix& W_;
};

TEST(ProjectedGradient, solves_what_is_not_built) {
    const SampleProblem s = islands(3);
    std::vector<double> diagonal;
    for (Index i = 0; i < s.n_rows(); ++i) diagonal.push_back(s.W(i, i));
    for (const bool known : {true, false}) {
        CountedOperator W(s.W);
        ProjectedGradient solver;
        std::vector<double> p = s.zero();
        UnbuiltProblem problem{W, s.u_free, s.groups};
        if (known) problem.diagonal = diagonal;
        const ComplementarityStats stats = solver.solve(problem, {}, p);
        EXPECT_TRUE(stats.converged) << stats.residual;
        EXPECT_LE(W.n_products, stats.iterations + 2);  // one an iteration
        EXPECT_LT(s.residual(p), 1e-9);                 // by the diagonal of W, not an estimate
    }
}

}  // namespace
}  // namespace limber
