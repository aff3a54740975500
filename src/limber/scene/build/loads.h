// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/scene/build/selection.h"
#include "limber/solve/model.h"

namespace limber {

/// The force of one [[force]] on its body; node indices are the model's.
NodalForce nodal_force(const ForceDef& def, std::size_t number, const PlacedBody& placed,
                       const Body& body);

}  // namespace limber
