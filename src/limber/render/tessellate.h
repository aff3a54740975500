// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/render/picture.h"

namespace limber {

/// A closed surface around the origin, triangles outward.
struct TriangleSurface {
    std::vector<Vec3d> points;
    std::vector<Triangle> triangles;
};

// Shapes by their dimensions [m]; `around` is the number of segments of a full turn, at least 3.
TriangleSurface tessellate_sphere(double radius, int around = 64);
TriangleSurface tessellate_box(const Vec3d& half);
TriangleSurface tessellate_cylinder(double radius, double half_height, int around = 64);  // axis y
TriangleSurface tessellate_torus(double major, double minor, int around = 96);            // axis y

/// p -> R p + t
void place(TriangleSurface& surface, const Mat3d& R, const Vec3d& t);
/// As a neutral obstacle: the points and triangles with the obstacles' grey.
PictureBody obstacle_picture(const TriangleSurface& surface);

}  // namespace limber
