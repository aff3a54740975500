// SPDX-License-Identifier: Apache-2.0
#include "limber/output/probes_csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "contact/joint_worlds.h"
#include "limber/output/registry.h"
#include "limber/output/text.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::drifting_from;
using test::lines_of;
using test::run_to;
using test::split;

/// A row by the names of its columns.
std::map<std::string, double> numbers_of(const std::string& header, const std::string& line) {
    const std::vector<std::string> names = split(header), fields = split(line);
    EXPECT_EQ(names.size(), fields.size());
    std::map<std::string, double> out;
    for (std::size_t k = 0; k < fields.size(); ++k) out[names[k]] = parse_finite(fields[k]).value();
    return out;
}
std::map<std::string, double> last_row(const std::string& path) {
    const std::vector<std::string> lines = lines_of(path);
    return numbers_of(lines.front(), lines.back());
}

TEST(ProbesCsv, rows_hold_means_of_motion_and_sums_of_force) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 3);
    const std::vector<std::string> lines = lines_of(temp.path("probes/tip.csv"));
    ASSERT_EQ(lines.size(), 5u) << "header, the start and three steps";
    EXPECT_EQ(lines[0], probe_header());
    auto row = last_row(temp.path("probes/tip.csv"));
    const Model& model = world->model();
    const Vec3d rest = (model.mesh.nodes[0] + model.mesh.nodes[3]) * 0.5;
    EXPECT_EQ(row["step"], 3);
    EXPECT_EQ(row["time"], world->state().time);
    EXPECT_NEAR(row["displacement_x"], 0.03, 1e-15);
    EXPECT_NEAR(row["displacement_y"], 0.015, 1e-15);
    EXPECT_EQ(row["displacement_z"], 0);
    EXPECT_NEAR(row["position_x"], rest.x + 0.03, 1e-15);
    EXPECT_EQ(row["velocity_x"], 1);
    const double weight = 9.81 * (model.mass[0] + model.mass[3]);
    EXPECT_NEAR(row["external_force_y"], -weight, 1e-9) << "summed";
    EXPECT_EQ(row["contact_force_y"], 0);
    EXPECT_EQ(row["force_y"], row["external_force_y"]);
    EXPECT_EQ(row["reaction_y"], 4) << "summed over two nodes";
    for (const char* strain : {"strain_xx", "strain_yy", "strain_zz", "strain_xy", "strain_zx"})
        EXPECT_NEAR(row[strain], 0, 1e-12) << "drifting strains nothing";
}

TEST(ProbesCsv, the_centre_of_mass_is_that_of_the_selected_nodes) {
    const TempFolder temp;
    auto world = drifting();
    const Model& model = world->model();
    // Corners of a box of one cell share it unevenly: the mean of their places is another point.
    ASSERT_NE(model.mass[0], model.mass[1]);
    Model two = test::two_boxes();
    two.probes = {{"pair", {0, 1}}};
    world = drifting(std::move(two));
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 2);
    auto row = last_row(temp.path("probes/pair.csv"));
    const std::vector<double>& mass = world->model().mass;
    const std::vector<Vec3d>& x = world->state().x;
    const Vec3d centre = (1 / (mass[0] + mass[1])) * (mass[0] * x[0] + mass[1] * x[1]);
    EXPECT_NEAR(row["centre_of_mass_x"], centre.x, 1e-15);
    EXPECT_NEAR(row["centre_of_mass_y"], centre.y, 1e-15);
    EXPECT_GT(std::hypot(row["centre_of_mass_x"] - row["position_x"],
                         row["centre_of_mass_y"] - row["position_y"],
                         row["centre_of_mass_z"] - row["position_z"]),
              0.01);
}

/// A soft box and a rigid one lie on the floor.
std::unique_ptr<World> boxes_at_rest() {
    return test::world_from(
        test::joint_scene(0.01, {0, -9.81, 0}, 1e6) +
        test::box_body("soft", {0.2, 0.2, 0.2}, "[2, 2, 2]", {0, 0.1, 0}) +
        test::box_body("stone", {0.2, 0.2, 0.2}, "[1, 1, 1]", {1, 0.1, 0}, "rigid = true") +
        "[[obstacle]]\nshape = \"plane\"\n"
        "[[probe]]\nname = \"soft\"\nbody = \"soft\"\n"
        "[[probe]]\nname = \"top\"\nbody = \"soft\"\nselect = { side = \"y+\" }\n"
        "[[probe]]\nname = \"stone\"\nbody = \"stone\"\nselect = { side = \"y+\" }\n");
}

TEST(ProbesCsv, the_floor_carries_a_body_and_not_its_top) {
    const TempFolder temp;
    auto world = boxes_at_rest();
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 100);
    auto soft = last_row(temp.path("probes/soft.csv")), top = last_row(temp.path("probes/top.csv"));
    const double weight = 8 * 9.81;
    EXPECT_NEAR(soft["external_force_y"], -weight, 1e-9 * weight);
    EXPECT_NEAR(soft["contact_force_y"], weight, 0.01 * weight);
    EXPECT_NEAR(soft["force_y"], 0, 0.01 * weight);
    EXPECT_EQ(top["contact_force_y"], 0);
    EXPECT_LT(top["force_y"], 0);
}

TEST(ProbesCsv, a_rigid_body_has_the_centre_of_mass_of_all_of_it) {
    const TempFolder temp;
    auto world = boxes_at_rest();
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    run_to(*world, 3);
    auto row = last_row(temp.path("probes/stone.csv"));
    const Vec3d centre = world->state().rigid[0].position;
    EXPECT_EQ(row["centre_of_mass_x"], centre.x);
    EXPECT_EQ(row["centre_of_mass_y"], centre.y);
    EXPECT_NEAR(centre.y, 0.1, 1e-3);
    EXPECT_NEAR(row["position_y"], 0.2, 1e-3) << "the selected side";
}

TEST(ProbesCsv, rows_are_as_many_steps_apart_as_asked_for) {
    const TempFolder temp;
    auto world = drifting();
    RunOutputOptions options;
    options.dir = temp.path("");
    options.formats = {};
    options.probe_every = 3;
    options.log = LogKind::none;
    add_observers(*world, options);
    run_to(*world, 7);
    const std::vector<std::string> lines = lines_of(temp.path("probes/tip.csv"));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(split(lines[1])[0], "0");
    EXPECT_EQ(split(lines[2])[0], "3");
    EXPECT_EQ(split(lines[3])[0], "6");
}

TEST(ProbesCsv, strain_of_a_stretched_body_is_the_stretch) {
    const TempFolder temp;
    Model model = test::bar(1, false);
    model.probes.push_back({"end", model.mesh.node_groups.at("x+")});
    auto world = drifting(std::move(model));
    for (Vec3d& x : world->state().x) x = {1.1 * x.x, x.y, 0.98 * x.z};
    world->add(std::make_unique<ProbesCsv>(temp.path("")));
    world->begin();
    auto row = last_row(temp.path("probes/end.csv"));
    EXPECT_NEAR(row["strain_xx"], 0.1, 1e-12);
    EXPECT_NEAR(row["strain_yy"], 0, 1e-12);
    EXPECT_NEAR(row["strain_zz"], -0.02, 1e-12);
    EXPECT_NEAR(row["strain_xy"], 0, 1e-12);
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
