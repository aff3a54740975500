// SPDX-License-Identifier: Apache-2.0
#pragma once

// Closest points, rays and winding numbers of a surface, by a tree of boxes over its triangles.

#include <array>
#include <limits>
#include <vector>

#include "limber/mesh/box_tree.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

class TriangleBvh {
  public:
    /// At least one triangle; triangles without area are allowed.
    explicit TriangleBvh(const TriMesh& mesh);

    struct Closest {
        double distance = std::numeric_limits<double>::infinity();  // [m]
        Vec3d point{};
        Index triangle = -1;
    };
    Closest closest(const Vec3d& p) const;

    /// Solid angle of the surface seen from p over 4π: 1 inside a closed outward surface, 0
    /// outside, between them near holes. Far boxes count as one dipole (Barill et al., "Fast
    /// Winding Numbers for Soups and Clouds", SIGGRAPH 2018, Eq. (8) to first order).
    double winding_number(const Vec3d& p) const;

    /// Length of the ray origin + s direction (unit) to the first triangle with s > from;
    /// infinite where it meets none.
    double first_hit(const Vec3d& origin, const Vec3d& direction, double from) const;

  private:
    /// All triangles of a node seen from far away.
    struct Dipole {
        Vec3d centre;               // area-weighted
        Vec3d normal;               // Σ area * unit normal [m²]
        double squared_radius = 0;  // within which the triangles lie around the centre
    };
    using Corners = std::array<Vec3d, 3>;

    Dipole dipole_of(Index begin, Index end) const;

    BoxTree tree_;
    std::vector<Dipole> dipoles_;   // one per node
    std::vector<Corners> corners_;  // in leaf order
};

}  // namespace limber
