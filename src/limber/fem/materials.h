// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "limber/fem/lame.h"
#include "limber/fem/materials/corotated.h"
#include "limber/fem/materials/fibre.h"
#include "limber/fem/materials/fung.h"
#include "limber/fem/materials/linear.h"
#include "limber/fem/materials/mooney_rivlin.h"
#include "limber/fem/materials/neo_hookean.h"
#include "limber/fem/materials/neo_hookean_log.h"
#include "limber/fem/materials/projective.h"
#include "limber/fem/materials/spline.h"
#include "limber/fem/materials/stvk.h"

namespace limber {

/// Every law limber knows: one line here adds one. The list drives the typed tests and the scene
/// reader.
using AnyMaterial = std::variant<  //
    CorotatedElastic,              //
    LinearElastic,                 //
    StVenantKirchhoff,             //
    NeoHookean,                    //
    NeoHookeanLog,                 //
    MooneyRivlin,                  //
    Fung,                          //
    FibreReinforced,               //
    ProjectiveElastic,             //
    SplineLaw>;

/// How many numbers a law reads that may differ from tet to tet; laws that say nothing read none.
template <class Law>
inline constexpr int n_tet_data = 0;
template <class Law>
requires requires {
    Law::n_tet_data;
}
inline constexpr int n_tet_data<Law> = Law::n_tet_data;

/// The most numbers that any law reads of a tet.
inline constexpr int most_tet_data = []<class... Laws>(const std::variant<Laws...>*) {
    return std::max({n_tet_data<Laws>...});
}(static_cast<const AnyMaterial*>(nullptr));

/// The numbers of one tet, the first n_tet_data of them in use; without them its material's hold.
using TetData = std::optional<std::array<double, most_tet_data>>;

/// A law that is Hooke's in the frame of a rotation, or in that of the world: its tangent with that
/// frame held is linear, and linearly implicit solvers take it.
template <class Law>
concept HookesLaw = requires {
    requires Law::hooke;
};

/// How an element that is nearly flat or inverted is handed over to the projective energy. Wang &
/// Yang 2016, Eqs. (16)-(19).
template <class P>
struct ConversionOf {
    bool on = false;
    P lower = P(0.05), upper = P(0.1);  // λ⁻, λ⁺: stretches where the hand-over ends and starts
    P back = P(0.95);                   // what ended a step below λ⁻ returns above this
    P fade = P(0.05);                   // L: what the interpolant may fall an iteration

    template <class Q>
    LIMBER_HD ConversionOf<Q> in() const {
        return {on, Q(lower), Q(upper), Q(back), Q(fade)};
    }
};
using Conversion = ConversionOf<double>;

/// A law with what the inertia and damping terms need.
struct Material {
    std::string name;
    AnyMaterial law;
    double density = 1000;         // [kg/m³]
    double damping_mass = 0;       // a in C = a M + b K [1/s]
    double damping_stiffness = 0;  // b [s]
    double damping_air = 0;        // of every node [kg/s]
    double damping_viscous = 0;    // of every edge [kg/s]
    double volume = 0;             // k of k/2 (det F − 1)², beside the law [Pa]
    Conversion conversion{};
};

/// What the material is at small strains, the volume term included.
inline Lame small_strain(const Material& material) {
    Lame lame = std::visit([](const auto& law) { return law.small_strain(); }, material.law);
    lame.lambda += material.volume;
    return lame;
}

/// What a part beside the moduli adds to the largest eigenvalue of the Hessian at small strains, in
/// some direction: fibres.   [Pa]
inline double added_stiffness(const Material& material) {
    return std::visit(
        [](const auto& law) -> double {
            if constexpr (requires { law.added_stiffness(); })
                return law.added_stiffness();
            else
                return 0;
        },
        material.law);
}

/// Corotated elasticity by the moduli people know: young [Pa], density [kg/m³].
inline Material corotated_material(std::string name, double young, double poisson,
                                   double density = 1000) {
    Material material;
    material.name = std::move(name);
    material.law = CorotatedElastic::from(Lame::from_young(young, poisson));
    material.density = density;
    return material;
}

}  // namespace limber
