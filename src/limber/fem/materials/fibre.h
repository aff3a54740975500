// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/lame.h"
#include "limber/fem/materials/neo_hookean.h"

namespace limber {

/// Fibres along one direction that pull and never push, ψ = k/8 ⟨I₄ − 1⟩² with I₄ = |F a|² and
/// ⟨x⟩ = max(x, 0): their share of a law. At small strains k is the Young's modulus that they add
/// along a. In invariants after Holzapfel, Gasser & Ogden 2000 ("A new constitutive framework for
/// arterial wall mechanics and a comparative study of material models"), who switch fibres off
/// under compression alike. Deviation: quadratic in ⟨I₄ − 1⟩ where the source has an exponential.
/// C¹ through I₄ = 1: the stress is continuous there, and the Hessian jumps by k. Being convex in F
/// it needs no projection: a sum of squares times ⟨I₄ − 1⟩ and k.
template <class P>
struct FibresOf {
    P k{};      // [Pa]
    Vec3<P> a;  // of length 1, at rest

    /// ⟨I₄ − 1⟩ from F a.
    template <class T>
    LIMBER_HD static T pull(const Vec3<T>& Fa) {
        const T e = dot(Fa, Fa) - T(1), zero(0);
        return select(e > zero, e, zero);
    }
    template <class T>
    LIMBER_HD Vec3<T> direction() const {
        return {T(a.x), T(a.y), T(a.z)};
    }
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const T e = pull(F * direction<T>());
        return T(P(0.125) * k) * e * e;
    }
    /// P = k/2 ⟨I₄ − 1⟩ (F a) aᵀ   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const Vec3<T> d = direction<T>(), Fa = F * d;
        return outer((T(P(0.5) * k) * pull(Fa)) * Fa, d);
    }
    /// The Hessian is this ⊗ a aᵀ: k/2 ⟨I₄ − 1⟩ I + k (F a)(F a)ᵀ where the fibres pull.   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stiffness(const Mat3<T>& F) const {
        const Vec3<T> Fa = F * direction<T>();
        const T e = pull(Fa), turning = T(P(0.5) * k) * e;
        const Vec3<T> along = select(e > T(0), T(k), T(0)) * Fa;
        return outer(along, Fa) + Mat3<T>::diagonal(turning, turning, turning);
    }
    /// The 3x3 block of two corners whose shape functions have the gradients g and h, per volume.
    template <class T>
    LIMBER_HD Mat3<T> block(const Mat3<T>& F, const Vec3<T>& g, const Vec3<T>& h) const {
        const Vec3<T> d = direction<T>();
        return (dot(d, g) * dot(d, h)) * stiffness(F);
    }
    /// Over column-major vec(F)   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Vec3<T> d = direction<T>();
        const Mat3<T> K = stiffness(F);
        Mat9<T> H;
        for (int l = 0; l < 3; ++l)
            for (int j = 0; j < 3; ++j)
                for (int m = 0; m < 3; ++m)
                    for (int i = 0; i < 3; ++i) H(i + 3 * j, m + 3 * l) = d[j] * d[l] * K(i, m);
        return H;
    }
};

/// Compressible neo-Hookean with fibres. Every tet may have a direction of its own.
template <class P>
struct FibreReinforcedOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = FibreReinforcedOf<Q>;
    static constexpr std::string_view name = "fibre";
    static constexpr bool smooth_at_rest = false;  // fibres that pull and never push
    static constexpr std::string_view help =
        "neo_hookean with fibres along a direction, which pull and never push";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 2;       // s0, s1, ... of a scene
    static constexpr int n_tet_data = 3;  // a
    P s0{}, s1{};                         // of neo_hookean [Pa]
    P k{};                                // [Pa]
    Vec3<P> a{P(1), P(0), P(0)};          // of length 1, at rest

    /// Fibres as stiff as what is around them, along x.
    static FibreReinforcedOf from(const Lame& lame) {
        const NeoHookean matrix = NeoHookean::from(lame);
        return {matrix.s0, matrix.s1, lame.young(), {1, 0, 0}};
    }
    /// Across the fibres, and along them where they are pushed.
    LIMBER_HD LameOf<P> small_strain() const { return isotropic().small_strain(); }
    template <class Q>
    With<Q> in() const {
        return {Q(s0), Q(s1), Q(k), {Q(a.x), Q(a.y), Q(a.z)}};
    }
    /// The same with the numbers of a tet, or of a packet of tets.
    template <class D>
    LIMBER_HD With<D> with(const D (&data)[n_tet_data]) const {
        return {D(s0), D(s1), D(k), {data[0], data[1], data[2]}};
    }
    /// What tets have that say nothing.
    void own_data(P (&data)[n_tet_data]) const {
        for (int i = 0; i < n_tet_data; ++i) data[i] = a[i];
    }

    LIMBER_HD NeoHookeanOf<P> isotropic() const { return {s0, s1}; }
    LIMBER_HD FibresOf<P> convex() const { return {k, a}; }
    /// What the fibres add to the largest eigenvalue of the Hessian at small strains   [Pa]
    LIMBER_HD P added_stiffness() const { return k; }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        return isotropic().energy(F) + convex().energy(F);
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        return isotropic().stress(F) + convex().stress(F);
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        Mat9<T> H = isotropic().hessian(F);
        const Mat9<T> fibres = convex().hessian(F);
        for (int i = 0; i < 81; ++i) H.a[i] += fibres.a[i];
        return H;
    }
};
using FibreReinforced = FibreReinforcedOf<double>;

}  // namespace limber
