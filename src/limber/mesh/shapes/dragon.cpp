// SPDX-License-Identifier: Apache-2.0
// The dragon, written for the half with z >= 0; the tail swings to one side.

#include <cmath>

#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

const std::vector<Bead> spine{{{-0.3, 0.26, 0}, 0.085}, {{-0.1, 0.3, 0}, 0.12},
                              {{0.1, 0.33, 0}, 0.115},  {{0.25, 0.42, 0}, 0.075},
                              {{0.3, 0.56, 0}, 0.056},  {{0.34, 0.68, 0}, 0.05}};
const std::vector<Bead> tail{{{-0.26, 0.26, 0}, 0.085},
                             {{-0.45, 0.2, 0.01}, 0.06},
                             {{-0.62, 0.13, 0.08}, 0.044},
                             {{-0.72, 0.08, 0.22}, 0.034},
                             {{-0.66, 0.07, 0.38}, 0.024}};

void add_head(Figure& f) {
    f.add(make_leaning_ellipsoid({0.38, 0.73, 0}, {0.085, 0.058, 0.058}, {1, 0.1, 0}), 0.03);
    f.add(make_rounded_cone({0.43, 0.735, 0}, 0.042, {0.56, 0.72, 0}, 0.03), 0.02);
    f.add(make_rounded_cone({0.4, 0.685, 0}, 0.03, {0.53, 0.635, 0}, 0.018), 0.012);
    f.add(make_ball({0.568, 0.742, 0.018}, 0.016), 0.008);  // nostril
    f.add(make_ball({0.42, 0.778, 0.04}, 0.022), 0.008);    // brow
    f.add(make_limb({{{0.36, 0.77, 0.035}, 0.024},
                     {{0.28, 0.83, 0.06}, 0.019},
                     {{0.21, 0.86, 0.06}, 0.012}},
                    3),
          0.01);  // horn
    f.add(make_web({0.35, 0.72, 0.05}, {0.29, 0.75, 0.12}, {0.32, 0.67, 0.09}, 0.012), 0.01);
}

void add_legs(Figure& f) {
    const auto leg = [&](const Vec3d& hip, double thick, const Vec3d& knee, const Vec3d& ankle,
                         const Vec3d& foot) {
        f.add(make_rounded_cone(hip, thick, knee, 0.055), 0.03);
        f.add(make_rounded_cone(knee, 0.052, ankle, 0.036), 0.02);
        f.add(make_rounded_cone(ankle, 0.036, foot, 0.034), 0.015);
        for (double side : {-1.0, 0.0, 1.0})
            f.add(make_rounded_cone(foot, 0.03,
                                    foot + Vec3d{0.085 + 0.01 * (side == 0), -0.016, 0.036 * side},
                                    0.014),
                  0.01);
    };
    leg({-0.22, 0.26, 0.08}, 0.09, {-0.13, 0.16, 0.15}, {-0.24, 0.08, 0.155}, {-0.2, 0.034, 0.16});
    leg({0.12, 0.31, 0.08}, 0.07, {0.1, 0.19, 0.15}, {0.16, 0.09, 0.155}, {0.18, 0.034, 0.16});
}

/// An arm, three fingers and the skin between them.
void add_wing(Figure& f) {
    const Vec3d shoulder{0.06, 0.41, 0.05}, elbow{-0.02, 0.58, 0.17}, wrist{0.05, 0.76, 0.3};
    const Vec3d tip_a{-0.2, 0.88, 0.58}, tip_b{-0.4, 0.7, 0.5}, tip_c{-0.42, 0.5, 0.34};
    const Vec3d root{-0.2, 0.37, 0.05};
    constexpr double bone = 0.019, skin = 0.0165;
    f.add(make_chain({{shoulder, 0.036}, {elbow, 0.027}, {wrist, 0.024}}), 0.02);
    for (const Vec3d& tip : {tip_a, tip_b, tip_c})
        f.add(make_rounded_cone(wrist, 0.02, tip, 0.014), 0.01);
    f.add(make_capsule(elbow, tip_c, bone), 0.01);
    // The skin sags between the fingers.
    const auto sail = [&](const Vec3d& hub, const Vec3d& a, const Vec3d& b) {
        const Vec3d sag = 0.5 * (a + b) + 0.22 * (hub - 0.5 * (a + b));
        f.add(make_web(hub, a, sag, skin), 0.008);
        f.add(make_web(hub, sag, b, skin), 0.008);
    };
    sail(wrist, tip_a, tip_b);
    sail(wrist, tip_b, tip_c);
    f.add(make_web(wrist, tip_c, elbow, skin), 0.008);
    sail(elbow, tip_c, root);
    f.add(make_web(elbow, root, shoulder, skin), 0.008);
}

/// Spikes along a row of beads, on the side of y.
void add_spikes(Figure& f, const std::vector<Bead>& beads, int per_piece) {
    for (std::size_t i = 0; i + 1 < beads.size(); ++i)
        for (int s = 0; s < per_piece; ++s) {
            const double t = (s + 0.5) / per_piece;
            const Vec3d along = beads[i + 1].at - beads[i].at;
            Vec3d up = Vec3d{0, 1, 0} - (along.y / squared_norm(along)) * along;
            // On the neck the back is behind.
            if (std::fabs(along.y) > norm(along) * 0.8) up = Vec3d{-1, 0.3, 0};
            up = (1 / norm(up)) * up;
            const double r = (1 - t) * beads[i].radius + t * beads[i + 1].radius;
            const Vec3d at = beads[i].at + t * along + 0.85 * r * up;
            f.add(make_rounded_cone(at, 0.026, at + (0.03 + 0.35 * r) * up - Vec3d{0.025, 0, 0},
                                    0.011),
                  0.01);
        }
}

}  // namespace

StuffedShape make_dragon() {
    Figure half;
    half.add(make_limb(spine, 4, 0.015), 0);
    add_head(half);
    add_legs(half);
    add_wing(half);
    add_spikes(half, spine, 2);
    Figure dragon;
    dragon.add(make_mirrored(half.take()), 0);
    dragon.add(make_limb(tail, 4, 0.01), 0.02);
    dragon.add(make_web({-0.66, 0.07, 0.38}, {-0.7, 0.07, 0.45}, {-0.56, 0.09, 0.52}, 0.018),
               0.015);
    dragon.add(make_web({-0.66, 0.07, 0.38}, {-0.57, 0.07, 0.42}, {-0.56, 0.09, 0.52}, 0.018),
               0.015);
    add_spikes(dragon, {tail.begin(), tail.end() - 1}, 2);
    return {.solid = dragon.take(), .cell = 0.0235};
}

}  // namespace limber
