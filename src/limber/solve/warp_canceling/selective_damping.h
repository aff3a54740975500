// SPDX-License-Identifier: Apache-2.0
#pragma once

// Damping of regions whose stale blocks are too wrong and that could not be updated: Hecht et al.
// 2012, end of section 4.4.

#include <span>

#include "limber/mesh/tet_mesh.h"

namespace limber {

struct DampingInput {
    std::span<const Tet> tets;
    std::span<const double> mass;      // [kg] per node
    std::span<const Vec3d> free;       // 0 where prescribed
    std::span<const Vec3d> x;          // [m]
    std::span<const Index> region_of;  // per tet: a connected part of a supernode
    std::span<const double> error;     // per tet [N s]
    double limit = 0;                  // errors above it are damped [N s]
};

/// v of the nodes of a bad tet times limit / error: cheap, and visible.
void damp_velocities(const DampingInput& in, std::span<Vec3d> v);

/// v of the nodes of a region's bad tets towards the rigid motion with their momentum and angular
/// momentum (shape matching; Müller et al. 2005): v = v_rigid + limit / error (v − v_rigid), less
/// the rigid part of that difference, so that a region without pins keeps both.
void damp_towards_rigid_motion(const DampingInput& in, std::span<Vec3d> v);

}  // namespace limber
