// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/mesh/shapes.h"

namespace limber {

ShapeSurface make_cloth_sheet(const ShapeDef& shape);
ShapeSurface make_dress(const ShapeDef& shape);

/// InputError where a sheet of so many triangles needs more memory than there is: before it is
/// made.
void require_cloth_memory(double n_triangles);

}  // namespace limber
