// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/quality.h"
#include "limber/mesh/tet_mesh.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

struct ReadMeshOptions {
    bool strict = false;     // inside-out tets are an error instead of a warning
    bool linearise = false;  // take the corners of 10-node and higher tets instead of refusing them
};

struct LoadedMesh {
    TetMesh mesh;
    MeshReport report;   // with the warnings of reading and repairing
    std::string format;  // name in the table of formats
};

/// Reads a volume mesh in any known format, recognised by its content whatever its name, and makes
/// it fit to simulate (mesh/quality.h). Coordinates are not scaled. Throws InputError with the
/// place in the file, SystemError where the file cannot be read.
LoadedMesh read_tet_mesh(const std::string& path, const ReadMeshOptions& options = {});

/// The same for bytes that are already here; `name` stands for the file in messages.
LoadedMesh read_tet_mesh_text(std::string_view bytes, const std::string& name,
                              const ReadMeshOptions& options = {});

struct LoadedSurface {
    TriMesh mesh;
    std::vector<std::string> warnings;
    std::string format;
};

/// Reads a surface in any known format, volume formats by their triangles and quadrangles. Polygons
/// are triangulated and the corners of STL files welded; nothing else is repaired.
LoadedSurface read_surface(const std::string& path);
LoadedSurface read_surface_text(std::string_view bytes, const std::string& name);

/// Writes a surface in the format of the name's suffix (.obj, .stl, .ply, .off) or in the named
/// one. STL holds floats, the others keep every bit.
void write_surface(const std::string& path, const TriMesh& mesh, std::string_view format = "");

/// Writes a mesh with its ids and groups in the format of the name's suffix (.msh, .vtu, .mesh,
/// .node) or in the named one of the table of formats. Medit and TetGen files hold one number a
/// tet: they keep the tet groups, under that number, but neither node groups nor sparse ids.
void write_tet_mesh(const std::string& path, const TetMesh& mesh, std::string_view format = "");

}  // namespace limber
