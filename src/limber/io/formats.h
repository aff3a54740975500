// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "limber/io/mesh_builder.h"
#include "limber/io/mesh_reader.h"

namespace limber {

/// One row of the table of mesh formats: a new format is one reader file and one row.
struct MeshFormat {
    std::string_view name;
    std::string_view description;
    std::string_view suffix;  // for writing only: reading looks at the content
    bool (*recognises)(std::string_view bytes);
    MeshAsRead (*read)(std::string_view bytes, const std::string& file,
                       const ReadMeshOptions& options);           // null: known, not read
    void (*write)(const std::string& path, const TetMesh& mesh);  // null: not written
};

std::span<const MeshFormat> mesh_formats();

// One file each: gmsh.cpp (with gmsh22.cpp and gmsh41.cpp), vtu_reader.cpp, gmsh_writer.cpp.
MeshAsRead read_gmsh(std::string_view bytes, const std::string& file,
                     const ReadMeshOptions& options);
MeshAsRead read_vtu(std::string_view bytes, const std::string& file,
                    const ReadMeshOptions& options);
void write_gmsh22(const std::string& path, const TetMesh& mesh);
void write_gmsh41(const std::string& path, const TetMesh& mesh);

}  // namespace limber
