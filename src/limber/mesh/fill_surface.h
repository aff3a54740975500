// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/mesh/stuffing/stuffing.h"
#include "limber/mesh/surface_distance.h"

namespace limber {

struct FillOptions {
    double cell = 0;  // edge length of a cell [m]; 0: a twentieth of the largest extent
    Index tets = 0;   // to come near to, instead of cell; 0: not given
    bool graded = false;
};

/// Tets inside a closed surface. Where facets and thin places cost more than 2 % of the volume, the
/// surface moves outwards by a part of a cell; with `tets` the cell follows, so that the number of
/// tets stays. Throws InputError as stuff() does.
StuffingResult fill_surface(const SurfaceSolid& solid, const FillOptions& options,
                            const StuffingProgress& progress = {});

}  // namespace limber
