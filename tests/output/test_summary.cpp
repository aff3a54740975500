// SPDX-License-Identifier: Apache-2.0
#include "limber/output/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "limber/core/hash.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::drifting_from;
using test::run_to;
using Json = nlohmann::json;

RunOutputOptions options_for(const TempFolder& temp, std::int64_t steps) {
    RunOutputOptions options;
    options.dir = temp.path("");
    options.scene = "scenes/two.toml";
    options.solver = "drift";
    options.total_steps = steps;
    options.threads = 2;
    return options;
}

std::unique_ptr<World> with_summary(std::unique_ptr<World> world, const RunOutputOptions& options) {
    world->add(std::make_unique<StepsCsv>(options.dir));
    world->add(std::make_unique<Summary>(options));
    return world;
}

Json read_json(const TempFolder& temp) {
    return Json::parse(read_file(temp.path("summary.json")));
}

TEST(Percentile, is_the_nearest_rank) {
    std::vector<float> values(100);
    std::iota(values.rbegin(), values.rend(), 1.0f);  // 100 ... 1
    EXPECT_EQ(percentile(values, 50), 50);
    EXPECT_EQ(percentile(values, 95), 95);
    EXPECT_EQ(percentile(values, 99), 99);
    EXPECT_EQ(percentile(values, 100), 100);
    std::vector<float> one = {7};
    EXPECT_EQ(percentile(one, 50), 7);
    EXPECT_EQ(percentile(one, 99), 7);
}

TEST(Summary, has_every_key_of_the_contract) {
    const TempFolder temp;
    auto world = with_summary(drifting(), options_for(temp, 6));
    run_to(*world, 6);
    const Json json = read_json(temp);
    for (const char* key :
         {"version",     "git",        "scene",  "solver",          "device",      "threads",
          "cpu",         "gpu",        "bodies", "steps",           "simulated_s", "wall_ms",
          "stages_ms",   "iterations", "energy", "max_penetration", "finite",      "state_hash",
          "peak_rss_mb", "clocked",    "flags",  "status"})
        EXPECT_TRUE(json.contains(key)) << key;
    for (const char* key : {"mean", "p50", "p95", "p99", "max"})
        EXPECT_TRUE(json["wall_ms"][key].is_number()) << key;
    for (std::string_view stage : stage_names)
        EXPECT_TRUE(json["stages_ms"][std::string(stage)].is_number()) << stage;
    EXPECT_EQ(json["bodies"][1]["name"], "../rig ht");
    EXPECT_EQ(json["bodies"][1]["nodes"], 8);
    EXPECT_EQ(json["bodies"][1]["tets"], 6);
    EXPECT_EQ(json["steps"], 6);
    EXPECT_EQ(json["simulated_s"], world->state().time);
    EXPECT_EQ(json["iterations"]["max"], 6);
    EXPECT_NEAR(json["iterations"]["mean"].get<double>(), 3.5, 1e-12);
    EXPECT_EQ(json["flags"]["iteration_cap"], 2) << "steps 3 and 6";
    EXPECT_EQ(json["state_hash"], hex64(world->state_hash()));
    EXPECT_EQ(json["status"], "done");
    EXPECT_EQ(json["finite"], true);
    EXPECT_EQ(json["clocked"], false);
    EXPECT_TRUE(json["gpu"].is_null());
    EXPECT_GT(json["peak_rss_mb"].get<double>(), 1);
}

TEST(Summary, agrees_with_the_table_of_steps) {
    const TempFolder temp;
    auto world = with_summary(drifting(), options_for(temp, 40));
    run_to(*world, 40);
    const std::vector<StepRow> rows = read_steps(temp.path("steps.csv"));
    const Json json = read_json(temp);
    std::vector<double> ms;
    double sum = 0, most_energy = -1e300;
    for (const StepRow& row : rows) {
        ms.push_back(row.wall_ms);
        sum += row.wall_ms;
        most_energy = std::max(most_energy, row.kinetic + row.elastic + row.potential);
    }
    std::sort(ms.begin(), ms.end());
    EXPECT_NEAR(json["wall_ms"]["mean"].get<double>(), sum / 40, 1e-12 * sum);
    // Stored as float: seven digits.
    EXPECT_NEAR(json["wall_ms"]["p50"].get<double>(), ms[19], 1e-6 * ms[19]);
    EXPECT_NEAR(json["wall_ms"]["p95"].get<double>(), ms[37], 1e-6 * ms[37]);
    EXPECT_NEAR(json["wall_ms"]["max"].get<double>(), ms[39], 1e-6 * ms[39]);
    EXPECT_EQ(json["energy"]["max"], most_energy);
    const StepRow& last = rows.back();
    EXPECT_EQ(json["energy"]["last"], last.kinetic + last.elastic + last.potential);
}

TEST(Summary, of_a_killed_run_says_interrupted) {
    const TempFolder temp;
    RunOutputOptions options = options_for(temp, 100);
    options.summary_every_ms = 0;
    auto world = with_summary(drifting(), options);
    world->begin();
    for (int k = 0; k < 3; ++k) world->step();
    EXPECT_EQ(read_json(temp)["status"], "interrupted");
    EXPECT_EQ(read_json(temp)["steps"], 3);
}

TEST(Summary, of_a_failed_run_carries_the_reason) {
    const TempFolder temp;
    auto world = with_summary(drifting(test::two_boxes(), 4), options_for(temp, 10));
    run_to(*world, 10);
    const Json json = read_json(temp);
    EXPECT_EQ(json["status"], "failed");
    EXPECT_EQ(json["steps"], 3);
    EXPECT_FALSE(json["failure"].get<std::string>().empty());
}

TEST(Summary, before_the_first_step_has_no_times) {
    const TempFolder temp;
    auto world = with_summary(drifting(), options_for(temp, 10));
    world->begin();
    EXPECT_TRUE(read_json(temp)["wall_ms"]["p50"].is_null());
}

TEST(Summary, counts_the_steps_before_a_resume) {
    const TempFolder temp;
    run_to(*with_summary(drifting(), options_for(temp, 9)), 9);
    auto world = with_summary(drifting_from(5), options_for(temp, 12));
    run_to(*world, 12);
    const Json json = read_json(temp);
    EXPECT_EQ(json["steps"], 12);
    EXPECT_EQ(json["flags"]["iteration_cap"], 4) << "steps 3, 6, 9 and 12, each once";
    // Iterations are step % 7: 0 + ... + 6 over seven steps, then 1 to 5.
    EXPECT_NEAR(json["iterations"]["mean"].get<double>(), (21 + 15) / 12.0, 1e-12);
}

TEST(RunTotals, what_is_not_finite_is_left_out_and_told) {
    RunTotals totals;
    StepRow row;
    row.kinetic = std::nan("");
    row.wall_ms = 2;
    totals.add(row);
    EXPECT_FALSE(totals.finite);
    EXPECT_TRUE(std::isfinite(totals.energy_last));
    EXPECT_EQ(totals.wall_sum, 2);
}

}  // namespace
}  // namespace limber
