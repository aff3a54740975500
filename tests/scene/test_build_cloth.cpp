// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/cloth.h"

#include <gtest/gtest.h>

#include "limber/io/mesh_reader.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;

std::string scene_with(const std::string& body, const std::string& more = "") {
    return "limber = 1\n[time]\nstep = 0.01\nsteps = 2\n[solver]\nkind = "
           "\"newton\"\n[[body]]\nname = "
           "\"flag\"\n" +
           body + "\n" + more;
}

Model built(const std::string& text, BuildReport& report) {
    return build_model(test::scene_of(text), report);
}

TEST(BuildCloth, a_dress_has_the_size_of_its_source) {
    BuildReport report;
    const Model model =
        built(scene_with("shape = \"dress\"\ncloth = { thickness = 0.001 }"), report);
    EXPECT_NEAR(model.n_nodes(), 15000, 150);
    EXPECT_NEAR(model.cloth.springs.size(), 44000, 880);
    EXPECT_EQ(model.cloth.hinges.size() + model.cloth.flat_hinges.size(),
              model.cloth.springs.size() - 2 * 122);  // all but the two rims
    EXPECT_EQ(report.bodies[0].mesh.n_parts, 1);
    double mass = 0;
    for (double m : model.mass) {
        EXPECT_GT(m, 0);
        mass += m;
    }
    EXPECT_NEAR(report.bodies[0].mass, mass, 1e-12);
    // The rigidity of a plate of the default material, 1 MPa and 0.3.
    EXPECT_NEAR(model.bodies[0].cloth->options.bending, 1e6 * 1e-9 / 12 / 0.91, 1e-12);
}

TEST(BuildCloth, triangles_come_from_a_file_with_its_node_numbers) {
    const Folder folder;
    // The second point belongs to no triangle; two squares, one of them apart.
    folder.write("flag.obj",
                 "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 3 0 0\nv 4 0 0\nv 3 0 1\n"
                 "f 1 3 4\nf 1 4 5\nf 6 7 8\n");
    const std::string path = folder.write(
        "scene.toml",
        scene_with(
            "mesh = \"flag.obj\"\ncloth = { thickness = 0.002, stretch = \"triangles\", bending "
            "= 0 }\nscale = 2\ntranslate = [0, 1, 0]",
            "[[pin]]\nbody = \"flag\"\nselect = { nodes = [4] }\n"));
    BuildReport report;
    const Model model = build_model(load_scene(path), report);
    EXPECT_EQ(model.n_nodes(), 7);
    EXPECT_EQ(model.mesh.node_ids[1], 2);
    EXPECT_EQ(model.mesh.nodes[1], (Vec3d{2, 1, 0}));
    EXPECT_EQ(model.pins[0].nodes, std::vector<Index>{3});
    EXPECT_EQ(model.cloth.membranes.size(), 3u);
    EXPECT_TRUE(model.cloth.springs.empty() && model.cloth.flat_hinges.empty());
    EXPECT_EQ(report.bodies[0].mesh.n_parts, 2);
    EXPECT_NEAR(report.bodies[0].mass, 1000 * 0.002 * (4 + 2), 1e-12);
    bool told = false;
    for (const std::string& warning : report.warnings)
        told |= warning.find("1 point in no triangle left out") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST(BuildCloth, bad_triangles_are_refused_in_words) {
    const Folder folder;
    const auto says = [&](const char* obj) {
        folder.write("flag.obj",
                     std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 2 0 0\n") + obj);
        const std::string path = folder.write(
            "scene.toml", scene_with("mesh = \"flag.obj\"\ncloth = { thickness = 0.002 }"));
        BuildReport report;
        try {
            build_model(load_scene(path), report);
        } catch (const InputError& e) {
            return e.message();
        }
        return std::string("nothing");
    };
    EXPECT_NE(says("f 1 2 5\nf 1 2 3\n").find("have no area"), std::string::npos);
    EXPECT_NE(says("f 1 2 3\nf 2 3 1\n").find("given twice"), std::string::npos);
    EXPECT_NE(says("f 1 2 3\nf 1 2 4\nf 1 2 5\nf 2 1 3\n").find("no area"), std::string::npos);
    EXPECT_NE(says("f 1 2 3\nf 2 1 4\nf 1 3 4\nf 1 3 5\n").find("three triangles or more"),
              std::string::npos);
}

TEST(BuildCloth, a_static_sheet_needs_its_supports) {
    const std::string text =
        "limber = 1\n[time]\nstep = 0.1\nsteps = 2\nanalysis = \"static\"\n[solver]\nkind = "
        "\"newton\"\n[[body]]\nname = \"flag\"\nshape = \"cloth_sheet\"\ncells = [3, 3]\ncloth = { "
        "thickness = 0.01 }\n";
    const auto pin = [](const char* group) {
        return "[[pin]]\nbody = \"flag\"\nselect = { group = \"" + std::string(group) + "\" }\n";
    };
    const auto build = [&](const std::string& pins) {
        BuildReport report;
        built(text + pins, report);
    };
    EXPECT_THROW(build(""), InputError);
    EXPECT_THROW(build(pin("x-")), InputError);  // turns about that edge
    EXPECT_NO_THROW(build(pin("x-") + pin("z-")));
}

}  // namespace
}  // namespace limber
