// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/fem/elements/element_set.h"

namespace limber {

/// ½ vᵀ M v [J]: the lumped node masses plus the consistent mass of tets with tet_mass > 0.
/// Same bits for any thread count; `partial` is caller-owned scratch, grown once.
double kinetic_energy(const ElementSet& elements, std::span<const double> lumped,
                      std::span<const Vec3d> v, std::vector<double>& partial);

}  // namespace limber
