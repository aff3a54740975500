// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/scene/selection.h"
#include "limber/solve/model.h"

namespace limber {

/// The force of one [[force]] on its body; node indices are the model's.
NodalForce nodal_force(const ForceDef& def, std::size_t number, const PlacedBody& placed,
                       const Body& body);

struct NodeLoad {
    FileId node = 0;
    Vec3d force;  // [N]
    int line = 0;
};
/// Reads node,fx,fy,fz lines; the header line, blank lines and lines that begin with # are skipped.
std::vector<NodeLoad> read_loads_csv(const std::string& path);

}  // namespace limber
