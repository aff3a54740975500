// SPDX-License-Identifier: Apache-2.0
#include "limber/io/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/vtu_writer.h"

namespace limber {

namespace {

std::string_view without_leading_blanks(std::string_view text) {
    const std::size_t n = text.find_first_not_of(std::string_view(" \t\r\n\v\f\0", 7));
    return n == text.npos ? std::string_view() : text.substr(n);
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
    return begins(b, "MeshVersionFormatted");
}

void write_vtu_mesh(const std::string& path, const TetMesh& mesh) {
    write_vtu(path, mesh);
}

const MeshFormat table[] = {
    {"gmsh", "Gmsh 2.2 and 4.1, ASCII (writes 4.1)", ".msh", is_gmsh, read_gmsh, write_gmsh41},
    {"gmsh22", "Gmsh 2.2, ASCII", "", nullptr, nullptr, write_gmsh22},
    {"vtu", "VTK XML UnstructuredGrid: ASCII, inline or appended, raw, base64 or zlib", ".vtu",
     is_vtk_xml, read_vtu, write_vtu_mesh},
    {"gmsh1", "Gmsh 1 ($NOD)", "", is_gmsh1, nullptr, nullptr},
    {"vtk", "VTK legacy", "", is_vtk_legacy, nullptr, nullptr},
    {"medit", "Medit / INRIA .mesh", "", is_medit, nullptr, nullptr},
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

const MeshFormat& format_of(std::string_view bytes, const std::string& file) {
    for (const MeshFormat& format : table)
        if (format.recognises && format.recognises(bytes)) {
            if (format.read) return format;
            throw InputError({file}, fmt::format("not supported yet: {}; supported: {}",
                                                 format.description, readable_formats()));
        }
    std::string first;
    for (unsigned char c : bytes.substr(0, 4))
        first += fmt::format("{}{:02x}", first.empty() ? "" : " ", c);
    throw InputError({file}, fmt::format("unknown format, first bytes {}; supported: {}", first,
                                         readable_formats()));
}

}  // namespace

std::span<const MeshFormat> mesh_formats() {
    return table;
}

LoadedMesh read_tet_mesh_text(std::string_view bytes, const std::string& name,
                              const ReadMeshOptions& options) {
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);  // UTF-8 byte order mark
    refuse_what_is_no_mesh(bytes, name);
    const MeshFormat& format = format_of(bytes, name);
    MeshAsRead read = format.read(bytes, name, options);
    LoadedMesh loaded{std::move(read.mesh), {}, std::string(format.name)};
    loaded.report = repair_mesh(loaded.mesh, name,
                                {.strict = options.strict,
                                 .refuse = options.refuse,
                                 .material = options.material,
                                 .read_warnings = std::move(read.warnings)});
    return loaded;
}

LoadedMesh read_tet_mesh(const std::string& path, const ReadMeshOptions& options) {
    return read_tet_mesh_text(read_file(path), printable(path, 500), options);
}

void write_tet_mesh(const std::string& path, const TetMesh& mesh, std::string_view name) {
    std::string known;
    for (const MeshFormat& format : table) {
        if (!format.write) continue;
        const bool wanted = name.empty() ? !format.suffix.empty() && path.ends_with(format.suffix)
                                         : format.name == name;
        if (wanted) return format.write(path, mesh);
        if (name.empty() && format.suffix.empty()) continue;
        known += (known.empty() ? "" : ", ");
        known += name.empty() ? format.suffix : format.name;
    }
    throw InputError({printable(path, 500)},
                     name.empty() ? "no mesh format for this suffix; allowed: " + known
                                  : fmt::format("unknown mesh format '{}'; allowed: {}",
                                                printable(name), known));
}

}  // namespace limber
