// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/core/math.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

struct MassProperties {
    double mass = 0;          // [kg]
    Vec3d center{0, 0, 0};    // [m]
    Mat3d inertia = Mat3d{};  // about the centre, along the axes of the nodes [kg m²]
};

/// Of the solid inside a closed, outward surface, of one density [kg/m³]: exact, the sum of the
/// signed tets from one point to the triangles.
MassProperties mass_properties(std::span<const Vec3d> nodes, std::span<const Triangle> triangles,
                               double density);

}  // namespace limber
