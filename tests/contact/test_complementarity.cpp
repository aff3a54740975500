// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity.h"

#include <gtest/gtest.h>

#include <random>

#include "contact/complementarity_samples.h"
#include "limber/contact/complementarity/cone.h"

namespace limber {
namespace {

using Kind = ConstraintGroup::Kind;

Mat3d random_block(std::mt19937& random, double shift) {
    std::normal_distribution<double> normal;
    Mat3d J;
    for (double& x : J.a) x = normal(random);
    return J * transpose(J) + Mat3d::diagonal(shift, shift, shift);
}

/// Checks Coulomb's law itself, not the residual: which of the three states holds, and that it
/// does.
void expect_coulomb(const Mat3d& W, double mu, const Vec3d& b, const Vec3d& p, int* states) {
    const Vec3d u = b + W * p;
    const double tol = 1e-11 * (norm(b) + 1e-300);
    const double p_t = std::hypot(p.y, p.z), u_t = std::hypot(u.y, u.z);
    EXPECT_GE(p.x, 0);
    EXPECT_LE(p_t, mu * p.x * (1 + 1e-12));
    if (p.x == 0) {
        EXPECT_GE(u.x, 0);
        ++states[0];
    } else if (u_t <= tol) {
        EXPECT_NEAR(u.x, 0, tol);
        ++states[1];
    } else {
        EXPECT_NEAR(u.x, 0, tol);
        EXPECT_NEAR(p_t, mu * p.x, 1e-11 * mu * p.x);  // on the cone
        EXPECT_NEAR(p.y * u.z - p.z * u.y, 0, 1e-10 * p_t * u_t + 1e-300);
        EXPECT_LE(p.y * u.y + p.z * u.z, 0);  // against the slip
        ++states[2];
    }
}

TEST(OneContact, follows_coulomb_for_random_blocks) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    int states[3] = {};
    for (int i = 0; i < 20000; ++i) {
        const double shift = i % 3 == 0 ? 1 : 1e-3;
        const Mat3d W = random_block(random, shift);
        const double mu = std::pow(10.0, (i % 7) - 3);  // 0.001 to 1000
        const Vec3d b{normal(random), normal(random), normal(random)};
        expect_coulomb(W, mu, b, OneContact(W, mu).solve(b), states);
    }
    for (const int n : states) EXPECT_GT(n, 1000);
}

TEST(OneContact, has_the_answers_of_a_point_mass_on_a_plane) {
    const double m = 2;
    const Mat3d W = Mat3d::diagonal(1 / m, 1 / m, 1 / m);
    const OneContact contact(W, 0.5);
    EXPECT_EQ(contact.solve({1, 3, 0}), Vec3d{});  // leaves
    EXPECT_EQ(contact.solve({0, 3, 0}), Vec3d{});  // grazes
    const Vec3d stick = contact.solve({-1, 0.3, -0.2});
    EXPECT_LT(norm(stick - Vec3d{m, -0.3 * m, 0.2 * m}), 1e-15);
    const Vec3d slip = contact.solve({-1, 3, 4});  // mu m 1 against (3, 4)/5
    EXPECT_LT(norm(slip - Vec3d{m, -0.5 * m * 0.6, -0.5 * m * 0.8}), 1e-15);
    EXPECT_EQ(OneContact(W, 0).solve({-1, 3, 4}), (Vec3d{m, 0, 0}));
    const Vec3d held = OneContact(W, 1e6).solve({-1e-3, 3, 4});  // any slope sticks
    EXPECT_LT(norm(held - Vec3d{1e-3 * m, -3 * m, -4 * m}), 1e-14);
}

TEST(OneContact, is_finite_and_exact_for_singular_blocks) {
    const auto rank_one = [](const Vec3d& v) { return outer(v, v); };
    int states[3] = {};
    // Only the normal moves; normal and one tangent; everything moves as one.
    for (const Mat3d& W : {rank_one({1, 0, 0}), rank_one({1, 0, 0}) + rank_one({0, 1, 0}),
                           rank_one({1, 0.5, -0.3}), rank_one({1e-9, 0, 0})})
        for (const Vec3d& b : {Vec3d{-1, 0.4, 0.7}, Vec3d{-1, 0, 0}, Vec3d{-1, 5, 0}})
            expect_coulomb(W, 0.6, b, OneContact(W, 0.6).solve(b), states);
    EXPECT_EQ(OneContact(Mat3d{}, 0.6).solve({-1, 2, 3}), Vec3d{});  // nothing moves at all
    EXPECT_EQ(OneContact(Mat3d::diagonal(0, 1, 1), 0.6).solve({-1, 2, 3}), Vec3d{});
}

TEST(Cone, projection_is_nearest_and_complementary) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 1000; ++i) {
        const double mu = std::exp(normal(random));
        const Vec3d q{normal(random), normal(random), normal(random)};
        const Vec3d z = project_to_cone(q, mu), rest = z - q;
        EXPECT_LE(std::hypot(z.y, z.z), mu * z.x * (1 + 1e-14));
        EXPECT_NEAR(dot(z, rest), 0, 1e-13);  // Moreau: q = z - rest, z ⊥ rest,
        EXPECT_GE(rest.x + 1e-13, mu * std::hypot(rest.y, rest.z));  // rest in the dual cone
    }
}

TEST(ComplementarityResidual, vanishes_at_solutions_and_only_there) {
    SampleProblem s;
    s.add(Kind::friction, 3, 0.5);
    s.add(Kind::contact, 1);
    s.add(Kind::bilateral, 1);
    s.W.resize(5);
    s.W.set_zero();
    for (Index i = 0; i < 5; ++i) s.W(i, i) = 0.5;
    s.u_free = {-1, 3, 4, -2, 1};
    // The point mass of above, one that rests and one that is held.
    const std::vector<double> p = {2, -0.6, -0.8, 4, -2};
    EXPECT_LT(s.residual(p), 1e-15);
    for (Index i = 0; i < 5; ++i)
        for (const double change : {0.01, -0.01}) {
            std::vector<double> q = p;
            q[i] += change;
            EXPECT_GT(s.residual(q), 1e-4) << i;
        }
    // Sliding along the cone's gradient lifts off: the associated law is not Coulomb's.
    s.u_free[0] = -1;
    EXPECT_GT(s.residual({2.2, -0.66, -0.88, 4, -2}), 1e-2);
}

}  // namespace
}  // namespace limber
