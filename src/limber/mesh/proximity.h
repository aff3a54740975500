// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nearest points of triangles and edges, with their coordinates in them.

#include <array>

#include "limber/core/math.h"

namespace limber {

/// A point of a triangle. Weights are exactly 0 at corners it does not lie between, so that their
/// pattern tells face, edge and corner apart.
struct TrianglePoint {
    Vec3d point;
    std::array<double, 3> weight{};
};
/// The point nearest to p. Triangles without area count as their edges.
TrianglePoint nearest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c);

/// The nearest points a0 + s (a1 - a0) and b0 + t (b1 - b0) of two lines, where both lie strictly
/// within their segments.
struct EdgePair {
    double s = 0, t = 0;
    bool inner = false;  // false: an end point is nearer, or the edges are parallel
};
EdgePair nearest_on_edges(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1);
/// Distance of two segments, whatever is nearest.  [m]
double edge_distance(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1);

}  // namespace limber
