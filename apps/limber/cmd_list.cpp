// SPDX-License-Identifier: Apache-2.0
// limber list and limber schema: what there is, from the same tables the scene reader uses.

#include <CLI/CLI.hpp>
#include <filesystem>

#include "bench_program.h"
#include "commands.h"
#include "limber/fem/materials.h"
#include "limber/io/formats.h"
#include "limber/scene/format/field_info.h"
#include "limber/scene/scene.h"
#include "scene_folder.h"
#include "support.h"

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

void list_formats() {
    for (const MeshFormat& format : mesh_formats())
        if (format.read || format.write) line(format.name, format.description);
}

void list_shapes() {
    for (const ShapeInfo& info : shape_table())
        line(enum_names(info.kind)[static_cast<std::size_t>(info.kind)], info.about);
}

void list_benches() {
    for (const bench::BenchEntry& entry : require_benches())
        line(entry.name, std::string(entry.what) + " (" + std::string(entry.source) + ")");
}

void list_cases(std::span<const OptionCase> cases) {
    for (const OptionCase& one : cases) line(one.name, one.meaning);
}

struct Listing {
    std::string_view name, about;
    void (*print)();
};
const Listing listings[] = {
    {"solvers", "for [solver] kind and --solver", [] { list_cases(stepper_cases()); }},
    {"materials", "for [material.NAME] kind", list_materials},
    {"shapes", "for [[body]] shape and limber mesh --shape", list_shapes},
    {"contacts", "for [contact] method", [] { list_cases(contact_cases()); }},
    {"obstacles", "for [[obstacle]] shape", [] { list_cases(obstacle_cases()); }},
    {"formats", "mesh files that are read or written", list_formats},
    {"scenes", "scene files that come with limber", list_scenes},
    {"support", "which solver takes which law, contact, integrator and device",
     [] {
         const std::string table = support_table();
         std::fwrite(table.data(), 1, table.size(), stdout);
     }},
    {"benches", "tables and figures for limber bench", list_benches},
};

int list(const std::string& what) {
    if (what.empty()) std::printf("limber list WHAT, one of:\n");
    for (const Listing& listing : listings)
        if (what.empty())
            line(listing.name, listing.about);
        else if (listing.name == what)
            listing.print();
    return 0;
}

}  // namespace

void add_list(CLI::App& program, Action& action) {
    auto what = std::make_shared<std::string>();
    std::vector<std::string> names;
    for (const Listing& listing : listings) names.emplace_back(listing.name);
    CLI::App* command = program.add_subcommand("list", "what this limber knows");
    command->add_option("what", *what, joined(names) + "; without it: what each of them is")
        ->check(CLI::IsMember(names));
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
