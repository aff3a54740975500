// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/core/keyframes.h"
#include "limber/scene/scene_def.h"

namespace limber {

/// The rotation matrix; InputError where an axis is zero or a matrix is no rotation.
Mat3d rotation_of(const RotateDef& rotate, const Origin& owner);
/// x_placed = linear x + translate. InputError with the determinant where it is not positive.
struct Placement {
    Mat3d linear = Mat3d::identity();  // rotation * diag(scale)
    Mat3d rotation = Mat3d::identity();
    Vec3d scale{1, 1, 1};
    Vec3d translate{0, 0, 0};
};
Placement placement_of(const BodyDef& body);
/// InputError where the tracks do not fit their times or the axis is zero.
Motion motion_of(const MotionDef& motion);
/// The times of key frames must increase.
void check_times(const std::vector<double>& times, std::size_t n_values, std::string_view values,
                 const Origin& origin);
/// A unit vector along v; InputError naming `key` where it has no direction.
Vec3d direction(const Vec3d& v, const Origin& origin, std::string_view key);
std::string vector_text(const Vec3d& v);

}  // namespace limber
