// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/core/math.h"

namespace limber {

/// What time integration advances.
struct State {
    std::vector<Vec3d> x;   // positions [m]
    std::vector<Vec3d> v;   // velocities [m/s]
    std::int64_t step = 0;  // completed steps
    double time = 0;        // [s] = step * h, never a running sum
};

/// Forces of the last step, for output only: derived, not part of the state.
struct NodeForces {
    std::vector<Vec3d> external;  // gravity and loads [N]
    std::vector<Vec3d> contact;   // [N]
    std::vector<Vec3d> reaction;  // at pins: what holds them [N]
};

}  // namespace limber
