// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/hooke.h"
#include "limber/fem/lame.h"

namespace limber {

/// Linear elasticity, ε = ½(F + Fᵀ) − I.  Kavan's notes, Eq. (35) corrected: ‖F − I‖² has three
/// zero modes. The functions are those of fem/hooke.h with S = F.
template <class P>
struct LinearElasticOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = LinearElasticOf<Q>;
    static constexpr std::string_view name = "linear";
    static constexpr std::string_view help = "small strains only; swells when it turns";
    static constexpr bool corotational = false;
    static constexpr bool hooke = true;  // fem/hooke.h with the moduli of small_strain()
    static constexpr int n_raw = 0;
    P mu{}, lambda{};  // Lamé parameters [Pa]

    static LinearElasticOf from(const Lame& lame) { return {lame.mu, lame.lambda}; }
    LIMBER_HD LameOf<P> small_strain() const { return {mu, lambda}; }
    template <class Q>
    With<Q> in() const {
        return {Q(mu), Q(lambda)};
    }

    /// ψ = μ ε:ε + λ/2 tr²ε   [J/m³]
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        return hooke_energy(T(mu), T(lambda), F);
    }
    /// P = 2 μ ε + λ tr(ε) I   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        return hooke_stress(T(mu), T(lambda), F);
    }
    /// ∂P/∂F over column-major vec(F), constant: dP = μ (dF + dFᵀ) + λ tr(dF) I   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>&) const {
        return hooke_hessian(T(mu), T(lambda), Mat3<T>::identity());
    }
    /// The diagonal of the 3x3 block of a node, g the gradient of its shape function, per volume.
    template <class T>
    LIMBER_HD Vec3<T> block_diagonal(const Vec3<T>& g) const {
        const Mat3<T> K = block(g);
        return {K(0, 0), K(1, 1), K(2, 2)};
    }
    /// The whole block.
    template <class T>
    LIMBER_HD Mat3<T> block(const Vec3<T>& g) const {
        return hooke_block(T(mu), T(lambda), g, g);
    }
};
using LinearElastic = LinearElasticOf<double>;

}  // namespace limber
