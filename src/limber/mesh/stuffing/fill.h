// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step 4 of isosurface stuffing: tets, from the octants of a warped lattice. Nodes are numbered by
// first use while the octants are walked row by row, so neighbours are near in memory.

#include <cstdint>
#include <vector>

#include "limber/mesh/stuffing/warp.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

class StuffingFill {
  public:
    explicit StuffingFill(const WarpedLattice& lattice);

    /// The four lattice tets around the face between the octants with centres c and c + 2 e_axis,
    /// cut by the surface.
    void fill_face(const LatticePoint& c, int axis);
    /// A tet of whole lattice points, all inside. Turned where its orientation is negative.
    void add_whole(const std::array<LatticePoint, 4>& corners);

    TetMesh take();

  private:
    Index lattice_node(LatticeId id, const LatticePoint& p);
    Index cut_node(const LatticePoint& a, const LatticePoint& b);
    void add_cut_tet(const std::array<LatticePoint, 4>& at, const std::array<LatticeId, 4>& id,
                     const std::array<Side, 4>& side);
    void push(Tet tet);

    const WarpedLattice& lattice_;
    std::vector<Index> node_;      // one per lattice point; -1: not used yet
    std::vector<Index> cut_node_;  // one per owned edge of an active point
    TetMesh mesh_;
};

/// Every octant at full resolution.
TetMesh fill_uniform(const WarpedLattice& lattice, const StuffingProgress& progress);

/// Octants merged into larger ones away from the surface, up to 2^levels a side; the lattice's
/// octants along each axis must be a multiple of that. Sides of neighbours differ by at most a
/// factor of two. Every tet that touches a moved or cut lattice point is as in fill_uniform; the
/// others are lattice tets, halves and quarters of them, and half pyramids (section 4 of the
/// paper), so the bounds of the uniform mesh hold.
TetMesh fill_graded(const WarpedLattice& lattice, int levels, const StuffingProgress& progress);

}  // namespace limber
