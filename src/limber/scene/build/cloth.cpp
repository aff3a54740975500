// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/cloth.h"

#include <algorithm>

#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes/cloth.h"

namespace limber {

namespace {

[[noreturn]] void refuse_cloth(const BodyDef& def, const std::string& text) {
    throw InputError(def.origin.at(def.mesh ? "mesh" : "shape"), def.origin.path + ": " + text);
}

ShapeSurface surface_of(const BodyDef& def, std::vector<std::string>& warnings) {
    if (def.shape) {
        try {
            return make_shape_surface(*def.shape);
        } catch (const InputError& e) {
            refuse_cloth(def, e.message());
        }
    }
    LoadedSurface loaded = read_surface(std::string(*def.mesh));
    for (const std::string& warning : loaded.warnings)
        warnings.push_back(std::string(*def.mesh) + ": " + warning);
    return {std::move(loaded.mesh), {}};
}

void check_surface(const BodyDef& def, const TriMesh& mesh) {
    if (mesh.triangles.empty()) refuse_cloth(def, "no triangles; cloth is made of them");
    const TriMeshReport report = inspect(mesh);
    if (report.degenerate > 0)
        refuse_cloth(def,
                     std::to_string(report.degenerate) +
                         " triangles have no area; allowed: triangles of three different points");
    if (report.duplicates > 0)
        refuse_cloth(def, std::to_string(report.duplicates) + " triangles are given twice");
    if (report.nonmanifold_edges > 0)
        refuse_cloth(def,
                     std::to_string(report.nonmanifold_edges) +
                         " edges belong to three triangles or more; a sheet has two at an edge");
}

/// Without the nodes that no triangle uses.
SurfaceBody packed(const BodyDef& def, const ShapeSurface& surface,
                   std::vector<std::string> warnings) {
    SurfaceBody out;
    out.report.warnings = std::move(warnings);
    const std::vector<Index> used = nodes_of(surface.mesh.triangles);
    std::vector<Index> number(surface.mesh.nodes.size(), -1);
    for (Index node : used) {
        number[node] = out.mesh.n_nodes();
        out.mesh.nodes.push_back(surface.mesh.nodes[node]);
        out.mesh.node_ids.push_back(node);
    }
    const std::size_t unused = surface.mesh.nodes.size() - used.size();
    if (unused > 0)
        out.report.warnings.push_back(def.origin.path + ": " + std::to_string(unused) +
                                      (unused == 1 ? " point" : " points") +
                                      " in no triangle left out");
    for (Triangle t : surface.mesh.triangles) {
        for (Index& node : t) node = number[node];
        out.triangles.push_back(t);
    }
    for (const auto& [name, nodes] : surface.node_groups)
        for (Index node : nodes)
            if (number[node] >= 0) out.mesh.node_groups[name].push_back(number[node]);
    const std::vector<Index> part = triangle_parts(surface.mesh);
    out.report.n_parts = *std::max_element(part.begin(), part.end()) + 1;
    out.report.n_nodes = out.mesh.n_nodes();
    return out;
}

}  // namespace

SurfaceBody make_cloth_body(const BodyDef& def) {
    std::vector<std::string> warnings;
    const ShapeSurface surface = surface_of(def, warnings);
    require_cloth_memory(surface.mesh.n_triangles());
    check_surface(def, surface.mesh);
    return packed(def, surface, std::move(warnings));
}

SurfaceBody make_rigid_body(const BodyDef& def) {
    std::vector<std::string> warnings;
    ShapeSurface surface;
    if (def.shape) {
        try {
            const ShapeMesh made = make_shape_mesh(*def.shape);
            for (const std::string& remark : made.remarks)
                warnings.push_back(def.origin.path + ": " + remark);
            surface.mesh = boundary_surface(made.mesh);
        } catch (const InputError& e) {
            refuse_cloth(def, e.message());
        }
    } else {
        surface = surface_of(def, warnings);
    }
    const TriMeshReport report = inspect(surface.mesh);
    if (surface.mesh.triangles.empty())
        refuse_cloth(def, "no triangles; a rigid body is made of its surface");
    if (!report.manifold())
        refuse_cloth(
            def, "a rigid body needs a closed surface of one thickness, and this one has " +
                     std::to_string(report.open_edges) + " open edges, " +
                     std::to_string(report.nonmanifold_edges + report.misoriented_edges) +
                     " edges of three triangles or of two that face opposite ways, and " +
                     std::to_string(report.degenerate + report.duplicates) +
                     " triangles without area or given twice; allowed: limber check tells where");
    if (report.inside_out()) surface.mesh = turned(std::move(surface.mesh));
    return packed(def, surface, std::move(warnings));
}

ClothOptions cloth_options(const ClothDef& def, const Material& material) {
    return {def.thickness, def.stretch, def.rest,
            def.bending.value_or(plate_rigidity(small_strain(material), def.thickness))};
}

}  // namespace limber
