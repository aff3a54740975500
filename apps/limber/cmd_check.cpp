// SPDX-License-Identifier: Apache-2.0
// limber check: what a scene or a mesh holds and what is wrong with it, without running anything.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"
#include "limber/scene/build_model.h"
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

ordered_json check_mesh(const std::string& file, bool strict) {
    const LoadedMesh loaded = read_tet_mesh(file, {.strict = strict});
    const MeshReport& r = loaded.report;
    ordered_json report;
    report["file"] = file;
    report["kind"] = "mesh";
    report["format"] = loaded.format;
    report["nodes"] = r.n_nodes;
    report["tets"] = r.n_tets;
    report["parts"] = r.n_parts;
    report["size_m"] = numbers(r.box.size());
    report["volume_m3"] = r.volume;
    report["dihedral_degrees"] = {r.min_dihedral, r.max_dihedral};
    report["warnings"] = r.warnings;
    return report;
}

ordered_json check_scene_file(const std::string& file) {
    const SceneDef scene = load_scene(file);
    BuildReport built;
    const Model model = build_model(scene, built);
    ordered_json report;
    report["file"] = file;
    report["kind"] = "scene";
    report["solver"] = scene.solver.options.name();
    report["step_s"] = model.h;
    report["steps"] = scene.time.n_steps();
    report["bodies"] = ordered_json::array();
    for (const Body& body : model.bodies) {
        const auto nodes =
            std::span(model.mesh.nodes).subspan(body.node_begin, body.node_end - body.node_begin);
        double mass = 0;
        for (Index i = body.node_begin; i < body.node_end; ++i) mass += model.mass[i];
        report["bodies"].push_back({{"name", body.name},
                                    {"nodes", body.node_end - body.node_begin},
                                    {"tets", body.tet_end - body.tet_begin},
                                    {"size_m", numbers(bounding_box(nodes).size())},
                                    {"mass_kg", mass}});
    }
    Index prescribed = 0;
    for (const Vec3d& free : model.free)
        prescribed += static_cast<Index>(3 - free.x - free.y - free.z);
    report["unknowns"] = 3 * model.n_nodes() - prescribed;
    report["pins"] = model.pins.size();
    report["forces"] = model.forces.size();
    report["obstacles"] = model.obstacles.size();
    report["probes"] = model.probes.size();
    report["warnings"] = built.warnings;
    return report;
}

std::string size_text(const ordered_json& size) {
    char text[96];
    std::snprintf(text, sizeof text, "%.3g x %.3g x %.3g m", size[0].get<double>(),
                  size[1].get<double>(), size[2].get<double>());
    return text;
}

void print(const ordered_json& r) {
    std::printf("%s: ", r["file"].get<std::string>().c_str());
    if (r["kind"] == "mesh") {
        std::printf("%s mesh, %d nodes, %d tets, %d part(s)\n",
                    r["format"].get<std::string>().c_str(), r["nodes"].get<int>(),
                    r["tets"].get<int>(), r["parts"].get<int>());
        std::printf("  size %s, volume %.4g m3, dihedral angles %.1f to %.1f degrees\n",
                    size_text(r["size_m"]).c_str(), r["volume_m3"].get<double>(),
                    r["dihedral_degrees"][0].get<double>(), r["dihedral_degrees"][1].get<double>());
    } else {
        std::printf("scene, solver %s, %lld steps of %.4g s, %d unknowns\n",
                    r["solver"].get<std::string>().c_str(), r["steps"].get<long long>(),
                    r["step_s"].get<double>(), r["unknowns"].get<int>());
        for (const auto& body : r["bodies"])
            std::printf("  body %s: %d nodes, %d tets, %s, %.4g kg\n",
                        body["name"].get<std::string>().c_str(), body["nodes"].get<int>(),
                        body["tets"].get<int>(), size_text(body["size_m"]).c_str(),
                        body["mass_kg"].get<double>());
        std::printf("  %d pin(s), %d force(s), %d obstacle(s), %d probe(s)\n", r["pins"].get<int>(),
                    r["forces"].get<int>(), r["obstacles"].get<int>(), r["probes"].get<int>());
    }
    for (const auto& warning : r["warnings"])
        std::printf("  warning: %s\n", warning.get<std::string>().c_str());
}

struct Arguments {
    std::vector<std::string> files;
    bool json = false, strict = false;
};

/// Every file is looked at; the exit code is the worst.
int check(const Arguments& a) {
    ordered_json all = ordered_json::array();
    int code = 0;
    for (const std::string& file : a.files) {
        try {
            ordered_json report =
                is_scene(file) ? check_scene_file(file) : check_mesh(file, a.strict);
            if (a.strict && !report["warnings"].empty()) code = std::max(code, 2);
            if (!a.json) print(report);
            all.push_back(std::move(report));
        } catch (const InputError& error) {
            std::fprintf(stderr, "%s\n", error.what());
            all.push_back({{"file", file}, {"error", error.what()}});
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
    command->add_option("files", a->files, "scene (.toml, .json) or mesh files")
        ->required()
        ->type_name("FILE");
    command->add_flag("--json", a->json, "as a JSON array, one object a file");
    command->add_flag("--strict", a->strict, "warnings count as errors");
    command->footer("Example: limber check scenes/bar_gravity.toml");
    command->callback([a, &action] { action = [a] { return check(*a); }; });
}

}  // namespace limber::app
