// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/io/mesh_reader.h"

namespace limber {

/// read_tet_mesh with the coordinates multiplied by `scale` before the mesh is examined, so that
/// all lengths and volumes that are said of it are those of the scene.
LoadedMesh read_scaled_tet_mesh(const std::string& path, const Vec3d& scale,
                                const ReadMeshOptions& options = {});

/// Whether files of that format hold triangles and never tets.
bool is_surface_format(std::string_view format);

}  // namespace limber
