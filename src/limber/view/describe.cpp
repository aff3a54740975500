// SPDX-License-Identifier: Apache-2.0
#include "limber/view/describe.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "limber/core/version.h"
#include "limber/scene/format/units.h"

namespace limber {

namespace {

using Json = nlohmann::json;

Json vector_json(const Vec3d& v) {
    return Json{v.x, v.y, v.z};
}

Json value_json(const Value& v) {
    switch (v.kind) {
        case ValueKind::null:
            return nullptr;
        case ValueKind::boolean:
            return v.boolean;
        case ValueKind::integer:
            return v.integer;
        case ValueKind::number:
            return v.number;
        case ValueKind::string:
            return v.text;
        case ValueKind::array: {
            Json out = Json::array();
            for (const Value& item : v.items) out.push_back(value_json(item));
            return out;
        }
        case ValueKind::table: {
            Json out = Json::object();
            for (std::size_t i = 0; i < v.items.size(); ++i)
                out[v.keys[i].name] = value_json(v.items[i]);
            return out;
        }
    }
    return nullptr;
}

Json fields_json(const std::vector<FieldInfo>& fields);

Json field_json(const FieldInfo& field) {
    static constexpr const char* kinds[] = {"boolean", "integer", "number", "text",
                                            "text",    "path",    "choice", "vec3",
                                            "list",    "table",   "map",    "either"};
    const Rule& rule = field.type.rule;
    Json out = {{"key", field.key},
                {"kind", kinds[static_cast<int>(field.type.kind)]},
                {"meaning", field.meaning},
                {"unit", std::string(plain_unit(rule.unit))}};
    if (std::isfinite(rule.lo)) out["lo"] = rule.lo;
    if (std::isfinite(rule.hi)) out["hi"] = rule.hi;
    if (rule.open_lo) out["open_lo"] = true;
    if (rule.open_hi) out["open_hi"] = true;
    if (!field.type.choices.empty()) out["choices"] = field.type.choices;
    if (field.default_value) out["default"] = value_json(*field.default_value);
    if (field.type.kind == FieldKind::table) out["fields"] = fields_json(field.type.fields);
    return out;
}

Json fields_json(const std::vector<FieldInfo>& fields) {
    Json out = Json::array();
    for (const FieldInfo& field : fields) out.push_back(field_json(field));
    return out;
}

const FieldInfo* scene_field(std::string_view key) {
    for (const FieldInfo& field : scene_type().fields)
        if (field.key == key) return &field;
    return nullptr;
}

Json panel_json(const std::string& path, const std::string& title, const TypeInfo& type) {
    Json out = {{"path", path}, {"title", title}, {"fields", fields_json(type.fields)}};
    if (type.tag.empty()) return out;
    out["tag"] = type.tag;
    out["cases"] = Json::array();
    for (const CaseInfo& c : type.cases)
        out["cases"].push_back(
            {{"name", c.name}, {"meaning", c.meaning}, {"fields", fields_json(c.fields)}});
    return out;
}

Json panels_json(const SceneDef& scene) {
    Json out = Json::array();
    out.push_back(panel_json("solver", "Solver", scene_field("solver")->type));
    for (const auto& [name, material] : scene.materials)
        out.push_back(panel_json("material." + name, "Material " + name,
                                 scene_field("material")->type.items[0]));
    out.push_back(panel_json("contact", "Contact", scene_field("contact")->type));
    TypeInfo world;
    for (const FieldInfo& field : scene_field("time")->type.fields)
        if (field.key == "step") world.fields.push_back(field);
    Json time = panel_json("time", "Time", world);
    out.push_back(std::move(time));
    TypeInfo whole;
    for (const char* key : {"gravity", "device"}) whole.fields.push_back(*scene_field(key));
    out.push_back(panel_json("", "World", whole));
    return out;
}

Json shape_json(const ObstacleShape& shape) {
    if (const auto* plane = std::get_if<PlaneShape>(&shape))
        return {{"kind", "plane"}, {"normal", vector_json(plane->normal)}};
    if (const auto* sphere = std::get_if<SphereShape>(&shape))
        return {{"kind", "sphere"}, {"radius", sphere->radius}};
    if (const auto* box = std::get_if<BoxShape>(&shape))
        return {{"kind", "box"}, {"half", vector_json(box->half)}};
    if (const auto* cylinder = std::get_if<CylinderShape>(&shape))
        return {{"kind", "cylinder"},
                {"radius", cylinder->radius},
                {"half_height", cylinder->half_height}};
    if (const auto* torus = std::get_if<TorusShape>(&shape))
        return {{"kind", "torus"}, {"major", torus->major}, {"minor", torus->minor}};
    const TriMesh& mesh = std::get<MeshShape>(shape).mesh;
    Json points = Json::array(), triangles = Json::array();
    for (const Vec3d& p : mesh.nodes)
        for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k]));
    for (const Triangle& t : mesh.triangles)
        for (const Index i : t) triangles.push_back(i);
    return {{"kind", "mesh"}, {"points", points}, {"triangles", triangles}};
}

}  // namespace

bool is_live_path(std::string_view path, const SceneDef& scene) {
    if (path == "gravity" || path == "device" || path == "time.step") return true;
    for (const std::string_view group : {"solver.", "contact."})
        if (path.starts_with(group)) return true;
    for (const auto& [name, material] : scene.materials)
        if (path.starts_with("material." + name + '.')) return true;
    return false;
}

std::string scene_message(const SceneDescription& d) {
    const SceneDef& scene = *d.def;
    Json out = {{"type", "scene"},
                {"protocol", 1},
                {"limber", std::string(build_info().version)},
                {"scene", d.scene},
                {"mode", d.mode},
                {"name", d.name},
                {"step", scene.time.step},
                {"up", scene.up == UpAxis::z ? "z" : "y"},
                {"warnings", d.warnings},
                {"runs", d.runs},
                {"frame_times", d.frame_times},
                {"uploads", d.uploads}};
    out["bodies"] = Json::array();
    for (std::size_t b = 0; b < d.parts.size(); ++b) {
        const DisplaySurface::Part& part = d.parts[b];
        out["bodies"].push_back({{"name", part.name},
                                 {"vertices", {part.vertex_begin, part.vertex_end}},
                                 {"triangles", {part.triangle_begin, part.triangle_end}},
                                 {"skin", part.skin},
                                 {"side", b < d.sides.size() ? d.sides[b] : 0},
                                 {"nodes", b < d.nodes.size() ? d.nodes[b] : 0},
                                 {"tets", b < d.tets.size() ? d.tets[b] : 0}});
    }
    out["obstacles"] = Json::array();
    for (const Obstacle& obstacle : *d.obstacles)
        out["obstacles"].push_back(
            {{"name", obstacle.name}, {"shape", shape_json(obstacle.shape)}});
    out["fields"] = Json::array();
    for (const ColourField& field : d.fields)
        out["fields"].push_back({{"name", field.name},
                                 {"title", field.title},
                                 {"unit", field.unit},
                                 {"categories", field.categories}});
    out["drives"] = Json::array();
    for (const Drive& drive : d.drives)
        out["drives"].push_back({{"name", drive.name},
                                 {"what", drive.what},
                                 {"unit", drive.unit},
                                 {"lo", drive.lo},
                                 {"hi", drive.hi},
                                 {"value", drive.value},
                                 {"by_hand", drive.by_hand}});
    out["gallery"] = Json::array();
    for (const GalleryEntry& entry : d.gallery)
        out["gallery"].push_back({{"name", entry.name}, {"about", entry.about}});
    if (d.panels) {
        out["panels"] = panels_json(scene);
        // What the panels show, and no file names.
        const Value all = parse_toml(resolved_toml(scene), "resolved");
        for (const char* key : {"solver", "material", "contact", "time", "gravity", "device"})
            if (const Value* value = all.find(key)) out["values"][key] = value_json(*value);
    }
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace limber
