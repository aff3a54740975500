// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/multigrid/aggregate_levels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/core/parallel.h"
#include "linalg/fem_systems.h"

namespace limber {
namespace {

using namespace test;

template <class Real>
std::vector<Vec3<Real>> rounded(const Vectors& a) {
    std::vector<Vec3<Real>> out;
    for (const Vec3d& v : a)
        out.push_back({static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)});
    return out;
}
Vectors masked_by(Vectors a, const Vectors& free) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = masked(a[i], free[i]);
    return a;
}

TEST(BlockRows, multiply_as_the_matrix_they_were_taken_from) {
    const BlockCsr A = random_spd(700, 5, 3);
    const Vectors x = random_vectors(700, 4);
    Vectors y(700), own(700);
    const double xy = A.apply(x, y);
    BlockRows<double> same;
    same.take(A);
    EXPECT_NEAR(same.apply(x, own), xy, 1e-12 * std::fabs(xy));
    for (Index i = 0; i < 700; ++i) own[i] -= y[i];
    EXPECT_LT(norm_all(own), 1e-14 * norm_all(y));

    BlockRows<float> rows;
    rows.take(A);
    std::vector<Vec3<float>> z(700);
    EXPECT_NEAR(rows.apply(rounded<float>(x), z), xy, 1e-4 * std::fabs(xy));
    for (Index i = 0; i < 700; ++i)
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(z[i][k], y[i][k], 1e-4);
}

struct Preconditioned {
    FemSystem system;
    BlockRows<double> A;
    AggregateLevels<double> P;

    explicit Preconditioned(int n, double h, double contrast = 1)
        : system(bar_system(n, h, contrast)), P(system.A, system.free) {
        A.take(system.A);
        EXPECT_TRUE(P.update(A, system.positions));
    }
};

TEST(AggregateLevels, are_symmetric_and_positive_definite) {
    Preconditioned p(4, huge_step, 100);
    const Index n = p.system.A.n_nodes();
    Vectors z(n), w(n);
    for (unsigned seed = 1; seed < 6; ++seed) {
        const Vectors r = masked_by(random_vectors(n, seed), p.system.free);
        const Vectors s = masked_by(random_vectors(n, seed + 50), p.system.free);
        EXPECT_GT(p.P.apply(r, z), 0);
        p.P.apply(s, w);
        EXPECT_NEAR(dot_all(s, z), dot_all(r, w), 1e-10 * norm_all(s) * norm_all(z));
    }
}

TEST(AggregateLevels, leave_prescribed_degrees_of_freedom_alone) {
    FemSystem s = bar_system(3, huge_step);
    s.free[40] = {1, 0, 1};  // one axis held: the node stays in its aggregate
    BlockRows<double> A;
    A.take(s.A);
    AggregateLevels<double> P(s.A, s.free);
    ASSERT_TRUE(P.update(A, s.positions));
    Vectors z(s.A.n_nodes());
    P.apply(masked_by(random_vectors(s.A.n_nodes(), 2), s.free), z);
    for (Index i = 0; i < s.A.n_nodes(); ++i)
        for (int k = 0; k < 3; ++k)
            if (s.free[i][k] == 0) {
                EXPECT_EQ(z[i][k], 0) << i;
            }
}

/// Conjugate gradients to 1e-6 of the first r·z.
int iterations(Preconditioned& p, bool diagonal_only) {
    const Index n = p.system.A.n_nodes();
    std::vector<Mat3d> D(static_cast<std::size_t>(n));
    p.system.A.diagonal(D);
    Vectors r = masked_by(p.system.b, p.system.free), z(n), q(n);
    const auto precondition = [&] {
        if (!diagonal_only) return p.P.apply(r, z);
        for (Index i = 0; i < n; ++i) z[i] = masked(inverse(D[i]) * r[i], p.system.free[i]);
        return dot_all(r, z);
    };
    double rz = precondition();
    Vectors d = z;
    const double enough = 1e-12 * rz;
    int k = 0;
    for (; rz > enough && k < 5000; ++k) {
        const double length = rz / p.A.apply(d, q);
        for (Index i = 0; i < n; ++i) r[i] -= masked(length * q[i], p.system.free[i]);
        const double before = rz;
        rz = precondition();
        for (Index i = 0; i < n; ++i) d[i] = z[i] + (rz / before) * d[i];
    }
    return k;
}

/// A bar that is all but static is what Jacobi's method finds hardest.
TEST(AggregateLevels, take_most_of_the_iterations_away_and_keep_doing_so_on_finer_meshes) {
    std::vector<int> ours;
    for (const int n : {2, 4, 8}) {
        Preconditioned p(n, huge_step);
        ours.push_back(iterations(p, false));
        EXPECT_LT(2 * ours.back(), iterations(p, true)) << n;
    }
    EXPECT_LT(ours[2], 3 * ours[0]);  // 64 times the nodes; the diagonal alone takes 4 times
}

TEST(AggregateLevels, give_the_same_bits_on_any_number_of_threads) {
    std::vector<Vectors> results;
    for (const int threads : {1, 2, 3}) {
        const ThreadLimit limit(threads);
        Preconditioned p(6, 0.01);
        Vectors z(p.system.A.n_nodes());
        p.P.apply(masked_by(random_vectors(p.system.A.n_nodes(), 9), p.system.free), z);
        results.push_back(z);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(AggregateLevels, take_bodies_of_a_few_nodes_and_no_node_that_is_free) {
    for (const bool pinned : {false, true}) {
        BlockCsr A = random_spd(3, 2, 1);
        BlockRows<double> rows;
        rows.take(A);
        const Vectors free(3, pinned ? Vec3d{} : Vec3d{1, 1, 1});
        AggregateLevels<double> P(A, free);
        ASSERT_TRUE(P.update(rows, random_vectors(3, 5)));
        const Vectors r = masked_by(random_vectors(3, 7), free);
        Vectors z(3);
        const double rz = P.apply(r, z);
        EXPECT_EQ(rz > 0, !pinned);
    }
}

}  // namespace
}  // namespace limber
