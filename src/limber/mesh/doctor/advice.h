// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the numbers of a mesh mean for a simulation: frequencies, time steps, conditioning, units.

#include <string>
#include <vector>

#include "limber/mesh/doctor/shape.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// Estimates for a mesh of one material, lumped mass, no damping.
struct StiffnessEstimate {
    Elasticity material;
    double step = 1.0 / 60;        // the implicit step `condition` is for [s]
    double highest_frequency = 0;  // bound: the largest of any free tet [rad/s]
    FileId stiffest_tet = 0;       // id of the tet that sets it
    double explicit_step = 0;      // 2 / highest_frequency: central differences are stable [s]
    double lowest_frequency = 0;   // of a clamped beam that fills the bounding box [rad/s]
    double condition = 0;          // of M⁻¹ (M + h² K), free body: 1 + (h ω_max)²
    double static_condition = 0;   // of M⁻¹ K, clamped at one end: (ω_max / ω_min)²
};

/// Highest frequency: no eigenvalue of the assembled M⁻¹ K exceeds the largest of its elements
/// (B. M. Irons and G. Treharne, "A bound theorem in eigenvalues", 1971). Lowest: the first bending
/// mode of a uniform beam of the box's size clamped at one end.
StiffnessEstimate estimate_stiffness(const TetMesh& mesh, const ShapeStatistics& shapes,
                                     const Box3& box, const Elasticity& material);

/// "this body is 127 m tall; did you mean millimetres? ..." or nothing.
std::string unit_remark(const Box3& box);

/// About bodies much thinner than wide, or nothing. Thickness is taken as 2 volume / area.
std::string thin_remark(const Box3& box, double volume, double area, double share_on_surface);

/// One sentence each: solver, time step, what to do about bad tets.
std::vector<std::string> suggestions(const StiffnessEstimate& stiffness,
                                     const ShapeStatistics& shapes, Index n_tets);

}  // namespace limber
