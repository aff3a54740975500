// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/output/vtu_series.h"
#include "limber/render/frame.h"
#include "output/output_samples.h"

namespace limber {
namespace {

namespace fs = std::filesystem;
using test::drifting;
using test::run_to;

/// A tetrahedron around the first box: vertices out of order and outside the tets.
const std::vector<Vec3d> skin_nodes{{0.9, 0, 0}, {-0.4, 0.3, 0.2}, {0, -0.8, 0}, {0.1, 0.2, 0.9}};
const std::vector<Triangle> skin_triangles{{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};

void add_skin(Model& model) {
    TetMesh first;
    const Body& body = model.bodies[0];
    first.nodes.assign(model.mesh.nodes.begin(), model.mesh.nodes.begin() + body.node_end);
    first.tets.assign(model.mesh.tets.begin(), model.mesh.tets.begin() + body.tet_end);
    model.bodies[0].skin = {skin_triangles, embed(first, skin_nodes)};
}

TEST(VtuSkin, is_written_beside_its_body_and_read_in_its_place) {
    const TempFolder temp;
    Model model = test::two_boxes();
    add_skin(model);
    auto world = drifting(std::move(model));
    world->add(std::make_unique<VtuSeries>(temp.path(""), 2));
    run_to(*world, 2);
    ASSERT_TRUE(fs::exists(temp.path("vtu/left_skin_000002.vtu")));

    const std::vector<FrameBody> bodies = read_frame(temp.path(""), 2);
    ASSERT_EQ(bodies.size(), 2u);
    const FrameBody& skin = bodies[1];
    EXPECT_EQ(skin.name, "left");
    EXPECT_EQ(skin.triangles, skin_triangles);
    ASSERT_EQ(skin.points.size(), skin_nodes.size());
    // All nodes drift by the same way, and so does each vertex, in its place of the order.
    const Vec3d way = world->state().x[0] - world->model().mesh.nodes[0];
    EXPECT_GT(norm(way), 0.01);
    for (std::size_t i = 0; i < skin_nodes.size(); ++i) {
        EXPECT_LT(norm(skin.points[i] - skin_nodes[i] - way), 1e-12);
        EXPECT_LT(norm(skin.displacement[i] - way), 1e-12);
    }
    EXPECT_FALSE(read_frame(temp.path(""), 2, false)[1].tets.empty());
    Picture picture;
    add_bodies(bodies, ColourBy::body, false, picture);
    EXPECT_EQ(picture.bodies[1].triangles.size(), 4u);
}

}  // namespace
}  // namespace limber
