// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps 1 to 3 of isosurface stuffing: values at the lattice points, cut points on the edges whose
// ends differ in sign, and warping, plus a step of our own that keeps the boundary a manifold.

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "limber/mesh/implicit.h"
#include "limber/mesh/stuffing/lattice.h"
#include "limber/mesh/stuffing/stencil.h"

namespace limber {

/// Called from the calling thread with the share of the stage that is done, 0 to 1.
using StuffingProgress = std::function<void(std::string_view stage, double done)>;

/// One value per lattice point, in the order of ids: f where it was computed; where |f| of a block
/// proves that the surface is elsewhere, a value of the same sign and no larger size. Unused ids
/// read as outside. Throws InputError where f is not a number.
std::vector<float> sample_lattice(const BccLattice& lattice, const Implicit& f,
                                  const StuffingProgress& progress);

/// The lattice after warping. Points at the end of a cut edge are "active" and carry more than a
/// sign.
class WarpedLattice {
  public:
    /// Throws InputError where the solid reaches the rim of the lattice, that is, out of its
    /// bounds.
    WarpedLattice(const BccLattice& lattice, const Implicit& f, const StuffingProgress& progress);

    const BccLattice& lattice() const { return lattice_; }
    Side side(LatticeId id) const {
        return slot_[id] >= 0 ? side_[slot_[id]] : sign_side(value_[id]);
    }
    Vec3d position(LatticeId id, const LatticePoint& p) const {
        return slot_[id] >= 0 ? position_[slot_[id]] : lattice_.position(p);
    }
    /// Active points in the order of their ids.
    const std::vector<LatticeId>& active() const { return active_; }

    /// The cut point between an inside and an outside neighbour as active index * 7 + direction.
    std::int64_t cut_key(const LatticePoint& a, const LatticePoint& b) const;
    Vec3d cut_position(std::int64_t key) const;

    Index n_warped() const { return n_warped_; }
    /// Points put back because the surface would have touched itself there.
    Index n_restored() const { return n_restored_; }

  private:
    static Side sign_side(float value) { return value < 0 ? Side::inside : Side::outside; }
    void find_active();
    void find_cuts(const Implicit& f, const StuffingProgress& progress);
    void warp();
    bool warp_point(Index k);
    void restore_pinches();
    bool is_pinched(Index k) const;

    BccLattice lattice_;
    std::vector<float> value_;  // one per lattice point
    std::vector<Index> slot_;   // one per lattice point: index into the arrays below, or -1
    std::vector<LatticeId> active_;
    std::vector<Side> side_;                       // one per active point, and so are the following
    std::vector<Vec3d> position_;                  // [m]
    std::vector<std::array<float, n_owned>> cut_;  // share of the owned edge; < 0: not cut
    Index n_warped_ = 0, n_restored_ = 0;
};

}  // namespace limber
