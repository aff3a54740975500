// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/filled_mesh.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "limber/core/bytes.h"
#include "limber/core/hash.h"
#include "limber/io/file.h"
#include "limber/io/scaled_mesh.h"
#include "limber/mesh/fill_surface.h"

namespace limber {

namespace {

namespace fs = std::filesystem;

/// Raised whenever the mesher makes other tets of the same surface.
constexpr std::uint32_t mesher_version = 1;

std::string key_of(const std::string& bytes, const FillDef& fill, const Vec3d& scale) {
    ByteWriter w;
    w.put("version", mesher_version);
    w.put("cell", fill.cell);
    w.put("tets", fill.tets);
    w.put("graded", fill.graded);
    w.put("scale", scale);
    w.put_string("surface", bytes);
    const std::span<const std::byte> all(w.bytes());
    return hex64(hash64(all)) + hex64(hash64(all, 1));
}

std::string file_of(const std::string& folder, const std::string& key) {
    return (fs::path(folder) / (key + ".tets")).string();
}

std::vector<std::byte> bytes_of(const FilledMesh& filled) {
    ByteWriter w;
    w.put_string("key", filled.key);
    w.put_array("nodes", std::span<const Vec3d>(filled.mesh.nodes));
    w.put_array("tets", std::span<const Tet>(filled.mesh.tets));
    w.put("remarks", static_cast<std::uint64_t>(filled.remarks.size()));
    for (const std::string& remark : filled.remarks) w.put_string("remark", remark);
    w.put("checksum", hash64(std::span<const std::byte>(w.bytes())));
    return w.bytes();
}

void number_nodes(TetMesh& mesh) {
    mesh.node_ids.resize(mesh.nodes.size());
    mesh.tet_ids.resize(mesh.tets.size());
    for (std::size_t i = 0; i < mesh.node_ids.size(); ++i)
        mesh.node_ids[i] = static_cast<FileId>(i);
    for (std::size_t t = 0; t < mesh.tet_ids.size(); ++t) mesh.tet_ids[t] = static_cast<FileId>(t);
}

/// Throws InputError where the file is damaged or another's.
FilledMesh read_kept(const std::string& file, const std::string& key) {
    const std::string text = read_file(file);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    ByteReader r(bytes, file);
    FilledMesh out;
    out.key = r.get_string("key");
    if (out.key != key) throw InputError({file}, "holds the mesh of another surface");
    out.mesh.nodes = r.get_vector<Vec3d>("nodes");
    out.mesh.tets = r.get_vector<Tet>("tets");
    const auto n_remarks = r.get<std::uint64_t>("remarks");
    for (std::uint64_t i = 0; i < n_remarks; ++i) out.remarks.push_back(r.get_string("remark"));
    const std::vector<std::byte> whole = bytes_of(out);
    if (whole.size() != bytes.size() || !std::equal(whole.begin(), whole.end(), bytes.begin()))
        throw InputError({file}, "is damaged");
    number_nodes(out.mesh);
    out.from_cache = true;
    return out;
}

std::string user_cache() {
    const char* folder = std::getenv("LIMBER_MESH_CACHE");
    return folder ? folder : "";
}

LoadedSurface surface_of(const BodyDef& body) {
    const std::string path(*body.mesh);
    LoadedSurface surface = read_surface(path);
    if (is_surface_format(surface.format)) return surface;
    bool tets = true;
    try {
        read_tet_mesh(path, {.refuse = false});
    } catch (const InputError&) {
        tets = false;  // it holds no whole tet mesh, so that its triangles are what is meant
    }
    if (!tets) return surface;
    const char* key = body.origin.has("tets")   ? "tets"
                      : body.origin.has("cell") ? "cell"
                                                : "graded";
    throw InputError(body.origin.at(key), body.origin.path + ": " + key +
                                              " fills a surface, and mesh = \"" + printable(path) +
                                              "\" has tets already; allowed: leave it out");
}

FilledMesh fill(const BodyDef& body, const Vec3d& scale, std::string key) {
    FilledMesh out;
    out.key = std::move(key);
    LoadedSurface surface = surface_of(body);
    out.remarks = surface.warnings;
    try {
        for (Vec3d& x : surface.mesh.nodes) x = {scale.x * x.x, scale.y * x.y, scale.z * x.z};
        const SurfaceSolid solid(surface.mesh);
        for (const std::string& remark : solid.surface().remarks) out.remarks.push_back(remark);
        StuffingResult result =
            fill_surface(solid, {body.fill->cell, body.fill->tets, body.fill->graded});
        for (const std::string& remark : result.remarks) out.remarks.push_back(remark);
        out.mesh.nodes = std::move(result.mesh.nodes);
        out.mesh.tets = std::move(result.mesh.tets);
    } catch (const InputError& e) {
        throw InputError(body.origin.at("mesh"), body.origin.path + ".mesh = \"" +
                                                     printable(std::string(*body.mesh)) +
                                                     "\": " + e.message());
    }
    number_nodes(out.mesh);
    return out;
}

}  // namespace

FilledMesh filled_mesh(const BodyDef& body, const Vec3d& scale,
                       std::span<const std::string> folders) {
    const std::string bytes = read_file(std::string(*body.mesh));
    const std::string key = key_of(bytes, *body.fill, scale);
    std::vector<std::string> places(folders.begin(), folders.end());
    const std::string cache = user_cache();
    if (!cache.empty()) places.push_back(cache);
    std::vector<std::string> damaged;
    for (const std::string& folder : places) {
        const std::string file = file_of(folder, key);
        std::error_code absent;
        if (!fs::exists(file, absent)) continue;
        try {
            return read_kept(file, key);
        } catch (const InputError& e) {
            damaged.push_back("the kept mesh is passed over: " + std::string(e.what()));
        }
    }
    FilledMesh out = fill(body, scale, key);
    if (!cache.empty()) keep_filled_mesh(out, cache);
    out.remarks.insert(out.remarks.end(), damaged.begin(), damaged.end());
    return out;
}

void keep_filled_mesh(const FilledMesh& mesh, const std::string& folder) {
    const std::string file = file_of(folder, mesh.key);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw SystemError(folder, "make the folder", error.value());
    if (fs::exists(file, error)) {
        try {
            read_kept(file, mesh.key);
            return;
        } catch (const InputError&) {  // damaged: written anew
        }
    }
    write_file_atomic(file, std::span<const std::byte>(bytes_of(mesh)), Flush::to_system);
}

void refuse_unfilled(const BodyDef& body, Index n_triangles) {
    throw InputError(
        body.origin.at("mesh"),
        body.origin.path + ".mesh = \"" + printable(std::string(*body.mesh)) + "\" has " +
            std::to_string(n_triangles) +
            " triangles and no tets; allowed: tets = 5000 (a number of them) or cell = ... (their "
            "size in m, after scale) beside it, which fill a closed surface; cloth = { thickness = "
            "... }; rigid = true; or a file that `limber mesh` made of it");
}

}  // namespace limber
