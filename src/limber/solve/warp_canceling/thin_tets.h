// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where node rotations do harm: Hecht et al. 2012, end of section 4.1.

#include <span>
#include <vector>

#include "limber/fem/corotation.h"
#include "limber/solve/model.h"

namespace limber {

/// Marks the nodes of bodies most of whose tets are flat at rest: longest edge over least height
/// above 20.
void mark_thin_bodies(const Model& model, std::vector<char>& marked);

/// Marks nodes with tets around them that are turned against each other: rotations of the nodes of
/// one tet then differ too much. A mark comes where a tet is turned by more than 60 degrees against
/// the node's first one, and goes where all of them are within 40: with one angle for both a body
/// that stays near it would change the frames of its nodes, and so its factor, every step. Nodes
/// of `always` keep theirs. `changed` becomes the nodes whose mark came or went, ascending.
void mark_wide_spread(const Model& model, const CorotationCache& rotations,
                      std::span<const char> always, std::vector<char>& marked,
                      std::vector<Index>& changed);

}  // namespace limber
