// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/overlaps.h"

#include <gtest/gtest.h>

#include "limber/contact/overlap.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes.h"
#include "limber/scene/build/model.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/registry.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::input_error;
using test::scene_of;

const std::string head =
    "limber = 1\n[time]\nstep = 0.01\nend = 1\n"
    "[material.rubber]\nyoung = \"1 MPa\"\npoisson = 0.3\ndensity = 1000\n";

std::string box(const std::string& name, const std::string& at, const std::string& more = "") {
    return "[[body]]\nname = \"" + name + "\"\nmaterial = \"rubber\"\nshape = \"box\"\n" +
           "cells = [3, 3, 3]\ntranslate = " + at + "\n" + more + "\n";
}

struct Built {
    BuildReport report;  // filled while the model is built
    Model model;
    explicit Built(const SceneDef& scene) : model(build_model(scene, report)) {}
    std::string warnings() const {
        std::string all;
        for (const std::string& w : report.warnings) all += w + "\n";
        return all;
    }
    std::size_t overlaps() const {
        std::vector<ContactSurface> surfaces;
        for (const Body& b : model.bodies) surfaces.push_back({b.surface, b.surface_nodes});
        return OverlapFinder(surfaces, model.mesh.nodes).find(model.mesh.nodes, 1e-6).size();
    }
    Vec3d corner(std::size_t body) const { return report.bodies[body].box.lo; }
};

TEST(StartOverlap, is_told_with_names_nodes_depth_and_place) {
    const Built built(scene_of(head + box("left", "[0, 0, 0]") + box("right", "[0.9, 0.2, 0]")));
    EXPECT_NE(built.warnings().find("bodies 'left' and 'right' overlap at the start"),
              std::string::npos)
        << built.warnings();
    EXPECT_NE(built.warnings().find("up to 0.1"), std::string::npos) << built.warnings();
    EXPECT_NE(built.warnings().find("separate = true"), std::string::npos);
}

TEST(StartOverlap, of_bars_that_cross_without_nodes_inside_is_told) {
    const std::string bar = "[[body]]\nmaterial = \"rubber\"\nshape = \"box\"\n";
    const Built built(scene_of(head + bar +
                               "name = \"x\"\nsize = [2, 0.2, 0.2]\ncells = [1, 1, 1]\n" + bar +
                               "name = \"z\"\nsize = [0.1, 0.1, 2]\ncells = [1, 1, 1]\n"));
    EXPECT_NE(built.warnings().find("edges pass through faces"), std::string::npos)
        << built.warnings();
}

TEST(StartOverlap, of_bodies_that_only_touch_is_none) {
    const Built built(scene_of(head + box("left", "[0, 0, 0]") + box("right", "[1, 0, 0]") +
                               box("above", "[0.3, 1, 0.2]")));
    EXPECT_EQ(built.report.warnings.size(), 0u) << built.warnings();
}

TEST(StartOverlap, does_not_matter_to_bodies_that_pass_through_each_other) {
    for (const char* contact : {"[contact]\nmethod = \"none\"\n", "[contact]\nbodies = false\n",
                                "[contact]\nignore = [[\"right\", \"left\"]]\n",
                                "[contact]\nseparate = true\nignore = [[\"left\", \"right\"]]\n"}) {
        const Built built(
            scene_of(head + contact + box("left", "[0, 0, 0]") + box("right", "[0.9, 0, 0]")));
        EXPECT_EQ(built.warnings().find("overlap"), std::string::npos) << built.warnings();
    }
}

TEST(Separate, moves_bodies_apart_the_shortest_way) {
    const Built built(scene_of(head + "[contact]\nseparate = true\n" + box("left", "[0, 0, 0]") +
                               box("right", "[0.9, 0.2, 0]")));
    EXPECT_EQ(built.overlaps(), 0u);
    // 0.1 m along x, half each.
    EXPECT_NEAR(built.corner(0).x, -0.5 - 0.05, 1e-9);
    EXPECT_NEAR(built.corner(1).x, 0.4 + 0.05, 1e-9);
    EXPECT_NEAR(built.corner(1).y, -0.3, 1e-12);
    EXPECT_NE(built.warnings().find("was moved by"), std::string::npos);
}

TEST(Separate, moves_the_heavier_less_and_pinned_bodies_not_at_all) {
    const std::string heavy = "[material.lead]\nyoung = \"1 MPa\"\npoisson = 0.3\ndensity = 9000\n";
    std::string lead = box("lead", "[0.9, 0, 0]");
    lead.replace(lead.find("rubber"), 6, "lead");
    const Built light(
        scene_of(head + heavy + "[contact]\nseparate = true\n" + box("left", "[0, 0, 0]") + lead));
    EXPECT_NEAR((-0.5 - light.corner(0).x) / (light.corner(1).x - 0.4), 9, 1e-6);
    const Built pinned(scene_of(head + "[contact]\nseparate = true\n" + box("left", "[0, 0, 0]") +
                                box("right", "[0.9, 0, 0]") +
                                "[[pin]]\nbody = \"left\"\nselect = { side = \"x-\" }\n"));
    EXPECT_EQ(pinned.corner(0).x, -0.5);
    EXPECT_EQ(pinned.overlaps(), 0u);
}

TEST(Separate, parts_a_heap_above_the_floor) {
    std::string heap = head + "[contact]\nseparate = true\n[[obstacle]]\nshape = \"plane\"\n";
    for (int i = 0; i < 5; ++i)
        heap += box(std::string(1, static_cast<char>('a' + i)),
                    vector_text({0.3 * i, 0.4 + 0.2 * (i % 2), 0.1 * i}));
    const Built built(scene_of(heap));
    EXPECT_EQ(built.overlaps(), 0u);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_GE(built.corner(i).y, -1e-6);
}

TEST(Separate, gives_up_with_the_names_of_what_is_held) {
    const std::string error = input_error([] {
        Built built(scene_of(head + "[contact]\nseparate = true\n" + box("left", "[0, 0, 0]") +
                             box("right", "[0.9, 0, 0]") +
                             "[[pin]]\nbody = \"left\"\nselect = { side = \"x-\" }\n"
                             "[[pin]]\nbody = \"right\"\nselect = { side = \"x+\" }\n"));
    });
    EXPECT_NE(error.find("'left' and 'right'"), std::string::npos) << error;
    EXPECT_NE(error.find("separate"), std::string::npos);
}

TEST(StartSpeed, of_a_bullet_and_of_a_long_fall_is_told_with_a_safe_step) {
    const Built bullet(scene_of(head + box("slow", "[0, 0, 0]") +
                                box("bullet", "[0, 3, 0]", "velocity = [0, -200, 0]")));
    EXPECT_NE(bullet.warnings().find("body 'bullet' goes 2 m a step"), std::string::npos)
        << bullet.warnings();
    EXPECT_NE(bullet.warnings().find("safe: time.step <="), std::string::npos);
    EXPECT_EQ(bullet.warnings().find("'slow'"), std::string::npos);
    std::string deep = head + box("stone", "[0, 2000, 0]") + "[[obstacle]]\nshape = \"plane\"\n";
    deep.replace(deep.find("end = 1"), 7, "end = 20");
    const Built fall(scene_of(deep));
    EXPECT_NE(fall.warnings().find("m/s of its fall"), std::string::npos) << fall.warnings();
    const Built low(
        scene_of(head + box("stone", "[0, 5, 0]") + "[[obstacle]]\nshape = \"plane\"\n"));
    EXPECT_EQ(low.report.warnings.size(), 0u) << low.warnings();
}

// ---- mesh obstacles

TEST(MeshObstacleScene, reads_scales_and_places_a_surface) {
    const Folder folder;
    write_surface(folder.path("rock.obj"), boundary_surface(make_box({1, 1, 1}, {2, 2, 2})));
    const std::string path = folder.write(
        "scene.toml", head + box("b", "[0, 5, 0]") +
                          "[[obstacle]]\nshape = \"mesh\"\nfile = \"rock.obj\"\nscale = 2\n"
                          "position = [1, 0, 0]\nfriction = 0.5\n");
    const SceneDef scene = load_scene(path);
    const Built built(scene);
    ASSERT_EQ(built.model.obstacles.size(), 1u);
    EXPECT_NEAR(sample(built.model.obstacles[0], {1, 3, 0}, 0).distance, 2, 1e-12);
    EXPECT_NEAR(sample(built.model.obstacles[0], {1, 0, 0}, 0).distance, -1, 1e-12);
    // The file counts by what it says, and the resolved scene finds it from anywhere.
    const std::uint64_t before = scene_hash(scene);
    const std::string copy = folder.write("elsewhere/scene.toml", resolved_toml(scene));
    EXPECT_EQ(scene_hash(load_scene(copy)), before);
    write_surface(folder.path("rock.obj"), boundary_surface(make_box({1, 1, 2}, {2, 2, 2})));
    EXPECT_NE(scene_hash(load_scene(path)), before);
}

TEST(MeshObstacleScene, refuses_what_has_no_inside) {
    const Folder folder;
    const auto refusal = [&](const TriMesh& mesh, const std::string& more = "") {
        write_surface(folder.path("s.obj"), mesh);
        const std::string path = folder.write(
            "scene.toml", head + box("b", "[0, 5, 0]") +
                              "[[obstacle]]\nshape = \"mesh\"\nfile = \"s.obj\"\n" + more);
        return input_error([&] { Built built(load_scene(path)); });
    };
    TriMesh surface = boundary_surface(make_box({1, 1, 1}, {1, 1, 1}));
    EXPECT_EQ(refusal(surface), "");
    EXPECT_NE(refusal(surface, "scale = [1, 0, 1]\n").find("scale"), std::string::npos);
    EXPECT_NE(refusal(surface, "scale = [1, -1, 1]\n").find("scale"), std::string::npos);
    surface.triangles.pop_back();
    const std::string open = refusal(surface);
    EXPECT_NE(open.find("3 of its edges belong to one triangle only"), std::string::npos) << open;
    EXPECT_NE(open.find("scene.toml:"), std::string::npos) << open;
    surface.triangles = {{0, 1, 2}, {0, 2, 1}};
    EXPECT_NE(refusal(surface), "");
    TriMesh inside_out = turned(boundary_surface(make_box({1, 1, 1}, {1, 1, 1})));
    write_surface(folder.path("s.obj"), inside_out);
    const Built built(load_scene(folder.path("scene.toml")));
    EXPECT_NE(built.warnings().find("inside out"), std::string::npos) << built.warnings();
    EXPECT_NE(
        input_error([&] {
            Built gone(scene_of(head + box("b", "[0, 5, 0]") + "[[obstacle]]\nshape = \"mesh\"\n"));
        }).find("file"),
        std::string::npos);
}

TEST(StartSelf, cloth_that_is_to_feel_itself_by_springs_is_told_what_they_do_not_do) {
    const std::string cloth =
        head +
        "[solver]\nkind = \"newton\"\n[[body]]\nname = \"flag\"\nmaterial = \"rubber\"\n"
        "shape = \"cloth_sheet\"\ncells = [2, 2]\ncloth = { thickness = 0.001 }\n";
    const std::string said = "layers of cloth 'flag' that have gone through each other";
    for (const std::string method : {"lagrange", "penalty", "repulsion"}) {
        const std::string contact = "[contact]\nmethod = \"" + method + "\"\nself = ";
        EXPECT_EQ(
            Built(scene_of(cloth + contact + "true\n")).warnings().find(said) != std::string::npos,
            method != "lagrange")
            << method;
        EXPECT_EQ(Built(scene_of(cloth + contact + "false\n")).warnings().find(said),
                  std::string::npos)
            << method;
    }
}

}  // namespace
}  // namespace limber
