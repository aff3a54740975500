// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tets for any solid given by a function: isosurface stuffing (F. Labelle and J. R. Shewchuk,
// "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles", SIGGRAPH 2007). The
// boundary nodes lie on the surface, all dihedral angles lie between min_dihedral_bound and
// max_dihedral_bound, and the boundary is a manifold. Sharp edges are not kept: they are cut off
// within a cell. The result does not depend on the number of threads.

#include <cstdint>
#include <string>
#include <vector>

#include "limber/mesh/implicit.h"
#include "limber/mesh/stuffing/lattice.h"
#include "limber/mesh/stuffing/warp.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

struct StuffingOptions {
    double cell = 0;            // long lattice edge [m]; an uncut octant of this side has 12 tets
    bool graded = false;        // coarser away from the surface
    int max_levels = 5;         // graded: the largest octants have 2^max_levels cells a side
    double shape_volume = 0;    // [m³] to compare the mesh with; 0: estimated from the function
    Index shape_parts = 0;      // separate pieces of the shape; 0: not known
    double thinnest = 0;        // [m] thinnest place of the shape; 0: not known
    bool match_volume = false;  // move the surface by a small part of the cell so that the mesh has
                                // the shape's volume
    double fragments = 0;       // parts with less than this share of the volume are left out
    Vec3d shift{};              // of the lattice off the middle of the shape, in cells
    std::int64_t memory = 0;    // bytes the mesher may use; 0: what the machine has available
};

struct DihedralRange {
    double min = 0, max = 0;  // [degrees]
};

struct StuffingResult {
    TetMesh mesh;
    std::int64_t n_lattice = 0;  // lattice points
    Index n_warped = 0;          // moved onto the surface
    Index n_restored = 0;        // put back, because sheets of the surface met there
    DihedralRange dihedral;
    double volume = 0;        // of the mesh [m³]
    double shape_volume = 0;  // it was compared with [m³]
    double offset = 0;        // the surface was moved outwards by this [m]
    Index n_parts = 0;
    std::vector<std::string> remarks;
};

/// Throws InputError where the cell is not positive, needs more memory than there is (the sentence
/// names the bytes), or is so large that no lattice point lies inside.
StuffingResult stuff(const Implicit& solid, const StuffingOptions& options,
                     const StuffingProgress& progress = {});

/// `options` with the cell (and, where whole layers of cells stand in the way, the shift) for which
/// stuff() makes n_tets tets, within 5 %. Meshes a few times to find them.
StuffingOptions options_for_tets(const Implicit& solid, Index n_tets, StuffingOptions options = {},
                                 const StuffingProgress& progress = {});

/// Volume by counting lattice points inside.  [m³]
double estimate_volume(const Implicit& solid, double cell);

/// Over all tets.
DihedralRange dihedral_range(const TetMesh& mesh);
double mesh_volume(const TetMesh& mesh);  // [m³]
/// For each tet the set of tets connected over nodes it belongs to, numbered from 0 in tet order.
std::vector<Index> tet_parts(const TetMesh& mesh);
/// Takes out the parts with less than `share` of the whole volume; nodes and tets keep their order.
/// Returns how many parts went.
Index drop_fragments(TetMesh& mesh, double share);

}  // namespace limber
