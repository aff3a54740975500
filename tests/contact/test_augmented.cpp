// SPDX-License-Identifier: Apache-2.0
// Contact without W, held against W.
#include "limber/contact/complementarity/augmented.h"

#include <gtest/gtest.h>

#include <random>

#include "contact/body_worlds.h"
#include "limber/contact/constraint_set.h"
#include "limber/contact/methods/lagrange.h"
#include "limber/core/parallel.h"
#include "linalg/schur_samples.h"

namespace limber {
namespace {

using Kind = ConstraintGroup::Kind;

/// A sheet of nx x nz nodes, held at one corner, that is pressed against something wavy.
struct Sheet {
    BlockCsr A;
    std::vector<Vec3d> free;
    SupernodalCholesky<double> factor;
    ConstraintSet set;
    std::vector<double> u_free, d;

    Sheet(Index nx, Index nz, double stiffness, double mu, unsigned seed)
        : A(test::laplacian(nx, 1, nz, 1e-3, stiffness)), free(nx * nz, Vec3d{1, 1, 1}) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        free[0] = {};
        factor.factorize(A, free);
        for (Index i = 1; i < nx * nz; ++i) {
            const double t = 0.3 * i;
            const Vec3d n = (1 / std::sqrt(1.09)) * Vec3d{0.3 * std::cos(t), 1, 0.3 * std::sin(t)};
            const auto [a, b] = across(n);
            const int rows = mu > 0 ? 3 : 1;
            for (int k = 0; k < rows; ++k) {
                set.H.add(i, k == 0 ? n : (k == 1 ? a : b));
                set.end_row(0);
                // Most press, some come away; tangents stick here and slip there.
                u_free.push_back(k == 0 ? normal(random) - 0.7 : 0.5 * normal(random));
            }
            set.end_group(rows == 3 ? Kind::friction : Kind::contact, rows, mu);
            d.push_back(1 / 1e-3);
        }
    }
};

/// By W itself, built from the factor.
double true_residual(Sheet& s, std::span<const double> p) {
    FactorCompliance<double> inverse(s.factor);
    DenseMatrix W;
    Delassus delassus;
    delassus.build(s.set.H, inverse, W);
    std::vector<double> u(p.size());
    return complementarity_residual({W, s.u_free, s.set.groups}, p, u);
}

struct Case {
    double stiffness, mu;
};
class Sheets : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Augmented, Sheets,
                         testing::Values(Case{1e-4, 0.3}, Case{1e-1, 0.3}, Case{10, 0.3},
                                         Case{1e-1, 0}, Case{1e-1, 0.05}, Case{1e-1, 0.8}),
                         [](const auto& test) { return "case_" + std::to_string(test.index); });

TEST_P(Sheets, are_solved_to_the_residual_that_W_itself_gives) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        Sheet s(14, 11, GetParam().stiffness, GetParam().mu, seed);
        FactorCompliance<double> inverse(s.factor);
        std::vector<double> p(s.u_free.size(), 0.0);
        AugmentedLagrangian solver;
        const ComplementarityStats stats =
            solver.solve({s.A, s.free, inverse, s.set.H, s.u_free, s.set.groups, s.d},
                         {.max_iterations = 500, .tolerance = 1e-8}, p);
        EXPECT_TRUE(stats.converged) << stats.residual << " after " << stats.iterations;
        const double residual = true_residual(s, p);
        EXPECT_LE(residual, 1.001e-8 * largest(s.u_free) + 1e-13);
        EXPECT_LE(residual, stats.residual * largest(s.u_free) * (1 + 1e-6) + 1e-13)
            << "its residual is a bound";
        // The answer is a start that needs nothing.
        EXPECT_EQ(solver
                      .solve({s.A, s.free, inverse, s.set.H, s.u_free, s.set.groups, s.d},
                             {.max_iterations = 500, .tolerance = 1e-8}, p)
                      .iterations,
                  0);
    }
}

TEST(Augmented, has_the_same_bits_on_any_number_of_threads) {
    std::vector<std::vector<double>> answers;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        Sheet s(30, 30, 0.1, 0.3, 5);
        FactorCompliance<double> inverse(s.factor);
        answers.emplace_back(s.u_free.size(), 0.0);
        AugmentedLagrangian().solve({s.A, s.free, inverse, s.set.H, s.u_free, s.set.groups, s.d},
                                    {.max_iterations = 500, .tolerance = 1e-6}, answers.back());
    }
    EXPECT_EQ(answers[0], answers[1]);
}

TEST(Augmented, fits_nodes_and_elements_and_no_contact_between_strangers) {
    Sheet s(5, 4, 0.1, 0.3, 1);
    EXPECT_TRUE(AugmentedLagrangian::fits(s.A, s.set.H, s.set.groups));
    ConstraintSet near, far;
    near.H.add(0, {0, 0.5, 0});
    near.H.add(1, {0, 0.5, 0});
    near.end_row(0);
    near.end_group(Kind::contact, 1);
    EXPECT_TRUE(AugmentedLagrangian::fits(s.A, near.H, near.groups));
    far.H.add(0, {0, 1, 0});
    far.H.add(19, {0, -1, 0});
    far.end_row(0);
    far.end_group(Kind::contact, 1);
    EXPECT_FALSE(AugmentedLagrangian::fits(s.A, far.H, far.groups));
}

/// A cloth that falls on a ball, by whichever solver `contact` names; positions after each step.
std::vector<std::vector<Vec3d>> drape(const std::string& contact, int steps) {
    const auto world = test::world_from(
        "limber = 1\n[time]\nstep = 0.01\nend = 9\n[solver]\nkind = \"newton\"\n"
        "rel_tolerance = 1e-7\n[material.linen]\nyoung = \"0.5 MPa\"\npoisson = 0.3\n"
        "density = 300\ndamping = { air = 5e-5, viscous = 1e-3 }\n"
        "[[body]]\nname = \"cloth\"\nshape = \"cloth_sheet\"\ncells = [14, 14]\n"
        "cloth = { thickness = 0.001, stretch = \"springs\", bending = 2e-5 }\n"
        "material = \"linen\"\ntranslate = [-0.45, 0.11, -0.52]\n"
        "[[obstacle]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nposition = [0, 0, 0]\n"
        "[[obstacle]]\nshape = \"plane\"\n"
        "[contact]\nmethod = \"lagrange\"\nfriction = 0.3\ntolerance = 1e-9\nalarm = 0.15\n"
        // The same rows for both: without W contacts are looked for again where the step ends, with
        // W where its first pass ends.
        "relinearise = 0\n" +
        contact);
    std::vector<std::vector<Vec3d>> out;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world->step();
        EXPECT_FALSE(report.failed);
        EXPECT_FALSE(report.has(StepFlag::contact_cap)) << "step " << k;
        // The true gap, of which 1e-3 of the edge of 7 cm may be left.
        EXPECT_GE(report.constraints.smallest_gap, -7e-5) << "step " << k;
        EXPECT_GE(report.constraints.rows, 300) << "the cloth is near the ground in step " << k;
        out.push_back(world->state().x);
    }
    return out;
}

TEST(Augmented, cloth_on_a_ball_falls_as_it_does_with_W) {
    const auto without = drape("", 8), with = drape("solver = \"nonsmooth_cg\"\n", 8);
    for (std::size_t k = 0; k < without.size(); ++k) {
        double most = 0;
        for (std::size_t i = 0; i < without[k].size(); ++i)
            most = std::max(most, norm(without[k][i] - with[k][i]));
        EXPECT_LT(most, 1e-6) << "m, step " << k;
    }
}

}  // namespace
}  // namespace limber
