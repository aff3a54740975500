// SPDX-License-Identifier: Apache-2.0
// Sheets against themselves and each other. What went through what is counted here by edges through
// faces, apart from how contact looks for it.
#include "limber/contact/sheet_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/body_worlds.h"
#include "limber/core/parallel.h"
#include "limber/fem/cloth.h"

namespace limber {
namespace {

/// Pairs of an edge and a face without a node in common that go through each other.
int edges_through_faces(const Model& model, std::span<const Vec3d> x) {
    std::vector<Triangle> faces;
    for (const Body& body : model.bodies)
        if (body.cloth) faces.insert(faces.end(), body.surface.begin(), body.surface.end());
    int n = 0;
    for (const auto& [i, j] : edges_of(faces))
        for (const Triangle& t : faces) {
            if (std::count(t.begin(), t.end(), i) || std::count(t.begin(), t.end(), j)) continue;
            const Vec3d &p = x[i], &q = x[j], &a = x[t[0]], &b = x[t[1]], &c = x[t[2]];
            const Vec3d normal = cross(b - a, c - a);
            const double before = dot(p - a, normal), after = dot(q - a, normal);
            if (!(before * after < 0)) continue;
            const Vec3d at = p + before / (before - after) * (q - p);
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                const Vec3d &from = x[t[k]], &to = x[t[(k + 1) % 3]];
                inside = inside && dot(cross(to - from, at - from), normal) > 0;
            }
            n += inside;
        }
    return n;
}

/// Two triangles of cloth above each other, the upper one at `height`; contacts on the way of v.
struct Layers {
    std::vector<Vec3d> x, v;
    std::vector<Triangle> lower{{0, 1, 2}}, upper{{3, 4, 5}};
    std::vector<Index> lower_nodes{0, 1, 2}, upper_nodes{3, 4, 5}, nodes{0, 1, 2, 3, 4, 5};
    std::vector<double> mass = std::vector<double>(6, 1e-3);

    Layers(std::array<Vec3d, 3> below, std::array<Vec3d, 3> above, Vec3d speed_of_upper)
        : x{below[0], below[1], below[2], above[0], above[1], above[2]}, v(6) {
        for (int k = 3; k < 6; ++k) v[k] = speed_of_upper;
    }
    std::vector<Contact> find(bool every_edge = true) const {
        const std::vector<ContactSurface> bodies{{lower, lower_nodes, 3e-3, true, 1e-3},
                                                 {upper, upper_nodes, 3e-3, true, 1e-3}};
        ContactInput in{x, v, nodes, {}, mass, 0, 0.01, bodies};
        // Far from each other at rest.
        std::vector<Vec3d> rest = x;
        for (int k = 3; k < 6; ++k) rest[k].y += 100;
        in.rest = rest;
        SheetContacts finder;
        ContactSet out;
        finder.find(in, {.alarm = 2e-3, .every_edge = every_edge}, out);
        return out.contacts;
    }
};
constexpr std::array<Vec3d, 3> wide{Vec3d{-1, 0, -1}, {0, 0, 1.5}, {1, 0, -1}};
std::array<Vec3d, 3> small_at(double y, double turn = 0) {
    return {Vec3d{-0.1, y, -0.1}, {0, y + turn, 0.1}, {0.1, y, -0.1}};
}

TEST(SheetContacts, keep_things_on_the_side_on_which_they_were_however_fast) {
    for (const double side : {1.0, -1.0})
        for (const double speed : {0.0, 1.0, 60.0}) {
            const double height = speed > 0 ? 5e-3 : 2e-3;
            const Layers layers(wide, small_at(side * height), {0, -side * speed, 0});
            const std::vector<Contact> found = layers.find();
            ASSERT_GE(found.size(), 3u) << side << ' ' << speed;
            for (const Contact& c : found) {
                if (c.key.kind != ContactKey::sheet_node) continue;
                // Of the node relative to the face, which may be of either sheet.
                const double up = (c.body == 1 ? 1 : -1) * c.normal.y;
                EXPECT_GT(up * side, 0.999) << side << ' ' << speed;
                EXPECT_NEAR(c.gap, height - 1e-3, 1e-9) << "between the faces of the sheets";
            }
        }
}

TEST(SheetContacts, leave_alone_what_stays_away) {
    EXPECT_TRUE(Layers(wide, small_at(5e-3), {}).find().empty());
    EXPECT_TRUE(Layers(wide, small_at(5e-3), {0, 60, 0}).find().empty());
    EXPECT_TRUE(Layers(wide, small_at(5e-3), {60, 0, 0}).find().empty());
}

TEST(SheetContacts, edges_that_cross_between_all_nodes_meet) {
    // Two strips across each other: no node is over a face of the other.
    const std::array<Vec3d, 3> along{Vec3d{-1, 0, 0}, {1, 0, 0.1}, {1, 0, -0.1}};
    const std::array<Vec3d, 3> across{Vec3d{0, 4e-3, -1}, {0.1, 4e-3, 1}, {-0.1, 4e-3, 1}};
    for (const bool every_edge : {true, false}) {
        const std::vector<Contact> found = Layers(along, across, {0, -10, 0}).find(every_edge);
        int edges = 0;
        for (const Contact& c : found) {
            if (c.key.kind != ContactKey::sheet_edges) continue;
            ++edges;
            EXPECT_LT(c.normal.y, -0.99) << "the lower sheet is the first of the pair";
            EXPECT_NEAR(c.gap, 4e-3 - 0.5e-3, 1e-6);
        }
        EXPECT_GT(edges, 0);
    }
    EXPECT_TRUE(Layers(along, across, {}).find(false).empty());
}

TEST(SheetContacts, are_met_by_staying_where_one_is) {
    // A sheet that turns over while it arrives: its normals of the meeting are none at the start.
    Layers layers(wide, small_at(3e-3, 2e-3), {0, -5, 0});
    layers.v[4] = {30, -20, 10};
    layers.v[5] = {-40, 15, 0};
    for (const Contact& c : layers.find()) EXPECT_GE(c.gap, -1e-12);
}

std::string cloth_world(const std::string& body, const std::string& rest) {
    return "limber = 1\n[time]\nstep = 0.016666666666666666\nend = 9\n"
           "[material.linen]\nyoung = \"0.5 MPa\"\npoisson = 0.3\ndensity = 300\n"
           "damping = { air = 5e-5, viscous = 1e-3 }\n"
           "[[body]]\nname = \"cloth\"\nshape = \"cloth_sheet\"\nmaterial = \"linen\"\n"
           "cloth = { thickness = 0.002, stretch = \"springs\", bending = 2e-5 }\n" +
           body + "[contact]\nfriction = 0.3\nself = true\n" + rest;
}

/// Steps at the defaults, after each of which nothing may have gone through anything. `or_said`: up
/// to a step that tells that it had to be kept although something did.
void expect_none_through(const std::string& scene, int steps, bool or_said = false) {
    const auto world = test::world_from(scene);
    ASSERT_EQ(edges_through_faces(world->model(), world->state().x), 0);
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed) << "step " << k;
        if (or_said && report.has(StepFlag::penetration)) return;
        ASSERT_EQ(edges_through_faces(world->model(), world->state().x), 0) << "step " << k;
    }
}

TEST(ClothOnItself, a_sheet_that_is_folded_over_does_not_go_through_itself) {
    const std::string body =
        "cells = [12, 8]\ntranslate = [0, 0.002, 0]\n[[pin]]\nbody = \"cloth\"\n"
        "select = { group = \"x-\" }\nmotion = { axis = [0, 0, 1], center = [0, 0.03, 0], "
        "times = [0, 1.5], angle = [\"0 deg\", \"-176 deg\"] }\n";
    expect_none_through(cloth_world(body, "[[obstacle]]\nshape = \"plane\"\n"), 120);
}

TEST(ClothOnItself, a_sheet_that_crumples_does_not_go_through_itself_without_a_word) {
    const std::string body =
        "cells = [10, 10]\nscale = 0.5\nrotate = { axis = [1, 0, 0], angle = \"-80 deg\" }\n"
        "translate = [0, 0.28, 0]\n";
    expect_none_through(cloth_world(body, "[[obstacle]]\nshape = \"plane\"\n"), 60, true);
}

TEST(ClothOnItself, sheets_that_fall_on_each_other_stay_apart) {
    const std::string body =
        "cells = [8, 8]\nscale = 0.5\ntranslate = [0, 0.03, 0]\n"
        "[[body]]\nname = \"second\"\nshape = \"cloth_sheet\"\nmaterial = \"linen\"\n"
        "cloth = { thickness = 0.002, stretch = \"springs\", bending = 2e-5 }\n"
        "cells = [7, 9]\nscale = 0.4\ntranslate = [0.03, 0.2, 0.02]\n"
        "rotate = { axis = [0.3, 1, 0], angle = 20 }\n";
    expect_none_through(cloth_world(body,
                                    "[[obstacle]]\nshape = \"sphere\"\nradius = 0.1\n"
                                    "position = [0, -0.1, 0]\n"),
                        60);
}

TEST(ClothOnItself, has_the_same_bits_on_any_number_of_threads) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        const auto world = test::world_from(
            cloth_world("cells = [10, 10]\nscale = 0.5\nrotate = { axis = [1, 0, 0], angle = "
                        "\"-80 deg\" }\ntranslate = [0, 0.26, 0]\n",
                        "[[obstacle]]\nshape = \"plane\"\n"));
        for (int k = 0; k < 12; ++k) world->step();
        hashes.push_back(world->state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace limber
