// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree of boxes over triangles, in flat arrays, for closest points, rays and winding numbers.

#include <array>
#include <limits>
#include <vector>

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
    struct Node {
        Vec3d lo, hi;
        Index first = 0;  // leaf: first triangle in leaf order; else the right child (left: next)
        Index count = 0;  // leaf: number of triangles; else 0
    };
    /// All triangles of a node seen from far away.
    struct Dipole {
        Vec3d centre;               // area-weighted
        Vec3d normal;               // Σ area * unit normal [m²]
        double squared_radius = 0;  // within which the triangles lie around the centre
    };
    using Corners = std::array<Vec3d, 3>;

    Index build(const TriMesh& mesh, std::vector<Index>& order, Index begin, Index end);
    void make_dipole(Index node, Index begin, Index end);

    std::vector<Node> nodes_;
    std::vector<Dipole> dipoles_;   // one per node
    std::vector<Corners> corners_;  // in leaf order
    std::vector<Index> triangle_;   // leaf order -> index in the mesh
    std::vector<Vec3d> centroids_;  // scratch of the build
};

/// The point of triangle a b c nearest to p.
Vec3d closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c);

}  // namespace limber
