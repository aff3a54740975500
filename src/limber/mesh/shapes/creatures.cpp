// SPDX-License-Identifier: Apache-2.0
// Creatures: bear, spider, raptor, armadillo. Written for the half with z >= 0.

#include <cmath>
#include <numbers>

#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

using std::numbers::pi;

struct SpiderLeg {
    Vec3d hip, knee, ankle, toe;
};
/// Four on each side, from front to back.
std::vector<SpiderLeg> spider_legs() {
    std::vector<SpiderLeg> legs;
    for (double degrees : {38.0, 72.0, 106.0, 142.0}) {
        const double a = degrees * pi / 180;
        const Vec3d out{std::cos(a), 0, std::sin(a)};
        const double reach = degrees < 60 || degrees > 120 ? 1.08 : 0.95;
        const Vec3d hip = Vec3d{0.045, 0.1, 0} + 0.042 * out;
        legs.push_back({hip, hip + reach * (0.085 * out + Vec3d{0, 0.075, 0}),
                        hip + reach * (0.165 * out + Vec3d{0, 0.005, 0}),
                        hip + reach * (0.205 * out) + Vec3d{0, -0.09, 0}});
    }
    return legs;
}
Solid spider_joints(double radius) {
    std::vector<Solid> balls;
    for (const SpiderLeg& leg : spider_legs())
        for (const Vec3d& p : {leg.hip, leg.knee, leg.ankle}) balls.push_back(make_ball(p, radius));
    return unite(std::move(balls));
}
Solid spider_thread() {
    return make_rod({-0.06, 0.12, 0}, {-0.06, 0.42, 0}, 0.009);
}

}  // namespace

/// A sitting teddy.
StuffedShape make_bear() {
    Figure bear;
    bear.add(make_ellipsoid({0, 0.165, 0}, {0.115, 0.155, 0.12}), 0);
    bear.add(make_ellipsoid({0.015, 0.375, 0}, {0.098, 0.095, 0.112}), 0.035);
    bear.add(make_ellipsoid({0.1, 0.348, 0}, {0.05, 0.038, 0.046}), 0.025);
    bear.add(make_ellipsoid({0.146, 0.366, 0}, {0.017, 0.016, 0.022}), 0.009);
    bear.add(make_ball({0.098, 0.408, 0.042}, 0.017), 0.009);
    bear.add(make_ellipsoid({0.005, 0.455, 0.083}, {0.022, 0.043, 0.043}), 0.012);
    bear.carve(make_ball({0.048, 0.457, 0.085}, 0.033), 0.012);
    bear.add(
        make_limb(
            {{{0, 0.27, 0.08}, 0.045}, {{0.05, 0.23, 0.155}, 0.042}, {{0.12, 0.185, 0.165}, 0.04}},
            3),
        0.025);
    bear.add(make_rounded_cone({0.03, 0.068, 0.085}, 0.066, {0.17, 0.056, 0.13}, 0.05), 0.025);
    bear.add(make_leaning_ellipsoid({0.215, 0.074, 0.142}, {0.032, 0.074, 0.052}, {1, 0, 0.3}),
             0.02);
    bear.add(make_ball({-0.112, 0.07, 0}, 0.034), 0.02);
    StuffedShape shape{.cell = 0.024};
    shape.solid = intersect(make_mirrored(bear.take()), make_half_space({0, -1, 0}, -0.006));
    shape.node_parts.push_back({"head", make_ball({0.02, 0.4, 0}, 0.1)});
    return shape;
}

/// Hanging by a thread. Body and leg segments are meant stiff, joints soft.
StuffedShape make_spider() {
    const auto trunk = [](double grown) {
        Figure f;
        f.add(make_ellipsoid({-0.06, 0.115, 0},
                             Vec3d{0.07, 0.052, 0.058} + Vec3d{grown, grown, grown}),
              0);
        f.add(
            make_ellipsoid({0.045, 0.1, 0}, Vec3d{0.05, 0.033, 0.044} + Vec3d{grown, grown, grown}),
            0.02);
        return f.take();
    };
    Figure spider;
    spider.add(trunk(0), 0);
    spider.add(make_ball({0.084, 0.122, 0.014}, 0.014), 0.006);
    spider.add(make_chain({{{0.085, 0.085, 0.018}, 0.013}, {{0.112, 0.062, 0.014}, 0.01}}), 0.006);
    for (const SpiderLeg& leg : spider_legs())
        spider.add(
            make_chain({{leg.hip, 0.012}, {leg.knee, 0.012}, {leg.ankle, 0.011}, {leg.toe, 0.009}}),
            0.006);
    spider.add(spider_joints(0.0145), 0.004);
    spider.add(spider_thread(), 0.008);
    StuffedShape shape{.cell = 0.0105};
    shape.solid = make_mirrored(spider.take());
    shape.regions.push_back({"thread", make_rod({-0.06, 0.172, 0}, {-0.06, 0.44, 0}, 0.02)});
    shape.regions.push_back(
        {"joints", subtract(make_mirrored(spider_joints(0.018)),
                            make_ellipsoid({0.045, 0.1, 0}, {0.045, 0.03, 0.04}))});
    shape.regions.push_back({"body", trunk(0.004)});
    shape.regions.push_back({"legs", nullptr});
    shape.node_parts.push_back({"thread_top", make_rod({-0.06, 0.416, 0}, {-0.06, 0.44, 0}, 0.03)});
    return shape;
}

/// A running theropod, tail out behind.
StuffedShape make_raptor() {
    Figure r;
    r.add(make_limb({{{-0.95, 0.62, 0}, 0.014},
                     {{-0.6, 0.6, 0}, 0.035},
                     {{-0.28, 0.58, 0}, 0.075},
                     {{0.0, 0.58, 0}, 0.125},
                     {{0.18, 0.6, 0}, 0.115},
                     {{0.33, 0.68, 0}, 0.075},
                     {{0.4, 0.8, 0}, 0.055},
                     {{0.45, 0.9, 0}, 0.055}},
                    4, 0.02),
          0);
    // Skull, upper and lower jaw, brow.
    r.add(make_leaning_ellipsoid({0.5, 0.935, 0}, {0.085, 0.055, 0.05}, {1, -0.1, 0}), 0.03);
    r.add(make_rounded_cone({0.54, 0.935, 0}, 0.04, {0.69, 0.915, 0}, 0.024), 0.02);
    r.add(make_rounded_cone({0.5, 0.885, 0}, 0.026, {0.65, 0.83, 0}, 0.017), 0.012);
    r.add(make_ball({0.535, 0.972, 0.035}, 0.02), 0.008);
    // Arms with two claws.
    r.add(make_limb({{{0.26, 0.6, 0.06}, 0.034},
                     {{0.27, 0.49, 0.105}, 0.028},
                     {{0.37, 0.47, 0.105}, 0.022},
                     {{0.42, 0.43, 0.1}, 0.018}},
                    3),
          0.02);
    r.add(make_capsule({0.37, 0.47, 0.105}, {0.43, 0.47, 0.12}, 0.016), 0.008);
    StuffedShape shape{.cell = 0.03};
    Figure both;
    both.add(make_mirrored(r.take()), 0);
    // One leg forward, one back: the stride says what it is.
    const auto leg = [&](double z, const Vec3d& knee, const Vec3d& ankle, const Vec3d& foot) {
        both.add(make_rounded_cone({-0.02, 0.54, 0.07 * z}, 0.1, knee, 0.056), 0.03);
        both.add(make_rounded_cone(knee, 0.054, ankle, 0.032), 0.02);
        both.add(make_rounded_cone(ankle, 0.032, foot, 0.028), 0.015);
        for (double side : {-0.035, 0.035})
            both.add(make_rounded_cone(foot, 0.028, foot + Vec3d{0.13, -0.01, side}, 0.017), 0.012);
        both.add(make_capsule(foot, foot + Vec3d{-0.05, 0.0, 0}, 0.02), 0.01);
    };
    leg(1, {0.17, 0.38, 0.11}, {0.06, 0.2, 0.11}, {0.14, 0.03, 0.11});
    leg(-1, {0.02, 0.33, -0.11}, {-0.2, 0.22, -0.11}, {-0.2, 0.03, -0.11});
    shape.solid = both.take();
    return shape;
}

/// Upright, arms raised, with big ears, a long snout, banded armour and a thick tail.
StuffedShape make_armadillo() {
    Figure a;
    a.add(make_leaning_ellipsoid({0, 0.5, 0}, {0.19, 0.125, 0.15}, {0.15, 1, 0}), 0);
    a.add(make_ellipsoid({-0.01, 0.38, 0}, {0.12, 0.1, 0.14}), 0.05);
    // The shell: bands across the back.
    for (int k = 0; k < 6; ++k) {
        const double y = 0.36 + 0.062 * k, lean = 0.02 * (k - 2);
        a.add(make_torus({-0.035 + lean, y, 0}, {0.35, 1, 0}, 0.118 - 0.006 * std::abs(k - 2.5),
                         0.026),
              0.014);
    }
    // Head.
    a.add(make_limb({{{0.04, 0.68, 0}, 0.075}, {{0.06, 0.76, 0}, 0.078}}, 2), 0.04);
    a.add(make_ellipsoid({0.075, 0.79, 0}, {0.095, 0.078, 0.08}), 0.03);
    a.add(make_rounded_cone({0.12, 0.775, 0}, 0.052, {0.245, 0.735, 0}, 0.027), 0.03);
    a.add(make_ball({0.258, 0.738, 0}, 0.028), 0.01);
    a.add(make_ball({0.135, 0.828, 0.045}, 0.024), 0.012);
    a.add(make_leaning_ellipsoid({0.02, 0.905, 0.075}, {0.095, 0.022, 0.042}, {-0.12, 1, 0.35}),
          0.018);
    // Arms up, three fingers each.
    a.add(make_limb({{{0.02, 0.61, 0.11}, 0.06},
                     {{0.05, 0.56, 0.235}, 0.052},
                     {{0.1, 0.68, 0.29}, 0.045},
                     {{0.13, 0.75, 0.3}, 0.04}},
                    3),
          0.03);
    for (double side : {-1.0, 0.0, 1.0})
        a.add(make_rounded_cone({0.135, 0.755, 0.3}, 0.028,
                                {0.17 + 0.02 * (side == 0), 0.83, 0.3 + 0.042 * side}, 0.015),
              0.012);
    // Legs and feet with toes.
    a.add(make_limb({{{0, 0.36, 0.09}, 0.09},
                     {{0.05, 0.22, 0.15}, 0.074},
                     {{-0.01, 0.1, 0.16}, 0.056},
                     {{0.0, 0.05, 0.165}, 0.05}},
                    3),
          0.03);
    for (double side : {-1.0, 0.0, 1.0})
        a.add(make_rounded_cone({0.02, 0.042, 0.165}, 0.042, {0.13, 0.026, 0.17 + 0.045 * side},
                                0.024),
              0.015);
    a.add(make_limb({{{-0.08, 0.36, 0}, 0.075},
                     {{-0.2, 0.22, 0}, 0.06},
                     {{-0.32, 0.12, 0}, 0.044},
                     {{-0.44, 0.09, 0}, 0.03},
                     {{-0.55, 0.12, 0}, 0.016}},
                    3),
          0.03);
    StuffedShape shape{.cell = 0.026};
    shape.solid = make_mirrored(a.take());
    return shape;
}

}  // namespace limber
