// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/core/math.h"

namespace limber {

/// Of unit length: w + v.
struct Quaternion {
    double w = 1;
    Vec3d v{0, 0, 0};
};

/// A rigid body in motion.
struct RigidState {
    Vec3d position{0, 0, 0};  // of its centre of mass [m]
    Quaternion orientation;   // from its axes at the start to the world's
    Vec3d velocity{0, 0, 0};  // [m/s]
    Vec3d spin{0, 0, 0};      // [rad/s]
};

/// What time integration advances.
struct State {
    std::vector<Vec3d> x;             // positions [m]
    std::vector<Vec3d> v;             // velocities [m/s]
    std::int64_t step = 0;            // completed steps
    double time = 0;                  // [s] = step * h, never a running sum
    std::vector<RigidState> rigid{};  // of the rigid bodies, in their order
};

/// Forces of the last step, for output only: derived, not part of the state.
struct NodeForces {
    std::vector<Vec3d> external;  // gravity and loads [N]
    std::vector<Vec3d> contact;   // [N]
    std::vector<Vec3d> reaction;  // at pins: what holds them [N]
};

}  // namespace limber
