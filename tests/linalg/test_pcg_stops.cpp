// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "limber/linalg/pcg.h"
#include "linalg/systems.h"

namespace limber {
namespace {

using namespace test;
using Kind = PreconditionerKind;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double inf_value = std::numeric_limits<double>::infinity();

struct StoppingSystem {
    BlockCsr A;
    Vectors b, free;
    std::vector<double> mass;
    Preconditioner P{Kind::jacobi};

    explicit StoppingSystem(BlockCsr matrix)
        : A(std::move(matrix)), b(random_vectors(A.n_nodes(), 7)), mass(A.n_nodes(), 1.5) {
        P.update(A, {}, free);
    }
    PcgProblem problem() const {
        PcgProblem p{.A = A, .P = P, .b = b, .free = free};
        p.b_norm = norm_all(b);
        p.mass = mass;
        return p;
    }
};

StoppingSystem stiff() {
    return StoppingSystem(laplacian(6, 6, 6, 1, 100));
}

/// A that misbehaves after a number of products.
class Spoiled final : public LinearOperator {
  public:
    Spoiled(const BlockCsr& A, int good_products) : A_(A), good_(good_products) {}
    Index n_nodes() const override { return A_.n_nodes(); }
    double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const override {
        const double xy = A_.apply(x, y);
        if (good_-- > 0) return xy;
        y[0].x = nan_value;
        return nan_value;
    }
    void diagonal(std::span<Mat3d> blocks) const override { A_.diagonal(blocks); }

  private:
    const BlockCsr& A_;
    mutable int good_;
};

/// A whose products take at least so long.
class Slow final : public LinearOperator {
  public:
    Slow(const BlockCsr& A, int ms) : A_(A), ms_(ms) {}
    Index n_nodes() const override { return A_.n_nodes(); }
    double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(ms_));
        return A_.apply(x, y);
    }
    void diagonal(std::span<Mat3d> blocks) const override { A_.diagonal(blocks); }

  private:
    const BlockCsr& A_;
    int ms_;
};

PcgProblem with_operator(const StoppingSystem& s, const LinearOperator& A) {
    PcgProblem p{.A = A, .P = s.P, .b = s.b, .free = s.free};
    p.b_norm = norm_all(s.b);
    return p;
}

TEST(PcgStop, converged_at_the_first_residual_below_tolerance) {
    const StoppingSystem s = stiff();
    Vectors x(s.A.n_nodes());
    PcgTrace trace;
    const SolveStats stats = Pcg({.rel_tolerance = 1e-4}).solve(s.problem(), x, &trace);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_FALSE(stats.failed());
    const double bound = 1e-4 * norm_all(s.b);
    EXPECT_LE(trace.residual.back(), bound);
    for (int k = 0; k < stats.iterations; ++k) EXPECT_GT(trace.residual[k], bound);
}

TEST(PcgStop, cap_counts_iterations) {
    const StoppingSystem s = stiff();
    for (int cap : {0, 1, 7}) {
        Vectors x = random_vectors(s.A.n_nodes(), 8);
        const Vectors start = x;
        const SolveStats stats = Pcg({.max_iterations = cap}).solve(s.problem(), x);
        EXPECT_EQ(stats.status, SolveStatus::iteration_cap);
        EXPECT_EQ(stats.iterations, cap);
        EXPECT_EQ(x == start, cap == 0);
        EXPECT_GT(stats.residual, 0);
    }
}

TEST(PcgStop, energy_settles_at_the_first_small_change) {
    const StoppingSystem s = stiff();
    Vectors x(s.A.n_nodes());
    PcgTrace trace;
    const double share = 0.01;
    const SolveStats stats =
        Pcg({.rel_tolerance = 1e-12, .energy_tolerance = share}).solve(s.problem(), x, &trace);
    EXPECT_EQ(stats.status, SolveStatus::energy_settled);
    EXPECT_GT(stats.residual, 1e-12);
    const auto change = [&](int k) {
        const double a = trace.kinetic[k - 1], b = trace.kinetic[k];
        return std::fabs(b - a) / std::max(a, b);
    };
    for (int k = 1; k < stats.iterations; ++k) EXPECT_GE(change(k), share);
    EXPECT_LT(change(stats.iterations), share);
    // Without a trace the rule is the same.
    Vectors again(s.A.n_nodes());
    Pcg({.rel_tolerance = 1e-12, .energy_tolerance = share}).solve(s.problem(), again);
    EXPECT_EQ(x, again);
}

TEST(PcgStop, deadline_in_the_past_returns_the_guess) {
    const StoppingSystem s = stiff();
    Timer clock;
    while (clock.ms() < 0.01) {
    }
    PcgProblem problem = s.problem();
    problem.clock = &clock;
    Vectors x = random_vectors(s.A.n_nodes(), 9);
    const Vectors start = x;
    const SolveStats stats = Pcg({.deadline_ms = 0.01}).solve(problem, x);
    EXPECT_EQ(stats.status, SolveStatus::deadline);
    EXPECT_EQ(stats.iterations, 0);
    EXPECT_EQ(x, start);
    EXPECT_GT(stats.residual, 0);
}

TEST(PcgStop, deadline_prevents_an_iteration_that_would_end_too_late) {
    // A product takes 20 ms or more: a second one cannot end within 30 ms, so at most one begins.
    const StoppingSystem s = stiff();
    const Slow A(s.A, 20);
    Pcg pcg({.rel_tolerance = 1e-12, .deadline_ms = 30});
    PcgProblem problem = with_operator(s, A);
    Timer clock;
    problem.clock = &clock;
    Vectors x(s.A.n_nodes());
    const SolveStats stats = pcg.solve(problem, x);
    EXPECT_EQ(stats.status, SolveStatus::deadline);
    EXPECT_LE(stats.iterations, 1);
    // The next solve knows what an iteration costs and does not even begin the first.
    if (stats.iterations == 1) {
        while (clock.ms() < 15) {
        }
        Vectors y(s.A.n_nodes());
        EXPECT_EQ(pcg.solve(problem, y).iterations, 0);
    }
}

TEST(PcgStop, forced_iterations_repeat_what_the_clock_decided) {
    const StoppingSystem s = stiff();
    for (int k : {0, 1, 5}) {
        Vectors expected(s.A.n_nodes()), x(s.A.n_nodes());
        Pcg({.max_iterations = k}).solve(s.problem(), expected);
        PcgProblem problem = s.problem();
        problem.forced_iterations = k;
        const SolveStats stats = Pcg({.deadline_ms = 1}).solve(problem, x);  // needs no clock
        EXPECT_EQ(stats.iterations, k);
        EXPECT_EQ(stats.status, SolveStatus::deadline);
        EXPECT_EQ(x, expected);
    }
}

TEST(PcgStop, forced_iterations_name_the_rule_that_holds) {
    const StoppingSystem s = stiff();
    Vectors x(s.A.n_nodes());
    const PcgOptions options{.rel_tolerance = 1e-3};
    const SolveStats natural = Pcg(options).solve(s.problem(), x);
    PcgProblem problem = s.problem();
    problem.forced_iterations = natural.iterations;
    Vectors y(s.A.n_nodes());
    EXPECT_EQ(Pcg(options).solve(problem, y).status, SolveStatus::converged);
    EXPECT_EQ(x, y);
    problem.forced_iterations = natural.iterations + 3;  // goes on although converged
    EXPECT_EQ(Pcg(options).solve(problem, y).iterations, natural.iterations + 3);
}

TEST(PcgStop, forced_iterations_end_when_the_residual_vanishes) {
    const StoppingSystem s = stiff();
    PcgProblem problem = s.problem();
    problem.forced_iterations = 100000;
    Vectors x(s.A.n_nodes());
    const SolveStats stats = Pcg(PcgOptions{}).solve(problem, x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_LT(stats.iterations, 100000);
    EXPECT_LT((dense(s.A) * dense(x) - dense(s.b)).norm(), 1e-12 * norm_all(s.b));
}

TEST(PcgStop, negative_curvature_is_indefinite_and_keeps_the_last_iterate) {
    StoppingSystem s = stiff();
    for (Mat3d& B : s.A.blocks()) B = -1.0 * B;
    Vectors x = random_vectors(s.A.n_nodes(), 10);
    const Vectors start = x;
    const SolveStats at_once = Pcg(PcgOptions{}).solve(s.problem(), x);
    EXPECT_EQ(at_once.status, SolveStatus::indefinite);
    EXPECT_TRUE(at_once.failed());
    EXPECT_EQ(at_once.iterations, 0);
    EXPECT_EQ(x, start);

    StoppingSystem late = stiff();  // one weakly negative direction, found after some iterations
    late.A.blocks()[late.A.diagonal_position(100)] -= 300.0 * Mat3d::identity();
    late.P.update(late.A, {}, {});
    Vectors y(late.A.n_nodes());
    const SolveStats stats = Pcg({.rel_tolerance = 1e-12}).solve(late.problem(), y);
    EXPECT_EQ(stats.status, SolveStatus::indefinite);
    ASSERT_GT(stats.iterations, 0);
    Vectors last_good(late.A.n_nodes());
    PcgProblem problem = late.problem();
    Pcg({.max_iterations = stats.iterations, .rel_tolerance = 1e-12}).solve(problem, last_good);
    EXPECT_EQ(y, last_good);
}

TEST(PcgStop, numbers_that_are_not_finite_are_reported_and_change_nothing) {
    for (double bad : {nan_value, inf_value}) {
        const Vectors guess = random_vectors(216, 11);
        for (const Vectors& start : {guess, Vectors(216)}) {
            StoppingSystem in_b = stiff(), in_A = stiff();
            in_b.b[200].z = bad;
            in_A.A.blocks()[in_A.A.find(200, 199)](1, 2) = bad;
            for (const StoppingSystem* s : {&in_b, &in_A}) {
                Vectors x = start;
                const SolveStats stats = Pcg(PcgOptions{}).solve(s->problem(), x);
                EXPECT_EQ(stats.status, SolveStatus::not_finite);
                EXPECT_TRUE(stats.failed());
                EXPECT_EQ(x, start);
            }
        }
    }
}

TEST(PcgStop, a_product_that_turns_bad_leaves_the_last_good_iterate) {
    const StoppingSystem s = stiff();
    Vectors x(s.A.n_nodes()), expected(s.A.n_nodes());
    const Spoiled A(s.A, 3);
    const SolveStats stats = Pcg({.rel_tolerance = 1e-12}).solve(with_operator(s, A), x);
    EXPECT_EQ(stats.status, SolveStatus::not_finite);
    EXPECT_EQ(stats.iterations, 3);
    Pcg({.max_iterations = 3}).solve(s.problem(), expected);
    EXPECT_EQ(x, expected);
}

TEST(PcgStop, overflow_of_the_residual_leaves_the_last_good_iterate) {
    StoppingSystem s = stiff();
    for (Vec3d& v : s.b) v *= 1e160;  // r·r overflows
    Vectors x(s.A.n_nodes());
    EXPECT_EQ(Pcg(PcgOptions{}).solve(s.problem(), x).status, SolveStatus::not_finite);
    EXPECT_EQ(x, Vectors(s.A.n_nodes()));
}

TEST(PcgStop, failure_does_not_poison_the_next_solve) {
    StoppingSystem bad = stiff();
    const StoppingSystem good = stiff();
    bad.A.blocks()[7].a[3] = nan_value;
    Pcg pcg(PcgOptions{});
    Vectors x = random_vectors(bad.A.n_nodes(), 12);
    EXPECT_TRUE(pcg.solve(bad.problem(), x).failed());
    Vectors y(good.A.n_nodes()), fresh(good.A.n_nodes());
    pcg.solve(good.problem(), y);
    Pcg(PcgOptions{}).solve(good.problem(), fresh);
    EXPECT_EQ(y, fresh);
}

TEST(PcgStop, exact_guess_converges_without_an_iteration) {
    StoppingSystem s = stiff();
    Vectors x = random_vectors(s.A.n_nodes(), 13);
    const Vectors start = x;
    s.A.apply(x, s.b);
    const SolveStats stats = Pcg({.max_iterations = 0}).solve(s.problem(), x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_EQ(stats.iterations, 0);
    EXPECT_EQ(stats.absolute_residual, 0);
    EXPECT_EQ(x, start);
}

TEST(PcgStop, zero_right_hand_side_leads_to_zero) {
    StoppingSystem s = stiff();
    std::fill(s.b.begin(), s.b.end(), Vec3d{});
    Vectors zero(s.A.n_nodes());
    const SolveStats at_once = Pcg(PcgOptions{}).solve(s.problem(), zero);
    EXPECT_EQ(at_once.status, SolveStatus::converged);
    EXPECT_EQ(at_once.iterations, 0);
    EXPECT_EQ(at_once.residual, 0);
    // From elsewhere |r| is measured against its first value.
    Vectors x = random_vectors(s.A.n_nodes(), 14);
    const double size = norm_all(x);
    const SolveStats stats = Pcg({.rel_tolerance = 1e-10}).solve(s.problem(), x);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_LE(stats.residual, 1e-10);
    EXPECT_LT(norm_all(x), 1e-6 * size);
}

TEST(PcgStop, nothing_to_solve_is_converged) {
    StoppingSystem s = stiff();
    s.free.assign(s.A.n_nodes(), Vec3d{});
    s.P.update(s.A, {}, s.free);
    Vectors x = random_vectors(s.A.n_nodes(), 15);
    const Vectors start = x;
    EXPECT_EQ(Pcg(PcgOptions{}).solve(s.problem(), x).status, SolveStatus::converged);
    EXPECT_EQ(x, start);

    const StoppingSystem empty{BlockCsr()};
    Vectors none;
    const SolveStats stats = Pcg({.energy_tolerance = 0.1}).solve(empty.problem(), none);
    EXPECT_EQ(stats.status, SolveStatus::converged);
    EXPECT_EQ(stats.iterations, 0);
}

}  // namespace
}  // namespace limber
