// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/filled_mesh.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "limber/io/file.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes.h"
#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::input_error;

namespace fs = std::filesystem;

/// A ball of 1 m as the surface part.obj, in a scene that fills it.
struct FilledMeshes : testing::Test {
    Folder folder;
    FilledMeshes() {
        write_surface(folder.path("part.obj"), boundary_surface(make_sphere(0.5, 6)));
        unsetenv("LIMBER_MESH_CACHE");
    }
    ~FilledMeshes() override { unsetenv("LIMBER_MESH_CACHE"); }

    SceneDef scene(const std::string& body) const {
        return load_scene(folder.write(
            "scene.toml",
            "limber = 1\n[time]\nstep = 0.01\nsteps = 1\n[material.m]\nyoung = 1e6\n"
            "poisson = 0.3\ndensity = 1000\n[[body]]\nname = \"part\"\nmaterial = \"m\"\n"
            "mesh = \"part.obj\"\n" +
                body));
    }
    Model model(const std::string& body, BuildReport& report,
                const BuildOptions& options = {}) const {
        return build_model(scene(body), report, options);
    }
    std::size_t n_kept(const std::string& name) const {
        std::size_t n = 0;
        if (fs::exists(folder.path(name)))
            for (const auto& entry : fs::directory_iterator(folder.path(name)))
                n += entry.path().extension() == ".tets";
        return n;
    }
};

TEST_F(FilledMeshes, have_the_tets_that_were_asked_for) {
    BuildReport report;
    const Model by_tets = model("tets = 1500\n", report);
    EXPECT_NEAR(by_tets.n_tets(), 1500, 75);
    EXPECT_NEAR(report.bodies[0].mesh.volume, 0.5, 0.05);
    BuildReport of_cell;
    const Model by_cell = model("cell = 0.1\n", of_cell);
    EXPECT_GT(by_cell.n_tets(), 3000);
    EXPECT_EQ(resolved_toml(scene("tets = 1500\n")).find("shape"), std::string::npos);
    EXPECT_NE(resolved_toml(scene("tets = 1500\n")).find("tets = 1500"), std::string::npos);
}

TEST_F(FilledMeshes, are_scaled_first_so_that_cells_are_metres) {
    BuildReport plain, scaled;
    const Model large = model("cell = 0.1\n", plain);
    const Model small = model("cell = 0.0001\nscale = \"1 mm\"\n", scaled);
    EXPECT_EQ(large.n_tets(), small.n_tets());
    EXPECT_NEAR(scaled.bodies[0].box.size().x, 1e-3 * plain.bodies[0].box.size().x, 1e-12);
    EXPECT_EQ(scaled.bodies[0].scale, (Vec3d{1e-3, 1e-3, 1e-3}));
    EXPECT_NEAR(scaled.bodies[0].mesh.volume, 1e-9 * plain.bodies[0].mesh.volume, 1e-14);
}

TEST_F(FilledMeshes, are_asked_for_where_the_file_has_no_tets) {
    BuildReport report;
    const std::string error = input_error([&] { model("", report); });
    EXPECT_NE(error.find("scene.toml:12:1: error: body[0].mesh"), std::string::npos) << error;
    EXPECT_NE(error.find("has 432 triangles and no tets; allowed: tets = 5000"), std::string::npos)
        << error;
    EXPECT_NE(error.find("limber mesh"), std::string::npos) << error;
}

TEST_F(FilledMeshes, need_a_closed_surface_without_tets) {
    TriMesh one = boundary_surface(make_sphere(0.5, 6));
    one.triangles.resize(1);
    write_surface(folder.path("part.obj"), one);
    BuildReport report;
    const std::string open = input_error([&] { model("tets = 100\n", report); });
    EXPECT_NE(open.find("scene.toml:12:1: error: body[0].mesh"), std::string::npos) << open;
    write_tet_mesh(folder.path("part.obj"), make_sphere(0.5, 3), "gmsh");
    const std::string tets = input_error([&] { model("tets = 100\n", report); });
    EXPECT_NE(tets.find("162 tetrahedra"), std::string::npos) << tets;
}

TEST_F(FilledMeshes, and_cloth_or_rigid_bodies_do_not_go_together) {
    const std::string cloth = input_error(
        [&] { scene("cell = 0.1\ncloth = { thickness = 0.001 }\n[solver]\nkind = \"newton\"\n"); });
    EXPECT_NE(cloth.find("cell beside mesh fills a surface with tets and cannot go with cloth"),
              std::string::npos)
        << cloth;
    const std::string radius = input_error([&] { scene("radius = 1\n"); });
    EXPECT_NE(radius.find("key 'radius' needs the key 'shape' beside it"), std::string::npos)
        << radius;
}

TEST_F(FilledMeshes, are_kept_nowhere_unless_asked) {
    BuildReport report;
    model("tets = 500\n", report);
    std::size_t n_files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        EXPECT_TRUE(entry.path().filename() == "part.obj" ||
                    entry.path().filename() == "scene.toml")
            << entry.path();
        ++n_files;
    }
    EXPECT_EQ(n_files, 2u);
}

TEST_F(FilledMeshes, come_back_from_a_folder_bit_for_bit) {
    BuildReport made, read;
    const Model first = model("tets = 500\n", made);
    ASSERT_EQ(made.filled.size(), 1u);
    EXPECT_FALSE(made.filled[0].from_cache);
    keep_filled_mesh(made.filled[0], folder.path("mesh"));
    EXPECT_EQ(n_kept("mesh"), 1u);
    const Model second = model("tets = 500\n", read, {.mesh_folders = {folder.path("mesh")}});
    EXPECT_TRUE(read.filled[0].from_cache);
    EXPECT_EQ(first.mesh.nodes, second.mesh.nodes);
    EXPECT_EQ(first.mesh.tets, second.mesh.tets);
    EXPECT_EQ(first.mesh.node_ids, second.mesh.node_ids);
    // Another number of tets, or another surface, is another mesh.
    BuildReport other;
    model("tets = 700\n", other, {.mesh_folders = {folder.path("mesh")}});
    EXPECT_FALSE(other.filled[0].from_cache);
    write_surface(folder.path("part.obj"), boundary_surface(make_sphere(0.6, 6)));
    BuildReport changed;
    model("tets = 500\n", changed, {.mesh_folders = {folder.path("mesh")}});
    EXPECT_FALSE(changed.filled[0].from_cache);
}

TEST_F(FilledMeshes, go_to_the_cache_that_the_user_names) {
    setenv("LIMBER_MESH_CACHE", folder.path("cache").c_str(), 1);
    BuildReport first, second;
    model("tets = 500\n", first);
    EXPECT_EQ(n_kept("cache"), 1u);
    model("tets = 500\n", second);
    EXPECT_TRUE(second.filled[0].from_cache);
}

TEST_F(FilledMeshes, that_are_damaged_are_passed_over_with_a_remark) {
    BuildReport made;
    const Model first = model("tets = 300\n", made);
    keep_filled_mesh(made.filled[0], folder.path("mesh"));
    const std::string file = folder.path("mesh/" + made.filled[0].key + ".tets");
    const std::string whole = read_file(file);
    for (std::size_t at : {std::size_t{9}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
        for (const bool cut : {false, true}) {
            std::string bad = whole;
            if (cut)
                bad.resize(at);
            else
                bad[at] = static_cast<char>(bad[at] ^ 4);
            write_file_atomic(file, bad, Flush::to_system);
            BuildReport again;
            const Model second =
                model("tets = 300\n", again, {.mesh_folders = {folder.path("mesh")}});
            EXPECT_FALSE(again.filled[0].from_cache) << at;
            EXPECT_EQ(first.mesh.nodes, second.mesh.nodes);
            ASSERT_FALSE(again.warnings.empty());
            EXPECT_NE(again.warnings.back().find("passed over"), std::string::npos)
                << again.warnings.back();
        }
    }
    keep_filled_mesh(made.filled[0], folder.path("mesh"));
    EXPECT_EQ(read_file(file), whole);
}

}  // namespace
}  // namespace limber
