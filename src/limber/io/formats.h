// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "limber/io/mesh_builder.h"
#include "limber/io/mesh_reader.h"

namespace limber {

enum class MeshKind { volume, surface };

/// One row of the table of mesh formats: a new format is one reader file and one row.
struct MeshFormat {
    std::string_view name;
    MeshKind kind;
    std::string_view description;
    std::string_view suffix;  // for writing only: reading looks at the content
    bool (*recognises)(std::string_view bytes) = nullptr;
    /// Null: not read. Where MeshSource::faces is set the triangles are wanted.
    MeshAsRead (*read)(const MeshSource& source, const ReadMeshOptions& options) = nullptr;
    void (*write)(const std::string& path, const TetMesh& mesh) = nullptr;  // null: not written
    void (*write_surface)(const std::string& path, const TriMesh& mesh) = nullptr;
};

std::span<const MeshFormat> mesh_formats();

// One file each: gmsh.cpp (with one more for each version), vtu_reader.cpp, vtk_legacy.cpp, ...
MeshAsRead read_gmsh(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_gmsh1(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_vtu(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_vtk_legacy(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_tetgen(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_medit(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_meshb(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_abaqus(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_vega(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_obj(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_stl(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_ply(const MeshSource& source, const ReadMeshOptions& options);
MeshAsRead read_off(const MeshSource& source, const ReadMeshOptions& options);

// What a file begins with does not tell in these formats.
bool is_tetgen(std::string_view bytes);
bool is_meshb(std::string_view bytes);
bool is_abaqus(std::string_view bytes);
bool is_obj(std::string_view bytes);
bool is_stl(std::string_view bytes);
/// From the first bytes of a file and its size, by which a binary one is known.
bool is_binary_stl(std::string_view head, std::size_t file_size);
bool is_off(std::string_view bytes);

void write_gmsh22(const std::string& path, const TetMesh& mesh);
void write_gmsh41(const std::string& path, const TetMesh& mesh);
void write_medit(const std::string& path, const TetMesh& mesh);
/// Writes both halves, whichever of them `path` names.
void write_tetgen(const std::string& path, const TetMesh& mesh);
void write_obj(const std::string& path, const TriMesh& mesh);
void write_stl(const std::string& path, const TriMesh& mesh);
void write_ply(const std::string& path, const TriMesh& mesh);
void write_off(const std::string& path, const TriMesh& mesh);

}  // namespace limber
