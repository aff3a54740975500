// SPDX-License-Identifier: Apache-2.0
#include "limber/io/formats.h"
#include "limber/io/scaled_mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/vtk/vtu_writer.h"
#include "limber/mesh/doctor/repair.h"

namespace limber {

namespace {

std::string_view without_leading_blanks(std::string_view text) {
    const std::size_t n = text.find_first_not_of(std::string_view(" \t\r\n\v\f\0", 7));
    return n == text.npos ? std::string_view() : text.substr(n);
}

/// Without blanks and lines that begin with '#'.
std::string_view without_comments(std::string_view text) {
    text = without_leading_blanks(text);
    while (text.starts_with('#'))
        text =
            without_leading_blanks(text.substr(std::min(text.find_first_of("\n\r"), text.size())));
    return text;
}

bool begins(std::string_view bytes, std::string_view with) {
    return without_leading_blanks(bytes).starts_with(with);
}

bool is_gmsh(std::string_view b) {
    return begins(b, "$") && !begins(b, "$NOD");
}
bool is_gmsh1(std::string_view b) {
    return begins(b, "$NOD");
}
bool is_vtk_xml(std::string_view b) {
    return begins(b, "<?xml") || begins(b, "<VTKFile");
}
bool is_vtk_legacy(std::string_view b) {
    return begins(b, "# vtk DataFile");
}
bool is_medit(std::string_view b) {
    return without_comments(b).starts_with("MeshVersionFormatted");
}
bool is_vega(std::string_view b) {
    const std::string_view text = without_comments(b);
    return text.starts_with("*VERTICES") ||
           (text.starts_with('*') && text.find("\n*VERTICES") != text.npos);
}
bool is_inp(std::string_view b) {
    return begins(b, "*") && is_abaqus(b);
}
bool is_ply(std::string_view b) {
    return b.starts_with("ply\n") || b.starts_with("ply\r") || b.starts_with("ply ");
}

void write_vtu_mesh(const std::string& path, const TetMesh& mesh) {
    write_vtu(path, mesh);
}

constexpr MeshKind volume = MeshKind::volume, surface = MeshKind::surface;

/// The first row that recognises a file reads it: rows that look at less come last.
const MeshFormat table[] = {
    {"gmsh", volume, "Gmsh 2.0 to 2.2, 4.0 and 4.1, ASCII and binary (writes 4.1)", ".msh", is_gmsh,
     read_gmsh, write_gmsh41},
    {"gmsh22", volume, "Gmsh 2.2, ASCII (for writing)", "", nullptr, nullptr, write_gmsh22},
    {"gmsh1", volume, "Gmsh 1 ($NOD)", "", is_gmsh1, read_gmsh1},
    {"vtu", volume, "VTK XML UnstructuredGrid: ASCII, inline or appended, raw, base64 or zlib",
     ".vtu", is_vtk_xml, read_vtu, write_vtu_mesh},
    {"vtk", volume, "VTK legacy 1.0 to 5.1, ASCII and binary", "", is_vtk_legacy, read_vtk_legacy},
    {"medit", volume, "Medit / INRIA .mesh", ".mesh", is_medit, read_medit, write_medit},
    {"meshb", volume, "Medit / INRIA .meshb, versions 1 to 4", "", is_meshb, read_meshb},
    {"vega", volume, "Vega .veg", "", is_vega, read_vega},
    {"abaqus", volume, "Abaqus .inp (C3D4)", "", is_inp, read_abaqus},
    {"ply", surface, "PLY, ASCII and binary (writes binary)", ".ply", is_ply, read_ply, nullptr,
     write_ply},
    {"off", surface, "OFF, also with normals or colours", ".off", is_off, read_off, nullptr,
     write_off},
    {"stl", surface, "STL, ASCII and binary (writes binary)", ".stl", is_stl, read_stl, nullptr,
     write_stl},
    {"obj", surface, "Wavefront OBJ", ".obj", is_obj, read_obj, nullptr, write_obj},
    {"tetgen", volume, "TetGen .node and .ele", ".node", is_tetgen, read_tetgen, write_tetgen},
};

std::string readable_formats() {
    std::string text;
    for (const MeshFormat& format : table)
        if (format.read) text += (text.empty() ? "" : "; ") + std::string(format.description);
    return text;
}

/// Encodings and contents that no row of the table can read.
void refuse_what_is_no_mesh(std::string_view bytes, const std::string& file) {
    if (bytes.empty()) throw InputError({file}, "empty mesh file");
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
        throw InputError({file}, "text in UTF-16; allowed: ASCII or UTF-8");
    if (without_leading_blanks(bytes).empty())
        throw InputError({file}, "no $MeshFormat found: the file has only blanks or NUL bytes");
}

[[noreturn]] void refuse_unknown(std::string_view bytes, const std::string& file) {
    std::string first;
    for (unsigned char c : bytes.substr(0, 4))
        first += fmt::format("{}{:02x}", first.empty() ? "" : " ", c);
    throw InputError({file}, fmt::format("unknown format, first bytes {}; supported: {}", first,
                                         readable_formats()));
}

/// The row that reads it; null: none.
const MeshFormat* recognised(std::string_view bytes) {
    for (const MeshFormat& format : table)
        if (format.recognises && format.recognises(bytes)) return &format;
    return nullptr;
}

const MeshFormat& prepare(MeshSource& source) {
    if (source.bytes.starts_with("\xef\xbb\xbf"))
        source.bytes.remove_prefix(3);  // UTF-8 byte order mark
    refuse_what_is_no_mesh(source.bytes, source.file);
    if (const MeshFormat* format = recognised(source.bytes)) return *format;
    refuse_unknown(source.bytes, source.file);
}

/// What a file is shows at its beginning: only a mesh is read whole.
std::string read_mesh_file(const std::string& path, const std::string& shown) {
    constexpr std::size_t head_size = 1 << 20;
    std::string head = read_head(path, head_size);
    if (head.size() < head_size) return head;
    refuse_what_is_no_mesh(head, shown);
    const std::string_view mark = "\xef\xbb\xbf";
    const std::string_view text =
        std::string_view(head).substr(head.starts_with(mark) ? mark.size() : 0);
    if (!recognised(text) && !is_binary_stl(head, static_cast<std::size_t>(file_size(path))))
        refuse_unknown(head, shown);
    return read_file(path);
}

/// Surfaces too must leave room for the squares and products of their lengths.
void check_range(const TriMesh& mesh, const std::string& file) {
    if (const std::string wrong = range_problem(mesh); !wrong.empty())
        throw InputError({file}, wrong);
}

/// `bytes` are let go as soon as they are read.
LoadedMesh load(MeshSource source, std::string bytes, const ReadMeshOptions& options,
                const Vec3d& scale = {1, 1, 1}) {
    if (!bytes.empty()) source.bytes = bytes;
    const MeshFormat& format = prepare(source);
    MeshAsRead read = format.read(source, options);
    bytes = std::string();
    LoadedMesh loaded{std::move(read.mesh), {}, std::string(format.name)};
    if (scale != Vec3d{1, 1, 1})
        for (Vec3d& x : loaded.mesh.nodes) x = {scale.x * x.x, scale.y * x.y, scale.z * x.z};
    loaded.report = repair_mesh(loaded.mesh, source.file,
                                {.strict = options.strict,
                                 .refuse = options.refuse,
                                 .material = options.material,
                                 .read_warnings = std::move(read.warnings)});
    return loaded;
}

LoadedSurface load_surface(MeshSource source) {
    source.faces = true;
    const MeshFormat& format = prepare(source);
    MeshAsRead read = format.read(source, {.linearise = true});
    check_range(read.surface, source.file);
    return {std::move(read.surface), std::move(read.warnings), std::string(format.name)};
}

/// The row whose writer was asked for, by its name or by the suffix of the path.
template <class Has>
const MeshFormat& writer_of(const std::string& path, std::string_view name, Has has) {
    std::string known;
    for (const MeshFormat& format : table) {
        if (!has(format)) continue;
        const bool tetgen_half = format.name == "tetgen" && path.ends_with(".ele");
        const bool by_suffix =
            !format.suffix.empty() && (path.ends_with(format.suffix) || tetgen_half);
        if (name.empty() ? by_suffix : format.name == name) return format;
        if (name.empty() && format.suffix.empty()) continue;
        known += (known.empty() ? "" : ", ");
        known += name.empty() ? format.suffix : format.name;
    }
    throw InputError({printable(path, 500)},
                     name.empty() ? "no mesh format for this suffix; allowed: " + known
                                  : fmt::format("unknown mesh format '{}'; allowed: {}",
                                                printable(name), known));
}

}  // namespace

std::span<const MeshFormat> mesh_formats() {
    return table;
}

LoadedMesh read_tet_mesh_text(std::string_view bytes, const std::string& name,
                              const ReadMeshOptions& options) {
    return load({bytes, name, ""}, "", options);
}

LoadedMesh read_tet_mesh(const std::string& path, const ReadMeshOptions& options) {
    const std::string shown = printable(path, 500);
    return load({{}, shown, path}, read_mesh_file(path, shown), options);
}

LoadedMesh read_scaled_tet_mesh(const std::string& path, const Vec3d& scale,
                                const ReadMeshOptions& options) {
    return load({{}, printable(path, 500), path}, read_file(path), options, scale);
}

bool is_surface_format(std::string_view format) {
    return format == "obj" || format == "off" || format == "ply" || format == "stl";
}

LoadedSurface read_surface_text(std::string_view bytes, const std::string& name) {
    return load_surface({bytes, name, ""});
}

LoadedSurface read_surface(const std::string& path) {
    const std::string shown = printable(path, 500), bytes = read_mesh_file(path, shown);
    return load_surface({bytes, shown, path});
}

void write_tet_mesh(const std::string& path, const TetMesh& mesh, std::string_view name) {
    writer_of(path, name, [](const MeshFormat& f) { return f.write != nullptr; }).write(path, mesh);
}

void write_surface(const std::string& path, const TriMesh& mesh, std::string_view name) {
    writer_of(path, name, [](const MeshFormat& f) {
        return f.write_surface != nullptr;
    }).write_surface(path, mesh);
}

}  // namespace limber
