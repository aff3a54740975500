// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes that are filled by the mesher. Each is written down in metres, y up, standing on y = 0 or
// centred at the origin; figures look towards +x and are alike on both sides of the plane z = 0.

#include <string>
#include <utility>
#include <vector>

#include "limber/mesh/implicit.h"
#include "limber/mesh/shapes.h"

namespace limber {

struct StuffedShape {
    /// What lies inside `where`.
    struct Part {
        std::string name;
        Solid where;
    };
    /// Nodes along a broken line, for cables and threads.
    struct Path {
        std::string name;
        std::vector<Vec3d> points;  // [m]
    };
    Solid solid = {};
    double cell = 0;  // default [m]: at least two cells across the thinnest member
    /// Tet groups. A tet belongs to the first part that holds its middle, so they are disjoint; a
    /// part without a solid takes all that is left.
    std::vector<Part> regions = {};
    std::vector<Part> node_parts = {};     // node groups: nodes inside
    std::vector<Part> node_surfaces = {};  // node groups: boundary nodes on the surface of `where`
    std::vector<Path> paths = {};          // node groups: the nodes next to the path
};

/// Fills the shape and labels tets and nodes. Node group "base": what touches the ground.
ShapeMesh mesh_stuffed(const StuffedShape& shape, const ShapeDef& def,
                       const ShapeProgress& progress);

/// A solid put together from parts with fillets between them.
class Figure {
  public:
    /// `blend` is the width of the fillet.
    void add(Solid part, double blend);
    /// `round` is the width over which the edge is rounded off.
    void carve(Solid part, double round);
    Solid take() { return std::move(solid_); }

  private:
    Solid solid_;
};

/// A point of a limb or spine with its thickness.
struct Bead {
    Vec3d at;
    double radius;
};
/// Rounded cones from bead to bead.
Solid make_chain(const std::vector<Bead>& beads, double blend = 0);
/// A smooth curve through the beads (Catmull-Rom), `pieces` cones between two of them.
Solid make_limb(const std::vector<Bead>& beads, int pieces, double blend = 0);
/// All points within `radius` of the triangle.
Solid make_web(const Vec3d& a, const Vec3d& b, const Vec3d& c, double radius);
/// The half with z >= 0, and its mirror image.
Solid make_mirrored(Solid solid);
/// The closed profile (x >= 0 away from the axis, y along it) turned about the y axis.
Solid make_revolved(const std::vector<std::pair<double, double>>& profile);
/// Right-handed about the axis.
Mat3d turn(const Vec3d& axis, double degrees);
/// An ellipsoid with its first axis along `along`, its second near y.
Solid make_leaning_ellipsoid(const Vec3d& centre, const Vec3d& semi_axes, const Vec3d& along);

// rings.cpp
StuffedShape make_ring_shape();
StuffedShape make_three_torus();
StuffedShape make_sculpture();
StuffedShape make_double_helix();
// things.cpp
StuffedShape make_snowman();
StuffedShape make_bowling_pin();
StuffedShape make_bowling_ball();
StuffedShape make_car();
StuffedShape make_bowl();
// organs.cpp
StuffedShape make_finger();
StuffedShape make_liver();
// creatures.cpp, dragon.cpp
StuffedShape make_bear();
StuffedShape make_spider();
StuffedShape make_raptor();
StuffedShape make_armadillo();
StuffedShape make_dragon();

}  // namespace limber
