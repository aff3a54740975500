// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/mesh/shapes.h"

namespace limber {

ShapeSurface make_cloth_sheet(const ShapeDef& shape);
ShapeSurface make_dress(const ShapeDef& shape);

}  // namespace limber
