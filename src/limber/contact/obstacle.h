// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "limber/core/keyframes.h"

namespace limber {

// Shapes in their own frame, centred at the origin.
struct PlaneShape {
    Vec3d normal{0, 1, 0};
};  // unit; solid below, through the origin
struct SphereShape {
    double radius = 1;
};
struct BoxShape {
    Vec3d half{0.5, 0.5, 0.5};
};
struct CylinderShape {
    double radius = 1, half_height = 1;
};  // axis y
struct TorusShape {
    double major = 1, minor = 0.25;
};  // axis y
using ObstacleShape = std::variant<PlaneShape, SphereShape, BoxShape, CylinderShape, TorusShape>;

/// A rigid thing that bodies cannot enter; still, or moving along key frames.
struct Obstacle {
    std::string name;
    ObstacleShape shape;
    Vec3d position{0, 0, 0};                // of the shape's origin at t = 0 [m]
    Mat3d orientation = Mat3d::identity();  // shape frame -> world at t = 0
    Motion motion;                          // on top of position and orientation
    double friction = -1;                   // < 0: the contact method's
};

/// The nearest point of an obstacle's surface.
struct SurfaceSample {
    double distance;  // signed, negative inside [m]
    Vec3d normal;     // unit, outward, world
};

/// In the shape's own frame. Never non-finite: at a centre or on an axis some unit normal is
/// chosen.
SurfaceSample sample(const ObstacleShape& shape, const Vec3d& p);
/// In world coordinates at time t.
SurfaceSample sample(const Obstacle& obstacle, const Vec3d& p, double t);
/// Velocity of the obstacle's material at the world point p, averaged over [t, t + h]: what carries
/// p along.
Vec3d carried_velocity(const Obstacle& obstacle, const Vec3d& p, double t, double h);

}  // namespace limber
