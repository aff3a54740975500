// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/projection.h"

#include <gtest/gtest.h>

namespace limber {
namespace {

/// One point mass above obstacles, moved by gravity alone.
struct Point {
    ProjectionContact method;
    std::vector<Obstacle> obstacles;
    Vec3d gravity{0, -9.81, 0};
    std::vector<Vec3d> x{{0, 1e-3, 0}}, v{{}}, f{{}}, free{{1, 1, 1}};
    std::vector<double> mass{0.1};
    std::vector<Index> surface{0};
    double h = 1.0 / 240, time = 0;
    ContactSet set;

    explicit Point(double friction) : method({.thickness = 1e-3, .friction = friction}) {}
    void step() {
        const ContactSurface body{{}, surface, 0.1, true};
        const ContactInput in{x,  v,  surface, obstacles, mass, time, h, std::span(&body, 1),
                              {}, {}, free};
        method.detect(in, set);
        v[0] += h * gravity;
        x[0] += h * v[0];
        f[0] = {};
        method.correct(in, x, v, set, f);
        time += h;
    }
};

Obstacle ground() {
    Obstacle o;
    o.shape = PlaneShape{};
    return o;
}

TEST(Projection, a_node_rests_at_the_thickness_and_feels_its_weight) {
    Point p(0.3);
    p.obstacles = {ground()};
    for (int k = 0; k < 100; ++k) p.step();
    EXPECT_NEAR(p.x[0].y, 1e-3, 1e-15);
    EXPECT_NEAR(p.v[0].y, 0, 1e-12);
    EXPECT_NEAR(p.f[0].y, 0.981, 1e-9);
    ASSERT_EQ(p.set.contacts.size(), 1u);
    EXPECT_EQ(p.set.contacts[0].normal, (Vec3d{0, 1, 0}));
}

/// On a slope of 20°, tan = 0.364: below that it slides, above it stays exactly where it is.
TEST(Projection, friction_holds_or_slows_a_node_on_a_slope) {
    const double slope = 20 * std::acos(-1.0) / 180;
    const auto way = [&](double mu) {
        Point p(mu);
        p.obstacles = {ground()};
        p.gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope), 0};
        for (int k = 0; k < 240; ++k) p.step();
        return p.x[0].x;
    };
    EXPECT_NEAR(way(0.4), 0, 1e-15);
    const double a = 9.81 * (std::sin(slope) - 0.2 * std::cos(slope));
    EXPECT_NEAR(way(0.2), a / 2, 0.01 * a);  // first order in h
    EXPECT_NEAR(way(0), 9.81 * std::sin(slope) / 2, 0.02);
}

TEST(Projection, a_moving_obstacle_carries_what_lies_on_it) {
    Point p(0.5);
    p.obstacles = {ground()};
    p.obstacles[0].motion.translate = {{0, 1}, {{0, 0, 0}, {0.5, 0.2, 0}}};
    for (int k = 0; k < 240; ++k) p.step();
    EXPECT_NEAR(p.x[0].y, 0.201, 1e-9);
    EXPECT_NEAR(p.x[0].x, 0.5, 0.03);  // it slips while it gains speed
}

TEST(Projection, pinned_coordinates_are_not_moved) {
    Point p(0.3);
    p.obstacles = {ground()};
    p.x[0].y = -0.01;
    p.free[0] = {1, 0, 1};
    p.gravity = {};
    p.step();
    EXPECT_EQ(p.x[0].y, -0.01);
    EXPECT_EQ(p.v[0].y, 0);
}

}  // namespace
}  // namespace limber
