// SPDX-License-Identifier: Apache-2.0
#pragma once

// Laws, deformations and derivatives shared by the tests of materials.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fem/fem_samples.h"
#include "limber/core/simd_math.h"
#include "limber/fem/materials.h"
#include "limber/fem/point_law.h"

namespace limber::testing_fem {

template <class Variant>
struct TypesOf;
template <class... Laws>
struct TypesOf<std::variant<Laws...>> {
    using List = ::testing::Types<Laws...>;
};
using EveryLaw = TypesOf<AnyMaterial>::List;

inline constexpr Lame sample_moduli{3e5, 7e5};  // [Pa]
inline constexpr double stiffness = 7e5 + 2 * 3e5;

/// A law that is sample_moduli at small strains, except that projective has λ = 0.
template <class Law>
Law sample_law() {
    return Law::from(sample_moduli);
}
/// A drawn one with bends at, above and below rest, each of its functions at work.
template <>
inline SplineLaw sample_law<SplineLaw>() {
    using P = CubicSpline::Point;
    SplineLaw law;
    law.f = CubicSpline::through(
        std::vector<P>{{0.1, -2e6}, {0.5, -5e5}, {1, 0}, {1.4, 2e5}, {2, 1.2e6}});
    law.g = CubicSpline::through(std::vector<P>{{0.2, -3e5}, {1, 0}, {1.5, 2e4}, {3, 2e5}});
    law.h = CubicSpline::through(std::vector<P>{{0.1, -4e6}, {0.7, -2e5}, {1, 0}, {2, 5e5}});
    return law;
}

/// Fibres askew to all axes.
template <>
inline FibreReinforced sample_law<FibreReinforced>() {
    FibreReinforced law = FibreReinforced::from(sample_moduli);
    law.k = 9e5;
    law.a = (1 / norm(Vec3d{2, -1, 3})) * Vec3d{2, -1, 3};
    return law;
}

/// What the law is for a body that was turned by Qᵀ at rest: P(F Q) = P(F) Q. Isotropic laws do not
/// change.
template <class Law>
Law turned(const Law& law, const Mat3d& Q) {
    Law out = law;
    if constexpr (ReinforcedLaw<Law>) out.a = transpose(Q) * law.a;
    return out;
}
/// The law with fibres, if any, along y to the last bit: what is pulled along x does not pull them.
template <class Law>
Law across(const Law& law) {
    Law out = law;
    if constexpr (ReinforcedLaw<Law>) out.a = {0, 1, 0};
    return out;
}

/// Whether the law has a finite energy for inverted elements.
template <class Law>
bool takes_inversion() {
    return std::isfinite(sample_law<Law>().energy(Mat3d::diagonal(1, 1, -0.5)));
}

/// Turned, stretched and sheared; nearly flat and inverted too where the law takes that, with
/// s₁ + s₂ above 0.1 of s₀, where laws that read the rotation can be differentiated.
template <class Law>
std::vector<Mat3d> sample_deformations(std::size_t n = 1000) {
    const bool inverted = takes_inversion<Law>();
    Random random(20);
    std::vector<Mat3d> out;
    while (out.size() < n) {
        const bool flip = inverted && out.size() % 4 == 0;
        const Vec3d s{
            random.uniform(0.4, 2), random.uniform(0.4, 2),
            flip ? -random.uniform(0.001, 0.25) : random.uniform(inverted ? 0.001 : 0.25, 2)};
        const Mat3d F = with_singular_values(random, s);
        bool smooth = reference_rotation(F).relative_gap > 0.1;
        // Differences reach over the jump of the Hessian where fibres begin to pull.
        if constexpr (ReinforcedLaw<Law>)
            smooth = smooth && std::fabs(squared_norm(F * sample_law<Law>().a) - 1) > 0.01;
        if (smooth) out.push_back(F);
    }
    return out;
}

/// ∂f/∂F entry by entry, by differences of fourth order: relative error (eps / length scale)⁴.
template <class Function>
auto differences(const Mat3d& F, Function&& f, double eps = 1e-4) {
    using Value = decltype(f(F) * 1.0);
    std::vector<Value> out;
    for (int i = 0; i < 9; ++i) {
        const auto at = [&](double d) {
            Mat3d G = F;
            G.a[i] += d;
            return f(G);
        };
        out.push_back((at(eps) - at(-eps)) * (2 / (3 * eps)) +
                      (at(2 * eps) - at(-2 * eps)) * (-1 / (12 * eps)));
    }
    return out;
}

inline double max_abs(const Mat9d& H) {
    double largest = 0;
    for (double entry : H.a) largest = std::fmax(largest, std::fabs(entry));
    return largest;
}
inline double max_difference(const Mat9d& A, const Mat9d& B) {
    double largest = 0;
    for (int i = 0; i < 81; ++i) largest = std::fmax(largest, std::fabs(A.a[i] - B.a[i]));
    return largest;
}
inline Eigen::Matrix<double, 9, 1> eigenvalues(const Mat9d& H) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(
               Eigen::Map<const Eigen::Matrix<double, 9, 9>>(H.a), Eigen::EigenvaluesOnly)
        .eigenvalues();
}

/// v + d ε with ε² = 0: derivatives to rounding.
struct Dual {
    using Scalar = double;
    double v = 0, d = 0;
    Dual() = default;
    Dual(double value, double tangent = 0) : v(value), d(tangent) {}  // NOLINT: a constant

    Dual& operator+=(const Dual& b) { return *this = *this + b; }
    Dual& operator-=(const Dual& b) { return *this = *this - b; }
    Dual& operator*=(const Dual& b) { return *this = *this * b; }
    friend Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
    friend Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
    friend Dual operator-(const Dual& a) { return {-a.v, -a.d}; }
    friend Dual operator*(const Dual& a, const Dual& b) {
        return {a.v * b.v, a.v * b.d + a.d * b.v};
    }
    friend Dual operator/(const Dual& a, const Dual& b) {
        return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v};
    }
    friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
    friend bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }
    friend Dual select(bool m, const Dual& a, const Dual& b) { return m ? a : b; }
    friend Dual exp(const Dual& a) { return {std::exp(a.v), std::exp(a.v) * a.d}; }
    friend Dual log(const Dual& a) { return {std::log(a.v), a.d / a.v}; }
    friend Dual inverse_cbrt(const Dual& a) {
        const double y = 1 / std::cbrt(a.v);
        return {y, -y / (3 * a.v) * a.d};
    }
};
/// F with the tangent 1 in entry i.
inline Mat3<Dual> with_tangent(const Mat3d& F, int i) {
    Mat3<Dual> out;
    for (int k = 0; k < 9; ++k) out.a[k] = Dual(F.a[k], k == i ? 1 : 0);
    return out;
}

/// The matrices as the lanes of one.
template <class P>
Mat3<P> packed(const std::vector<Mat3d>& matrices) {
    Mat3<P> out;
    for (int lane = 0; lane < P::width; ++lane)
        for (int i = 0; i < 9; ++i)
            out.a[i].set(lane, static_cast<typename P::Scalar>(matrices[lane].a[i]));
    return out;
}

}  // namespace limber::testing_fem
