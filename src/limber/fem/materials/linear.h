// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"

namespace limber {

/// Linear elasticity, ε = ½(F + Fᵀ) − I.  Kavan's notes, Eq. (35) corrected: ‖F − I‖² has three
/// zero modes.
struct LinearElastic {
    static constexpr std::string_view name = "linear";
    static constexpr bool corotational = false;
    double mu = 0, lambda = 0;  // Lamé parameters [Pa]
};

}  // namespace limber
