// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "limber/fem/materials/corotated.h"
#include "limber/fem/materials/linear.h"

namespace limber {

/// Every law limber knows: one line here adds one. The list drives the typed tests and the scene
/// reader.
using AnyMaterial = std::variant<CorotatedElastic, LinearElastic>;

/// A law with what the inertia and damping terms need.
struct Material {
    std::string name;
    AnyMaterial law;
    double density = 1000;         // [kg/m³]
    double damping_mass = 0;       // a in C = a M + b K [1/s]
    double damping_stiffness = 0;  // b [s]
};

/// Lamé parameters [Pa] from Young's modulus [Pa] and Poisson's ratio.
struct Lame {
    double mu = 0, lambda = 0;
    static Lame from_young(double young, double poisson) {
        return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
    }
};

/// Corotated elasticity by the moduli people know: young [Pa], density [kg/m³].
inline Material corotated_material(std::string name, double young, double poisson,
                                   double density = 1000) {
    const Lame lame = Lame::from_young(young, poisson);
    Material material;
    material.name = std::move(name);
    material.law = CorotatedElastic{lame.mu, lame.lambda};
    material.density = density;
    return material;
}

}  // namespace limber
