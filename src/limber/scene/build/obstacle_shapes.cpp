// SPDX-License-Identifier: Apache-2.0
// The shapes of [[obstacle]]: one entry each.

#include <cmath>
#include <vector>

#include "limber/scene/build/mesh_obstacle.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene_def.h"

namespace limber {

namespace {

struct PlaneDef {
    std::optional<Vec3d> normal;
};
template <class Visitor>
void fields(Visitor& field, PlaneDef& o) {
    field("normal", o.normal, any_value(),
          "out of the solid, any length; the scene's up axis where nothing is given");
}
struct SphereDef {
    double radius = 0;
};
template <class Visitor>
void fields(Visitor& field, SphereDef& o) {
    field("radius", o.radius, required(positive(Unit::length)), "of the sphere");
}
struct BoxDef {
    Vec3d size{1, 1, 1};
};
template <class Visitor>
void fields(Visitor& field, BoxDef& o) {
    field("size", o.size, required(positive(Unit::length)), "full extent along x, y, z");
}
struct CylinderDef {
    double radius = 0, height = 0;
};
template <class Visitor>
void fields(Visitor& field, CylinderDef& o) {
    field("radius", o.radius, required(positive(Unit::length)), "of the cylinder");
    field("height", o.height, required(positive(Unit::length)), "along y before it is rotated");
}
struct TorusDef {
    double radius = 0, tube = 0;
};
template <class Visitor>
void fields(Visitor& field, TorusDef& o) {
    field("radius", o.radius, required(positive(Unit::length)),
          "of the ring, to the middle of the tube; its axis is y before it is rotated");
    field("tube", o.tube, required(positive(Unit::length)), "radius of the tube");
}

const ObstacleEntry obstacle_table[] = {
    {option_case<PlaneDef>("plane", "a half space"),
     [](const ObstacleDef& o, const SceneDef& scene, std::vector<std::string>&) -> ObstacleShape {
         const Vec3d up = scene.up == UpAxis::y ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
         const Vec3d n = o.shape.as<PlaneDef>().normal.value_or(up);
         if (!(norm(n) > 0) || !std::isfinite(norm(n)))
             throw InputError(o.origin.at("normal"),
                              o.origin.path + ".normal = [" + number_text(n.x) + ", " +
                                  number_text(n.y) + ", " + number_text(n.z) +
                                  "]; allowed: a finite vector that is not zero");
         return PlaneShape{(1 / norm(n)) * n};
     }},
    {option_case<SphereDef>("sphere", "a ball"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         return SphereShape{o.shape.as<SphereDef>().radius};
     }},
    {option_case<BoxDef>("box", "a box"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         return BoxShape{0.5 * o.shape.as<BoxDef>().size};
     }},
    {option_case<CylinderDef>("cylinder", "a cylinder along y"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         const auto& c = o.shape.as<CylinderDef>();
         return CylinderShape{c.radius, 0.5 * c.height};
     }},
    {option_case<TorusDef>("torus", "a ring about y"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>&) -> ObstacleShape {
         const auto& t = o.shape.as<TorusDef>();
         return TorusShape{t.radius, t.tube};
     }},
    {option_case<MeshObstacleDef>("mesh", "a closed triangle surface from a file"),
     [](const ObstacleDef& o, const SceneDef&, std::vector<std::string>& remarks) {
         return mesh_obstacle(o, remarks);
     },
     true},
};

const ObstacleEntry& entry_of(std::string_view name) {
    for (const ObstacleEntry& entry : obstacle_table)
        if (entry.options.name == name) return entry;
    throw Bug("no shape of obstacles '" + std::string(name) + "'");
}

}  // namespace

std::span<const ObstacleEntry> obstacle_shapes() {
    return obstacle_table;
}
std::span<const OptionCase> obstacle_cases() {
    static const std::vector<OptionCase> cases = [] {
        std::vector<OptionCase> out;
        for (const ObstacleEntry& entry : obstacle_table) out.push_back(entry.options);
        return out;
    }();
    return cases;
}
ObstacleShape make_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene,
                                  std::vector<std::string>& remarks) {
    return entry_of(obstacle.shape.name).make(obstacle, scene, remarks);
}
void check_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene) {
    const ObstacleEntry& entry = entry_of(obstacle.shape.name);
    std::vector<std::string> unused;
    if (!entry.reads_a_file) entry.make(obstacle, scene, unused);
}

}  // namespace limber
