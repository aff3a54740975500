// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/render/picture.h"

namespace limber {

/// A pinhole in a window of width x height samples.
struct View {
    Vec3d eye, right, up, forward;  // orthonormal axes, world
    double focal = 1;               // samples per unit of x/w
    double center_x = 0, center_y = 0;

    /// (X w, Y w, w): sample coordinates times depth, as setup_triangle takes them.
    Vec3d project(const Vec3d& p) const {
        const Vec3d d = p - eye;
        const double w = dot(d, forward);
        return {focal * dot(d, right) + center_x * w, -focal * dot(d, up) + center_y * w, w};
    }
    /// Direction through a sample position; its length along `forward` is 1.
    Vec3d ray(double X, double Y) const {
        return forward + right * ((X - center_x) / focal) + up * ((center_y - Y) / focal);
    }
};

Vec3d up_vector(const Picture& picture);
/// All points of all bodies; a unit box around the origin where there are none.
Box3 picture_bounds(const Picture& picture);
/// `scale` samples a pixel side.
View make_view(const Picture& picture, const Box3& bounds, int scale);

}  // namespace limber
