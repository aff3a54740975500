// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/core/types.h"

namespace limber {

/// Lamé parameters [Pa]: what every law is at small strains. P is double; on the device the type of
/// the numbers, and a packet where parameters differ from tet to tet.
template <class P>
struct LameOf {
    P mu{}, lambda{};

    /// From Young's modulus [Pa] and Poisson's ratio.
    static LameOf from_young(P young, P poisson) {
        return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
    }
    LIMBER_HD static LameOf from_bulk(const P& mu, const P& bulk) {
        return {mu, bulk - P(2) * mu / P(3)};
    }
    LIMBER_HD P bulk() const { return lambda + P(2) * mu / P(3); }          // [Pa]
    P young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }  // [Pa]
    P poisson() const { return lambda / (2 * (lambda + mu)); }
};
using Lame = LameOf<double>;

}  // namespace limber
