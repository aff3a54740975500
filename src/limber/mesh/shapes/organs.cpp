// SPDX-License-Identifier: Apache-2.0
// Bodies of soft robotics and surgery: finger, liver.

#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

/// A gripper's finger along x, held at x = 0: notches on its back, a chamber that is open at the
/// held end, and a cable in the palm side that bends it downwards when pulled.
StuffedShape make_finger() {
    constexpr double length = 0.12;
    const auto chamber = [] { return make_capsule({-0.01, 0.001, 0}, {0.104, 0.001, 0}, 0.0052); };
    Figure finger;
    finger.add(make_block({0.05, 0, 0}, {0.1, 0.026, 0.024}, 0.005), 0);
    finger.add(make_leaning_ellipsoid({0.1, -0.002, 0}, {0.02, 0.0115, 0.0118}, {1, 0, 0}), 0.006);
    for (double x : {0.03, 0.055, 0.08})
        finger.carve(make_capsule({x, 0.0145, -0.02}, {x, 0.0145, 0.02}, 0.0045), 0.003);
    for (double x : {0.03, 0.055, 0.08})
        finger.add(make_ball({x - 0.0125, -0.01, 0}, 0.007), 0.004);
    finger.carve(chamber(), 0.001);
    StuffedShape shape{.cell = 0.0035};
    shape.solid = intersect(finger.take(), make_half_space({-1, 0, 0}, 0));
    shape.node_parts.push_back({"base", make_block({}, {0.002, 0.1, 0.1})});
    shape.node_parts.push_back({"tip", make_block({length, 0, 0}, {0.012, 0.1, 0.1})});
    shape.node_surfaces.push_back({"cavity", chamber()});
    shape.paths.push_back({"cable", {{0, -0.0095, 0}, {0.112, -0.0085, 0}}});
    return shape;
}

/// Right lobe at -x, the left one thinning out towards +x, a fissure between them, the gall bladder
/// below, and the great vessels as a region of their own.
StuffedShape make_liver() {
    const auto vessels = [] {
        Figure v;
        v.add(make_limb({{{-0.01, 0.02, -0.06}, 0.009},
                         {{-0.012, 0.06, -0.025}, 0.01},
                         {{-0.03, 0.08, 0}, 0.009},
                         {{-0.065, 0.08, 0.005}, 0.007}},
                        3),
              0);
        v.add(make_limb({{{-0.03, 0.08, 0}, 0.008},
                         {{0.02, 0.085, 0.005}, 0.007},
                         {{0.06, 0.09, 0}, 0.006}},
                        3),
              0.004);
        v.add(make_capsule({-0.03, 0.08, -0.01}, {-0.025, 0.15, -0.03}, 0.0105), 0.006);
        return v.take();
    };
    Figure liver;
    liver.add(make_leaning_ellipsoid({-0.05, 0.072, 0}, {0.07, 0.068, 0.058}, {1, 0.15, 0}), 0);
    liver.add(make_leaning_ellipsoid({0.035, 0.09, 0.005}, {0.085, 0.038, 0.046}, {1, 0.12, -0.1}),
              0.04);
    liver.add(make_leaning_ellipsoid({0.095, 0.098, 0}, {0.05, 0.018, 0.03}, {1, 0.1, -0.15}),
              0.03);
    // Hollow below, sharp lower rim, and the fissure of the falciform ligament in front.
    liver.carve(make_leaning_ellipsoid({0.01, 0.005, -0.035}, {0.12, 0.055, 0.06}, {1, 0.35, 0}),
                0.02);
    liver.carve(make_web({0.012, 0.0, 0.07}, {0.03, 0.17, 0.07}, {0.025, 0.075, 0.043}, 0.004),
                0.012);
    liver.add(make_limb({{{-0.02, 0.062, 0.012}, 0.008},
                         {{-0.022, 0.04, 0.032}, 0.013},
                         {{-0.023, 0.022, 0.046}, 0.0155}},
                        3),
              0.006);
    liver.add(vessels(), 0.006);
    StuffedShape shape{.cell = 0.0085};
    shape.solid = liver.take();
    shape.regions.push_back({"vessels", vessels()});
    shape.regions.push_back({"tissue", nullptr});
    return shape;
}

}  // namespace limber
