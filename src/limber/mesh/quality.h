// SPDX-License-Identifier: Apache-2.0
#pragma once

// The mesh doctor: runs on every mesh before it is simulated. What it finds, and what to do about
// it, is in docs/mesh_doctor.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/mesh/doctor/advice.h"
#include "limber/mesh/doctor/faces.h"
#include "limber/mesh/doctor/shape.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

enum class Severity {
    fixed,    // the mesh was wrong and has been changed
    remark,   // good to know
    warning,  // can be simulated, but perhaps not as meant
    error,    // cannot be simulated
};
std::string_view severity_name(Severity severity);

/// One finding.
struct Diagnosis {
    Severity severity = Severity::remark;
    std::string code;                     // "M07"; empty: said by the reader of the file
    std::string text;                     // one line, without the file's name, with the first ids
    std::int64_t count = 0;               // elements, nodes, pairs or faces found
    std::vector<FileId> elements, nodes;  // ids of the first ten; pairs and faces one after another
};

/// What the doctor found and measured, after repair.
struct MeshReport {
    Index n_nodes = 0, n_tets = 0;
    Index n_parts = 0;                                   // pieces not joined by any node
    Index n_reoriented = 0;                              // tets that were inside out in the file
    Index n_unused = 0;                                  // nodes in no tet, left out
    Index n_slivers = 0;                                 // tets below 1e-12 of the mean volume
    Index n_boundary = 0;                                // faces with one tet
    double volume = 0, min_volume = 0, mean_volume = 0;  // [m³]
    double area = 0;                                     // of the boundary [m²]
    double mass = 0;                                     // with the density of `stiffness` [kg]
    double min_dihedral = 0, max_dihedral = 0;           // over all tets [degrees]
    Box3 box{};                                          // [m]
    ShapeStatistics shapes;
    std::vector<MeshPart> parts;  // the ten largest
    StiffnessEstimate stiffness;
    bool sampled = false;                  // overlaps were looked for in a part of the surface only
    std::vector<Diagnosis> findings;       // most grave first
    std::vector<std::string> suggestions;  // one line each
    std::vector<std::string> warnings;     // texts of what was fixed and warned of

    bool has_errors() const;
};

struct MeshCheck {
    bool strict = false;       // inside-out tets are an error, unused nodes a warning
    bool refuse = true;        // throw the first error; false: errors are findings like all others
    Elasticity material = {};  // for mass, frequencies and conditions
    std::vector<std::string> read_warnings = {};  // what the reader of the file had to say
};

/// Makes a mesh as read fit to simulate: turns tets that are inside out, leaves out nodes in no
/// tet, and reports what else is odd. Throws InputError (place: `file`) for what cannot be
/// simulated: no tets, a node twice in a tet, a tet given twice, a face of three tets, a flat tet,
/// coordinates whose volumes a double cannot hold. Linear in the mesh but for sorts.
MeshReport repair_mesh(TetMesh& mesh, const std::string& file, const MeshCheck& check = {});

}  // namespace limber
