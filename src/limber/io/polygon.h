// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/mesh/tri_mesh.h"

namespace limber {

/// Adds the n - 2 triangles of a polygon, in its direction, to `out`. A quadrangle is cut along
/// the diagonal that lies inside it, the shorter one where both do; larger polygons lose ears
/// (Meisters 1975) in the plane of their mean normal. Corners where no ear is left (a polygon
/// that crosses itself) are cut in order, so that any polygon gives triangles.
void triangulate_polygon(std::span<const Vec3d> points, std::span<const Index> corners,
                         std::vector<Triangle>& out);

}  // namespace limber
