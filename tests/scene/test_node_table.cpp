// SPDX-License-Identifier: Apache-2.0
//
// Loads, prescribed displacements and initial states node by node from CSV files.

#include "limber/scene/build/node_table.h"

#include <gtest/gtest.h>

#include "limber/contact/methods/none.h"
#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/sim/world.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::good_scene;
using test::input_error;
using test::replaced;

const std::string force = "[[force]]\nbody = \"bar\"\n";
const std::string pin = "[[pin]]\nbody = \"bar\"\n";

/// A scene file with CSV files beside it.
struct Files {
    Folder folder;
    std::string scene(const std::string& toml) const { return folder.write("s.toml", toml); }
    Model model(const std::string& toml) const {
        BuildReport report;
        return build_model(load_scene(scene(toml)), report);
    }
    std::string error(const std::string& toml) const {
        return input_error([&] { model(toml); });
    }
};

World world_of(const SceneDef& scene) {
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    return World(std::move(model), std::move(stepper), std::make_unique<NoContact>(), {});
}

TEST(Loads, come_node_by_node_from_a_csv) {
    const Files files;
    files.folder.write("loads.csv", "node,fx,fy,fz\n# comment\n3, 1, 2.5, -3e2\r\n\n0,0,0,1\n");
    const Model m = files.model(good_scene + force + "file = \"loads.csv\"\n");
    EXPECT_EQ(m.forces[0].nodes, (std::vector<Index>{0, 3}));
    EXPECT_EQ(m.forces[0].share[1], (Vec3d{1, 2.5, -300}));
}

TEST(Loads, go_to_the_axes_that_the_header_names) {
    const Files files;
    files.folder.write("loads.csv", "fz,node,fx,fy\n3,7,1,2\n");
    const Model m = files.model(good_scene + force + "file = \"loads.csv\"\n");
    EXPECT_EQ(m.forces[0].nodes, (std::vector<Index>{7}));
    EXPECT_EQ(m.forces[0].share[0], (Vec3d{1, 2, 3}));
}

TEST(Loads, errors_in_a_csv_name_the_line) {  // S18
    const Files files;
    const std::pair<const char*, const char*> cases[] = {
        {"node,fx,fy,fz\n1,2,3\n", ":2:1: error: found 3 values; allowed: 4"},
        {"1,2,3,4,5\n", ":1:1: error: found 5 values"},
        {"1,2,3,4\n2,abc,0,0\n", ":2:1: error: found 'abc'; allowed: a finite number"},
        {"1,nan,0,0\n", ":1:1: error: found 'nan'"},
        {"1,1e400,0,0\n", ":1:1: error: found '1e400'"},
        {"1.5,0,0,0\n", ":1:1: error: found '1.5'; allowed: the whole number of a node"},
        {"1,0,0,0\n\n999,0,0,0\n", ":3:1: error: force[0].file: body 'bar' has no node 999"},
        {"1,0,0,0\n2,0,0,0\n1,0,0,1\n", ":3:1: error: node 1 is given twice; first at line 1"},
        {"node,fx,fy,fz\n", ": error: the file has no nodes"},
        // Displacements are no forces, whatever the file is called.
        {"node,ux,uy,uz\n1,0,0,1\n",
         ":1:1: error: found the column 'ux'; allowed: the columns node,fx,fy,fz in any order"},
        {"node,fx,fy\n1,0,0\n", ":1:1: error: found 3 columns"},
        {"node,fx,fx,fz\n1,0,0,1\n", ":1:1: error: the column 'fx' is given twice"},
        {"fx,fy,fz\n1,0,0\n", ":1:1: error: there is no column 'node'"},
    };
    for (const auto& [text, says] : cases) {
        const std::string csv = files.folder.write("l.csv", text);
        const std::string error = files.error(good_scene + force + "file = \"l.csv\"\n");
        EXPECT_EQ(error.rfind(csv + says, 0), 0u) << error;
    }
}

TEST(Loads, all_bad_lines_of_a_csv_are_told) {
    const Files files;
    const std::string csv = files.folder.write("l.csv", "1,a,0,0\n2,0,0,0\n3,0\n");
    const std::string error = files.error(good_scene + force + "file = \"l.csv\"\n");
    EXPECT_NE(error.find(csv + ":1:1: error: found 'a'"), std::string::npos) << error;
    EXPECT_NE(error.find(csv + ":3:1: error: found 2 values"), std::string::npos) << error;
}

TEST(HeldByFile, nodes_go_to_their_own_displacements_along_the_key_frames) {
    const Files files;
    files.folder.write("u.csv", "node,ux,uy,uz\n0,0.1,0,0\n1,0,-0.2,0\n");
    const SceneDef scene = load_scene(
        files.scene(good_scene + pin + "file = \"u.csv\"\ntimes = [0, 0.02]\nscale = [0, 1]\n"));
    World world = world_of(scene);
    const std::vector<Vec3d> rest = world.model().mesh.nodes;
    world.step();
    EXPECT_LT(norm(world.state().x[0] - rest[0] - Vec3d{0.05, 0, 0}), 1e-12);
    EXPECT_LT(norm(world.state().x[1] - rest[1] - Vec3d{0, -0.1, 0}), 1e-12);
    world.step();
    world.step();
    EXPECT_LT(norm(world.state().x[0] - rest[0] - Vec3d{0.1, 0, 0}), 1e-12);
    EXPECT_LT(norm(world.state().x[1] - rest[1] - Vec3d{0, -0.2, 0}), 1e-12);
}

TEST(HeldByFile, coordinates_without_a_column_are_free) {
    const Files files;
    files.folder.write("u.csv", "node,uy\n0,0.1\n");
    const Model m = files.model(good_scene + pin + "file = \"u.csv\"\n");
    EXPECT_EQ(m.free[0], (Vec3d{1, 0, 1}));
}

TEST(HeldByFile, displacements_of_a_static_analysis_grow_with_its_loads) {
    const Files files;
    std::string text = replaced(good_scene, "steps = 10", "steps = 4\nanalysis = \"static\"");
    text += "[solver]\nkind = \"newton\"\n" + pin + "select = { side = \"x-\" }\n" + pin +
            "file = \"u.csv\"\n";
    // The node in the middle of the free end's lower edge moves by 4 mm.
    files.folder.write("u.csv", "node,ux,uy,uz\n19,0.004,0,0\n");
    World world = world_of(load_scene(files.scene(text)));
    const double rest = world.model().mesh.nodes[19].x;
    for (int k = 1; k <= 4; ++k) {
        world.step();
        EXPECT_NEAR(world.state().x[19].x - rest, 0.001 * k, 1e-12) << k;
    }
}

TEST(HeldByFile, is_refused_with_the_columns_of_forces_and_beside_a_motion) {
    const Files files;
    const std::string csv = files.folder.write("u.csv", "node,fx,fy,fz\n0,0.1,0,0\n");
    const std::string columns = files.error(good_scene + pin + "file = \"u.csv\"\n");
    EXPECT_EQ(columns.rfind(csv + ":1:1: error: found the column 'fx'; allowed: the columns "
                                  "node,ux,uy,uz",
                            0),
              0u)
        << columns;
    const std::string both = files.error(
        good_scene + pin +
        "file = \"u.csv\"\nmotion = { times = [0, 1], translate = [[0, 0, 0], [1, 0, 0]] }\n");
    EXPECT_NE(both.find("motion, file are given together"), std::string::npos) << both;
    const std::string lost = files.error(good_scene + pin + "select = { side = \"x-\" }\n" +
                                         "times = [0, 1]\nscale = [0, 1]\n");
    EXPECT_NE(lost.find("key 'scale' needs the key 'file'"), std::string::npos) << lost;
}

TEST(InitialState, comes_node_by_node_from_files) {
    const Files files;
    files.folder.write("v.csv", "node,vx,vy,vz\n2,1,2,3\n");
    files.folder.write("u.csv", "node,ux,uy,uz\n3,0.25,0,-0.5\n");
    const SceneDef scene = load_scene(files.scene(
        replaced(good_scene, "material = \"rubber\"",
                 "material = \"rubber\"\nvelocity = [1, 0, 0]\nvelocity_file = \"v.csv\"\n"
                 "displacement_file = \"u.csv\"")));
    const World world = world_of(scene);
    const std::vector<Vec3d>& rest = world.model().mesh.nodes;
    EXPECT_EQ(world.state().x[2], rest[2]);
    EXPECT_EQ(world.state().x[3], (rest[3] + Vec3d{0.25, 0, -0.5}));
    EXPECT_EQ(world.state().v[2], (Vec3d{2, 2, 3}));
    EXPECT_EQ(world.state().v[3], (Vec3d{1, 0, 0}));
}

TEST(NodeFiles, belong_to_the_scene_hash_and_are_found_from_anywhere) {
    const Files files;
    files.folder.write("u.csv", "node,ux,uy,uz\n0,0.1,0,0\n");
    files.folder.write("v.csv", "node,vx,vy,vz\n2,1,2,3\n");
    const std::string path =
        files.scene(replaced(good_scene, "material = \"rubber\"",
                             "material = \"rubber\"\nvelocity_file = \"v.csv\"") +
                    pin + "file = \"u.csv\"\n");
    const SceneDef scene = load_scene(path);
    const std::uint64_t before = scene_hash(scene);
    const std::string copy = files.folder.write("elsewhere/scene.toml", resolved_toml(scene));
    EXPECT_EQ(scene_hash(load_scene(copy)), before);
    EXPECT_EQ(input_files(scene).size(), 2u);
    files.folder.write("u.csv", "node,ux,uy,uz\n0,0.2,0,0\n");
    EXPECT_NE(scene_hash(load_scene(path)), before);
}

}  // namespace
}  // namespace limber
