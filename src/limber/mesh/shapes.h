// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/mesh/tet_mesh.h"

namespace limber {

// Structured shapes. Every cell of a grid becomes six tets around its main diagonal (Kuhn), so
// neighbouring cells match. All are centred at the origin and carry the node groups "x-", "x+",
// "y-", "y+", "z-", "z+" of their flat ends where they have them.

/// nx x ny x nz cells; extent = size.
TetMesh make_box(const Vec3d& size, std::array<Index, 3> cells);
/// A cylinder along y: the square grid pulled onto the disk so that no tet degenerates.
/// `around` cells across the diameter, `along` cells in height.
TetMesh make_cylinder(double radius, double height, Index around, Index along);
/// A ball: the cube grid with `cells` cells a side pulled onto concentric spheres.
TetMesh make_sphere(double radius, Index cells);

}  // namespace limber
