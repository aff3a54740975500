// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies that begin inside each other, and how far one would have to go.

#include <span>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/contact/surface.h"

namespace limber {

/// Two bodies that share space.
struct BodyOverlap {
    Index a = 0, b = 0;    // bodies, a < b
    Index n_nodes = 0;     // surface nodes of either inside the other
    Index n_edges = 0;     // edges of either through faces of the other
    double depth = 0;      // of the deepest node [m]; 0 where only edges cross
    Vec3d where{0, 0, 0};  // a node or a crossing [m]
};

class OverlapFinder {
  public:
    OverlapFinder(std::span<const ContactSurface> bodies, std::span<const Vec3d> x);

    /// Pairs in ascending order. Nodes no deeper than `tolerance` do not count.
    std::vector<BodyOverlap> find(std::span<const Vec3d> x, double tolerance);
    /// How far a must move along the unit vector `way` until no node that is inside now is: all of
    /// them leave by the last face they meet on that way. 0 where none is inside.  [m]
    double way_out(std::span<const Vec3d> x, Index a, Index b, const Vec3d& way) const;

  private:
    bool inside(const MovingPoints& p, Index body, const Vec3d& point, double& depth) const;
    void count_nodes(const MovingPoints& p, Index from, Index to, double tolerance,
                     BodyOverlap& out) const;
    void count_edges(const MovingPoints& p, Index from, Index to, double tolerance,
                     BodyOverlap& out) const;

    std::vector<Surface> surfaces_;
};

}  // namespace limber
