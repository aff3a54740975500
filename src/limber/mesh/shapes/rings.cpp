// SPDX-License-Identifier: Apache-2.0
// Bodies with holes: torus, three_torus, sculpture, double_helix.

#include <cmath>
#include <numbers>

#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

using std::numbers::pi;

}  // namespace

StuffedShape make_ring_shape() {
    return {.solid = make_torus({}, {0, 1, 0}, 0.35, 0.15), .cell = 0.05};
}

/// Genus 3: three rings in a triangle, the middle between them filled.
StuffedShape make_three_torus() {
    constexpr double major = 0.17, minor = 0.062;
    constexpr double reach = 2 * major / 1.7320508075688772;  // rings share their outer wall
    Figure figure;
    figure.add(make_ellipsoid({}, {0.09, 0.5 * minor, 0.09}), 0);
    for (int k = 0; k < 3; ++k) {
        const double angle = pi / 2 + 2 * pi * k / 3;
        const Vec3d centre{reach * std::cos(angle), 0, reach * std::sin(angle)};
        figure.add(make_torus(centre, {0, 1, 0}, major, minor), 0.05);
    }
    return {.solid = figure.take(), .cell = 0.03};
}

/// Source 002 shows a sculpture of radius 0.8 m with many holes and thin members. Here: one of the
/// two mazes that a gyroid, sin x cos y + sin y cos z + sin z cos x = 0, parts space into, cut out
/// of a ball.
StuffedShape make_sculpture() {
    constexpr double radius = 0.8, period = 0.72, level = 0.55;
    const double k = 2 * pi / period;
    // The function's slope is at most sqrt(3) k; near the surface about 1.4 k.
    const auto maze = [=](const Vec3d& p) {
        const Vec3d q = k * p;
        const double g = std::sin(q.x) * std::cos(q.y) + std::sin(q.y) * std::cos(q.z) +
                         std::sin(q.z) * std::cos(q.x);
        return (g - level) / (1.4 * k);  // < 0: the air
    };
    const Box3 box{{-radius, -radius, -radius}, {radius, radius, radius}};
    Figure figure;
    figure.add(make_ball({}, radius), 0);
    figure.carve(make_function(maze, box, 1.24), 0.06);
    return {.solid = figure.take(), .cell = 0.08};
}

StuffedShape make_double_helix() {
    constexpr double height = 1, radius = 0.16, tube = 0.045, rung = 0.03, turns = 1.5;
    constexpr int pieces = 40, rungs = 10;
    const auto strand_point = [&](double t, double phase) {
        const double angle = 2 * pi * turns * t + phase;
        return Vec3d{radius * std::cos(angle), tube + (height - 2 * tube) * t,
                     radius * std::sin(angle)};
    };
    const auto strand = [&](double phase) {
        std::vector<Bead> beads;
        for (int i = 0; i <= pieces; ++i)
            beads.push_back({strand_point(double(i) / pieces, phase), tube});
        return make_chain(beads);
    };
    std::vector<Solid> steps;
    for (int i = 0; i < rungs; ++i) {
        const double t = (i + 0.5) / rungs;
        steps.push_back(make_capsule(strand_point(t, 0), strand_point(t, pi), rung));
    }
    StuffedShape shape{.cell = 0.028};
    shape.solid = smooth_unite(unite(strand(0), strand(pi)), unite(std::move(steps)), 0.02);
    shape.regions.push_back({"strand_a", grow(strand(0), 0.25 * tube)});
    shape.regions.push_back({"strand_b", grow(strand(pi), 0.25 * tube)});
    shape.regions.push_back({"rungs", nullptr});
    return shape;
}

}  // namespace limber
