// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/fem/materials.h"
#include "limber/scene/build/placement.h"
#include "limber/scene/build/selection.h"

namespace limber {

/// The directions of fibres in the tets of a body, turned and stretched as its placement does with
/// lines of its rest shape: those of its file, or those of the materials where the placement turns
/// them. One entry a tet, or none at all where the materials' own directions hold. InputError at
/// the row for a tet that the body does not have, that has no fibres or that comes twice, and for a
/// direction of length zero; at the file for tets with fibres that have no row.
std::vector<TetData> fibres_of_body(const BodyDef& def, const PlacedBody& body,
                                    const Placement& place, std::span<const Material> materials,
                                    std::span<const Index> tet_material);

}  // namespace limber
