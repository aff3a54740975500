// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/ritz.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace limber {
namespace {

/// Conjugate gradients on a diagonal matrix, in full: the ends of its spectrum.
TEST(RitzValues, of_all_iterations_are_the_ends_of_the_spectrum) {
    const Eigen::VectorXd a = Eigen::VectorXd::LinSpaced(12, 0.03, 4.7);
    Eigen::VectorXd r = Eigen::VectorXd::Ones(12), p = r;
    RitzValues ritz;
    double least = 1e9, largest = 0;
    for (int k = 0; k < 12; ++k) {
        const Eigen::VectorXd q = a.cwiseProduct(p);
        const double rr = r.squaredNorm(), alpha = rr / p.dot(q);
        r -= alpha * q;
        const double beta = r.squaredNorm() / rr;
        p = r + beta * p;
        ritz.add(alpha, beta);
        EXPECT_LE(ritz.least(), least + 1e-6);  // they move outwards
        EXPECT_GE(ritz.largest(), largest - 1e-6);
        least = ritz.least();
        largest = ritz.largest();
    }
    EXPECT_NEAR(least, 0.03, 1e-6);
    EXPECT_NEAR(largest, 4.7, 1e-6);
    ritz.clear();
    EXPECT_TRUE(ritz.empty());
    ritz.add(0.5, 0.1);
    EXPECT_NEAR(ritz.least(), 2, 1e-6);
    EXPECT_NEAR(ritz.largest(), 2, 1e-6);
}

}  // namespace
}  // namespace limber
