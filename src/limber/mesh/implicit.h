// SPDX-License-Identifier: Apache-2.0
#pragma once

// Solids as functions: negative inside, zero on the surface, positive outside (Labelle & Shewchuk
// 2007 have it the other way round). Values are lengths, and no value changes faster than
// lipschitz() times the way gone: |value(p)| / lipschitz() is then a safe distance to the surface,
// which lets the mesher skip whole blocks without looking into them.

#include <functional>
#include <memory>
#include <vector>

#include "limber/core/math.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

class Implicit {
  public:
    virtual ~Implicit() = default;
    /// < 0 inside, 0 on the surface, > 0 outside.  [m]
    virtual double value(const Vec3d& p) const = 0;
    /// Holds the whole solid; infinite where the solid is.  [m]
    virtual Box3 bounds() const = 0;
    /// Largest |value(p) - value(q)| / |p - q|; 1 for a signed distance.
    virtual double lipschitz() const { return 1; }
};

using Solid = std::unique_ptr<const Implicit>;

// Primitives: exact signed distances, so lipschitz() is 1.

Solid make_ball(const Vec3d& centre, double radius);
/// Edges and corners rounded by `rounding`, which does not add to the size.
Solid make_block(const Vec3d& centre, const Vec3d& size, double rounding = 0);
/// All points within `radius` of the segment a b.
Solid make_capsule(const Vec3d& a, const Vec3d& b, double radius);
/// The hull of a ball at a and one at b.
Solid make_rounded_cone(const Vec3d& a, double radius_a, const Vec3d& b, double radius_b);
/// Semi-axes along x, y, z.
Solid make_ellipsoid(const Vec3d& centre, const Vec3d& semi_axes);
/// Tube of radius `minor` around the circle of radius `major` about `axis` (any length but zero).
Solid make_torus(const Vec3d& centre, const Vec3d& axis, double major, double minor);
/// Flat ends at a and b.
Solid make_rod(const Vec3d& a, const Vec3d& b, double radius);
/// All points with dot(normal, p) <= offset |normal|. Unbounded: to be intersected with a solid.
Solid make_half_space(const Vec3d& normal, double offset);
/// Any function that keeps the convention above.
Solid make_function(std::function<double(const Vec3d&)> value, const Box3& bounds,
                    double lipschitz = 1);

// Combinations. Values stay safe distances; they are exact outside a union and inside an
// intersection.

Solid unite(Solid a, Solid b);
Solid unite(std::vector<Solid> solids);
/// The union with a fillet: where the two values differ by less than `width`, the surface is lifted
/// by up to width / 4 (polynomial smooth minimum).
Solid smooth_unite(Solid a, Solid b, double width);
Solid smooth_unite(std::vector<Solid> solids, double width);
Solid intersect(Solid a, Solid b);
/// a without b.
Solid subtract(Solid a, Solid b);
/// Grown by `distance` (shrunk where negative).
Solid grow(Solid solid, double distance);
/// p -> scale * rotation p + translation.
Solid place(Solid solid, const Mat3d& rotation, const Vec3d& translation, double scale = 1);

}  // namespace limber
