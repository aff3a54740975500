// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where node rotations do harm: Hecht et al. 2012, end of section 4.1.

#include <vector>

#include "limber/fem/corotation.h"
#include "limber/solve/model.h"

namespace limber {

/// Marks the nodes of bodies most of whose tets are flat at rest: longest edge over least height
/// above 20.
void mark_thin_bodies(const Model& model, std::vector<char>& marked);

/// Marks the nodes of tets that share a node with a tet turned by more than 60 degrees against
/// them: rotations of the nodes of one tet then differ too much. Marks stay.
void mark_wide_spread(const Model& model, const CorotationCache& rotations,
                      std::vector<char>& marked);

}  // namespace limber
