// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/tuner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber {
namespace {

/// A bowl in the logarithms of 1 − ρ and in the border, least at ρ = 0.9, 0.99 and 40 iterations.
double bowl(const ChebyshevPhases& at) {
    const double a = std::log(1 - at.rho[0]) - std::log(0.1);
    const double b = std::log(1 - at.rho[1]) - std::log(0.01);
    const double c = (at.length[0] - 40) / 96.0;
    return 1 + a * a + b * b + c * c;
}

TEST(DescentTuner, finds_the_bottom_of_a_bowl) {
    const TuneResult result = tune_chebyshev({{0.5, 0.5}, {48, 48}}, bowl);
    EXPECT_TRUE(result.improved());
    // Steps of five per cent of 1 − ρ.
    EXPECT_NEAR(result.phases.rho[0], 0.9, 0.005);
    EXPECT_NEAR(result.phases.rho[1], 0.99, 0.0005);
    EXPECT_EQ(result.phases.length[0], 40);
    EXPECT_EQ(result.phases.length[0] + result.phases.length[1], 96);
    const TuneResult again = tune_chebyshev({{0.5, 0.5}, {48, 48}}, bowl);
    EXPECT_EQ(again.phases.rho, result.phases.rho);
    EXPECT_EQ(again.trials, result.trials);
    EXPECT_NE(result.toml().find("rho = ["), std::string::npos);
}

TEST(DescentTuner, says_when_it_finds_nothing) {
    const TuneResult result =
        tune_chebyshev({{0.9}, {96}}, [](const ChebyshevPhases&) { return 2.0; });
    EXPECT_FALSE(result.improved());
    EXPECT_EQ(result.phases.rho, std::vector<double>{0.9});
    EXPECT_NE(result.toml().find("nothing better"), std::string::npos);
}

TEST(DescentTuner, leaves_a_start_that_diverges) {
    const TuneResult result = tune_chebyshev({{0.96}, {96}}, [](const ChebyshevPhases& at) {
        return at.rho[0] > 0.95 ? std::nan("") : 1 + std::abs(at.rho[0] - 0.8);
    });
    EXPECT_NEAR(result.phases.rho[0], 0.8, 0.01);
    EXPECT_TRUE(result.improved());
}

}  // namespace
}  // namespace limber
