// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/scene/scene_def.h"

namespace limber {

/// The options of `shape = "mesh"`.
struct MeshObstacleDef {
    FilePath file;
    ScaleDef scale;
};
template <class Visitor>
void fields(Visitor& field, MeshObstacleDef& o) {
    field("file", o.file, required(), "closed surface, relative to this file");
    field("scale", o.scale, any_value(),
          "a factor, a unit (\"1 mm\" for a file in millimetres) or a factor for each axis");
}

/// Reads the surface. InputError where it is open, branches, or is scaled to nothing; a surface
/// whose triangles disagree or that is inside out is turned, with a remark.
ObstacleShape mesh_obstacle(const ObstacleDef& obstacle, std::vector<std::string>& remarks);

}  // namespace limber
