// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include "limber/contact/surface.h"
#include "limber/core/keyframes.h"
#include "limber/mesh/tri_mesh.h"

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
};  // axis y; minor <= major (otherwise the depth inside is underestimated)
/// A solid inside a triangle surface that is closed, manifold and outward (mesh/tri_mesh.h).
struct MeshShape {
    explicit MeshShape(TriMesh surface);
    TriMesh mesh;
    Surface tree;  // over mesh, in the same frame
};
using ObstacleShape =
    std::variant<PlaneShape, SphereShape, BoxShape, CylinderShape, TorusShape, MeshShape>;

/// A rigid thing that bodies cannot enter; still, or moving along key frames.
struct Obstacle {
    std::string name;
    ObstacleShape shape;
    Vec3d position{0, 0, 0};                // of the shape's origin at t = 0 [m]
    Mat3d orientation = Mat3d::identity();  // shape frame -> world at t = 0
    Motion motion;                          // on top of position and orientation
    double friction = -1;                   // < 0: the contact method's
    bool solid = true;                      // false: drawn alone, nothing touches it
};

/// The nearest point of an obstacle's surface.
struct SurfaceSample {
    double distance;  // signed, negative inside [m]
    Vec3d normal;     // unit, outward, world
};

/// In the shape's own frame; exact inside and outside. Never non-finite for |p| up to 1e300: at a
/// centre, on an axis or at an edge one of the equally good unit normals is chosen.
SurfaceSample sample(const ObstacleShape& shape, const Vec3d& p);
/// In world coordinates at time t.
SurfaceSample sample(const Obstacle& obstacle, const Vec3d& p, double t);

/// Where an obstacle is at one time: world = rotation * local + position.
struct ObstaclePose {
    Mat3d rotation = Mat3d::identity();
    Vec3d position{0, 0, 0};  // [m]

    Vec3d to_local(const Vec3d& p) const { return transpose(rotation) * (p - position); }
    friend bool operator==(const ObstaclePose&, const ObstaclePose&) = default;
};
ObstaclePose pose_at(const Obstacle& obstacle, double t);

/// Velocity of the obstacle's material at the world point p, averaged over [t, t + h]: what carries
/// p along. p is the place at time t; a node that moves with this velocity for h stays glued to the
/// obstacle exactly, however far it turned. Zero, exactly, where the obstacle does not move.
Vec3d carried_velocity(const Obstacle& obstacle, const Vec3d& p, double t, double h);
/// The same from the poses at t and t + h.
Vec3d carried_velocity(const ObstaclePose& start, const ObstaclePose& end, const Vec3d& p,
                       double h);

/// How deep the deepest of `surface_nodes` is inside an obstacle at `time`; 0 where none is [m].
double max_penetration(std::span<const Vec3d> x, std::span<const Index> surface_nodes,
                       std::span<const Obstacle> obstacles, double time);

}  // namespace limber
