// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"
#include "limber/mesh/tet_mesh.h"
#include "limber/mesh/tri_mesh.h"

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

enum class ShapeKind {
    box,
    beam,
    sheet,
    cylinder,
    sphere,
    torus,
    three_torus,
    sculpture,
    double_helix,
    bear,
    dragon,
    spider,
    raptor,
    armadillo,
    snowman,
    bowling_pin,
    bowling_ball,
    car,
    bowl,
    finger,
    liver,
    cloth_sheet,
    dress
};
constexpr std::array<std::string_view, 23> enum_names(ShapeKind) {
    return {"box",         "beam",      "sheet",        "cylinder",    "sphere",       "torus",
            "three_torus", "sculpture", "double_helix", "bear",        "dragon",       "spider",
            "raptor",      "armadillo", "snowman",      "bowling_pin", "bowling_ball", "car",
            "bowl",        "finger",    "liver",        "cloth_sheet", "dress"};
}

/// What a scene or `limber mesh --shape` asks for. The resolution is `cells` where given, else
/// `tets`, else the target edge length `cell`, else the shape's default.
struct ShapeDef {
    ShapeKind kind = ShapeKind::box;
    std::optional<Vec3d> size = {};  // box, beam, sheet [m]
    double radius = 0.5;             // cylinder, sphere [m]
    double height = 1;               // cylinder [m]
    double cell = 0;                 // [m]; 0: not given
    std::vector<Index> cells = {};   // [nx, ny, nz]; [around, along] of a cylinder or dress; [n] of
                                     // a sphere; [nx, nz] of a cloth_sheet
    Index tets = 0;                  // 0: not given
    bool graded = false;             // stuffed shapes: coarser inside
};

template <class Visitor>
void fields(Visitor& field, ShapeDef& o) {
    field("shape", o.kind, any_value(), "kind of shape");
    field("size", o.size, positive(Unit::length),
          "extent of a box (default 1 x 1 x 1), a beam (a box long in x, default 1 x 0.2 x 0.2) or "
          "a sheet (a box flat in y, default 1 x 0.0001 x 1)");
    field("radius", o.radius, positive(Unit::length), "of a cylinder or sphere");
    field("height", o.height, positive(Unit::length), "of a cylinder, along y");
    field(
        "cell", o.cell, at_least(0, Unit::length),
        "target edge length; 0 means the shape's own, a tenth of the largest extent of box, beam, "
        "cylinder and sphere");
    field(
        "cells", o.cells, at_least(1),
        "number of cells: [nx, ny, nz] of a box, beam or sheet, [around, along] of a cylinder, "
        "[n] of a sphere, [nx, nz] of a cloth_sheet, [around, along] of a dress; goes before cell");
    field("tets", o.tets, between(0, max_tets),
          "number of tets, instead of cell: within 5 % for the shapes that are not grids; 0 means "
          "not given");
    field("graded", o.graded, any_value(), "coarser inside; not for the shapes that are grids");
    field.at_most_one({"cell", "tets"});
    field.at_most_one({"cells", "tets"});
}

struct StuffedShape;

/// A shape without an inside, for cloth.
struct ShapeSurface {
    TriMesh mesh;
    std::map<std::string, std::vector<Index>> node_groups;  // ascending node indices
};

/// One row a shape: a new one is one function in mesh/shapes/ and one row.
struct ShapeInfo {
    ShapeKind kind;
    StuffedShape (*make)();  // null: a grid
    std::string_view keys;   // of ShapeDef that it reads besides cell and tets, with spaces between
    std::string_view about;
    ShapeSurface (*surface)(const ShapeDef& shape) = nullptr;  // not null: triangles, no tets
    /// Whether it reads this key of ShapeDef.
    bool reads(std::string_view key) const;
};
/// In the order of ShapeKind.
std::span<const ShapeInfo> shape_table();
const ShapeInfo& shape_info(ShapeKind kind);

/// Extent along x, y, z [m]; of a stuffed shape it may be a little larger than the mesh.
Vec3d extent_of(const ShapeDef& shape);
/// Cells of a grid along x, y, z as make_shape will use them. Throws InputError where the
/// definition is wrong or asks for more tets than limber can number.
std::array<Index, 3> resolution_of(const ShapeDef& shape);
/// The same shape with `cells` chosen so that the number of tets is as near to `n_tets` as whole
/// cells of nearly equal sides allow. A sphere comes in steps of 6 n³.
ShapeDef with_tets(ShapeDef shape, Index n_tets);

struct ShapeMesh {
    TetMesh mesh;
    std::vector<std::string> remarks;  // of the mesher: what the cell was too large for
};
/// Called from the calling thread with the share of the stage that is done, 0 to 1.
using ShapeProgress = std::function<void(std::string_view stage, double done)>;
/// The triangles of a cloth_sheet or a dress; throws InputError where the definition is wrong.
ShapeSurface make_shape_surface(const ShapeDef& shape);
/// Throws InputError where the definition is wrong.
ShapeMesh make_shape_mesh(const ShapeDef& shape, const ShapeProgress& progress = {});
TetMesh make_shape(const ShapeDef& shape);

}  // namespace limber
