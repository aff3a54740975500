// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/linalg/schur/constraint_rows.h"

namespace limber {

/// Two unit vectors that are perpendicular to the unit vector d and to each other; d and they are
/// right-handed. A function of d alone.
inline std::array<Vec3d, 2> across(const Vec3d& d) {
    const Vec3d other = std::abs(d.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d a = cross(d, other), unit = (1 / norm(a)) * a;
    return {unit, cross(d, unit)};
}

/// The constraints of one step: u = H v + target, of which groups of rows are to vanish (joints) or
/// to be complementary to their impulses (contacts).
struct ConstraintSet {
    ConstraintRows H;
    std::vector<double> target;  // per row [m/s]: violation at the start over h, minus the velocity
                                 // of what does not move with the nodes
    std::vector<ConstraintGroup> groups;

    void clear() {
        H.clear();
        target.clear();
        groups.clear();
    }
    Index n_rows() const { return H.n_rows(); }
    /// Closes the row whose entries were added to H.
    void end_row(double row_target) {
        H.end_row();
        target.push_back(row_target);
    }
    /// The last `n_rows` rows are one group.
    void end_group(ConstraintGroup::Kind kind, Index n_rows, double mu = 0) {
        groups.push_back({kind, H.n_rows() - n_rows, n_rows, mu});
    }
    /// The last row is a group of its own, with an impulse of at most `limit` either way [N s].
    void end_limited(double limit) {
        groups.push_back({ConstraintGroup::Kind::limited, H.n_rows() - 1, 1, 0, limit});
    }
};

}  // namespace limber
