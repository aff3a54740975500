// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "limber/mesh/quality.h"

namespace limber {

inline TetMesh mesh_of(std::vector<Vec3d> nodes, std::vector<Tet> tets) {
    TetMesh mesh;
    mesh.nodes = std::move(nodes);
    mesh.tets = std::move(tets);
    for (Index i = 0; i < mesh.n_nodes(); ++i) mesh.node_ids.push_back(i + 1);
    for (Index i = 0; i < mesh.n_tets(); ++i) mesh.tet_ids.push_back(i + 1);
    return mesh;
}

/// `b` beside `a`, with ids that go on.
inline TetMesh both(TetMesh a, const TetMesh& b, const Vec3d& shift) {
    const Index first = a.n_nodes();
    for (const Vec3d& p : b.nodes) a.nodes.push_back(p + shift);
    for (Tet tet : b.tets) {
        for (Index& node : tet) node += first;
        a.tets.push_back(tet);
    }
    return mesh_of(std::move(a.nodes), std::move(a.tets));
}

inline MeshReport examined(TetMesh mesh, MeshCheck check = {}) {
    check.refuse = false;
    return repair_mesh(mesh, "m", check);
}

inline const Diagnosis* finding(const MeshReport& report, const std::string& code) {
    for (const Diagnosis& d : report.findings)
        if (d.code == code) return &d;
    return nullptr;
}

using Ids = std::vector<FileId>;

}  // namespace limber
