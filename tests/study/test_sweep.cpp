// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sweep.h"

#include <gtest/gtest.h>

#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::input_error;
using Words = std::vector<std::string>;

TEST(Sweep, splits_values_outside_quotes_and_brackets) {
    EXPECT_EQ(parse_sweep("gravity=[0,-1,0], [0,-2,0]").values, (Words{"[0,-1,0]", "[0,-2,0]"}));
    EXPECT_EQ(parse_sweep("a.b=\"x,y\",z").values, (Words{"\"x,y\"", "z"}));
    EXPECT_EQ(parse_sweep("a.b=1").path, "a.b");
}

TEST(Sweep, refuses_what_is_no_list_of_values) {
    for (const char* bad : {"", "a", "=1", "a=", "a=1,,2", "a=[1,2", "a=\"x"})
        EXPECT_FALSE(input_error([&] { parse_sweep(bad); }).empty()) << bad;
    const SweepAxis wide{"a", Words(200, "1")};
    EXPECT_FALSE(input_error([&] { sweep_points({wide, wide}); }).empty());
}

TEST(Sweep, is_the_product_of_its_values) {
    const auto points = sweep_points({{"a", {"1", "2"}}, {"b", {"x", "\"y\"", "z/.."}}});
    ASSERT_EQ(points.size(), 6u);
    EXPECT_EQ(points[0].sets, (Words{"a=1", "b=x"}));
    EXPECT_EQ(points[1].folder, "2-1_y");
    EXPECT_EQ(points[5].values, (Words{"2", "z/.."}));
    EXPECT_EQ(points[5].folder.find('/'), std::string::npos) << "stays inside its folder";
}

TEST(Sweep, numbers_its_folders_so_that_they_sort) {
    const auto points = sweep_points({{"a", Words(12, "1")}});
    EXPECT_EQ(points[0].folder, "01-1");
    EXPECT_EQ(points[11].folder, "12-1");
}

TEST(Sweep, puts_summaries_side_by_side) {
    const Folder folder;
    const std::vector<SweepAxis> axes = {{"solver.guess", {"zero", "\"velocity\""}}};
    const auto points = sweep_points(axes);
    folder.write(points[0].folder + "/summary.json",
                 R"({"status": "failed", "failure": "step 3, it said", "finite": true, "steps": 2,
                     "wall_ms": {"p50": 1.5, "p99": 2}, "iterations": {"mean": 7, "max": 9},
                     "energy": {"first": 1, "last": 2, "max": 3}, "max_penetration": 0.25})");
    const SweepTable table = sweep_table(axes, points, folder.path());
    EXPECT_EQ(table.csv,
              "run,solver.guess,ms_p50,ms_p99,iterations_mean,iterations_max,energy_first,"
              "energy_last,energy_max,max_penetration,steps,finite,status\n"
              "1-zero,zero,1.5,2,7,9,1,2,3,0.25,2,yes,\"failed: step 3, it said\"\n"
              "2-velocity,velocity,,,,,,,,,,no,no summary\n");
    EXPECT_NE(table.markdown.find("failed: step 3, it said"), std::string::npos);
}

}  // namespace
}  // namespace limber
