// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/fem/elements/hinge.h"
#include "limber/fem/elements/membrane.h"
#include "limber/fem/elements/spring.h"
#include "limber/fem/lame.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// What resists stretching: a spring along every edge, or every triangle as a membrane.
enum class StretchKind { springs, triangles };
constexpr std::array<std::string_view, 2> enum_names(StretchKind) {
    return {"springs", "triangles"};
}
/// The shape that bending returns to.
enum class ClothRest { mesh, flat };
constexpr std::array<std::string_view, 2> enum_names(ClothRest) {
    return {"mesh", "flat"};
}

struct ClothOptions {
    double thickness = 1e-3;  // [m]
    StretchKind stretch = StretchKind::springs;
    ClothRest rest = ClothRest::mesh;
    double bending = 0;  // D [N m]; 0: as limp as a film of water
};

/// The elements of all cloth of a model.
struct Cloth {
    std::vector<Spring> springs;
    std::vector<Membrane> membranes;
    std::vector<FlatHinge> flat_hinges;
    std::vector<Hinge> hinges;
};

/// D = young thickness³ / (12 (1 − poisson²)) of a solid plate [N m]; woven cloth is far softer.
double plate_rigidity(const Lame& lame, double thickness);

/// Adds the elements of a sheet; `x`: all nodes at rest.
///
/// Springs get k = young thickness (A_1 + A_2)/L², A the areas of the triangles beside the edge and
/// L its length (Van Gelder 1998): of equilateral triangles that is the lattice with k = √3/2 young
/// thickness, isotropic with Young's modulus `young`. Poisson's ratio of a lattice of springs is
/// 1/3 whatever the material's.
void add_cloth(std::span<const Vec3d> x, std::span<const Triangle> triangles, const Lame& lame,
               const ClothOptions& options, Cloth& out);

/// The edges of triangles, each once: first < second, ascending.
std::vector<std::array<Index, 2>> edges_of(std::span<const Triangle> triangles);

/// Adds a third of each triangle's area to each corner [m²].
void add_areas(std::span<const Vec3d> x, std::span<const Triangle> triangles,
               std::span<double> area);

}  // namespace limber
