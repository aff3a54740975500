// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "limber/contact/constraint_set.h"
#include "limber/contact/contact_method.h"
#include "limber/core/keyframes.h"

namespace limber {

/// A point that a joint holds: of a body, where it is a combination of nodes with weights of sum 1
/// (a node, a point inside a tet, a point that rides on four nodes of a rigid body), or of what
/// moves by itself: a fixed place or an obstacle.
struct JointPoint {
    ContactStencil at;     // of a body; n = 0: none
    Index body = -1;       // of the model; -1: none
    Index obstacle = -1;   // of the model; -1: none
    Vec3d place{0, 0, 0};  // without a body: before any motion [m]
    Motion motion;         // without a body

    bool of_body() const { return at.n > 0; }
    /// [m]; x are the nodes at t, or at the start of the step that ends at t.
    Vec3d position(std::span<const Vec3d> x, double t) const {
        return of_body() ? at.gather(x) : motion.apply(place, t);
    }
    /// Adds share * direction · (velocity of the point) to the row being written.
    void add_to_row(const Vec3d& direction, double share, ConstraintRows& H) const {
        for (int k = 0; k < at.n; ++k) H.add(at.node[k], (share * at.weight[k]) * direction);
    }
};

/// Whether a contact is one between these two sides, neither of which is the other.
bool between_sides(const Contact& contact, const JointPoint& a, const JointPoint& b);

}  // namespace limber
