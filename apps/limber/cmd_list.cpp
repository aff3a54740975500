// SPDX-License-Identifier: Apache-2.0
// limber list and limber schema: what there is, from the same tables the scene reader uses.

#include <CLI/CLI.hpp>
#include <filesystem>

#include "bench_program.h"
#include "commands.h"
#include "limber/fem/materials.h"
#include "limber/io/formats.h"
#include "limber/scene/scene.h"
#include "scene_folder.h"

namespace limber::app {

namespace {

void line(std::string_view name, std::string_view text) {
    std::printf("%-16.*s %.*s\n", static_cast<int>(name.size()), name.data(),
                static_cast<int>(text.size()), text.data());
}

void list_scenes() {
    const std::filesystem::path folder = scene_folder();
    std::printf("%s:\n", folder.c_str());
    for (const SceneInfo& scene : scenes_in(folder))
        std::printf("%-28s %s\n", scene.file.filename().c_str(), scene.about.c_str());
}

template <class... Laws>
void list_laws(const std::variant<Laws...>*) {
    (line(Laws::name, Laws::help), ...);
}
void list_materials() {
    list_laws(static_cast<const AnyMaterial*>(nullptr));
}

int list(const std::string& what) {
    if (what == "solvers")
        for (const OptionCase& solver : stepper_cases()) line(solver.name, solver.meaning);
    else if (what == "materials")
        list_materials();
    else if (what == "shapes")
        for (const ShapeInfo& info : shape_table())
            line(enum_names(info.kind)[static_cast<std::size_t>(info.kind)], info.about);
    else if (what == "contacts")
        for (const OptionCase& method : contact_cases()) line(method.name, method.meaning);
    else if (what == "obstacles")
        for (const OptionCase& shape : obstacle_cases()) line(shape.name, shape.meaning);
    else if (what == "formats")
        for (const MeshFormat& format : mesh_formats()) {
            if (format.read || format.write) line(format.name, format.description);
        }
    else if (what == "benches")
        for (const bench::BenchEntry& entry : require_benches())
            line(entry.name, std::string(entry.what) + " (" + std::string(entry.source) + ")");
    else
        list_scenes();
    return 0;
}

}  // namespace

void add_list(CLI::App& program, Action& action) {
    auto what = std::make_shared<std::string>();
    CLI::App* command = program.add_subcommand("list", "what this limber knows");
    command
        ->add_option("what", *what,
                     "solvers, materials, shapes, contacts, obstacles, formats, scenes or benches")
        ->required()
        ->check(CLI::IsMember({"solvers", "materials", "shapes", "contacts", "obstacles", "formats",
                               "scenes", "benches"}));
    command->footer("Example: limber list solvers");
    command->callback([what, &action] { action = [what] { return list(*what); }; });
}

void add_schema(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("schema", "JSON Schema of scene files, for editors");
    auto markdown = std::make_shared<bool>(false);
    command->add_flag("--markdown", *markdown,
                      "the format document instead (docs/scene_format.md)");
    command->footer("Example: limber schema > scene.schema.json");
    command->callback([markdown, &action] {
        action = [markdown] {
            const std::string text = *markdown ? scene_format_markdown() : schema_json();
            std::fwrite(text.data(), 1, text.size(), stdout);
            return 0;
        };
    });
}

}  // namespace limber::app
