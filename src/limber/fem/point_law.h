// SPDX-License-Identifier: Apache-2.0
#pragma once

// What element loops evaluate at a point: a law, its volume term and its conversion. visit_law()
// chooses the law once, outside the loop.
//
// T is double, float, a packet of either, or a dual number; parameters are double, on the device in
// the numbers of T (in<float>()), and packets where they differ from tet to tet (with()). l is the
// interpolant of Wang & Yang 2016, Eq. (17), held fixed in all derivatives: 0 gives the law, 1 the
// projective energy with the law's small-strain shear modulus.

#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/corner_blocks.h"
#include "limber/fem/invariants.h"
#include "limber/fem/materials.h"
#include "limber/fem/principal.h"
#include "limber/fem/psd.h"
#include "limber/fem/volume_term.h"

namespace limber {

/// A law by invariants: no decomposition of F in any derivative.
template <class Law>
concept InvariantLaw = requires(const Law& law, const Invariants<double>& v) {
    law.slopes(v);
    law.curvatures(v);
};
/// A law by principal stretches.
template <class Law>
concept PrincipalLaw = requires(const Law& law, const Vec3<double>& s) {
    law.curvature(s);
};
template <class Law>
concept IsotropicLaw = InvariantLaw<Law> || PrincipalLaw<Law>;
/// An isotropic law plus a convex part: of the sum the isotropic law alone needs a projection.
template <class Law>
concept ReinforcedLaw = requires(const Law& law) {
    law.isotropic();
    law.convex();
};
/// A law whose tangent is projected by principal stretches, without a general eigen-decomposition.
template <class Law>
concept StretchProjectedLaw = IsotropicLaw<Law> || ReinforcedLaw<Law>;

template <class Law>
struct PointLaw {
    using P = typename Law::Number;
    using Scalar = typename LaneOf<P>::Type;

    Law law;
    Scalar volume = 0;  // [Pa]
    ConversionOf<Scalar> conversion{};

    /// The same with parameters in Q.
    template <class Q>
    PointLaw<typename Law::template With<Q>> in() const {
        return {law.template in<Q>(), Q(volume), conversion.template in<Q>()};
    }
    /// The same with the numbers that a law has a tet: packets for the tets of a packet, scalars
    /// for one tet.
    template <class D, int n>
    LIMBER_HD PointLaw<typename Law::template With<D>> with(const D (&data)[n]) const {
        static_assert(n == n_tet_data<Law>);
        using S = typename LaneOf<D>::Type;
        return {law.with(data), S(volume), conversion.template in<S>()};
    }

    /// ψ + k/2 (J − 1)², what usual tets have, and its derivative   [J/m³], [Pa]
    template <class T>
    LIMBER_HD T plain_energy(const Mat3<T>& F) const {
        T W = law.energy(F);
        if (volume != 0) W += volume_term().energy(F);
        return W;
    }
    template <class T>
    LIMBER_HD Mat3<T> plain_stress(const Mat3<T>& F) const {
        Mat3<T> stress = law.stress(F);
        if (volume != 0) stress += volume_term().stress(F);
        return stress;
    }
    /// (1 − l) (ψ + k/2 (J − 1)²) + l ψ_proj, Eq. (18).   [J/m³]
    /// +infinity, never NaN, where the law does not take F and l < 1.
    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F, const T& l) const;
    /// ∂/∂F of it   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F, const T& l) const;
    /// ∂²/∂F² over column-major vec(F), not projected   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F, const std::type_identity_t<T>& l) const;
    /// The nearest positive semidefinite one, by the eigen-system of isotropic laws; of reinforced
    /// ones that of the isotropic part plus the convex part; on the host also that of other laws,
    /// by a general eigen-decomposition.   [Pa]
    template <class T>
    LIMBER_HD Mat9<T> projected_hessian_by_stretches(const Mat3<T>& F, const T& l) const;
    Mat9d projected_hessian(const Mat3d& F, double l) const;
    /// The diagonal of the 3x3 block of a node: d² along e_r gᵀ for r = 0, 1, 2, g the gradient of
    /// its shape function, with 2k |g|² for the projective part as in Eq. (19). Not projected.
    template <class T>
    LIMBER_HD Vec3<T> block_diagonal(const Mat3<T>& F, const T& l, const Vec3<T>& g) const;
    /// The whole block, alike.
    template <class T>
    LIMBER_HD Mat3<T> block(const Mat3<T>& F, const T& l, const Vec3<T>& g) const;
    /// The projected blocks of corners 1, 2, 3 as corner_blocks.h has them; not of other laws.
    template <class T>
    LIMBER_HD void projected_blocks(const Mat3<T>& F, const T& l, const Vec3<T> (&g)[3],
                                    Mat3<T> (&K)[6]) const;
    /// Whether a tet that begins a step of time in this state stays handed over to its end: the
    /// barriers of a law tie tets that are half way back into knots. Beyond the source.
    template <class T>
    LIMBER_HD bool keeps(const Mat3<T>& F, bool kept) const {
        const T least(kept ? conversion.back : conversion.lower);
        const Invariants<T> v = invariants_of(F);
        if (!conversion.on || (v.J > 0 && v.J * v.J > least * least * v.II)) return false;
        return signed_svd(F).s.z < least;
    }
    /// Whether l stays 0 in the next iteration, by a bound alone.
    template <class T>
    LIMBER_HD bool stays_itself(const Mat3<T>& F, const T& before) const {
        return !conversion.on || (!(before > T(0)) && clear(invariants_of(F)));
    }
    /// l of the next iteration, Eq. (17), from that of the one before; 0 without conversion.
    template <class T>
    LIMBER_HD T interpolant(const Mat3<T>& F, const T& before) const;

  private:
    /// s₂ >= J / |cof F| for J > 0, since |cof F| >= s₀ s₁: usually above λ⁺ without a
    /// decomposition.
    template <class T>
    LIMBER_HD auto clear(const Invariants<T>& v) const {
        const T upper(conversion.upper);
        return (v.J > T(0)) & (v.J * v.J > upper * upper * v.II);
    }
    LIMBER_HD ProjectiveElasticOf<P> projective() const { return {law.small_strain().mu}; }
    LIMBER_HD VolumeTermOf<Scalar> volume_term() const { return {volume}; }
    /// What the eigen-system is of: the law, or what of it is isotropic.
    LIMBER_HD decltype(auto) isotropic() const {
        if constexpr (ReinforcedLaw<Law>)
            return law.isotropic();
        else
            return (law);
    }
    /// Apart, so that the usual path keeps its matrices in registers.
    template <class T>
    [[gnu::noinline]] LIMBER_HD Mat3<T> mixed_stress(const Mat3<T>& F, const T& l) const;
    template <class T>
    [[gnu::noinline]] LIMBER_HD T interpolant_of_stretches(const Mat3<T>& F, const T& l) const;
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s, const T& l) const;
};

/// The law as one tet has it: with the tet's numbers where there are any, else the material's.
/// `data` is empty or has an entry a tet.
template <class Law>
decltype(auto) law_of_tet(const PointLaw<Law>& law, std::span<const TetData> data, Index tet) {
    if constexpr (n_tet_data<Law> == 0) {
        return (law);
    } else {
        PointLaw<Law> own = law;
        if (!data.empty() && data[tet]) {
            double numbers[n_tet_data<Law>];
            for (int i = 0; i < n_tet_data<Law>; ++i) numbers[i] = (*data[tet])[i];
            own = law.with(numbers);
        }
        return own;
    }
}

/// Calls f with the PointLaw of the material.
template <class F>
decltype(auto) visit_law(const Material& material, F&& f) {
    return std::visit(
        [&](const auto& law) -> decltype(auto) {
            using Law = std::decay_t<decltype(law)>;
            return f(PointLaw<Law>{law, material.volume, material.conversion});
        },
        material.law);
}

template <class Law>
template <class T>
LIMBER_HD T PointLaw<Law>::energy(const Mat3<T>& F, const T& l) const {
    const T W = plain_energy(F);
    if (!any(l > T(0))) return W;
    // Not 0 · infinity where the hand-over is complete.
    return select(l < T(1), (T(1) - l) * W, T(0)) + l * projective().energy(F);
}

template <class Law>
template <class T>
LIMBER_HD Mat3<T> PointLaw<Law>::stress(const Mat3<T>& F, const T& l) const {
    if (volume == 0 && !any(l > T(0))) return law.stress(F);
    const Mat3<T> copy = F;  // F itself has no address, and stays where it is
    return mixed_stress(copy, l);
}

template <class Law>
template <class T>
LIMBER_HD Mat3<T> PointLaw<Law>::mixed_stress(const Mat3<T>& F, const T& l) const {
    Mat3<T> out = plain_stress(F);
    if (!any(l > T(0))) return out;
    const auto partly = l < T(1);
    const Mat3<T> Q = projective().stress(F);
    for (int i = 0; i < 9; ++i) out.a[i] = select(partly, (T(1) - l) * out.a[i], T(0)) + l * Q.a[i];
    return out;
}

template <class Law>
template <class T>
LIMBER_HD Mat9<T> PointLaw<Law>::hessian(const Mat3<T>& F, const std::type_identity_t<T>& l) const {
    Mat9<T> H;
    const auto add = [&](const T& f, const Mat9<T>& part) {
        for (int i = 0; i < 81; ++i) H.a[i] += f * part.a[i];
    };
    if (l < 1) add(1 - l, law.hessian(F));
    if (l < 1 && volume != 0) add(1 - l, volume_term().hessian(F));
    if (l > 0) add(l, projective().hessian(F));
    return H;
}

namespace point_law_detail {

template <class Law, class T>
LIMBER_HD PrincipalCurvature<T> curvature_of_law(const Law& law, const Vec3<T>& s) {
    if constexpr (InvariantLaw<Law>) {
        const Invariants<T> v = invariants_of(s);
        return limber::curvature_of(s, law.slopes(v), law.curvatures(v));
    } else {
        return law.curvature(s);
    }
}

}  // namespace point_law_detail

template <class Law>
template <class T>
LIMBER_HD PrincipalCurvature<T> PointLaw<Law>::curvature(const Vec3<T>& s, const T& l) const {
    PrincipalCurvature<T> c = point_law_detail::curvature_of_law(isotropic(), s);
    if (volume != 0) c = c + volume_term().curvature(s);
    if (!any(l > T(0))) return c;
    // Not 0 · infinity where the hand-over is complete.
    const auto partly = l < T(1);
    const auto share = [&](T& entry) { entry = select(partly, (T(1) - l) * entry, T(0)); };
    for (T& entry : c.stretch.a) share(entry);
    for (int k = 0; k < 3; ++k) {
        share(c.twist[k]);
        share(c.flip[k]);
    }
    return c + l * projective().curvature(s);
}

template <class Law>
template <class T>
LIMBER_HD Mat9<T> PointLaw<Law>::projected_hessian_by_stretches(const Mat3<T>& F,
                                                                const T& l) const {
    static_assert(StretchProjectedLaw<Law>);
    const SignedSvd<T> svd = signed_svd(F);
    Mat9<T> H = assemble_hessian(svd, nearest_psd(curvature(svd.s, l)));
    if constexpr (ReinforcedLaw<Law>) {
        const Mat9<T> convex = law.convex().hessian(F);
        for (int i = 0; i < 81; ++i)  // not 0 · infinity where the hand-over is complete
            H.a[i] += select(l < T(1), (T(1) - l) * convex.a[i], T(0));
    }
    return H;
}

template <class Law>
Mat9d PointLaw<Law>::projected_hessian(const Mat3d& F, double l) const {
    if constexpr (StretchProjectedLaw<Law>) {
        return projected_hessian_by_stretches(F, l);
    } else {
        return nearest_psd(hessian(F, l));
    }
}

template <class Law>
template <class T>
LIMBER_HD Vec3<T> PointLaw<Law>::block_diagonal(const Mat3<T>& F, const T& l,
                                                const Vec3<T>& g) const {
    Vec3<T> out;
    const auto& isotropic = this->isotropic();
    using Isotropic = std::decay_t<decltype(isotropic)>;
    if constexpr (InvariantLaw<Isotropic>) {
        const Invariants<T> v = invariants_of(F);
        InvariantSlopes<T> slopes = isotropic.slopes(v);
        InvariantCurvatures<T> curvatures = isotropic.curvatures(v);
        slopes.J += T(volume) * (v.J - T(1));
        curvatures.J_J += T(volume);
        out = block_diagonal_of(F, v, slopes, curvatures, g);
    } else {
        if constexpr (PrincipalLaw<Isotropic>) {
            const SignedSvd<T> svd = signed_svd(F);
            out = limber::block_diagonal(svd, isotropic.curvature(svd.s), g);
        } else {
            out = isotropic.block_diagonal(g);
        }
        if (volume != 0) {  // J is linear along a direction of rank one
            const Vec3<T> dJ = cofactor(F) * g;
            out += T(volume) * Vec3<T>{dJ.x * dJ.x, dJ.y * dJ.y, dJ.z * dJ.z};
        }
    }
    if constexpr (ReinforcedLaw<Law>) {
        const Mat3<T> K = law.convex().block(F, g, g);
        out += Vec3<T>{K(0, 0), K(1, 1), K(2, 2)};
    }
    if (!any(l > T(0))) return out;
    const auto partly = l < T(1);
    const T constant = l * T(P(2) * law.small_strain().mu) * dot(g, g);
    for (int r = 0; r < 3; ++r) out[r] = select(partly, (T(1) - l) * out[r], T(0)) + constant;
    return out;
}

template <class Law>
template <class T>
LIMBER_HD Mat3<T> PointLaw<Law>::block(const Mat3<T>& F, const T& l, const Vec3<T>& g) const {
    Mat3<T> out;
    const auto& isotropic = this->isotropic();
    using Isotropic = std::decay_t<decltype(isotropic)>;
    if constexpr (InvariantLaw<Isotropic>) {
        const Invariants<T> v = invariants_of(F);
        out = block_of(F, v, isotropic.slopes(v), isotropic.curvatures(v), g);
    } else if constexpr (PrincipalLaw<Isotropic>) {
        const SignedSvd<T> svd = signed_svd(F);
        out = limber::block(svd, isotropic.curvature(svd.s), g);
    } else {
        out = isotropic.block(g);
    }
    if constexpr (ReinforcedLaw<Law>) out += law.convex().block(F, g, g);
    if (volume != 0) {  // J is linear along a direction of rank one
        const Vec3<T> dJ = cofactor(F) * g;
        out += T(volume) * outer(dJ, dJ);
    }
    if (!any(l > T(0))) return out;
    const auto partly = l < T(1);
    const T constant = l * T(P(2) * law.small_strain().mu) * dot(g, g);
    for (T& entry : out.a) entry = select(partly, (T(1) - l) * entry, T(0));
    return out + Mat3<T>::diagonal(constant, constant, constant);
}

template <class Law>
template <class T>
LIMBER_HD void PointLaw<Law>::projected_blocks(const Mat3<T>& F, const T& l, const Vec3<T> (&g)[3],
                                               Mat3<T> (&K)[6]) const {
    static_assert(StretchProjectedLaw<Law>);
    const SignedSvd<T> svd = signed_svd(F);
    corner_blocks(svd, nearest_psd(curvature(svd.s, l)), g, K);
    if constexpr (ReinforcedLaw<Law>) {
        const auto convex = law.convex();
        const T share = select(l < T(1), T(1) - l, T(0));
        int pair = 0;
        for (int m = 0; m < 3; ++m)
            for (int n = m; n < 3; ++n, ++pair) K[pair] += share * convex.block(F, g[m], g[n]);
    }
}

template <class Law>
template <class T>
LIMBER_HD T PointLaw<Law>::interpolant(const Mat3<T>& F, const T& before) const {
    const T zero(0), one(1);
    if (!conversion.on) return zero;
    const T faded = before - T(conversion.fade);
    T l = select(faded > zero, faded, zero);
    if (any(!clear(invariants_of(F)))) {
        const Mat3<T> copy = F;
        l = interpolant_of_stretches(copy, l);
    }
    return select(l < one, l, one);
}

template <class Law>
template <class T>
LIMBER_HD T PointLaw<Law>::interpolant_of_stretches(const Mat3<T>& F, const T& l) const {
    const T smallest = signed_svd(F).s.z;
    const T wanted =
        (T(conversion.upper) - smallest) * T(Scalar(1) / (conversion.upper - conversion.lower));
    return select(wanted > l, wanted, l);
}

}  // namespace limber
