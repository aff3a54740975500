// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::Folder;
using test::good_scene;
using test::input_error;

const std::string octahedron =
    "v 0.6 0 0\nv -0.6 0 0\nv 0 0.2 0\nv 0 -0.2 0\nv 0 0 0.2\nv 0 0 -0.2\n"
    "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

TEST(Skins, are_placed_like_their_body_and_keep_the_order_of_the_file) {
    const Folder folder;
    folder.write("skin.obj", octahedron);
    const std::string path =
        folder.write("s.toml", good_scene +
                                   "skin = \"skin.obj\"\nscale = 2\ntranslate = [5, 0, 0]\n"
                                   "[[body]]\nname = \"ball\"\nshape = \"sphere\"\ncells = [2]\n"
                                   "material = \"rubber\"\nskin = \"skin.obj\"\n");
    BuildReport report;
    const Model m = build_model(load_scene(path), report);
    for (const Body& body : m.bodies) {
        ASSERT_EQ(body.skin.embedding.n_points(), 6);
        EXPECT_EQ(body.skin.triangles.size(), 8u);
        EXPECT_EQ(body.skin.triangles[1], (Triangle{2, 1, 4}));
        for (const Tet& corners : body.skin.embedding.corners)
            for (Index node : corners) {
                EXPECT_GE(node, body.node_begin);
                EXPECT_LT(node, body.node_end);
            }
    }
    std::vector<Vec3d> x(6);
    carry(m.bodies[0].skin.embedding, m.mesh.nodes, x);
    EXPECT_LT(norm(x[0] - Vec3d{6.2, 0, 0}), 1e-12);
    EXPECT_LT(norm(x[3] - Vec3d{5, -0.4, 0}), 1e-12);
}

TEST(Skins, far_off_the_body_are_warned_of) {
    const Folder folder;
    folder.write("skin.obj", "v 600 0 0\nv -600 0 0\nv 0 200 0\nf 1 2 3\n");
    const std::string path = folder.write("s.toml", good_scene + "skin = \"skin.obj\"\n");
    BuildReport report;
    build_model(load_scene(path), report);
    bool found = false;
    for (const std::string& warning : report.warnings)
        found = found || warning.find("skin reaches 599.5 m out of the body") != std::string::npos;
    EXPECT_TRUE(found);
}

TEST(Skins, without_triangles_or_with_a_name_that_is_taken_are_refused) {
    const Folder folder;
    folder.write("skin.obj", octahedron);
    folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
    const auto error_of = [&](const std::string& text) {
        const std::string path = folder.write("s.toml", text);
        return input_error([&] {
            BuildReport report;
            build_model(load_scene(path), report);
        });
    };
    EXPECT_NE(error_of(good_scene + "skin = \"points.obj\"\n"), "");
    EXPECT_NE(error_of(good_scene +
                       "skin = \"skin.obj\"\n[[body]]\nname = \"bar_skin\"\nshape = \"sphere\"\n"
                       "cells = [2]\nmaterial = \"rubber\"\n")
                  .find("is written; choose another"),
              std::string::npos);
}

TEST(Shapes, take_tets_or_a_cell_but_not_both_and_only_their_own_keys) {
    const auto error_of = [](const std::string& keys) {
        return input_error([&] {
            test::scene_of("limber = 1\n[time]\nsteps = 1\n[[body]]\nname = \"b\"\n" + keys);
        });
    };
    EXPECT_EQ(error_of("shape = \"bear\"\ntets = 4000\ngraded = true\n"), "");
    EXPECT_NE(error_of("shape = \"bear\"\ntets = 4000\ncell = 0.1\n"), "");
    EXPECT_NE(error_of("shape = \"bear\"\ncells = [3]\n")
                  .find("key 'cells' belongs to box, beam, sheet, cylinder, sphere, cloth_sheet, "
                        "dress, not to shape = \"bear\""),
              std::string::npos);
    EXPECT_NE(error_of("shape = \"box\"\ngraded = true\n").find("'graded' belongs to torus"),
              std::string::npos);
}

}  // namespace
}  // namespace limber
