// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/cloth.h"

#include <cmath>

#include "limber/core/errors.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

namespace {

/// Angles below this are rounding of a plane [rad].
constexpr double flat_angle = 1e-6;

double area_of(std::span<const Vec3d> x, const Triangle& t) {
    return 0.5 * norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
}

Index opposite(const Triangle& triangle, Index lo, Index hi) {
    for (Index node : triangle)
        if (node != lo && node != hi) return node;
    throw Bug("a triangle has a corner off its edge");
}

void add_hinge(std::span<const Vec3d> x, const std::array<Index, 4>& nodes,
               const ClothOptions& options, Cloth& out) {
    const std::array<Vec3d, 4> at{x[nodes[0]], x[nodes[1]], x[nodes[2]], x[nodes[3]]};
    const Hinge hinge = Hinge::make(nodes, at, options.bending);
    if (options.rest == ClothRest::flat || std::fabs(hinge.angle) < flat_angle)
        out.flat_hinges.push_back(FlatHinge::make(nodes, at, options.bending));
    else
        out.hinges.push_back(hinge);
}

}  // namespace

double plate_rigidity(const Lame& lame, double thickness) {
    const double nu = lame.poisson();
    return lame.young() * thickness * thickness * thickness / (12 * (1 - nu * nu));
}

void add_cloth(std::span<const Vec3d> x, std::span<const Triangle> triangles, const Lame& lame,
               const ClothOptions& options, Cloth& out) {
    if (options.stretch == StretchKind::triangles)
        for (const Triangle& t : triangles)
            out.membranes.push_back(
                Membrane::make(t, {x[t[0]], x[t[1]], x[t[2]]}, options.thickness, lame));
    const std::vector<EdgeUse> uses = edge_uses(triangles);
    for (std::size_t i = 0, end = 0; i < uses.size(); i = end) {
        const Index lo = uses[i].lo, hi = uses[i].hi;
        double area = 0;
        for (; end < uses.size() && uses[end].lo == lo && uses[end].hi == hi; ++end)
            area += area_of(x, triangles[uses[end].triangle]);
        const double length = norm(x[hi] - x[lo]);
        if (options.stretch == StretchKind::springs)
            out.springs.push_back(
                {{lo, hi}, lame.young() * options.thickness * area / (length * length), length});
        if (options.bending > 0 && end - i == 2)
            add_hinge(x,
                      {lo, hi, opposite(triangles[uses[i].triangle], lo, hi),
                       opposite(triangles[uses[i + 1].triangle], lo, hi)},
                      options, out);
    }
}

std::vector<std::array<Index, 2>> edges_of(std::span<const Triangle> triangles) {
    std::vector<std::array<Index, 2>> edges;
    for (const EdgeUse& use : edge_uses(triangles))
        if (edges.empty() || edges.back() != std::array{use.lo, use.hi})
            edges.push_back({use.lo, use.hi});
    return edges;
}

void add_areas(std::span<const Vec3d> x, std::span<const Triangle> triangles,
               std::span<double> area) {
    for (const Triangle& t : triangles) {
        const double third = area_of(x, t) / 3;
        for (Index node : t) area[node] += third;
    }
}

}  // namespace limber
