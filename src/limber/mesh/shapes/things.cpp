// SPDX-License-Identifier: Apache-2.0
// Things: snowman, bowling_pin, bowling_ball, car, bowl.

#include <cmath>
#include <numbers>

#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

using std::numbers::pi;

Solid snowman_hat() {
    Figure hat;
    hat.add(make_torus({0, 1.01, 0}, {0, 1, 0}, 0.14, 0.026), 0);
    hat.add(make_rod({0, 0.985, 0}, {0, 1.035, 0}, 0.14), 0.01);
    hat.add(grow(make_rod({0, 1.04, 0}, {0, 1.18, 0}, 0.085), 0.025), 0.02);
    return hat.take();
}
Solid snowman_nose() {
    return make_rounded_cone({0.1, 0.9, 0}, 0.036, {0.28, 0.89, 0}, 0.015);
}
Solid snowman_arm() {
    Figure arm;
    arm.add(make_chain({{{0, 0.62, 0.1}, 0.025}, {{0.02, 0.73, 0.4}, 0.021}}), 0);
    arm.add(make_capsule({0.016, 0.69, 0.29}, {0.03, 0.66, 0.4}, 0.02), 0.015);
    arm.add(make_capsule({0.016, 0.69, 0.29}, {-0.02, 0.8, 0.33}, 0.02), 0.015);
    return arm.take();
}

}  // namespace

StuffedShape make_snowman() {
    Figure figure;
    figure.add(make_ball({0, 0.235, 0}, 0.25), 0);
    figure.add(make_ball({0, 0.6, 0}, 0.19), 0.03);
    figure.add(make_ball({0, 0.9, 0}, 0.14), 0.03);
    for (double y : {0.56, 0.66}) figure.add(make_ball({0.184, y, 0}, 0.03), 0.012);
    figure.add(make_ball({0.116, 0.945, 0.052}, 0.027), 0.012);
    figure.add(snowman_nose(), 0.02);
    figure.add(snowman_arm(), 0.01);
    figure.add(snowman_hat(), 0.01);
    StuffedShape shape{.cell = 0.032};
    // A flat foot to stand on.
    shape.solid = intersect(make_mirrored(figure.take()), make_half_space({0, -1, 0}, 0));
    shape.regions.push_back({"hat", make_mirrored(grow(snowman_hat(), 0.004))});
    shape.regions.push_back({"nose", grow(snowman_nose(), 0.004)});
    shape.regions.push_back({"arms", subtract(make_mirrored(grow(snowman_arm(), 0.004)),
                                              make_ball({0, 0.6, 0}, 0.185))});
    shape.regions.push_back({"snow", nullptr});
    return shape;
}

/// Diameters at heights of the rule book of the United States Bowling Congress, in inches,
/// smoothed.
StuffedShape make_bowling_pin() {
    constexpr double inch = 0.0254;
    constexpr double table[][2] = {{0, 2.03},       {0.75, 2.25},  {2.25, 2.828},  {3.375, 3.906},
                                   {4.5, 4.766},    {5.875, 4.51}, {7.25, 3.703},  {8.625, 2.472},
                                   {9.375, 1.965},  {10, 1.797},   {10.875, 1.87}, {11.75, 2.094},
                                   {12.625, 2.406}, {13.5, 2.547}};
    std::vector<std::pair<double, double>> profile{{0, 0}};
    const auto n = static_cast<int>(std::size(table));
    for (int i = 0; i + 1 < n; ++i)
        for (int s = 0; s < 5; ++s) {
            // Cubic Hermite through the table with central slopes.
            const auto slope = [&](int k) {
                const int a = std::max(0, k - 1), b = std::min(n - 1, k + 1);
                return (table[b][1] - table[a][1]) / (table[b][0] - table[a][0]);
            };
            const double step = table[i + 1][0] - table[i][0], t = s / 5.0;
            const double t2 = t * t, t3 = t2 * t;
            const double d = (2 * t3 - 3 * t2 + 1) * table[i][1] +
                             (t3 - 2 * t2 + t) * step * slope(i) +
                             (3 * t2 - 2 * t3) * table[i + 1][1] + (t3 - t2) * step * slope(i + 1);
            profile.emplace_back(d / 2 * inch, (table[i][0] + t * step) * inch);
        }
    constexpr double top = 2.547 / 2;  // the head is round
    for (int s = 0; s <= 8; ++s) {
        const double angle = pi / 2 * s / 8;
        profile.emplace_back(s == 8 ? 0 : top * std::cos(angle) * inch,
                             (13.5 + (15 - 13.5) * std::sin(angle)) * inch);
    }
    return {.solid = make_revolved(profile), .cell = 0.016};
}

StuffedShape make_bowling_ball() {
    constexpr double radius = 0.108;
    Figure ball;
    ball.add(make_ball({0, radius, 0}, radius), 0);
    const auto hole = [&](const Vec3d& towards, double r, double depth) {
        const Vec3d u = (1 / norm(towards)) * towards, centre{0, radius, 0};
        ball.carve(make_capsule(centre + (radius - depth + r) * u, centre + 1.2 * radius * u, r),
                   0.012);
    };
    hole({0.5, 1, 0.26}, 0.014, 0.035);
    hole({0.5, 1, -0.26}, 0.014, 0.035);
    hole({1.35, 1, 0}, 0.017, 0.04);
    return {.solid = ball.take(), .cell = 0.011};
}

StuffedShape make_car() {
    const auto wheel = [](double x) {
        Figure w;
        w.add(grow(make_rod({x, 0.32, 0.66}, {x, 0.32, 0.78}, 0.26), 0.06), 0);
        w.carve(make_rod({x, 0.32, 0.79}, {x, 0.32, 0.95}, 0.2), 0.06);
        w.add(make_rod({x, 0.32, 0}, {x, 0.32, 0.82}, 0.09), 0.05);
        return w.take();
    };
    Figure body;
    body.add(make_block({0, 0.6, 0}, {4.1, 0.55, 1.62}, 0.2), 0);
    body.add(make_block({-1.1, 0.72, 0}, {1.6, 0.48, 1.56}, 0.2), 0.1);
    // The cabin: a block with slanted screens.
    Figure cabin;
    cabin.add(make_block({-0.3, 1.06, 0}, {2.9, 0.78, 1.44}, 0.16), 0);
    cabin.carve(make_half_space({-0.8, -0.75, 0}, -1.22), 0.16);
    cabin.carve(make_half_space({0.75, -0.6, 0}, -1.62), 0.16);
    cabin.carve(make_half_space({0, -0.3, -1}, -0.98), 0.12);
    body.add(cabin.take(), 0.08);
    for (double x : {1.25, -1.25}) body.carve(make_rod({x, 0.32, 0.5}, {x, 0.32, 1}, 0.44), 0.08);
    // Side windows and lamps.
    const auto pane = [&](double lo, double hi, double slant_lo, double slant_hi) {
        Solid p = make_block({(lo + hi) / 2, 1.12, 0.76}, {hi - lo + 0.6, 0.34, 0.28}, 0.05);
        p = intersect(std::move(p), make_half_space({1, slant_hi, 0}, (hi + 1.1 * slant_hi) /
                                                                          std::hypot(1, slant_hi)));
        p = intersect(
            std::move(p),
            make_half_space({-1, slant_lo, 0}, (-lo + 1.1 * slant_lo) / std::hypot(1, slant_lo)));
        body.carve(std::move(p), 0.05);
    };
    pane(-0.18, 0.52, 0, 0.94);
    pane(-1.18, -0.32, 0.8, 0);
    body.add(make_ball({1.99, 0.66, 0.55}, 0.13), 0.04);
    body.add(make_block({2.02, 0.42, 0}, {0.22, 0.18, 1.5}, 0.085), 0.04);
    body.add(make_block({-2.02, 0.42, 0}, {0.22, 0.18, 1.5}, 0.085), 0.04);
    StuffedShape shape{.cell = 0.11};
    std::vector<Solid> parts;
    parts.push_back(body.take());
    parts.push_back(wheel(1.25));
    parts.push_back(wheel(-1.25));
    shape.solid = make_mirrored(unite(std::move(parts)));
    const auto around_wheel = [](double x) {
        return make_rod({x, 0.32, 0.55}, {x, 0.32, 0.9}, 0.34);
    };
    shape.regions.push_back(
        {"wheels", make_mirrored(unite(around_wheel(1.25), around_wheel(-1.25)))});
    shape.regions.push_back({"body", nullptr});
    return shape;
}

StuffedShape make_bowl() {
    constexpr double outer = 0.15, wall = 0.02, depth = 0.1;
    std::vector<std::pair<double, double>> profile;
    // Outside from the foot up, over the rim, and down the inside.
    profile.emplace_back(0, 0.008);
    profile.emplace_back(0.045, 0.008);
    profile.emplace_back(0.05, 0.003);
    profile.emplace_back(0.055, 0);
    profile.emplace_back(0.065, 0);
    profile.emplace_back(0.07, 0.004);
    profile.emplace_back(0.071, 0.014);
    for (int s = 5; s <= 16; ++s) {
        const double a = pi / 2 * s / 16;
        profile.emplace_back(outer * std::sin(a), 0.012 + depth * (1 - std::cos(a)));
    }
    for (int s = 1; s < 8; ++s) {
        const double a = pi * s / 8;
        profile.emplace_back(outer - wall / 2 + wall / 2 * std::cos(a),
                             0.012 + depth + wall / 2 * std::sin(a));
    }
    for (int s = 16; s >= 0; --s) {
        const double a = pi / 2 * s / 16;
        profile.emplace_back((outer - wall) * std::sin(a),
                             0.012 + wall + (depth - wall) * (1 - std::cos(a)));
    }
    return {.solid = make_revolved(profile), .cell = 0.013};
}

}  // namespace limber
