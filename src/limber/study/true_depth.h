// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/sim/world.h"

namespace limber {

/// How deep bodies are inside each other and inside obstacles, by a measure that shares nothing
/// with contact: surface nodes that lie in a tet of another body, and their way to its surface.
struct TrueDepth {
    double bodies = 0, obstacles = 0;  // [m]
    double most() const { return bodies > obstacles ? bodies : obstacles; }
};
/// Pairs that ignore each other, and nodes that are pinned, do not count.
TrueDepth true_depth(const World& world);

/// The mean edge of all surfaces at rest [m].
double mean_surface_edge(const Model& model);

}  // namespace limber
