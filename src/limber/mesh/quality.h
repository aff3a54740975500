// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// What repair_mesh found and measured, after repair.
struct MeshReport {
    Index n_nodes = 0, n_tets = 0;
    Index n_parts = 0;                                   // pieces not joined by any node
    Index n_reoriented = 0;                              // tets that were inside out in the file
    Index n_unused = 0;                                  // nodes in no tet, left out
    Index n_slivers = 0;                                 // tets below 1e-12 of the mean volume
    double volume = 0, min_volume = 0, mean_volume = 0;  // [m³]
    double min_dihedral = 0, max_dihedral = 0;           // over all tets [degrees]
    Box3 box{};                                          // [m]
    std::vector<std::string> warnings;                   // one line each, without the file name
};

struct MeshCheck {
    bool strict = false;  // tets that are inside out are an error, not turned over
};

/// Makes a mesh as read fit to simulate: turns tets that are inside out, leaves out nodes in no
/// tet, and warns of slivers, nodes at one place, hinges and folds. Throws InputError (place:
/// `file`) for what cannot be repaired: no tets, a node twice in a tet, a tet given twice, a face
/// of three tets, a flat tet, coordinates whose volumes a double cannot hold.
MeshReport repair_mesh(TetMesh& mesh, const std::string& file, const MeshCheck& check = {});

}  // namespace limber
