// SPDX-License-Identifier: Apache-2.0
#include "limber/study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber {
namespace {

TEST(Spread, takes_percentiles_by_nearest_rank) {
    std::vector<double> values;
    for (int i = 200; i >= 1; --i) values.push_back(i);
    const Spread s = spread_of(values);
    EXPECT_EQ(s.n, 200u);
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.p50, 100);
    EXPECT_EQ(s.p99, 198);
    EXPECT_EQ(s.max, 200);
    EXPECT_EQ(s.mean, 100.5);
}

TEST(Spread, leaves_out_what_is_not_finite) {
    const Spread s = spread_of({3, std::nan(""), 1, INFINITY});
    EXPECT_EQ(s.n, 2u);
    EXPECT_EQ(s.max, 3);
}

TEST(Spread, of_nothing_is_not_a_number) {
    const Spread s = spread_of({});
    EXPECT_EQ(s.n, 0u);
    EXPECT_TRUE(std::isnan(s.p50));
}

TEST(StepTimes, does_not_count_the_warm_up) {
    StepTimes times;
    times.warm_up(2);
    for (double ms : {100.0, 90.0, 3.0, 4.0}) times.add(ms);
    times.warm_up();
    for (double ms : {80.0, 5.0}) times.add(ms);
    EXPECT_EQ(times.spread().n, 3u);
    EXPECT_EQ(times.spread().max, 5);
}

TEST(RootMeanSquare, is_that_of_the_finite_values) {
    EXPECT_DOUBLE_EQ(root_mean_square({3, 4, std::nan("")}), std::sqrt(12.5));
    EXPECT_EQ(root_mean_square({}), 0);
}

}  // namespace
}  // namespace limber
