// SPDX-License-Identifier: Apache-2.0
// limber mesh: a shape, or a mesh in another format, to a mesh file.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/shapes.h"

namespace limber::app {

namespace {

struct Arguments {
    std::string in, shape, out;
    std::vector<double> size;
    double radius = 0.5, height = 1, cell = 0;
    std::int64_t tets = 0;
    bool linearise = false;
};

ShapeDef shape_of(const Arguments& a) {
    constexpr auto names = enum_names(ShapeKind{});
    const auto it = std::find(names.begin(), names.end(), a.shape);
    ShapeDef def;
    def.kind = static_cast<ShapeKind>(it - names.begin());
    if (!a.size.empty()) def.size = Vec3d{a.size[0], a.size[1], a.size[2]};
    def.radius = a.radius;
    def.height = a.height;
    def.cell = a.cell;
    return a.tets > 0 ? with_tets(def, static_cast<Index>(a.tets)) : def;
}

int mesh(const Arguments& a) {
    if (a.in.empty() == a.shape.empty())
        throw InputError("give either a mesh file or --shape; see limber mesh --help");
    TetMesh result;
    if (!a.shape.empty()) {
        result = make_shape(shape_of(a));
    } else {
        std::error_code error;
        if (std::filesystem::equivalent(a.in, a.out, error))
            throw InputError(a.out + " is the file to read; write to another one");
        LoadedMesh loaded = read_tet_mesh(a.in, {.linearise = a.linearise});
        for (const std::string& warning : loaded.report.warnings)
            std::fprintf(stderr, "%s: warning: %s\n", a.in.c_str(), warning.c_str());
        result = std::move(loaded.mesh);
    }
    write_tet_mesh(a.out, result);
    std::printf("%s: %d nodes, %d tets\n", a.out.c_str(), result.n_nodes(), result.n_tets());
    return 0;
}

}  // namespace

void add_mesh(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    constexpr auto names = enum_names(ShapeKind{});
    CLI::App* command = program.add_subcommand("mesh", "make or convert a tet mesh");
    command->add_option("in", a->in, "mesh file to convert; its format is found from its content")
        ->type_name("IN");
    command->add_option("--shape", a->shape, "shape to make; see limber list shapes")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->type_name("NAME");
    command->add_option("-o,--out", a->out, "file to write: .msh or .vtu")
        ->required()
        ->type_name("OUT");
    command->add_option("--size", a->size, "extent of a box or beam [m]")
        ->expected(3)
        ->check(CLI::Range(1e-9, 1e9));
    command->add_option("--radius", a->radius, "of a sphere or cylinder [m]")
        ->check(CLI::Range(1e-9, 1e9));
    command->add_option("--height", a->height, "of a cylinder [m]")->check(CLI::Range(1e-9, 1e9));
    auto* cell = command->add_option("--cell", a->cell, "edge length of a cell [m]")
                     ->check(CLI::Range(1e-9, 1e9));
    command->add_option("--tets", a->tets, "number of tets to come near to")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{300'000'000}))
        ->excludes(cell);
    command->add_flag("--linearise", a->linearise, "read 10-node tets by their corners");
    command->footer("Example: limber mesh --shape beam --tets 5000 -o beam.msh");
    command->callback([a, &action] { action = [a] { return mesh(*a); }; });
}

}  // namespace limber::app
