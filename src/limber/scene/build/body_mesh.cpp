// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/body_mesh.h"

#include "limber/core/memory.h"
#include "limber/io/scaled_mesh.h"
#include "limber/scene/build/filled_mesh.h"
#include "limber/scene/build/placement.h"

namespace limber {

namespace {

/// What a body costs from its mesh to the last matrix block: measured at about 1 kB a tet.
void require_memory_for(double n_tets) {
    require_memory(1000 * n_tets, std::to_string(static_cast<std::int64_t>(n_tets)) + " tets");
}

/// 0 where only the mesher can tell, which looks at the memory itself.
double tets_of_shape(const ShapeDef& shape) {
    if (shape.tets > 0) return shape.tets;
    if (shape_info(shape.kind).make) return 0;
    const std::array<Index, 3> n = resolution_of(shape);
    return 6.0 * n[0] * n[1] * n[2];
}

LoadedMesh read_mesh(const BodyDef& body, const BuildOptions& options) {
    const std::string path(*body.mesh);
    try {
        return read_scaled_tet_mesh(path, placement_of(body).scale,
                                    {.strict = options.strict, .linearise = options.linearise});
    } catch (const InputError& error) {
        if (!error.message().starts_with("no tetrahedra")) throw;
        const Index triangles = read_surface(path).mesh.n_triangles();
        if (triangles == 0) throw;
        refuse_unfilled(body, triangles);
    }
}

LoadedMesh fill_mesh(const BodyDef& body, const BuildOptions& options, BuildReport& report) {
    require_memory_for(body.fill->tets);
    FilledMesh filled = filled_mesh(body, placement_of(body).scale, options.mesh_folders);
    for (const std::string& remark : filled.remarks)
        report.warnings.push_back(std::string(*body.mesh) + ": " + remark);
    LoadedMesh loaded;
    loaded.mesh = filled.mesh;
    report.filled.push_back(std::move(filled));
    loaded.report = repair_mesh(loaded.mesh, std::string(*body.mesh));
    return loaded;
}

LoadedMesh shape_mesh(const BodyDef& body, BuildReport& report) {
    LoadedMesh loaded;
    try {
        require_memory_for(tets_of_shape(*body.shape));
        ShapeMesh made = make_shape_mesh(*body.shape);
        loaded.mesh = std::move(made.mesh);
        for (const std::string& remark : made.remarks)
            report.warn(body.origin.at("shape"), body.origin.path + ": " + remark);
    } catch (const InputError& e) {
        throw InputError(body.origin.at("shape"), body.origin.path + ": " + e.message());
    }
    const Vec3d s = placement_of(body).scale;
    for (Vec3d& x : loaded.mesh.nodes) x = {s.x * x.x, s.y * x.y, s.z * x.z};
    loaded.report = repair_mesh(loaded.mesh, body.origin.path);
    return loaded;
}

}  // namespace

double expected_tets(const BodyDef& body) {
    if (body.cloth || body.rigid) return 0;
    if (body.fill) return body.fill->tets;
    return body.shape ? tets_of_shape(*body.shape) : 0;
}

LoadedMesh body_mesh(const BodyDef& body, const BuildOptions& options, BuildReport& report) {
    LoadedMesh loaded = !body.mesh  ? shape_mesh(body, report)
                        : body.fill ? fill_mesh(body, options, report)
                                    : read_mesh(body, options);
    if (body.mesh)
        for (const std::string& warning : loaded.report.warnings)
            report.warnings.push_back(std::string(*body.mesh) + ": " + warning);
    require_memory_for(loaded.mesh.n_tets());
    return loaded;
}

}  // namespace limber
