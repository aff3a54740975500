// SPDX-License-Identifier: Apache-2.0
#pragma once

// The body-centred cubic lattice of isosurface stuffing (Labelle & Shewchuk 2007, section 3): two
// interleaved cubic grids, the corners of cubes ("octants") and their centres. Doubled coordinates
// number both: corners are all even, centres all odd. Every point has 14 neighbours: 6 of its own
// grid over long edges (length h) and 8 of the other over short ones (length √3/2 h).

#include <array>
#include <cstdint>
#include <vector>

#include "limber/core/math.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

using LatticeId = std::int64_t;
using LatticePoint = std::array<Index, 3>;  // doubled coordinates

/// Directions 0..6 lead to points later in the order of ids; d + 7 is the opposite of d.
constexpr int n_directions = 14;
constexpr int n_owned = 7;
constexpr std::array<LatticePoint, n_directions> lattice_directions = {{{2, 0, 0},
                                                                        {0, 2, 0},
                                                                        {0, 0, 2},
                                                                        {1, 1, 1},
                                                                        {-1, 1, 1},
                                                                        {1, -1, 1},
                                                                        {-1, -1, 1},
                                                                        {-2, 0, 0},
                                                                        {0, -2, 0},
                                                                        {0, 0, -2},
                                                                        {-1, -1, -1},
                                                                        {1, -1, -1},
                                                                        {-1, 1, -1},
                                                                        {1, 1, -1}}};
constexpr bool is_long(int direction) {
    return direction % n_owned < 3;
}
constexpr int opposite(int direction) {
    return (direction + n_owned) % n_directions;
}
/// The direction that leads from a to b, or -1 where they are not neighbours.
int direction_between(const LatticePoint& a, const LatticePoint& b);

/// A cut point nearer than this share of its edge to a lattice point pulls the point onto itself.
/// Deviation: the pair usually quoted for the bound of the paper, 0.24999 and 0.41189, lets angles
/// fall to 9.3 degrees. This pair comes from our own enumeration of every stencil, every sign and
/// every extreme move of the corners: 10.72 to 164.71 degrees, inside the paper's 10.7 to 164.8 (a
/// test repeats it).
constexpr double alpha_long = 0.285;
constexpr double alpha_short = 0.398;
constexpr double alpha(int direction) {
    return is_long(direction) ? alpha_long : alpha_short;
}
constexpr double min_dihedral_bound = 10.7;   // [degrees]
constexpr double max_dihedral_bound = 164.8;  // [degrees]

/// The points of a lattice that covers a box with at least one octant to spare on every side.
class BccLattice {
  public:
    /// The number of octants along each axis is a multiple of `multiple`. The middle of the box is
    /// the middle of the lattice, moved by `shift` cells (-1/2 to 1/2).
    BccLattice(const Box3& box, double cell, Index multiple, const Vec3d& shift = {});

    double cell() const { return cell_; }                       // h [m]
    const std::array<Index, 3>& octants() const { return n_; }  // along x, y, z
    /// Ids in use are below size(); those of the last row and column of the centres are not used.
    LatticeId size() const { return plane_ * (2 * LatticeId{n_[2]} + 1); }
    LatticeId plane() const { return plane_; }  // ids a layer of constant doubled z

    LatticeId id(const LatticePoint& p) const {
        return p[2] * plane_ + (p[1] >> 1) * row_ + (p[0] >> 1);
    }
    LatticePoint point(LatticeId id) const {
        const Index z = static_cast<Index>(id / plane_);
        const LatticeId rest = id % plane_;
        const Index odd = z & 1;
        return {static_cast<Index>(2 * (rest % row_)) + odd,
                static_cast<Index>(2 * (rest / row_)) + odd, z};
    }
    Vec3d position(const LatticePoint& p) const {
        const double half = cell_ / 2;
        return origin_ + Vec3d{half * p[0], half * p[1], half * p[2]};
    }
    bool contains(const LatticePoint& p) const {
        for (int a = 0; a < 3; ++a)
            if (p[a] < 0 || p[a] > 2 * n_[a]) return false;
        return true;
    }
    /// All 14 neighbours exist.
    bool is_inner(const LatticePoint& p) const {
        for (int a = 0; a < 3; ++a)
            if (p[a] < 2 || p[a] > 2 * n_[a] - 2) return false;
        return true;
    }
    /// id of the neighbour minus id of the point.
    LatticeId offset(const LatticePoint& p, int direction) const {
        return offset_[p[2] & 1][direction];
    }

  private:
    Vec3d origin_;
    double cell_;
    std::array<Index, 3> n_{};
    LatticeId row_ = 0, plane_ = 0;
    std::array<std::array<LatticeId, n_directions>, 2> offset_{};
};

}  // namespace limber
