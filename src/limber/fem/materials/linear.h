// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/math.h"
#include "limber/fem/lame.h"

namespace limber {

/// Linear elasticity, ε = ½(F + Fᵀ) − I.  Kavan's notes, Eq. (35) corrected: ‖F − I‖² has three
/// zero modes.
struct LinearElastic {
    static constexpr std::string_view name = "linear";
    static constexpr std::string_view help = "small strains only; swells when it turns";
    static constexpr bool corotational = false;
    static constexpr int n_raw = 0;
    double mu = 0, lambda = 0;  // Lamé parameters [Pa]

    static LinearElastic from(const Lame& lame) { return {lame.mu, lame.lambda}; }
    Lame small_strain() const { return {mu, lambda}; }

    template <class T>
    LIMBER_HD static Mat3<T> strain(const Mat3<T>& F) {
        return T(0.5) * (F + transpose(F)) - Mat3<T>::identity();
    }
    /// ψ = μ ε:ε + λ/2 tr²ε   [J/m³]
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Mat3<T> e = strain(F);
        return T(mu) * contract(e, e) + T(0.5 * lambda) * trace(e) * trace(e);
    }
    /// P = 2 μ ε + λ tr(ε) I   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const Mat3<T> e = strain(F);
        const T pressure = T(lambda) * trace(e);
        return T(2 * mu) * e + Mat3<T>::diagonal(pressure, pressure, pressure);
    }
    /// ∂P/∂F over column-major vec(F), constant: dP = μ (dF + dFᵀ) + λ tr(dF) I   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>&) const {
        Mat9<T> H;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                H(i + 3 * j, i + 3 * j) += T(mu);
                H(i + 3 * j, j + 3 * i) += T(mu);
                H(4 * i, 4 * j) += T(lambda);
            }
        return H;
    }
    /// The diagonal of the 3x3 block of a node, g the gradient of its shape function, per volume.
    template <class T>
    LIMBER_HD Vec3<T> block_diagonal(const Vec3<T>& g) const {
        const T shear = T(mu) * dot(g, g), normal(mu + lambda);
        return {shear + normal * g.x * g.x, shear + normal * g.y * g.y, shear + normal * g.z * g.z};
    }
    /// The whole block.
    template <class T>
    LIMBER_HD Mat3<T> block(const Vec3<T>& g) const {
        const T shear = T(mu) * dot(g, g);
        return Mat3<T>::diagonal(shear, shear, shear) + T(mu + lambda) * outer(g, g);
    }
};

}  // namespace limber
