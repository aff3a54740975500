// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// Lamé parameters [Pa]: what every law is at small strains.
struct Lame {
    double mu = 0, lambda = 0;

    /// From Young's modulus [Pa] and Poisson's ratio.
    static Lame from_young(double young, double poisson) {
        return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
    }
    static Lame from_bulk(double mu, double bulk) { return {mu, bulk - 2 * mu / 3}; }
    double bulk() const { return lambda + 2 * mu / 3; }                          // [Pa]
    double young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }  // [Pa]
    double poisson() const { return lambda / (2 * (lambda + mu)); }
};

}  // namespace limber
