// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/obstacle.h"

#include <gtest/gtest.h>

#include <numbers>

#include <functional>
#include <random>
#include <vector>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

const BoxShape box{{0.5, 0.8, 0.3}};
const CylinderShape cylinder{0.7, 0.4};
const TorusShape torus{1.0, 0.3};

struct NamedShape {
    const char* name;
    ObstacleShape shape;
};
std::vector<NamedShape> all_shapes() {
    return {{"plane", PlaneShape{{0.6, 0.8, 0}}},
            {"sphere", SphereShape{0.75}},
            {"box", box},
            {"cylinder", cylinder},
            {"torus", torus}};
}

std::vector<Vec3d> random_points(int n, double extent) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> coordinate(-extent, extent);
    std::vector<Vec3d> points(n);
    for (Vec3d& p : points) p = {coordinate(random), coordinate(random), coordinate(random)};
    return points;
}

/// Points of a surface parametrised over the unit square, (n + 1)² of them.
void add_patch(std::vector<Vec3d>& out, int n, const std::function<Vec3d(double, double)>& patch) {
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) out.push_back(patch(double(i) / n, double(j) / n));
}
std::vector<Vec3d> box_surface(int n) {
    std::vector<Vec3d> out;
    for (int axis = 0; axis < 3; ++axis)
        for (double s : {-1.0, 1.0})
            add_patch(out, n, [&](double a, double b) {
                Vec3d p;
                p[axis] = s * box.half[axis];
                p[(axis + 1) % 3] = (2 * a - 1) * box.half[(axis + 1) % 3];
                p[(axis + 2) % 3] = (2 * b - 1) * box.half[(axis + 2) % 3];
                return p;
            });
    return out;
}
std::vector<Vec3d> cylinder_surface(int n) {
    std::vector<Vec3d> out;
    const auto at = [](double r, double y, double turn) {
        return Vec3d{r * std::cos(2 * std::numbers::pi * turn), y,
                     r * std::sin(2 * std::numbers::pi * turn)};
    };
    add_patch(out, n, [&](double a, double b) {
        return at(cylinder.radius, (2 * a - 1) * cylinder.half_height, b);
    });
    for (double s : {-1.0, 1.0})
        add_patch(out, n, [&](double a, double b) {
            return at(a * cylinder.radius, s * cylinder.half_height, b);
        });
    return out;
}
std::vector<Vec3d> torus_surface(int n) {
    std::vector<Vec3d> out;
    add_patch(out, n, [&](double a, double b) {
        const double r = torus.major + torus.minor * std::cos(2 * std::numbers::pi * a);
        return Vec3d{r * std::cos(2 * std::numbers::pi * b),
                     torus.minor * std::sin(2 * std::numbers::pi * a),
                     r * std::sin(2 * std::numbers::pi * b)};
    });
    return out;
}

void expect_distances(const ObstacleShape& shape, const std::vector<Vec3d>& surface, double spacing,
                      const std::function<bool(const Vec3d&)>& is_inside) {
    for (const Vec3d& p : random_points(150, 1.5)) {
        double nearest = 1e9;
        for (const Vec3d& q : surface) nearest = std::min(nearest, norm(p - q));
        const double d = sample(shape, p).distance;
        EXPECT_EQ(d < 0, is_inside(p));
        // Samples are never nearer than the surface, and one lies within a spacing of its nearest
        // point.
        EXPECT_LE(std::fabs(d), nearest + 1e-12);
        EXPECT_GE(std::fabs(d), nearest - spacing);
    }
}

TEST(Box, distance_is_that_of_the_sampled_surface) {
    expect_distances(box, box_surface(80), 0.8 * 2 / 80, [](const Vec3d& p) {
        return std::fabs(p.x) < box.half.x && std::fabs(p.y) < box.half.y &&
               std::fabs(p.z) < box.half.z;
    });
}

TEST(Cylinder, distance_is_that_of_the_sampled_surface) {
    expect_distances(cylinder, cylinder_surface(120), 2 * std::numbers::pi * cylinder.radius / 120,
                     [](const Vec3d& p) {
                         return std::hypot(p.x, p.z) < cylinder.radius &&
                                std::fabs(p.y) < cylinder.half_height;
                     });
}

TEST(Torus, distance_is_that_of_the_sampled_surface) {
    expect_distances(torus, torus_surface(250), 2 * std::numbers::pi * 1.3 / 250,
                     [](const Vec3d& p) {
                         const double a = std::hypot(p.x, p.z) - torus.major;
                         return a * a + p.y * p.y < torus.minor * torus.minor;
                     });
}

TEST(Plane, distance_is_linear) {
    const SurfaceSample s = sample(PlaneShape{{0, 0, 1}}, {4, 5, -2});
    EXPECT_EQ(s.distance, -2);
    EXPECT_EQ(s.normal, (Vec3d{0, 0, 1}));
}

TEST(Sphere, distance_is_radius_less) {
    const SurfaceSample s = sample(SphereShape{2}, {0, -3, 4});
    EXPECT_NEAR(s.distance, 3, 1e-15);
    EXPECT_NEAR(s.normal.y, -0.6, 1e-15);
    EXPECT_NEAR(s.normal.z, 0.8, 1e-15);
}

TEST(Box, nearest_features_are_faces_edges_and_corners) {
    EXPECT_NEAR(sample(box, {0.5 + 3, 0.8 + 4, 0.3 + 12}).distance, 13, 1e-14);  // corner
    EXPECT_NEAR(sample(box, {0.5 + 3, 0.8 + 4, 0.1}).distance, 5, 1e-14);        // edge
    EXPECT_NEAR(sample(box, {0.1, 0.2, -1.3}).distance, 1, 1e-15);               // face
    EXPECT_NEAR(sample(box, {0, 0, 0}).distance, -0.3, 1e-15);                   // centre
}

TEST(EveryShape, stepping_by_the_distance_against_the_normal_lands_on_the_surface) {
    for (const NamedShape& s : all_shapes())
        for (const Vec3d& p : random_points(2000, 1.5)) {
            const SurfaceSample at = sample(s.shape, p);
            EXPECT_NEAR(norm(at.normal), 1, 1e-14) << s.name;
            EXPECT_NEAR(sample(s.shape, p - at.distance * at.normal).distance, 0, 1e-14) << s.name;
        }
}

TEST(EveryShape, normal_is_the_gradient_of_the_distance) {
    const double eps = 1e-6;
    for (const NamedShape& s : all_shapes()) {
        int checked = 0;
        for (const Vec3d& p : random_points(2000, 1.5)) {
            const SurfaceSample at = sample(s.shape, p);
            Vec3d gradient;
            bool smooth = true;  // no jump of the normal within eps: away from the medial axis
            for (int i = 0; i < 3; ++i) {
                Vec3d plus = p, minus = p;
                plus[i] += eps;
                minus[i] -= eps;
                const SurfaceSample a = sample(s.shape, plus), b = sample(s.shape, minus);
                gradient[i] = (a.distance - b.distance) / (2 * eps);
                // Curvature 1/r at distance r from the medial axis changes the normal by 2 eps / r.
                smooth = smooth && norm(a.normal - b.normal) < 1e-3;
            }
            if (!smooth) continue;
            ++checked;
            EXPECT_LT(norm(gradient - at.normal), 1e-6) << s.name;
        }
        EXPECT_GT(checked, 1900) << s.name;
    }
}

TEST(EveryShape, is_finite_with_a_unit_normal_everywhere) {
    std::vector<Vec3d> points = {{0, 0, 0}, {0, 0.2, 0}, {0, 5, 0}, {1, 0, 0}, {0, 0, 1}};
    for (const Vec3d& corner : {box.half, Vec3d{0.7, 0.4, 0}, Vec3d{0.75, 0, 0}, Vec3d{1.3, 0, 0}})
        for (double sx : {-1.0, 0.0, 1.0})
            for (double sy : {-1.0, 0.0, 1.0})
                for (double sz : {-1.0, 0.0, 1.0})
                    points.push_back({sx * corner.x, sy * corner.y, sz * corner.z});
    for (double far : {1e-320, 1e-200, 1e-30, 1e30, 1e100, 1e200, 1e300})
        for (const Vec3d& direction :
             {Vec3d{1, 1, 1}, Vec3d{-1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, -1, 1}, Vec3d{1e-10, 1, 0}})
            points.push_back(far * direction);
    for (const NamedShape& s : all_shapes())
        for (const Vec3d& p : points) {
            const SurfaceSample at = sample(s.shape, p);
            EXPECT_TRUE(std::isfinite(at.distance)) << s.name;
            EXPECT_NEAR(norm(at.normal), 1, 1e-14)
                << s.name << " " << p.x << " " << p.y << " " << p.z;
        }
}

TEST(EveryShape, without_extent_is_still_finite) {
    for (const ObstacleShape& shape :
         {ObstacleShape(SphereShape{0}), ObstacleShape(BoxShape{{0, 0, 0}}),
          ObstacleShape(CylinderShape{0, 0}), ObstacleShape(TorusShape{0, 0})}) {
        const SurfaceSample at = sample(shape, {0, 0, 0});
        EXPECT_EQ(at.distance, 0);
        EXPECT_NEAR(norm(at.normal), 1, 1e-15);
    }
}

Obstacle moving_box() {
    Obstacle o;
    o.shape = box;
    o.position = {1, 2, 3};
    o.orientation = rotation_about({0.6, 0, 0.8}, 0.7);
    o.motion.translate = {{0, 2}, {{0, 0, 0}, {4, -2, 1}}};
    o.motion.angle = {{0, 2}, {0, 3}};
    o.motion.axis = {0, 0.6, 0.8};
    o.motion.center = {0.5, 0.5, 0.5};
    return o;
}

/// Where the shape's own point p is in the world at time t.
Vec3d place(const Obstacle& o, const Vec3d& p, double t) {
    return o.motion.apply(o.position + o.orientation * p, t);
}

TEST(Obstacle, still_one_is_its_shape_placed) {
    Obstacle o = moving_box();
    o.motion = {};
    for (const Vec3d& p : random_points(50, 2)) {
        const SurfaceSample local = sample(o.shape, p);
        const SurfaceSample world = sample(o, o.position + o.orientation * p, 17.0);
        EXPECT_NEAR(world.distance, local.distance, 1e-14);
        EXPECT_LT(norm(world.normal - o.orientation * local.normal), 1e-12);
        EXPECT_EQ(carried_velocity(o, p, 17.0, 0.1), Vec3d{});
    }
}

TEST(Obstacle, distance_moves_and_turns_with_its_material) {
    const Obstacle o = moving_box();
    for (double t : {0.0, 0.3, 1.9, 5.0})
        for (const Vec3d& p : random_points(50, 2)) {
            const SurfaceSample local = sample(o.shape, p), world = sample(o, place(o, p, t), t);
            EXPECT_NEAR(world.distance, local.distance, 1e-13);
            const Vec3d n = o.motion.rotation(t) * (o.orientation * local.normal);
            EXPECT_LT(norm(world.normal - n), 1e-9);
        }
}

TEST(Obstacle, node_carried_by_it_stays_glued) {
    const Obstacle o = moving_box();
    const double h = 0.25;  // turns by 0.375 rad: far from a small angle
    for (const Vec3d& p : random_points(20, 2)) {
        Vec3d x = place(o, p, 0);
        for (int step = 0; step < 8; ++step) {
            x += h * carried_velocity(o, x, step * h, h);
            EXPECT_LT(norm(x - place(o, p, (step + 1) * h)), 1e-13);
        }
    }
}

TEST(Obstacle, does_not_carry_before_the_first_and_after_the_last_key) {
    Obstacle o = moving_box();
    o.motion.translate.times = {1, 2};
    o.motion.angle.times = {1, 2};
    EXPECT_EQ(carried_velocity(o, {5, 5, 5}, 0.3, 0.1), Vec3d{});
    EXPECT_EQ(carried_velocity(o, {5, 5, 5}, 2.0, 0.1), Vec3d{});
    EXPECT_GT(norm(carried_velocity(o, {5, 5, 5}, 1.5, 0.1)), 0.1);
}

TEST(Obstacle, step_must_be_positive) {
    EXPECT_THROW(carried_velocity(moving_box(), {}, 0, 0), Bug);
}

TEST(MaxPenetration, is_the_deepest_surface_node_at_that_time) {
    Obstacle floor;
    floor.shape = PlaneShape{};
    floor.motion.translate = {{0, 1}, {{0, 0, 0}, {0, 1, 0}}};
    std::vector<Vec3d> x(2000);
    std::vector<Index> nodes;
    for (Index i = 0; i < 2000; ++i) {
        x[i] = {double(i), 0.25 - 1e-4 * i, 0};
        if (i < 1900) nodes.push_back(i);
    }
    const std::vector<Obstacle> obstacles = {floor};
    EXPECT_EQ(max_penetration(x, nodes, obstacles, 0), 0);  // the lowest node is at 0.0601
    EXPECT_NEAR(max_penetration(x, nodes, obstacles, 0.5), 0.5 - (0.25 - 0.1899), 1e-14);
    EXPECT_EQ(max_penetration(x, nodes, {}, 0.5), 0);
    EXPECT_EQ(max_penetration(x, {}, obstacles, 0.5), 0);
    double one_thread = 0;
    {
        const ThreadLimit limit(1);
        one_thread = max_penetration(x, nodes, obstacles, 0.77);
    }
    const ThreadLimit limit(4);
    EXPECT_EQ(max_penetration(x, nodes, obstacles, 0.77), one_thread);
}

}  // namespace
}  // namespace limber
