// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/cubic_spline.h"
#include "limber/fem/lame.h"
#include "limber/fem/materials/projective.h"
#include "limber/fem/principal.h"

namespace limber {

/// A law drawn by hand in principal stretches, of the form of Valanis & Landel as Xu et al. 2015
/// ("Nonlinear material design using principal stretches", section 4) use it:
///   ψ = Σ f(s_i) + Σ_(i<j) g(s_i s_j) + h(s₀ s₁ s₂)
/// with f′, g′ and h′ natural cubic splines through control points, continued by straight lines,
/// so ψ is C³ and finite for every F. Nothing forces ψ to be bounded below: that is the drawer's.
template <class P>
struct SplineLawOf {
    using Number = P;  // of its parameters
    template <class Q>
    using With = SplineLawOf<Q>;
    static constexpr std::string_view name = "spline";
    static constexpr std::string_view help =
        "drawn by control points: sum f(s_i) + sum g(s_i s_j) + h(J) in principal stretches";
    static constexpr bool corotational = true;
    static constexpr int n_raw = 0;
    CubicSplineOf<P> f, g, h;  // of the derivatives f′, g′, h′ [Pa]

    /// f′ = 2 μ (s − 1), h′ = λ (J − 1)
    static SplineLawOf from(const Lame& lame) {
        using Line = std::array<CubicSpline::Point, 2>;
        SplineLawOf law;
        law.f = CubicSpline::through(Line{{{0, -2 * lame.mu}, {2, 2 * lame.mu}}});
        law.h = CubicSpline::through(Line{{{0, -lame.lambda}, {2, lame.lambda}}});
        return law;
    }
    /// ∂ψ/∂s_i at rest, which must vanish   [Pa]
    P rest_stress() const { return f.value(1) + 2 * g.value(1) + h.value(1); }
    LIMBER_HD LameOf<P> small_strain() const {
        const P off_diagonal = g.slope(1) + g.value(1) + h.slope(1) + h.value(1);
        return {P(0.5) * (f.slope(1) + 2 * g.slope(1) + h.slope(1) - off_diagonal), off_diagonal};
    }
    template <class Q>
    With<Q> in() const {
        return {f.template in<Q>(), g.template in<Q>(), h.template in<Q>()};
    }

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const Vec3<T> s = signed_svd(F).s;
        T sum = integral(h, s.x * s.y * s.z);
        for (int k = 0; k < 3; ++k)
            sum += integral(f, s[k]) + integral(g, s[(k + 1) % 3] * s[(k + 2) % 3]);
        return sum;
    }
    /// P = U diag(∂ψ/∂s) Vᵀ   [Pa]
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const SignedSvd<T> svd = signed_svd(F);
        const Vec3<T>& s = svd.s;
        const T dh = value(h, s.x * s.y * s.z);
        Mat3<T> scaled = svd.U;
        for (int k = 0; k < 3; ++k) {
            const T p = s[(k + 1) % 3], q = s[(k + 2) % 3];
            const T W_k =
                value(f, s[k]) + value(g, s[k] * p) * p + value(g, s[k] * q) * q + dh * (p * q);
            for (int i = 0; i < 3; ++i) scaled(i, k) *= W_k;
        }
        return scaled * transpose(svd.V);
    }
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s) const {
        const T J = s.x * s.y * s.z, dh = value(h, J), ddh = slope(h, J);
        PrincipalCurvature<T> c;
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const T ij = s[i] * s[j], ik = s[i] * s[k], jk = s[j] * s[k];
            const T dg = value(g, ij), own = dg + dh * s[k];
            c.stretch(k, k) = slope(f, s[k]) + slope(g, ik) * s[i] * s[i] +
                              slope(g, jk) * s[j] * s[j] + ddh * ij * ij;
            c.stretch(i, j) = c.stretch(j, i) = own + slope(g, ij) * ij + ddh * ik * jk;
            c.flip[k] = quotient(f, s[i], s[j]) + s[k] * s[k] * quotient(g, ik, jk) - own;
            c.twist[k] =
                own + (value(f, s[i]) + value(f, s[j]) + s[k] * (value(g, ik) + value(g, jk))) /
                          principal_detail::safe_sum(s[i], s[j]);
        }
        return c;
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const SignedSvd<T> svd = signed_svd(F);
        return assemble_hessian(svd, curvature(svd.s));
    }

  private:
    /// Which piece of a spline an argument lies in differs from lane to lane.
    template <class T, class Function>
    LIMBER_HD static T each_lane(Function&& function, const T& a, const T& b) {
        if constexpr (requires { T::width; }) {
            T out;
            for (int i = 0; i < T::width; ++i)
                out.set(i, static_cast<typename T::Scalar>(function(P(a[i]), P(b[i]))));
            return out;
        } else {
            return static_cast<T>(function(P(a), P(b)));
        }
    }
    template <class T>
    LIMBER_HD static T value(const CubicSplineOf<P>& y, const T& t) {
        return each_lane([&](P a, P) { return y.value(a); }, t, t);
    }
    template <class T>
    LIMBER_HD static T slope(const CubicSplineOf<P>& y, const T& t) {
        return each_lane([&](P a, P) { return y.slope(a); }, t, t);
    }
    template <class T>
    LIMBER_HD static T integral(const CubicSplineOf<P>& y, const T& t) {
        return each_lane([&](P a, P) { return y.integral(a); }, t, t);
    }
    template <class T>
    LIMBER_HD static T quotient(const CubicSplineOf<P>& y, const T& a, const T& b) {
        return each_lane([&](P p, P q) { return y.quotient(p, q); }, a, b);
    }
};
using SplineLaw = SplineLawOf<double>;

}  // namespace limber
