// SPDX-License-Identifier: Apache-2.0
// limber mesh: a shape, a closed surface, or a mesh in another format, to a tet mesh file.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/scaled_mesh.h"
#include "limber/mesh/fill_surface.h"
#include "limber/mesh/shapes.h"
#include "mesher_programs.h"

namespace limber::app {

namespace {

struct MeshArguments {
    std::string in, shape, out, with;
    std::vector<double> size;
    double radius = 0.5, height = 1, cell = 0;
    std::int64_t tets = 0;
    bool linearise = false, graded = false;
};

/// One line that grows, on a terminal only.
class Bar {
  public:
    ~Bar() { clear(); }
    void show(std::string_view stage, double done) {
        if (!terminal_) return;
        constexpr int width = 30;
        const int filled = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
        std::fprintf(stderr, "\r\x1b[K%-20.*s [%s%s] %3.0f %%", static_cast<int>(stage.size()),
                     stage.data(), std::string(filled, '#').c_str(),
                     std::string(width - filled, ' ').c_str(), 100 * done);
        drawn_ = true;
    }
    void clear() {
        if (drawn_) std::fputs("\r\x1b[K", stderr);
        drawn_ = false;
    }
    ShapeProgress progress() {
        return [this](std::string_view stage, double done) { show(stage, done); };
    }

  private:
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    bool drawn_ = false;
};

void warn(const std::string& about, const std::string& text) {
    std::fprintf(stderr, "%s: warning: %s\n", about.c_str(), text.c_str());
}

ShapeDef shape_of(const MeshArguments& a) {
    constexpr auto names = enum_names(ShapeKind{});
    const auto it = std::find(names.begin(), names.end(), a.shape);
    ShapeDef def;
    def.kind = static_cast<ShapeKind>(it - names.begin());
    if (!a.size.empty()) def.size = Vec3d{a.size[0], a.size[1], a.size[2]};
    def.radius = a.radius;
    def.height = a.height;
    def.cell = a.cell;
    def.graded = a.graded;
    def.tets = static_cast<Index>(a.tets);
    return def;
}

/// An option that the shape does not read must not be dropped in silence.
void check_shape_options(const MeshArguments& a, const CLI::App& command) {
    const ShapeInfo& info = shape_info(shape_of(a).kind);
    for (const char* key : {"size", "radius", "height", "graded", "tets"})
        if (command.count(std::string("--") + key) > 0 && !info.reads(key))
            throw InputError("--" + std::string(key) + " does not belong to shape " + a.shape +
                             "; see docs/shapes.md");
}

void print_quality(const TetMesh& mesh) {
    const DihedralRange range = dihedral_range(mesh);
    const std::vector<Index> part = tet_parts(mesh);
    const Index parts = *std::max_element(part.begin(), part.end()) + 1;
    std::printf("  volume %.6g m^3, dihedral angles %.1f to %.1f degrees, %d part%s\n",
                mesh_volume(mesh), range.min, range.max, parts, parts == 1 ? "" : "s");
}

TetMesh mesh_surface(const MeshArguments& a, const LoadedSurface& loaded) {
    for (const std::string& warning : loaded.warnings) warn(a.in, warning);
    Bar bar;
    StuffingResult result;
    SurfaceDistance distance;
    double diagonal = 0;
    try {
        const SurfaceSolid solid(loaded.mesh);
        for (const std::string& remark : solid.surface().remarks) warn(a.in, remark);
        result =
            fill_surface(solid, {a.cell, static_cast<Index>(a.tets), a.graded}, bar.progress());
        bar.show("comparing surfaces", 0);
        distance = measure_distance(boundary_surface(result.mesh), solid.surface().mesh);
        diagonal = norm(solid.bounds().size());
    } catch (const InputError& e) {
        bar.clear();
        if (!e.place().file.empty()) throw;
        throw InputError({a.in, 0, 0, -1}, e.message());
    }
    bar.clear();
    for (const std::string& remark : result.remarks) warn(a.in, remark);
    std::printf(
        "  volume %.6g m^3 of %.6g (%+.2f %%), dihedral angles %.1f to %.1f degrees, "
        "%d part%s\n",
        result.volume, result.shape_volume, 100 * (result.volume / result.shape_volume - 1),
        result.dihedral.min, result.dihedral.max, result.n_parts, result.n_parts == 1 ? "" : "s");
    std::printf("  surface distance: mean %.3g m, largest %.3g m (%.2f %% of the diagonal)\n",
                std::max(distance.mean_to, distance.mean_from),
                std::max(distance.max_to, distance.max_from),
                100 * std::max(distance.max_to, distance.max_from) / diagonal);
    return std::move(result.mesh);
}

TetMesh mesh_shape(const MeshArguments& a) {
    Bar bar;
    ShapeMesh made = make_shape_mesh(shape_of(a), bar.progress());
    bar.clear();
    for (const std::string& remark : made.remarks) warn(a.shape, remark);
    print_quality(made.mesh);
    return std::move(made.mesh);
}

bool wants_filling(const MeshArguments& a) {
    return a.tets > 0 || a.cell > 0 || a.graded || !a.with.empty();
}

/// True with `mesh` filled where the file holds tets; else `surface` is. A volume format counts as
/// a surface only where filling was asked for: a mesh with faulty tets must not pass for one.
bool read_input(const MeshArguments& a, LoadedMesh& mesh, LoadedSurface& surface) {
    try {
        mesh = read_tet_mesh(a.in, {.linearise = a.linearise});
        return true;
    } catch (const InputError&) {
        surface = read_surface(a.in);
        const bool surface_only = is_surface_format(surface.format);
        if (surface.mesh.triangles.empty() || (!surface_only && !wants_filling(a))) throw;
        return false;
    }
}

/// A file is a tet mesh to convert, or else a surface to fill.
TetMesh mesh_file(const MeshArguments& a) {
    std::error_code error;
    if (std::filesystem::equivalent(a.in, a.out, error))
        throw InputError(a.out + " is the file to read; write to another one");
    LoadedMesh loaded;
    LoadedSurface surface;
    if (read_input(a, loaded, surface)) {
        if (wants_filling(a))
            throw InputError({a.in, 0, 0, -1},
                             "already a tet mesh; --cell, --tets, --graded and --with are for "
                             "surfaces and shapes");
        for (const std::string& warning : loaded.report.warnings) warn(a.in, warning);
        return std::move(loaded.mesh);
    }
    if (a.with.empty()) return mesh_surface(a, surface);
    for (const std::string& warning : surface.warnings) warn(a.in, warning);
    TetMesh mesh = mesh_by_program(a.with, surface.mesh, a.cell, a.tets);
    if (a.tets > 0 && mesh.n_tets() > 1.2 * double(a.tets))
        warn(a.in, a.with + " keeps the triangles of the surface, which need more tets than " +
                       std::to_string(a.tets) + "; a coarser surface needs fewer");
    print_quality(mesh);
    return mesh;
}

int mesh(const MeshArguments& a, const CLI::App& command) {
    if (a.in.empty() == a.shape.empty())
        throw InputError("give either a mesh file or --shape; see limber mesh --help");
    if (!a.with.empty() && a.graded)
        throw InputError("--graded belongs to limber's own mesher, not to --with");
    if (!a.shape.empty()) {
        if (!a.with.empty()) throw InputError("--with takes a surface file, not a shape");
        check_shape_options(a, command);
    }
    if (!a.shape.empty() && shape_info(shape_of(a).kind).surface) {
        const TriMesh surface = make_shape_surface(shape_of(a)).mesh;
        write_surface(a.out, surface);
        std::printf("%s: %d nodes, %d triangles\n", a.out.c_str(), surface.n_nodes(),
                    surface.n_triangles());
        return 0;
    }
    const TetMesh result = a.shape.empty() ? mesh_file(a) : mesh_shape(a);
    write_tet_mesh(a.out, result);
    std::printf("%s: %d nodes, %d tets\n", a.out.c_str(), result.n_nodes(), result.n_tets());
    return 0;
}

}  // namespace

void add_mesh(CLI::App& program, Action& action) {
    auto a = std::make_shared<MeshArguments>();
    constexpr auto names = enum_names(ShapeKind{});
    CLI::App* command = program.add_subcommand("mesh", "make or convert a tet mesh");
    command
        ->add_option("in", a->in,
                     "closed surface to fill, or tet mesh to convert; the format is found from the "
                     "content")
        ->type_name("IN");
    command->add_option("--shape", a->shape, "shape to make; see limber list shapes")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->type_name("NAME");
    command->add_option("-o,--out", a->out, "file to write; its suffix says the format")
        ->required()
        ->type_name("OUT");
    command->add_option("--size", a->size, "extent of a box, beam or sheet [m]")
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
    command->add_flag("--graded", a->graded, "coarser away from the surface");
    command->add_option("--with", a->with, "another mesher, where it is installed")
        ->check(CLI::IsMember({"tetgen", "gmsh"}))
        ->type_name("tetgen|gmsh");
    command->add_flag("--linearise", a->linearise, "read 10-node tets by their corners");
    command->footer(
        "Examples: limber mesh dragon.off --tets 58000 -o dragon.msh\n"
        "          limber mesh --shape bear --tets 5000 -o bear.msh");
    command->callback(
        [a, command, &action] { action = [a, command] { return mesh(*a, *command); }; });
}

}  // namespace limber::app
