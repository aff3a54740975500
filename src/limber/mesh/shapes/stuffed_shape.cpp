// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/shapes/stuffed_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "limber/core/errors.h"
#include "limber/mesh/stuffing/stuffing.h"

namespace limber {

namespace {

void label_regions(const StuffedShape& shape, TetMesh& mesh) {
    if (shape.regions.empty()) return;
    for (const auto& part : shape.regions) mesh.tet_groups[part.name];
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        Vec3d middle{};
        for (Index node : mesh.tets[t]) middle += 0.25 * mesh.nodes[node];
        for (const auto& part : shape.regions)
            if (!part.where || part.where->value(middle) < 0) {
                mesh.tet_groups[part.name].push_back(t);
                break;
            }
    }
}

Index nearest_node(const TetMesh& mesh, const Vec3d& p) {
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (const double d = squared_norm(mesh.nodes[i] - p); d < least) least = d, best = i;
    return best;
}

/// Every half cell along the path the nearest node.
std::vector<Index> nodes_along(const TetMesh& mesh, const std::vector<Vec3d>& path, double cell) {
    std::set<Index> nodes;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        const Vec3d way = path[i + 1] - path[i];
        const int steps = std::max(1, static_cast<int>(std::ceil(2 * norm(way) / cell)));
        for (int s = 0; s <= steps; ++s)
            nodes.insert(nearest_node(mesh, path[i] + (double(s) / steps) * way));
    }
    return {nodes.begin(), nodes.end()};
}

void label_nodes(const StuffedShape& shape, double cell, TetMesh& mesh) {
    for (const auto& part : shape.node_parts)
        for (Index i = 0; i < mesh.n_nodes(); ++i)
            if (part.where->value(mesh.nodes[i]) <= 0) mesh.node_groups[part.name].push_back(i);
    const std::vector<Index> boundary = nodes_of(boundary_triangles(mesh.tets));
    // Boundary nodes lie on the surface of the whole up to the mesher's interpolation error.
    for (const auto& part : shape.node_surfaces)
        for (Index i : boundary)
            if (std::fabs(part.where->value(mesh.nodes[i])) < 0.1 * cell)
                mesh.node_groups[part.name].push_back(i);
    for (const auto& path : shape.paths)
        mesh.node_groups[path.name] = nodes_along(mesh, path.points, cell);
    if (mesh.node_groups.count("base")) return;
    const double lowest = bounding_box(mesh.nodes).lo.y;
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        if (mesh.nodes[i].y < lowest + 0.5 * cell) mesh.node_groups["base"].push_back(i);
}

StuffingOptions options_of(const StuffedShape& shape, const ShapeDef& def,
                           const ShapeProgress& progress) {
    StuffingOptions o;
    o.cell = def.cell > 0 ? def.cell : shape.cell;
    o.graded = def.graded;
    o.fragments = 0.02;  // a tip that is thinner than the cell may come off
    if (!(def.cell >= 0) || !std::isfinite(def.cell))
        throw InputError(
            fmt::format("cell {}; allowed: a length > 0, or 0 for {} m", def.cell, shape.cell));
    return def.tets > 0 ? options_for_tets(*shape.solid, def.tets, o, progress) : o;
}

}  // namespace

ShapeMesh mesh_stuffed(const StuffedShape& shape, const ShapeDef& def,
                       const ShapeProgress& progress) {
    const StuffingOptions o = options_of(shape, def, progress);
    StuffingResult result = stuff(*shape.solid, o, progress);
    label_regions(shape, result.mesh);
    label_nodes(shape, o.cell, result.mesh);
    return {std::move(result.mesh), std::move(result.remarks)};
}

}  // namespace limber
