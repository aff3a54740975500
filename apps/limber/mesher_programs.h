// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "limber/mesh/tri_mesh.h"

namespace limber::app {

/// Fills a closed surface with `program`, tetgen or gmsh, run as a program of its own without a
/// shell in a folder of its own. `cell` is the edge length and `tets` the number to come near to,
/// 0 where not given. Throws InputError where the program is not installed or refuses the surface.
TetMesh mesh_by_program(const std::string& program, const TriMesh& surface, double cell,
                        std::int64_t tets);

}  // namespace limber::app
