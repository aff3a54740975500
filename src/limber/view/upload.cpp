// SPDX-License-Identifier: Apache-2.0
#include "limber/view/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"
#include "limber/io/mesh_reader.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "limber/mesh/surface_distance.h"

namespace limber {

namespace {

namespace fs = std::filesystem;

constexpr double side = 0.5;                     // of the scaled body [m]
constexpr double wanted_tets = 6000;             // of a filled surface
constexpr Index most_tets = 50000;               // what still moves at an interactive rate
constexpr Index most_triangles = 500000;         // of a surface: they are drawn as they are
constexpr std::int64_t most_memory = 256 << 20;  // bytes of the lattice a surface is filled with

struct Made {
    TetMesh mesh;
    std::string mesh_file, skin_file, what;
};

/// About how many tets a cell gives. An uncut octant holds 12; those that the surface cuts hold
/// fewer, but of a thin sheet both sides cut the same ones.
double predicted_tets(const ClosedSurface& solid, double cell) {
    return 12 * solid.volume / std::pow(cell, 3) + 6 * surface_area(solid.mesh) / (cell * cell);
}

/// Both are known beforehand, so that a sheet as thin as foil is refused at once and not after a
/// minute of filling.
void refuse_endless(const SurfaceSolid& solid, double cell) {
    const double tets = predicted_tets(solid.surface(), cell);
    if (tets <= most_tets) return;
    const Vec3d size = solid.bounds().size();
    throw InputError(
        fmt::format("the surface is too thin to be filled: {:.3g} x {:.3g} x {:.3g} with a volume "
                    "of {:.3g} would take about {:.2g} tets, and the page takes up to {}; limber "
                    "mesh takes more, and [[cloth]] is made for sheets",
                    size.x, size.y, size.z, solid.surface().volume, tets, most_tets));
}

std::string list_of(const std::vector<std::string>& remarks) {
    std::string out;
    for (const std::string& remark : remarks) out += "; " + remark;
    return out;
}

Made fill(const std::string& file, const UploadProgress& progress) {
    progress("reading the surface", 0);
    const LoadedSurface surface = read_surface(file);
    if (surface.mesh.n_triangles() > most_triangles)
        throw InputError("the surface has " + std::to_string(surface.mesh.n_triangles()) +
                         " triangles; the page takes up to " + std::to_string(most_triangles) +
                         "; limber mesh takes more");
    progress("closing the surface", 0);
    const SurfaceSolid solid(surface.mesh);
    StuffingOptions o;
    solid.describe(o);
    // An uncut octant holds 12 tets; thin bodies get at least eight cells along.
    const Vec3d size = solid.bounds().size();
    o.cell = std::min(std::cbrt(12 * solid.surface().volume / wanted_tets),
                      std::max({size.x, size.y, size.z}) / 8);
    o.fragments = 0.01;
    o.memory = most_memory;
    refuse_endless(solid, o.cell);
    const StuffingResult filled = stuff(solid, o, progress);
    Made made;
    made.mesh = filled.mesh;
    const fs::path path(file);
    made.mesh_file = path.stem().string() + "_tets.msh";
    made.skin_file = path.filename().string();
    progress("writing the tets", 0);
    write_tet_mesh((path.parent_path() / made.mesh_file).string(), made.mesh);
    made.what = "a surface of " + std::to_string(surface.mesh.n_triangles()) +
                " triangles, filled with " + std::to_string(made.mesh.n_tets()) + " tets" +
                list_of(surface.warnings) + list_of(solid.surface().remarks) +
                list_of(filled.remarks);
    return made;
}

Made take(const std::string& file, const UploadProgress& progress) {
    progress("reading the mesh", 0);
    try {
        Made made;
        made.mesh = read_tet_mesh(file).mesh;
        made.mesh_file = fs::path(file).filename().string();
        made.what = std::to_string(made.mesh.n_tets()) + " tets";
        return made;
    } catch (const InputError& not_tets) {
        try {
            return fill(file, progress);
        } catch (const InputError& not_surface) {
            throw InputError("the file is neither a tet mesh (" + not_tets.message() +
                             ") nor a closed surface (" + not_surface.message() + ")");
        }
    }
}

}  // namespace

UploadedScene scene_of_upload(const std::string& file, const UploadProgress& tell) {
    const UploadProgress progress = tell ? tell : [](std::string_view, double) {};
    const Made made = take(file, progress);
    if (made.mesh.n_tets() > most_tets)
        throw InputError("the mesh has " + std::to_string(made.mesh.n_tets()) +
                         " tets; the page takes up to " + std::to_string(most_tets) +
                         "; limber run takes more");
    const Box3 box = bounding_box(made.mesh.nodes);
    const Vec3d size = box.size();
    const double scale = side / std::max({size.x, size.y, size.z});
    const Vec3d middle = (0.5 * scale) * (box.lo + box.hi);
    const double height = 0.5 * side - scale * box.lo.y;
    std::string text =
        "# Made by limber view for a file that was dropped onto its page.\n"
        "limber = 1\n\n[time]\nstep = 0.008333333333333333\nend = 10\n\n"
        "[material.soft]\nkind = \"corotated\"\nyoung = \"100 kPa\"\npoisson = 0.4\n"
        "density = 1000\ndamping = { mass = 0, stiffness = 0.001 }\n\n"
        "[[body]]\nname = \"dropped\"\nmesh = \"" +
        made.mesh_file + "\"\nmaterial = \"soft\"\nscale = " + number_text(scale) +
        "\ntranslate = [" + number_text(-middle.x) + ", " + number_text(height) + ", " +
        number_text(-middle.z) + "]\n";
    if (!made.skin_file.empty()) text += "skin = \"" + made.skin_file + "\"\n";
    text += "\n[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\nfriction = 0.5\n";
    const fs::path path(file);
    UploadedScene out;
    out.scene = (path.parent_path() / (path.stem().string() + ".toml")).string();
    write_file_atomic(out.scene, text, Flush::to_system);
    out.remark = "dropped file: " + made.what + "; scaled by " + number_text(scale) +
                 " to 0.5 m; a mesh file does not say its unit";
    return out;
}

}  // namespace limber
