// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "limber/contact/obstacle.h"
#include "limber/mesh/proximity.h"

namespace limber {

using Corners = std::array<Vec3d, 3>;

struct LowestPoint {
    TrianglePoint at;
    SurfaceSample surface;
};

/// The point of a triangle that is nearest to the shape, or deepest in it, in the shape's frame.
/// Against the gradient of the distance, back onto the triangle, as far as the distance still
/// falls: outside convex shapes it is convex, and elsewhere one minimum of it is found.
LowestPoint lowest_point(const ObstacleShape& shape, const Corners& p);

double longest_edge(const Corners& p);

inline Vec3d blend(const Corners& p, const std::array<double, 3>& w) {
    return w[0] * p[0] + w[1] * p[1] + w[2] * p[2];
}

}  // namespace limber
