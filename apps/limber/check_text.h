// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `limber check` says about a mesh or a surface: as lines of at most 100 columns, and as JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "limber/mesh/quality.h"
#include "limber/mesh/tri_mesh.h"

namespace limber::app {

void print_mesh(const std::string& file, const std::string& format, const MeshReport& report);
nlohmann::ordered_json mesh_json(const std::string& file, const std::string& format,
                                 const MeshReport& report);

/// "warning M17  hinge: ..." after `indent` blanks, wrapped.
void print_finding(const Diagnosis& finding, int indent);
nlohmann::ordered_json findings_json(const std::vector<Diagnosis>& findings);

/// A surface is no body yet: it is told what `limber mesh` will make of it.
void print_surface(const std::string& file, const std::string& format, const TriMesh& mesh,
                   const TriMeshReport& report);
nlohmann::ordered_json surface_json(const std::string& file, const std::string& format,
                                    const TriMesh& mesh, const TriMeshReport& report);
/// What stands between the surface and a solid, one line each; empty for a sound one.
std::vector<std::string> surface_warnings(const TriMeshReport& report);

}  // namespace limber::app
