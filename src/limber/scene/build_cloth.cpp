// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build_cloth.h"

#include <algorithm>

#include "limber/io/mesh_reader.h"

namespace limber {

namespace {

[[noreturn]] void refuse(const BodyDef& def, const std::string& text) {
    throw InputError(def.origin.at(def.mesh ? "mesh" : "shape"), def.origin.path + ": " + text);
}

ShapeSurface surface_of(const BodyDef& def, std::vector<std::string>& warnings) {
    if (def.shape) {
        try {
            return make_shape_surface(*def.shape);
        } catch (const InputError& e) {
            refuse(def, e.message());
        }
    }
    LoadedSurface loaded = read_surface(std::string(*def.mesh));
    for (const std::string& warning : loaded.warnings)
        warnings.push_back(std::string(*def.mesh) + ": " + warning);
    return {std::move(loaded.mesh), {}};
}

void check_surface(const BodyDef& def, const TriMesh& mesh) {
    if (mesh.triangles.empty()) refuse(def, "no triangles; cloth is made of them");
    const TriMeshReport report = inspect(mesh);
    if (report.degenerate > 0)
        refuse(def, std::to_string(report.degenerate) +
                        " triangles have no area; allowed: triangles of three different points");
    if (report.duplicates > 0)
        refuse(def, std::to_string(report.duplicates) + " triangles are given twice");
    if (report.nonmanifold_edges > 0)
        refuse(def, std::to_string(report.nonmanifold_edges) +
                        " edges belong to three triangles or more; a sheet has two at an edge");
}

}  // namespace

ClothBody make_cloth_body(const BodyDef& def) {
    ClothBody out;
    const ShapeSurface surface = surface_of(def, out.report.warnings);
    check_surface(def, surface.mesh);
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

ClothOptions cloth_options(const ClothDef& def, const Material& material) {
    return {def.thickness, def.stretch, def.rest,
            def.bending.value_or(plate_rigidity(small_strain(material), def.thickness))};
}

}  // namespace limber
