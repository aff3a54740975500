// SPDX-License-Identifier: Apache-2.0
#pragma once

// A triangle surface as a solid, and how far two surfaces are apart.

#include <memory>

#include "limber/mesh/implicit.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "limber/mesh/surface_distance_repair.h"
#include "limber/mesh/triangle_bvh.h"

namespace limber {

/// Signed distance to a surface: its size from the closest point, its sign from the winding number,
/// so that crossings and small holes do no harm. Points that the surface winds around the other
/// way (an inside-out part beside sound ones) count as inside too.
class SurfaceSolid final : public Implicit {
  public:
    /// Throws InputError where the surface has no inside; see close_surface().
    explicit SurfaceSolid(const TriMesh& surface);

    double value(const Vec3d& p) const override;
    Box3 bounds() const override { return bounds_; }

    /// The surface as it is meshed, and the remarks on what was changed.
    const ClosedSurface& surface() const { return surface_; }
    const TriangleBvh& tree() const { return tree_; }

    /// Fills in what the mesher can compare its result with.
    void describe(StuffingOptions& options) const;

  private:
    double thinnest() const;

    ClosedSurface surface_;
    TriangleBvh tree_;
    Box3 bounds_;
};

/// Distances of points of one surface to the other, both ways.  [m]
struct SurfaceDistance {
    double max_to = 0, mean_to = 0;      // nodes of the first to the second
    double max_from = 0, mean_from = 0;  // nodes and triangle middles of the second to the first
};
SurfaceDistance measure_distance(const TriMesh& boundary, const TriMesh& surface);

}  // namespace limber
