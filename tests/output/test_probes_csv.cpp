// SPDX-License-Identifier: Apache-2.0
#include "limber/output/probes_csv.h"

#include <gtest/gtest.h>

#include "limber/output/text.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::drifting_from;
using test::lines_of;
using test::run_to;
using test::split;

std::vector<double> numbers_of(const std::string& line) {
    std::vector<double> out;
    for (const std::string& field : split(line)) out.push_back(parse_finite(field).value());
    return out;
}

TEST(ProbesCsv, rows_hold_means_of_motion_and_sums_of_force) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 3);
    const std::vector<std::string> lines = lines_of(temp.path("probes/tip.csv"));
    ASSERT_EQ(lines.size(), 5u) << "header, the start and three steps";
    EXPECT_EQ(lines[0], probe_header());
    const std::vector<double> row = numbers_of(lines[4]);
    ASSERT_EQ(row.size(), split(lines[0]).size());
    const Model& model = world->model();
    const Vec3d rest = (model.mesh.nodes[0] + model.mesh.nodes[3]) * 0.5;
    EXPECT_EQ(row[0], 3);
    EXPECT_EQ(row[1], world->state().time);
    EXPECT_NEAR(row[2], 0.03, 1e-15);
    EXPECT_NEAR(row[3], 0.015, 1e-15);
    EXPECT_EQ(row[4], 0);
    EXPECT_NEAR(row[5], rest.x + 0.03, 1e-15);
    EXPECT_EQ(row[8], 1) << "velocity";
    EXPECT_NEAR(row[12], -9.81 * (model.mass[0] + model.mass[3]), 1e-9) << "weight, summed";
    EXPECT_EQ(row[15], 4) << "reaction, summed over two nodes";
    for (int k = 17; k < 23; ++k) EXPECT_NEAR(row[k], 0, 1e-12) << "drifting strains nothing";
}

TEST(ProbesCsv, strain_of_a_stretched_body_is_the_stretch) {
    const TempFolder temp;
    Model model = test::bar(1, false);
    model.probes.push_back({"end", model.mesh.node_groups.at("x+")});
    auto world = drifting(std::move(model));
    for (Vec3d& x : world->state().x) x = {1.1 * x.x, x.y, 0.98 * x.z};
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    world->begin();
    const std::vector<double> row = numbers_of(lines_of(temp.path("probes/end.csv"))[1]);
    EXPECT_NEAR(row[17], 0.1, 1e-12);
    EXPECT_NEAR(row[18], 0, 1e-12);
    EXPECT_NEAR(row[19], -0.02, 1e-12);
    EXPECT_NEAR(row[20], 0, 1e-12);
}

TEST(ProbesCsv, resuming_drops_later_rows) {
    const TempFolder through, stopped;
    for (const TempFolder* folder : {&through, &stopped}) {
        auto world = drifting();
        world->add(std::make_unique<ProbesCsv>(folder->path("")));
        run_to(*world, 7);
    }
    auto world = drifting_from(4);
    world->add(std::make_unique<ProbesCsv>(stopped.path("")));
    run_to(*world, 7);
    EXPECT_EQ(read_file(stopped.path("probes/tip.csv")), read_file(through.path("probes/tip.csv")));
}

TEST(ProbesCsv, a_model_without_probes_makes_no_folder) {
    const TempFolder temp;
    auto world = drifting(test::bar(1));
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 1);
    EXPECT_FALSE(std::filesystem::exists(temp.path("probes")));
}

}  // namespace
}  // namespace limber
