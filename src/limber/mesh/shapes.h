// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

// Structured shapes. Every cell of a grid becomes six tets around one of its space diagonals
// (Kuhn), chosen so that neighbouring cells match. All are centred at the origin and carry the node
// groups "x-", "x+", "y-", "y+", "z-", "z+" of their flat ends where they have them. Nodes are
// numbered layer by layer along the axis with the most cells, which keeps the bandwidth small.

/// nx x ny x nz cells; extent = size.
TetMesh make_box(const Vec3d& size, std::array<Index, 3> cells);
/// A cylinder along y: the square grid pulled onto the disk so that no tet degenerates.
/// `around` cells across the diameter, `along` cells in height.
TetMesh make_cylinder(double radius, double height, Index around, Index along);
/// A ball: the cube grid with `cells` cells a side pulled onto concentric spheres.
TetMesh make_sphere(double radius, Index cells);

enum class ShapeKind { box, beam, cylinder, sphere };
constexpr std::array<std::string_view, 4> enum_names(ShapeKind) {
    return {"box", "beam", "cylinder", "sphere"};
}

/// What a scene or `limber mesh --shape` asks for. The resolution is `cells` where given, else the
/// target edge length `cell`, else a tenth of the largest extent.
struct ShapeDef {
    ShapeKind kind = ShapeKind::box;
    std::optional<Vec3d> size = {};  // box, beam [m]; a box is 1 x 1 x 1, a beam 1 x 0.2 x 0.2
    double radius = 0.5;             // cylinder, sphere [m]
    double height = 1;               // cylinder [m]
    double cell = 0;                 // [m]; 0: not given
    std::vector<Index> cells = {};   // [nx, ny, nz]; [around, along] of a cylinder; [n] of a sphere
};

template <class Visitor>
void fields(Visitor& field, ShapeDef& o) {
    field("shape", o.kind, any_value(), "kind of shape");
    field("size", o.size, positive(Unit::length),
          "extent of a box (default 1 x 1 x 1) or a beam (a box long in x, default 1 x 0.2 x 0.2)");
    field("radius", o.radius, positive(Unit::length), "of a cylinder or sphere");
    field("height", o.height, positive(Unit::length), "of a cylinder, along y");
    field("cell", o.cell, at_least(0, Unit::length),
          "target edge length; 0 means a tenth of the largest extent");
    field("cells", o.cells, at_least(1),
          "number of cells: [nx, ny, nz] of a box or beam, [around, along] of a cylinder, "
          "[n] of a sphere; goes before cell");
}

/// Extent along x, y, z [m].
Vec3d extent_of(const ShapeDef& shape);
/// Cells along x, y, z as make_shape will use them. Throws InputError where the definition is
/// wrong or asks for more tets than limber can number.
std::array<Index, 3> resolution_of(const ShapeDef& shape);
/// The same shape with `cells` chosen so that the number of tets is as near to `n_tets` as whole
/// cells of nearly equal sides allow. A sphere comes in steps of 6 n³.
ShapeDef with_tets(ShapeDef shape, Index n_tets);

TetMesh make_shape(const ShapeDef& shape);

}  // namespace limber
