// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/mesh_obstacle.h"

#include <cmath>

#include "limber/io/mesh_reader.h"
#include "limber/mesh/doctor/repair.h"
#include "limber/mesh/surface_distance_repair.h"
#include "limber/scene/build/placement.h"

namespace limber {

namespace {

void check_closed(const ObstacleDef& obstacle, const std::string& file, const TriMesh& mesh) {
    const TriMeshReport report = inspect(mesh);
    std::string wrong;
    if (report.open_edges > 0)
        wrong = "is open: " + std::to_string(report.open_edges) +
                " of its edges belong to one triangle only";
    else if (report.nonmanifold_edges > 0)
        wrong = "branches: " + std::to_string(report.nonmanifold_edges) +
                " of its edges belong to more than two triangles";
    if (!wrong.empty())
        throw InputError(obstacle.origin.at("file"),
                         obstacle.origin.path + ".file: the surface of '" + printable(file, 300) +
                             "' " + wrong + "; allowed: a closed surface with an inside");
}

}  // namespace

ObstacleShape mesh_obstacle(const ObstacleDef& obstacle, std::vector<std::string>& remarks) {
    const auto& def = obstacle.shape.as<MeshObstacleDef>();
    const std::string file(def.file);
    const Vec3d& f = def.scale.factor;
    const double volume = f.x * f.y * f.z;
    if (!(volume > 0) || !std::isfinite(volume))
        throw InputError(obstacle.origin.at("scale"),
                         obstacle.origin.path + ".scale = " + vector_text(f) +
                             "; allowed: factors whose product is positive");
    LoadedSurface loaded = read_surface(file);
    for (const std::string& warning : loaded.warnings) remarks.push_back(file + ": " + warning);
    for (Vec3d& p : loaded.mesh.nodes) p = {f.x * p.x, f.y * p.y, f.z * p.z};
    if (const std::string wrong = range_problem(loaded.mesh); !wrong.empty())
        throw InputError(obstacle.origin.at("scale"),
                         obstacle.origin.path + ".scale = " + vector_text(f) + ": " + wrong);
    const TriMesh joined = welded(loaded.mesh);
    if (!joined.triangles.empty()) check_closed(obstacle, file, joined);
    try {
        ClosedSurface closed = close_surface(joined);
        for (const std::string& remark : closed.remarks) remarks.push_back(file + ": " + remark);
        return MeshShape(std::move(closed.mesh));
    } catch (const InputError& e) {
        throw InputError(
            obstacle.origin.at("file"),
            obstacle.origin.path + ".file: '" + printable(file, 300) + "': " + e.message());
    }
}

}  // namespace limber
