// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/body_contacts.h"

#include <gtest/gtest.h>

#include <numbers>

#include <random>

#include "contact/body_samples.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

TEST(BodyContacts, separate_bodies_have_none) {
    Bodies b;
    b.add(cube(), {0, 0, 0});
    b.add(cube(), {0, 1.0011, 0});
    EXPECT_TRUE(b.find().contacts.empty());
    EXPECT_EQ(b.set.max_penetration, 0);
    b.h = 1;  // speeds that lead past each other
    for (Index i = 0; i < 8; ++i) b.v[i] = {3, 0, 0};
    EXPECT_TRUE(b.find().contacts.empty());
}

TEST(BodyContacts, box_over_box_has_one_contact_a_vertex) {
    Bodies b;
    b.add(cube(1, 2), {0, 0, 0});
    const Index upper = b.add(cube(0.5, 1), {0.1, 0.7505, 0.1});
    b.find();
    // Four corners over the face, and the vertices of the face under the small box.
    for (const Contact& c : b.set.contacts) {
        EXPECT_EQ(c.key.kind, ContactKey::node_body);
        EXPECT_NEAR(c.gap, 0.5e-3, 1e-12);
        EXPECT_NEAR(std::fabs(c.normal.y), 1, 1e-12);
        EXPECT_EQ(c.normal.y > 0, c.body == 1);  // out of the other
        EXPECT_EQ(c.other, 1 - c.body);
        double sum = 0;
        for (int k = 0; k < c.at.n; ++k) sum += c.at.weight[k];
        EXPECT_NEAR(sum, 0, 1e-15);
        EXPECT_NEAR(dot(c.normal, c.at.gather(b.x)), c.gap, 1e-15);
    }
    int corners = 0;
    for (const Contact& c : b.set.contacts) corners += c.node() >= upper;
    EXPECT_EQ(corners, 4);
    EXPECT_EQ(b.set.contacts.size(), 5u);
}

TEST(BodyContacts, vertices_inside_are_pushed_out_the_nearest_way) {
    Bodies b;
    b.add(cube(1, 4), {0, 0, 0});
    b.add(cube(0.4, 1), {0, 0.6, 0});  // 0.1 deep
    b.find();
    EXPECT_NEAR(b.set.max_penetration, 0.1, 1e-12);
    int seen = 0;
    for (const Contact& c : b.set.contacts) {
        if (c.key.kind != ContactKey::node_body) continue;
        ++seen;
        EXPECT_NEAR(c.gap, -0.1, 1e-12);
        EXPECT_NEAR(c.normal.y, c.body == 1 ? 1 : -1, 1e-12);
    }
    EXPECT_GE(seen, 5);
}

/// 15 mm into a sheet of 20: its back is nearer than the side they came from.
TEST(BodyContacts, vertices_more_than_half_way_through_a_sheet_go_back_out_of_its_front) {
    Bodies b;
    b.add(make_box({1, 0.02, 1}, {10, 1, 10}), {0, 0, 0});
    const Index cube_begin = b.add(cube(0.4, 1), {0.03, 0.2 + 0.01 - 0.015, 0.02});
    b.find();
    EXPECT_NEAR(b.set.max_penetration, 0.015, 1e-12);
    int corners = 0;
    for (const Contact& c : b.set.contacts) {
        if (c.key.kind != ContactKey::node_body) continue;
        corners += c.node() >= cube_begin;
        EXPECT_NEAR(c.gap, -0.015, 1e-12);
        EXPECT_NEAR(c.normal.y, c.body == 1 ? 1 : -1, 1e-12);
    }
    EXPECT_EQ(corners, 4);
}

/// All of the sheet is in the cube: those on its back leave as its front does, not across the cube.
TEST(BodyContacts, vertices_on_the_back_of_a_sheet_leave_a_thick_body_the_nearest_way) {
    Bodies b;
    b.add(make_box({1, 0.02, 1}, {10, 1, 10}), {0, 0, 0});
    const Index cube_begin = b.add(cube(0.4, 1), {0.05, 0.2 - 0.035, 0.05});
    b.find();
    int front = 0, back = 0;
    for (const Contact& c : b.set.contacts) {
        if (c.key.kind != ContactKey::node_body || c.node() >= cube_begin) continue;
        EXPECT_NEAR(c.normal.y, -1, 1e-12);
        front += std::abs(c.gap + 0.045) < 1e-12;
        back += std::abs(c.gap + 0.025) < 1e-12;
    }
    EXPECT_EQ(front, 16);
    EXPECT_EQ(back, 16);
}

TEST(BodyContacts, vertex_deep_below_an_edge_is_found) {
    // The lowest vertex of the ball is 0.02 under the diagonal of a face, more than the zone.
    Bodies b;
    b.add(make_sphere(1, 8), {0, 0, 0});
    b.add(cube(1, 3), {0, -1.48, 0});
    b.find();
    EXPECT_NEAR(b.set.max_penetration, 0.02, 1e-9);
}

TEST(BodyContacts, depth_is_that_of_the_ball_everywhere) {
    Bodies b;
    b.add(make_sphere(1, 12), {0, 0, 0});
    std::mt19937 random(3);
    std::uniform_real_distribution<double> s(-1, 1);
    const Index first = b.add(cube(0.02, 1), {0, 0, 0});
    for (int trial = 0; trial < 200; ++trial) {
        Vec3d u{s(random), s(random), s(random)};
        u *= 1 / norm(u);
        const double r = 0.6 + 0.5 * (1 + s(random)) / 2;
        for (Index i = 0; i < 8; ++i) b.x[first + i] = b.rest[first + i] + r * u;
        b.find();
        for (const Contact& c : b.set.contacts) {
            if (c.key.kind != ContactKey::node_body || c.body != 1) continue;
            // Triangles lie up to 1.4 % inside the sphere.
            EXPECT_NEAR(c.gap, norm(b.x[c.node()]) - 1, 0.014) << trial;
            EXPECT_GT(dot(c.normal, b.x[c.node()]) / norm(b.x[c.node()]), 0.9) << trial;
        }
    }
}

TEST(BodyContacts, fast_vertex_is_stopped_where_it_arrives) {
    Bodies b;
    b.add(make_box({2, 0.05, 2}, {4, 1, 4}), {0, 0, 0});
    const Index bullet = b.add(cube(0.1, 1), {0.3, 0.5, 0.2}, {0, -400, 0});  // 1.7 m a step
    b.find();
    int below = 0;
    for (const Contact& c : b.set.contacts) {
        if (c.body != 1) continue;
        EXPECT_NEAR(c.normal.y, 1, 1e-9);
        EXPECT_NEAR(c.gap, b.x[c.node()].y - 0.025, 1e-9);
        below += b.x[c.node()].y < 0.5;
    }
    EXPECT_EQ(below, 4);
    for (Index i = bullet; i < bullet + 8; ++i) b.v[i] = {-2400, -400, 0};  // passes the plate
    b.x = b.rest;
    for (Index i = bullet; i < bullet + 8; ++i) b.x[i].y += 2;
    EXPECT_TRUE(b.find().contacts.empty());
}

TEST(BodyContacts, common_motion_changes_nothing) {
    const auto find = [](const Vec3d& wind) {
        Bodies b;
        b.add(make_sphere(1, 6), {0, 0, 0}, wind);
        b.add(make_sphere(0.7, 5), {0.2, 1.6, 0.1}, wind + Vec3d{0, -3, 1});
        return b.find().contacts;
    };
    const auto still = find({}), moving = find({200, -100, 50});
    EXPECT_GT(still.size(), 3u);
    ASSERT_EQ(still.size(), moving.size());
    for (std::size_t i = 0; i < still.size(); ++i) {
        EXPECT_EQ(still[i].key, moving[i].key);
        EXPECT_NEAR(still[i].gap, moving[i].gap, 1e-9);
        EXPECT_LT(norm(still[i].normal - moving[i].normal), 1e-6);
    }
}

/// Distance of two separate surfaces, the slow way.
double brute_distance(const Bodies& b) {
    double best = 1e9;
    const auto vertices = [&](int from, int to) {
        for (Index i : b.nodes[from])
            for (const auto& [p, q, r] : b.triangles[to])
                best = std::min(
                    best, norm(b.x[i] - nearest_on_triangle(b.x[i], b.x[p], b.x[q], b.x[r]).point));
    };
    vertices(0, 1);
    vertices(1, 0);
    for (const Triangle& s : b.triangles[0])
        for (const Triangle& t : b.triangles[1])
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    best = std::min(best, edge_distance(b.x[s[i]], b.x[s[(i + 1) % 3]], b.x[t[k]],
                                                        b.x[t[(k + 1) % 3]]));
    return best;
}

TEST(BodyContacts, smallest_gap_is_the_distance_of_the_surfaces) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> s(-1, 1);
    const auto turn = [&] {
        Vec3d axis{s(random), s(random), s(random)};
        return rotation_about((1 / norm(axis)) * axis, 3 * s(random));
    };
    int by_edges = 0, by_vertices = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Bodies b;
        b.add(cube(1, 1), {0, 0, 0}, {}, 0.2, turn());
        const Index first = b.add(cube(1, 1), {0, 0, 0}, {}, 0.2, turn());
        Vec3d way{s(random), s(random), s(random)};
        way *= 1 / norm(way);
        // Slide it in from outside until they are closer than 0.02.
        double r = 2, distance = 1;
        for (int i = 0; i < 200 && distance > 0.018; ++i) {
            for (Index k = 0; k < 8; ++k) b.x[first + k] = b.rest[first + k] + r * way;
            distance = brute_distance(b);
            r -= 0.9 * distance;
        }
        b.find({.thickness = 0.02});
        double gap = 1e9;
        for (const Contact& c : b.set.contacts)
            if (c.gap < gap) {
                gap = c.gap;
                (c.key.kind == ContactKey::edges ? by_edges : by_vertices) += 1;
            }
        // Edges beside a vertex that is as close, but for a tenth of the thickness, are left out.
        EXPECT_GT(gap, distance - 1e-9) << trial;
        EXPECT_LT(gap, distance + 0.1 * 0.02 + 1e-9) << trial;
    }
    EXPECT_GT(by_edges, 50);
    EXPECT_GT(by_vertices, 50);
}

TEST(BodyContacts, crossing_bars_meet_at_their_edges) {
    // Two bars turned by 45 degrees about their axes, so that edge meets edge.
    const Mat3d x45 = rotation_about({1, 0, 0}, std::numbers::pi / 4),
                z45 = rotation_about({0, 0, 1}, std::numbers::pi / 4);
    const double half = 0.1 * std::sqrt(2.0);
    for (double gap : {0.5e-3, -0.01}) {
        Bodies b;
        b.add(make_box({2, 0.2, 0.2}, {1, 1, 1}), {0.13, 0, 0}, {}, 0.2, x45);
        b.add(make_box({0.2, 0.2, 2}, {1, 1, 1}), {0, 2 * half + gap, 0.07}, {}, 0.2, z45);
        b.find();
        ASSERT_EQ(b.set.contacts.size(), 1u) << gap;
        const Contact& c = b.set.contacts[0];
        EXPECT_EQ(c.key.kind, ContactKey::edges);
        EXPECT_NEAR(c.gap, gap, 1e-12);
        EXPECT_NEAR(c.normal.y, -1, 1e-12);  // body 0 is pushed down
        EXPECT_EQ(c.body, 0);
        EXPECT_EQ(c.at.n, 4);
    }
}

TEST(BodyContacts, crossing_bars_cannot_jump_through_each_other) {
    const Mat3d x45 = rotation_about({1, 0, 0}, std::numbers::pi / 4),
                z45 = rotation_about({0, 0, 1}, std::numbers::pi / 4);
    Bodies b;
    b.add(make_box({2, 0.2, 0.2}, {1, 1, 1}), {0.13, 0, 0}, {}, 0.2, x45);
    b.add(make_box({0.2, 0.2, 2}, {1, 1, 1}), {0, 0.8, 0.07}, {0, -300, 0}, 0.2, z45);
    b.find();
    ASSERT_EQ(b.set.contacts.size(), 1u);
    EXPECT_EQ(b.set.contacts[0].key.kind, ContactKey::edges);
    EXPECT_NEAR(b.set.contacts[0].gap, 0.8 - 0.2 * std::sqrt(2.0), 1e-9);
}

TEST(BodyContacts, contacts_of_faces_on_faces_are_not_doubled_by_edges) {
    Bodies b;
    b.add(cube(1, 3), {0, 0, 0});
    b.add(cube(1, 3), {0, 1.0005, 0});  // rim on rim
    b.find();
    EXPECT_EQ(b.count(ContactKey::edges), 0);
    EXPECT_EQ(b.count(ContactKey::node_body), 32);
}

TEST(BodyContacts, switch_turns_bodies_off) {
    Bodies b;
    b.add(cube(), {0, 0, 0});
    b.add(cube(), {0, 0.9, 0});
    EXPECT_TRUE(b.find({.bodies = false}).contacts.empty());
    EXPECT_FALSE(b.find().contacts.empty());
}

TEST(BodyContacts, undeformed_body_does_not_touch_itself) {
    Bodies b;
    b.add(make_shape({.kind = ShapeKind::three_torus, .cell = 0.1}), {0, 0, 0});
    EXPECT_TRUE(b.find({.self = true}).contacts.empty());
    EXPECT_TRUE(b.find({.thickness = 0.05, .self = true}).contacts.empty());
}

TEST(BodyContacts, folded_strip_touches_itself) {
    Bodies b;
    b.add(make_box({4, 0.1, 0.5}, {40, 1, 5}), {0, 0, 0});
    // The right half is bent over the left one, 0.5 mm apart.
    const double radius = 0.05025;
    for (Vec3d& p : b.x) {
        const double s = p.x, r = radius - p.y;
        const double bend = std::numbers::pi * radius;
        if (s < 0) continue;
        const double a = std::min(s / bend, 1.0) * std::numbers::pi;
        const double past = std::max(s - bend, 0.0);
        p = {r * std::sin(a) - past, radius - r * std::cos(a), p.z};
    }
    EXPECT_TRUE(b.find().contacts.empty());
    b.find({.self = true});
    EXPECT_GT(b.set.contacts.size(), 100u);
    for (const Contact& c : b.set.contacts) {
        if (c.key.kind != ContactKey::node_body) continue;
        EXPECT_NEAR(c.gap, 2 * radius - 0.1, 1e-9);
        EXPECT_NEAR(std::fabs(c.normal.y), 1, 1e-9);
        EXPECT_EQ(c.other, c.body);
    }
}

Obstacle mesh_obstacle(const TetMesh& mesh) {
    Obstacle o;
    o.shape = MeshShape(boundary_surface(mesh));
    return o;
}

TEST(MeshObstacle, distance_is_that_of_the_box) {
    const ObstacleShape mesh = mesh_obstacle(make_box({1, 2, 3}, {3, 4, 5})).shape;
    const ObstacleShape box = BoxShape{{0.5, 1, 1.5}};
    std::mt19937 random(5);
    std::uniform_real_distribution<double> s(-2, 2);
    for (int i = 0; i < 500; ++i) {
        const Vec3d p{s(random), s(random), s(random)};
        const SurfaceSample a = sample(mesh, p), b = sample(box, p);
        EXPECT_NEAR(a.distance, b.distance, 1e-12);
        EXPECT_LT(norm(a.normal - b.normal), 1e-9);
    }
    for (const Vec3d& p : {Vec3d{0.5, 1, 1.5}, Vec3d{0, 1, 0}, Vec3d{1e300, 1, 1}}) {
        const SurfaceSample a = sample(mesh, p);
        EXPECT_NEAR(norm(a.normal), 1, 1e-12);
        EXPECT_NEAR(a.distance, sample(box, p).distance, 1e-12 * norm(p));
    }
}

TEST(MeshObstacle, spike_pokes_a_coarse_face) {
    Bodies b;
    b.add(make_box({2, 0.5, 2}, {1, 1, 1}), {0, 0.2495, 0}, {0, -1, 0});
    Obstacle spike = mesh_obstacle(make_box({0.2, 0.2, 0.2}, {1, 1, 1}));
    // A corner up: 0.5 mm inside the body.
    spike.orientation = rotation_about({0, 0, 1}, std::atan(std::sqrt(2.0))) *
                        rotation_about({0, 1, 0}, std::numbers::pi / 4);
    spike.orientation = rotation_about({0, 0, 1}, 0) * spike.orientation;
    spike.position = {0.3, -0.1 * std::sqrt(3.0), 0.2};
    b.obstacles = {spike};
    b.obstacles[0].friction = 0.7;
    b.find();
    ASSERT_EQ(b.count(ContactKey::obstacle_node), 1);
    for (const Contact& c : b.set.contacts) {
        if (c.key.kind != ContactKey::obstacle_node) continue;
        EXPECT_NEAR(c.normal.y, 1, 1e-9);
        EXPECT_NEAR(c.gap, -0.5e-3, 1e-9);
        EXPECT_EQ(c.obstacle, 0);
        EXPECT_EQ(c.friction, 0.7);
        double sum = 0;
        for (int k = 0; k < c.at.n; ++k) sum += c.at.weight[k];
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(MeshObstacle, moves_along_its_key_frames) {
    Bodies b;
    b.add(cube(0.5, 1), {0, 0.2505, 0});
    b.obstacles = {mesh_obstacle(make_box({2, 1, 2}, {3, 1, 3}))};
    b.obstacles[0].position = {0, -0.5, 0};
    b.obstacles[0].motion.translate = {{0, 1}, {{0, 0, 0}, {0, 3, 0}}};
    BodyContacts finder;
    b.find(finder);
    int seen = 0;
    for (const Contact& c : b.set.contacts)
        if (c.key.kind == ContactKey::node_obstacle) {
            ++seen;
            EXPECT_NEAR(c.gap, 0.5e-3, 1e-12);
            EXPECT_NEAR(c.surface_velocity.y, 3, 1e-9);
        }
    EXPECT_EQ(seen, 4);
    b.time = 0.01;
    b.find(finder);
    EXPECT_NEAR(b.set.max_penetration, 0.03 - 0.5e-3, 1e-9);
}

TEST(BodyContacts, are_the_same_for_any_number_of_threads) {
    std::vector<ContactSet> sets;
    for (int threads : {1, 2, 5}) {
        ThreadLimit limit(threads);
        Bodies b;
        b.add(make_sphere(1, 8), {0, 0, 0});
        b.add(make_sphere(0.7, 7), {0.2, 1.69, 0.1}, {0, -3, 1});
        b.add(cube(1, 4), {-1.3, 0.7, 0.3}, {2, 0, 0}, 0.2, rotation_about({0, 0, 1}, 0.5));
        b.obstacles = {mesh_obstacle(make_sphere(0.5, 5))};
        b.obstacles[0].position = {1.4, 0, 0};
        b.find({.self = true});
        sets.push_back(b.set);
    }
    EXPECT_GT(sets[0].contacts.size(), 20u);
    for (const ContactSet& set : sets) {
        ASSERT_EQ(set.contacts.size(), sets[0].contacts.size());
        EXPECT_EQ(set.max_penetration, sets[0].max_penetration);
        for (std::size_t i = 0; i < set.contacts.size(); ++i) {
            EXPECT_EQ(set.contacts[i].key, sets[0].contacts[i].key);
            EXPECT_EQ(set.contacts[i].gap, sets[0].contacts[i].gap);
            EXPECT_EQ(set.contacts[i].normal, sets[0].contacts[i].normal);
        }
    }
}

}  // namespace
}  // namespace limber
