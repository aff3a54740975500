// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"

namespace limber {

/// Corotated linear elasticity: the linear law in the frame of the polar rotation R of F.
/// Dahl & Bargteil 2019, Eqs. (3)-(5).
struct CorotatedElastic {
    static constexpr std::string_view name = "corotated";
    static constexpr bool corotational = true;
    double mu = 0, lambda = 0;  // Lamé parameters [Pa]
};

}  // namespace limber
