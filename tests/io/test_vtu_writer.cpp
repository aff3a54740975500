// SPDX-License-Identifier: Apache-2.0
#include "limber/io/vtk/vtu_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/program.h"
#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

class OtherReader : public testing::TestWithParam<const char*> {};

TEST_P(OtherReader, gets_the_points_cells_and_arrays_we_wrote_bit_by_bit) {
    const TempFolder folder;
    TetMesh mesh = make_sphere(1.0 / 3, 3);
    std::vector<double> scalar;
    std::vector<Vec3d> vector;
    std::vector<std::int32_t> material;
    for (const Vec3d& p : mesh.nodes) {
        scalar.push_back(std::exp(p.x) * 1e-7);
        vector.push_back(p * (1.0 / 7));
    }
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        material.push_back(i % 3 - 1);
        mesh.tet_ids[i] = (FileId{1} << 40) + i;
    }
    const std::string path = folder.path("a.vtu");
    write_vtu(path, {.points = mesh.nodes,
                     .tets = mesh.tets,
                     .point_data = {{"energy <J> & more", std::span<const double>(scalar)},
                                    {"velocity", std::span<const Vec3d>(vector)}},
                     .cell_data = {{"material", std::span<const std::int32_t>(material)},
                                   {"tet_id", std::span<const std::int64_t>(mesh.tet_ids)}}});

    const ProgramResult program =
        run_program(std::string("/usr/bin/python3 '" LIMBER_SOURCE_DIR "/tests/io/read_vtu.py' ") +
                    GetParam() + " '" + path + "' 2>&1");
    if (program.status == 77 || program.status == 127)
        GTEST_SKIP() << "python3 with " << GetParam() << " is not installed";
    ASSERT_EQ(program.status, 0) << program.output;
    const auto json = nlohmann::json::parse(program.output);
    ASSERT_EQ(json["points"].size(), mesh.nodes.size());
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(json["points"][i][axis].get<double>(), mesh.nodes[i][axis]);
            EXPECT_EQ(json["point_data"]["velocity"][i][axis].get<double>(), vector[i][axis]);
        }
        EXPECT_EQ(json["point_data"]["energy <J> & more"][i].get<double>(), scalar[i]);
    }
    EXPECT_EQ(json["cells"].get<std::vector<Tet>>(), mesh.tets);
    EXPECT_EQ(json["cell_data"]["material"].get<std::vector<std::int32_t>>(), material);
    EXPECT_EQ(json["cell_data"]["tet_id"].get<std::vector<std::int64_t>>(), mesh.tet_ids);
}

INSTANTIATE_TEST_SUITE_P(Vtu, OtherReader, testing::Values("meshio", "vtk"),
                         [](const auto& library) { return std::string(library.param); });

TEST(VtuWriter, writes_nothing_when_a_value_is_not_finite) {
    const TempFolder folder;
    const TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    std::vector<double> bad(8, 1.0);
    bad[5] = std::numeric_limits<double>::quiet_NaN();
    const std::string path = folder.path("a.vtu");
    EXPECT_THROW(write_vtu(path, {.points = mesh.nodes,
                                  .tets = mesh.tets,
                                  .point_data = {{"v", std::span<const double>(bad)}}}),
                 Bug);
    std::vector<Vec3d> points = mesh.nodes;
    points[3].y = std::numeric_limits<double>::infinity();
    EXPECT_THROW(write_vtu(path, VtuGrid{.points = points, .tets = mesh.tets}), Bug);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(VtuWriter, refuses_arrays_of_the_wrong_length_and_names_given_twice) {
    const TempFolder folder;
    const TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1});
    const std::vector<double> eight(8), seven(7);
    const std::string path = folder.path("a.vtu");
    const VtuArray good{"a", std::span<const double>(eight)};
    EXPECT_THROW(write_vtu(path, {.points = mesh.nodes,
                                  .tets = mesh.tets,
                                  .point_data = {{"a", std::span<const double>(seven)}}}),
                 Bug);
    EXPECT_THROW(
        write_vtu(path, {.points = mesh.nodes, .tets = mesh.tets, .point_data = {good, good}}),
        Bug);
}

TEST(VtuWriter, reports_a_full_disk_as_the_system_does) {
    const TempFolder folder;
    const TetMesh mesh = make_box({1, 1, 1}, {8, 8, 8});
    const FileSizeLimit limit(4096);
    EXPECT_THROW(write_vtu(folder.path("a.vtu"), mesh), SystemError);
    EXPECT_FALSE(std::filesystem::exists(folder.path("a.vtu")));
}

TEST(Pvd, lists_its_files_with_their_times) {
    const TempFolder folder;
    const std::vector<PvdEntry> entries{{0, "a_0.vtu"}, {0.1, "a&b_1.vtu"}};
    write_pvd(folder.path("series.pvd"), entries);
    const std::string text = read_file(folder.path("series.pvd"));
    EXPECT_NE(text.find("timestep=\"0.1\" part=\"0\" file=\"a&amp;b_1.vtu\""), std::string::npos);
    EXPECT_THROW(write_pvd(folder.path("b.pvd"), std::vector<PvdEntry>{{std::nan(""), "a"}}), Bug);
}

}  // namespace
}  // namespace limber
