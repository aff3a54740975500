// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// A unit normal for each corner of each triangle (3 k + i): the area-weighted mean over those
/// triangles at the point that meet at less than the crease angle, so that edges of a box stay
/// sharp and a ball is smooth. Zero for a triangle without area.
std::vector<Vec3d> corner_normals(std::span<const Vec3d> points,
                                  std::span<const Triangle> triangles, double crease_degrees);

}  // namespace limber
