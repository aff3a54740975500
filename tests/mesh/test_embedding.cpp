// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/embedding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

std::vector<Vec3d> random_points(std::size_t n, double reach) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> at(-reach, reach);
    std::vector<Vec3d> points(n);
    for (Vec3d& p : points) {
        p.x = at(generator);
        p.y = at(generator);
        p.z = at(generator);
    }
    return points;
}

TEST(Embedding, puts_points_back_where_they_were_in_their_order) {
    const TetMesh mesh = make_sphere(1, 8);
    const std::vector<Vec3d> points = random_points(500, 1.4);  // inside and outside
    const Embedding e = embed(mesh, points);
    ASSERT_EQ(e.n_points(), 500);
    EXPECT_GT(e.n_outside, 100);
    std::vector<Vec3d> found(points.size());
    carry(e, mesh.nodes, found);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_LT(norm(found[i] - points[i]), 1e-12) << i;
}

TEST(Embedding, follows_an_affine_motion_exactly_inside_and_outside) {
    TetMesh mesh = make_box({2, 1, 1}, {6, 3, 3});
    const std::vector<Vec3d> points = random_points(400, 1.2);
    const Embedding e = embed(mesh, points);
    Mat3d A = Mat3d::identity();
    A(0, 1) = 0.7;
    A(2, 0) = -1.3;
    A(1, 1) = 2;
    const auto moved = [&](const Vec3d& p) { return A * p + Vec3d{3, -2, 1}; };
    for (Vec3d& x : mesh.nodes) x = moved(x);
    std::vector<Vec3d> found(points.size());
    carry(e, mesh.nodes, found);
    // Weights of points outside grow with their distance in tets: at most about 4 here.
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_LT(norm(found[i] - moved(points[i])), 1e-12) << i;
}

TEST(Embedding, holds_inside_points_by_weights_between_zero_and_one) {
    const TetMesh mesh = make_box({2, 2, 2}, {4, 4, 4});
    std::vector<Vec3d> points = random_points(1000, 1);
    points.insert(points.end(), mesh.nodes.begin(), mesh.nodes.end());  // corners and faces too
    const Embedding e = embed(mesh, points);
    EXPECT_EQ(e.n_outside, 0);
    for (const auto& weights : e.weights) {
        double sum = 0;
        for (double w : weights) {
            EXPECT_GT(w, -1e-9);
            sum += w;
        }
        EXPECT_NEAR(sum, 1, 1e-14);
    }
}

TEST(Embedding, takes_the_tet_behind_the_nearest_face_for_points_outside) {
    const TetMesh mesh = make_box({1, 1, 1}, {5, 5, 5});
    const std::vector<Vec3d> points{{0.9, 0.07, 0.03}};
    const Embedding e = embed(mesh, points);
    EXPECT_EQ(e.n_outside, 1);
    EXPECT_NEAR(e.farthest, 0.4, 1e-12);
    int on_face = 0;
    for (Index node : e.corners[0]) {
        on_face += std::fabs(mesh.nodes[node].x - 0.5) < 1e-12;
        EXPECT_LT(norm(mesh.nodes[node] - Vec3d{0.5, 0.07, 0.03}), 0.36);  // one cell's diagonal
    }
    EXPECT_EQ(on_face, 3);
}

TEST(Embedding, of_many_points_does_not_depend_on_the_number_of_threads) {
    const TetMesh mesh = make_shape({.kind = ShapeKind::bear});
    std::vector<Vec3d> points = random_points(100'000, 0.3);
    for (Vec3d& p : points) p.y += 0.25;
    const Embedding e = embed(mesh, points);
    const ThreadLimit one(1);
    const Embedding again = embed(mesh, points);
    EXPECT_EQ(e.corners, again.corners);
    EXPECT_EQ(e.weights, again.weights);
}

}  // namespace
}  // namespace limber
