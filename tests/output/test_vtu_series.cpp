// SPDX-License-Identifier: Apache-2.0
#include "limber/output/vtu_series.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "limber/core/errors.h"
#include "output/output_samples.h"

namespace limber {
namespace {

namespace fs = std::filesystem;
using test::drifting;
using test::drifting_from;
using test::run_to;

/// file -> time of a .pvd, in order of the file.
std::vector<std::pair<std::string, double>> pvd_entries(const std::string& path) {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(read_file(path).c_str())) << "well-formed";
    std::vector<std::pair<std::string, double>> out;
    for (const pugi::xml_node& node : document.child("VTKFile").child("Collection").children())
        out.emplace_back(node.attribute("file").value(), node.attribute("timestep").as_double());
    return out;
}

TEST(VtuSeries, has_a_frame_of_every_body_every_n_steps) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<VtuSeries>(temp.path(""), 2));
    run_to(*world, 5);
    const auto entries = pvd_entries(temp.path("vtu/series.pvd"));
    const std::vector<std::pair<std::string, double>> expected = {
        {"left_000000.vtu", 0},    {"_._rig_ht_000000.vtu", 0},
        {"left_000002.vtu", 0.02}, {"_._rig_ht_000002.vtu", 0.02},
        {"left_000004.vtu", 0.04}, {"_._rig_ht_000004.vtu", 0.04}};
    EXPECT_EQ(entries, expected);
    for (const auto& [file, time] : entries) EXPECT_TRUE(fs::exists(temp.path("vtu/" + file)));
}

TEST(VtuSeries, the_list_is_whole_after_every_frame) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<VtuSeries>(temp.path(""), 1));
    world->begin();
    for (std::size_t k = 1; k < 4; ++k) {
        world->step();
        EXPECT_EQ(pvd_entries(temp.path("vtu/series.pvd")).size(), 2 * (k + 1));
    }
}

TEST(VtuSeries, resuming_gives_the_list_of_a_run_that_never_stopped) {
    const TempFolder through, stopped;
    for (const TempFolder* folder : {&through, &stopped}) {
        auto world = drifting();
        world->add(std::make_unique<VtuSeries>(folder->path(""), 2));
        run_to(*world, 9);
    }
    auto world = drifting_from(5);
    world->add(std::make_unique<VtuSeries>(stopped.path(""), 2));
    world->begin();
    EXPECT_EQ(pvd_entries(stopped.path("vtu/series.pvd")).size(), 6u) << "steps 0, 2, 4";
    while (world->state().step < 9) world->step();
    EXPECT_EQ(read_file(stopped.path("vtu/series.pvd")), read_file(through.path("vtu/series.pvd")));
    EXPECT_EQ(read_file(stopped.path("vtu/left_000006.vtu")),
              read_file(through.path("vtu/left_000006.vtu")));
}

TEST(VtuSeries, a_frame_that_is_missing_is_not_listed_on_resume) {
    const TempFolder temp;
    {
        auto world = drifting();
        world->add(std::make_unique<VtuSeries>(temp.path(""), 2));
        run_to(*world, 4);
    }
    fs::remove(temp.path("vtu/left_000002.vtu"));
    temp.file("vtu/series.pvd", "<damaged");
    auto world = drifting_from(4);
    world->add(std::make_unique<VtuSeries>(temp.path(""), 2));
    world->begin();
    EXPECT_EQ(pvd_entries(temp.path("vtu/series.pvd")).size(), 4u);
}

TEST(VtuSeries, a_frame_holds_the_arrays_of_the_contract) {
    const TempFolder temp;
    auto world = drifting();
    world->add(std::make_unique<VtuSeries>(temp.path(""), 1));
    run_to(*world, 2);
    const std::string command = "/usr/bin/python3 '" LIMBER_SOURCE_DIR
                                "/tests/io/read_vtu.py' vtk '" +
                                temp.path("vtu/_._rig_ht_000002.vtu") + "'";
    FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_TRUE(pipe);
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    const int status = ::pclose(pipe);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "python3-vtk9 is not installed";
    ASSERT_EQ(status, 0) << text;
    const auto json = nlohmann::json::parse(text);
    const Model& model = world->model();
    const auto& data = json["point_data"];
    for (const char* name : {"rest", "displacement", "velocity", "external_force", "contact_force",
                             "force", "reaction"})
        ASSERT_EQ(data[name].size(), 8u) << name;
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(data["node_id"][i], 100 + i);
        // Two steps of 0.01 s at (1, 0.5, 0) m/s; the difference of positions near 3 m rounds.
        EXPECT_NEAR(data["displacement"][i][0], 0.02, 1e-15);
        EXPECT_NEAR(data["displacement"][i][1], 0.01, 1e-15);
        EXPECT_EQ(json["points"][i][0], world->state().x[8 + i].x);
        EXPECT_EQ(data["rest"][i][0], model.mesh.nodes[8 + i].x);
        EXPECT_EQ(data["velocity"][i][0], 1);
        EXPECT_EQ(data["reaction"][i][1], 2);
        EXPECT_EQ(data["external_force"][i][1], world->forces().external[8 + i].y);
        EXPECT_EQ(data["contact_force"][i][1], 0);
        EXPECT_EQ(data["force"][i][1], world->forces().external[8 + i].y);
    }
    for (const char* name : {"material", "von_mises", "det_F"})
        ASSERT_EQ(json["cell_data"][name].size(), 6u) << name;
    for (int e = 0; e < 6; ++e) {
        EXPECT_NEAR(json["cell_data"]["det_F"][e], 1, 1e-12) << "drifting deforms nothing";
        EXPECT_EQ(json["cell_data"]["material"][e], 0);
    }
}

TEST(VtuSeries, a_frame_is_about_as_large_as_estimated) {
    const TempFolder temp;
    auto world = drifting(test::bar(4));
    world->add(std::make_unique<VtuSeries>(temp.path(""), 1));
    world->begin();
    const auto size = static_cast<double>(fs::file_size(temp.path("vtu/body_000000.vtu")));
    const auto estimate = static_cast<double>(frame_bytes(world->model()));
    EXPECT_LE(size, estimate);
    EXPECT_GE(size, 0.5 * estimate);
}

}  // namespace
}  // namespace limber
