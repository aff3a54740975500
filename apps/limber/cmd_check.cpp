// SPDX-License-Identifier: Apache-2.0
// limber check: what a scene or a mesh holds and what is wrong with it, without running anything.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <variant>

#include "check_text.h"
#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/scaled_mesh.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"

namespace limber::app {

namespace {

using nlohmann::ordered_json;

bool is_scene(const std::string& file) {
    return file.ends_with(".toml") || file.ends_with(".json");
}

ordered_json numbers(const Vec3d& v) {
    return {v.x, v.y, v.z};
}

/// The report of one file and the exit code it asks for.
struct Checked {
    ordered_json report = ordered_json::object();
    int code = 0;
};

struct Arguments {
    std::vector<std::string> files;
    bool json = false, strict = false;
    Elasticity material;
};

Checked check_mesh(const std::string& file, const Arguments& a) {
    const LoadedMesh loaded =
        read_tet_mesh(file, {.strict = a.strict, .refuse = false, .material = a.material});
    const MeshReport& r = loaded.report;
    Checked checked{mesh_json(file, loaded.format, r), 0};
    if (!a.json) print_mesh(file, loaded.format, r);
    if (a.strict && !r.warnings.empty()) checked.code = 2;
    if (r.has_errors()) {  // they come first
        const InputError error({file}, r.findings[0].text);
        std::fprintf(stderr, "%s\n", error.what());
        checked.report["error"] = error.what();
        checked.code = 2;
    }
    return checked;
}

/// A surface of a format that holds nothing else is good for cloth, obstacles, skins and `limber
/// mesh`; a volume mesh that has no tets is an error (P26), with what its triangles are good for.
Checked check_surface(const std::string& file, const Arguments& a, const InputError& no_tets) {
    const LoadedSurface loaded = read_surface(file);
    const TriMeshReport report = inspect(loaded.mesh);
    if (!a.json) print_surface(file, loaded.format, loaded.mesh, report);
    Checked checked{surface_json(file, loaded.format, loaded.mesh, report),
                    a.strict && !surface_warnings(report).empty() ? 2 : 0};
    if (is_surface_format(loaded.format)) return checked;
    const InputError error(no_tets.place(), no_tets.message() +
                                                "; a closed surface becomes a body by limber mesh, "
                                                "or by tets = ... beside its mesh in a scene");
    std::fprintf(stderr, "%s\n", error.what());
    checked.report["error"] = error.what();
    checked.code = 2;
    return checked;
}

/// A file without tets may hold a surface.
Checked check_mesh_or_surface(const std::string& file, const Arguments& a) {
    try {
        return check_mesh(file, a);
    } catch (const InputError& error) {
        if (error.message().rfind("no tetrahedra", 0) != 0) throw;
        if (read_surface(file).mesh.triangles.empty()) throw;
        return check_surface(file, a, error);
    }
}

/// What the body's own material, size and time step make of it.
struct BodyEstimate {
    double explicit_step = 0;  // [s]
    double condition = 0;      // of M⁻¹ (M + h² K)
};
BodyEstimate estimate(const Model& model, const Body& body) {
    double squared = 0;
    for (Index t = body.tet_begin; t < body.tet_end; ++t) {
        const Material& m = model.materials[model.tet_material[t]];
        const TetShape shape = tet_shape(model.mesh, model.mesh.tets[t]);
        const Lame lame = small_strain(m);
        // Fibres as if they pulled whatever the direction: a shorter step than needed is safe.
        squared = std::max(
            squared,
            squared_tet_frequency(shape, lame.mu, lame.lambda + added_stiffness(m), m.density));
    }
    // Of cloth by Gershgorin: a diagonal block is at most its trace, and its row twice that.
    if (body.cloth)
        for (Index i = body.node_begin; i < body.node_end; ++i)
            squared = std::max(squared, 6 * model.stiffness[i] / model.mass[i]);
    return {2 / std::sqrt(squared), 1 + model.h * model.h * squared};
}

/// Findings that the warnings of the scene do not hold already.
std::vector<Diagnosis> remarks_of(const MeshReport& mesh) {
    std::vector<Diagnosis> remarks;
    for (const Diagnosis& d : mesh.findings)
        if (d.severity == Severity::remark) remarks.push_back(d);
    return remarks;
}

/// How many tets of the body each material got, those without any left out.
ordered_json materials_json(const Model& model, const Body& body) {
    std::vector<std::int64_t> count(model.materials.size(), 0);
    for (Index t = body.tet_begin; t < body.tet_end; ++t) ++count[model.tet_material[t]];
    ordered_json out = ordered_json::object();
    for (std::size_t m = 0; m < count.size(); ++m)
        if (count[m] > 0) out[model.materials[m].name] = count[m];
    return out;
}

ordered_json body_json(const Model& model, const Body& body, const BodyReport& built) {
    const BodyEstimate e = estimate(model, body);
    const MeshReport& mesh = built.mesh;
    if (body.rigid)
        return {{"name", body.name},
                {"nodes", body.node_end - body.node_begin},
                {"tets", 0},
                {"triangles", body.surface.size()},
                {"rigid", true},
                {"parts", mesh.n_parts},
                {"size_m", numbers(built.box.size())},
                {"mass_kg", built.mass},
                {"findings", ordered_json::array()}};
    if (body.cloth)
        return {{"name", body.name},
                {"nodes", body.node_end - body.node_begin},
                {"tets", 0},
                {"triangles", body.cloth->triangles.size()},
                {"parts", mesh.n_parts},
                {"size_m", numbers(built.box.size())},
                {"mass_kg", built.mass},
                {"bending_n_m", body.cloth->options.bending},
                {"explicit_step_s", e.explicit_step},
                {"condition_of_step", e.condition},
                {"findings", ordered_json::array()}};
    return {{"name", body.name},
            {"nodes", body.node_end - body.node_begin},
            {"tets", body.tet_end - body.tet_begin},
            {"parts", mesh.n_parts},
            {"size_m", numbers(built.box.size())},
            {"mass_kg", built.mass},
            {"scale", numbers(built.scale)},
            {"tets_of_material", materials_json(model, body)},
            {"dihedral_degrees", {mesh.min_dihedral, mesh.max_dihedral}},
            {"min_radius_ratio", mesh.shapes.worst[0].radius_ratio},
            {"explicit_step_s", e.explicit_step},
            {"condition_of_step", e.condition},
            {"findings", findings_json(mesh.findings)}};
}

/// What the material is at small strains: laws are named by other numbers than young and poisson.
ordered_json material_json(const Material& material) {
    const Lame lame = small_strain(material);
    const std::string_view law = std::visit([](const auto& l) { return l.name; }, material.law);
    return {{"name", material.name},
            {"kind", law},
            {"young_pa", lame.young()},
            {"poisson", lame.poisson()},
            {"mu_pa", lame.mu},
            {"lambda_pa", lame.lambda},
            {"bulk_pa", lame.bulk()},
            {"density_kg_m3", material.density},
            {"invertible", material.conversion.on}};
}

void print_material(const ordered_json& m) {
    const auto number = [&](const char* key) { return m[key].get<double>(); };
    std::printf(
        "  material %s: %s, at small strains young %.4g Pa, poisson %.4g, mu %.4g Pa, bulk %.4g "
        "Pa%s\n",
        m["name"].get<std::string>().c_str(), m["kind"].get<std::string>().c_str(),
        number("young_pa"), number("poisson"), number("mu_pa"), number("bulk_pa"),
        m["invertible"].get<bool>() ? ", invertible" : "");
}

/// "    tets of material: rubber 1520, steel 400; coordinates scaled by 0.001".
void print_materials(const ordered_json& body, const Vec3d& scale) {
    std::string text;
    for (const auto& [name, count] : body["tets_of_material"].items())
        text += (text.empty() ? "" : ", ") + name + ' ' + std::to_string(count.get<long long>());
    std::printf("    tets of material: %s", text.c_str());
    if (scale.x != scale.y || scale.y != scale.z)
        std::printf("; coordinates scaled by %.6g, %.6g, %.6g", scale.x, scale.y, scale.z);
    else if (scale.x != 1)
        std::printf("; coordinates scaled by %.6g", scale.x);
    std::printf("\n");
}

void print_scene(const ordered_json& r, const BuildReport& built) {
    std::printf("%s: scene, solver %s, %lld steps of %.4g s, %d unknowns\n",
                r["file"].get<std::string>().c_str(), r["solver"].get<std::string>().c_str(),
                r["steps"].get<long long>(), r["step_s"].get<double>(), r["unknowns"].get<int>());
    for (const ordered_json& material : r["materials"]) print_material(material);
    for (std::size_t i = 0; i < built.bodies.size(); ++i) {
        const ordered_json& body = r["bodies"][i];
        const auto number = [&](const char* key) { return body[key].get<double>(); };
        const Vec3d size = built.bodies[i].box.size();
        const bool cloth = body.contains("triangles");
        std::printf("  body %s: %d nodes, %d %s, %.3g x %.3g x %.3g m, %.4g kg\n",
                    body["name"].get<std::string>().c_str(), body["nodes"].get<int>(),
                    body[cloth ? "triangles" : "tets"].get<int>(),
                    body.contains("rigid") ? "triangles of a rigid body"
                    : cloth                ? "triangles of cloth"
                                           : "tets",
                    size.x, size.y, size.z, number("mass_kg"));
        if (body.contains("rigid")) continue;
        if (!cloth) print_materials(body, built.bodies[i].scale);
        if (cloth)
            std::printf("    bending rigidity %.3g N m\n", number("bending_n_m"));
        else
            std::printf("    dihedral angles %.1f to %.1f degrees, radius ratio at least %.2g\n",
                        body["dihedral_degrees"][0].get<double>(),
                        body["dihedral_degrees"][1].get<double>(), number("min_radius_ratio"));
        std::printf("    stable explicit step %.3g s, condition of a step %.2g\n",
                    number("explicit_step_s"), number("condition_of_step"));
        for (const Diagnosis& d : remarks_of(built.bodies[i].mesh)) print_finding(d, 4);
    }
    std::printf("  %d pin(s), %d force(s), %d obstacle(s), %d probe(s)\n", r["pins"].get<int>(),
                r["forces"].get<int>(), r["obstacles"].get<int>(), r["probes"].get<int>());
    for (const std::string& warning : built.warnings)
        std::printf("  warning: %s\n", warning.c_str());
}

Checked check_scene_file(const std::string& file, const Arguments& a) {
    const SceneDef scene = load_scene(file);
    BuildReport built;
    const Model model = build_model(scene, built, {.strict = a.strict});
    check_device(scene, model);
    ordered_json report = ordered_json::object();
    report["file"] = file;
    report["kind"] = "scene";
    report["solver"] = scene.solver.options.name;
    report["step_s"] = model.h;
    report["steps"] = scene.time.n_steps();
    report["materials"] = ordered_json::array();
    for (const Material& m : model.materials) report["materials"].push_back(material_json(m));
    report["bodies"] = ordered_json::array();
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        report["bodies"].push_back(body_json(model, model.bodies[i], built.bodies[i]));
    Index prescribed = 0;
    for (const Vec3d& free : model.free)
        prescribed += static_cast<Index>(3 - free.x - free.y - free.z);
    report["unknowns"] = 3 * model.n_nodes() - prescribed;
    report["pins"] = scene.pins.size();
    report["forces"] = model.forces.size();
    report["obstacles"] = model.obstacles.size();
    report["probes"] = model.probes.size();
    report["warnings"] = built.warnings;
    if (!a.json) print_scene(report, built);
    return {std::move(report), a.strict && !built.warnings.empty() ? 2 : 0};
}

/// A scene's error has a line for each mistake of the file.
ordered_json lines_of(const InputError& error) {
    ordered_json lines = ordered_json::array();
    std::istringstream text(error.what());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

/// Every file is looked at; the exit code is the worst.
int check(const Arguments& a) {
    ordered_json all = ordered_json::array();
    int code = 0;
    for (const std::string& file : a.files) {
        try {
            Checked checked =
                is_scene(file) ? check_scene_file(file, a) : check_mesh_or_surface(file, a);
            code = std::max(code, checked.code);
            all.push_back(std::move(checked.report));
        } catch (const InputError& error) {
            std::fprintf(stderr, "%s\n", error.what());
            all.push_back({{"file", file}, {"error", error.what()}, {"errors", lines_of(error)}});
            code = std::max(code, 2);
        } catch (const SystemError& error) {
            std::fprintf(stderr, "%s\n", error.what());
            all.push_back({{"file", file}, {"error", error.what()}});
            code = 4;
        }
    }
    if (a.json) std::printf("%s\n", all.dump(2).c_str());
    return code;
}

}  // namespace

void add_check(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    CLI::App* command =
        program.add_subcommand("check", "examine scenes and meshes without running them");
    command->add_option("files", a->files, "scene (.toml, .json), mesh or surface files")
        ->required()
        ->type_name("FILE");
    command->add_flag("--json", a->json, "as a JSON array, one object a file");
    command->add_flag("--strict", a->strict, "warnings count as errors");
    command->add_option("--young", a->material.young, "of a mesh, for the estimates [Pa]")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--poisson", a->material.poisson, "the same, below 0.5")
        ->check(CLI::Range(0.0, 0.4999))
        ->capture_default_str();
    command->add_option("--density", a->material.density, "the same, for mass too [kg/m3]")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->footer("Example: limber check scenes/bar_gravity.toml");
    command->callback([a, &action] { action = [a] { return check(*a); }; });
}

}  // namespace limber::app
