// SPDX-License-Identifier: Apache-2.0
#pragma once

// Isotropic laws by invariants: W(I, II, J) with I = |F|² = tr C, II = |cof F|² = ½ (tr² C − tr C²)
// and J = det F, C = FᵀF. (Wang & Yang 2016, Eq. (11), calls tr C² the second one.) A law gives its
// derivatives in I, II and J; the chain rule to F and to principal stretches is here. None of it
// needs a decomposition of F.

#include <limits>

#include "limber/core/lanes.h"
#include "limber/core/math.h"
#include "limber/fem/principal.h"

namespace limber {

template <class T>
struct Invariants {
    T I, II, J;
};
/// First derivatives of W.   [Pa]
template <class T>
struct InvariantSlopes {
    T I, II, J;
};
/// Second derivatives of W; those that are not here vanish in every law.   [Pa]
template <class T>
struct InvariantCurvatures {
    T I_I, I_J, II_J, J_J;
};

namespace invariant_detail {

// Volume ratios below are taken as this one in powers of J, which then stay finite: up to
// J^(-10/3) times moduli of 1e15 Pa.
template <class T>
inline constexpr double smallest_J = is_single<T> ? 1e-6 : 1e-60;

template <class T>
LIMBER_HD T safe_J(const T& J) {
    const T floor(smallest_J<T>);
    return select(J > floor, J, floor);  // NaN becomes the floor as well
}
/// W where F is neither flat nor inverted, else +infinity: no line search accepts it.
template <class T>
LIMBER_HD T or_infinity(const T& J, const T& W) {
    return select(J > T(smallest_J<T>), W, T(std::numeric_limits<double>::infinity()));
}

}  // namespace invariant_detail

/// F and cof F by columns: matrices as arrays leave the registers when T is a packet.
template <class T>
struct GradientColumns {
    Vec3<T> f0, f1, f2, c0, c1, c2;

    explicit LIMBER_HD GradientColumns(const Mat3<T>& F)
        : f0(F.col(0)),
          f1(F.col(1)),
          f2(F.col(2)),
          c0(cross(f1, f2)),
          c1(cross(f2, f0)),
          c2(cross(f0, f1)) {}
    LIMBER_HD T I() const { return dot(f0, f0) + dot(f1, f1) + dot(f2, f2); }
    LIMBER_HD T II() const { return dot(c0, c0) + dot(c1, c1) + dot(c2, c2); }
    LIMBER_HD T J() const { return dot(f0, c0); }
    /// a F + b cof F
    LIMBER_HD Mat3<T> combined(const T& a, const T& b) const {
        return Mat3<T>::from_columns(a * f0 + b * c0, a * f1 + b * c1, a * f2 + b * c2);
    }
    /// F (a I + b FᵀF) + c cof F
    LIMBER_HD Mat3<T> combined(const T& a, const T& b, const T& c) const {
        const T m01 = b * dot(f0, f1), m02 = b * dot(f0, f2), m12 = b * dot(f1, f2);
        const T m00 = a + b * dot(f0, f0), m11 = a + b * dot(f1, f1), m22 = a + b * dot(f2, f2);
        return Mat3<T>::from_columns(m00 * f0 + m01 * f1 + m02 * f2 + c * c0,
                                     m01 * f0 + m11 * f1 + m12 * f2 + c * c1,
                                     m02 * f0 + m12 * f1 + m22 * f2 + c * c2);
    }
};

template <class T>
LIMBER_HD Invariants<T> invariants_of(const Mat3<T>& F) {
    const GradientColumns<T> columns(F);
    return {columns.I(), columns.II(), columns.J()};
}

/// P = W_I 2F + W_II 2 (I F − F FᵀF) + W_J cof F   [Pa]
template <class T>
LIMBER_HD Mat3<T> stress_of(const GradientColumns<T>& F, const T& I, const InvariantSlopes<T>& W) {
    return F.combined(T(2) * (W.I + W.II * I), T(-2) * W.II, W.J);
}
/// The same for laws without II.
template <class T>
LIMBER_HD Mat3<T> stress_without_II(const GradientColumns<T>& F, const InvariantSlopes<T>& W) {
    return F.combined(W.I + W.I, W.J);
}

/// ∂P/∂F   [Pa]
template <class T>
LIMBER_HD Mat9<T> hessian_of(const Mat3<T>& F, const Invariants<T>& v, const InvariantSlopes<T>& W,
                             const InvariantCurvatures<T>& c) {
    const Mat3<T> C = transpose(F) * F, B = F * transpose(F), cof = cofactor(F);
    const Mat3<T> dI = T(2) * F, dII = T(2) * (v.I * F - F * C);
    // Rows of the symmetric part Σ W_ab (∂a)(∂b)ᵀ, and W_II ∂²II with its 4 F Fᵀ.
    const Mat3<T> with_I = c.I_I * dI + W.II * dI + c.I_J * cof, with_II = c.II_J * cof;
    const Mat3<T> with_J = c.I_J * dI + c.II_J * dII + c.J_J * cof;
    Mat9<T> H;
    for (int l = 0; l < 3; ++l)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i) {
                    const int row = i + 3 * j, col = k + 3 * l;
                    T sum = dI.a[row] * with_I.a[col] + dII.a[row] * with_II.a[col] +
                            cof.a[row] * with_J.a[col] - T(2) * W.II * (F(i, l) * F(k, j));
                    if (i == k) sum -= T(2) * W.II * C(l, j);
                    if (j == l) sum -= T(2) * W.II * B(i, k);
                    if (row == col) sum += T(2) * (W.I + W.II * v.I);
                    if (i != k && j != l) {  // ∂cof_ij/∂F_kl = ε_ikm ε_jln F_mn
                        const bool even = ((k - i + 3) % 3 == 1) == ((l - j + 3) % 3 == 1);
                        const T entry = W.J * F(3 - i - k, 3 - j - l);
                        sum += even ? entry : -entry;
                    }
                    H(row, col) = sum;
                }
    return H;
}

/// Invariants of stretches with sign.
template <class T>
LIMBER_HD Invariants<T> invariants_of(const Vec3<T>& s) {
    const T a = s.x * s.x, b = s.y * s.y, c = s.z * s.z;
    return {a + b + c, a * b + b * c + c * a, s.x * s.y * s.z};
}

/// The divisions of twist and flip done:  flip_k = 2 W_I + 2 W_II (s_k² − s_i s_j) − W_J s_k, and
/// twist_k with the other signs.
template <class T>
LIMBER_HD PrincipalCurvature<T> curvature_of(const Vec3<T>& s, const InvariantSlopes<T>& W,
                                             const InvariantCurvatures<T>& c) {
    PrincipalCurvature<T> out;
    Vec3<T> dI, dII, dJ;
    for (int k = 0; k < 3; ++k) {
        const T i = s[(k + 1) % 3], j = s[(k + 2) % 3];
        dI[k] = T(2) * s[k];
        dII[k] = dI[k] * (i * i + j * j);
        dJ[k] = i * j;
        const T even = T(2) * (W.I + W.II * (s[k] * s[k])),
                odd = T(2) * W.II * (i * j) + W.J * s[k];
        out.twist[k] = even + odd;
        out.flip[k] = even - odd;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            T sum = c.I_I * dI[i] * dI[j] + c.I_J * (dI[i] * dJ[j] + dJ[i] * dI[j]) +
                    c.II_J * (dII[i] * dJ[j] + dJ[i] * dII[j]) + c.J_J * dJ[i] * dJ[j];
            if (i == j) {
                const T p = s[(i + 1) % 3], q = s[(i + 2) % 3];
                sum += T(2) * (W.I + W.II * (p * p + q * q));
            } else {
                sum += T(4) * W.II * s[i] * s[j] + W.J * s[3 - i - j];
            }
            out.stretch(i, j) = sum;
        }
    return out;
}

/// d²W along e_r gᵀ for r = 0, 1, 2, as block_diagonal of principal.h but not projected: without a
/// decomposition. J is linear along a direction of rank one.
template <class T>
LIMBER_HD Vec3<T> block_diagonal_of(const Mat3<T>& F, const Invariants<T>& v,
                                    const InvariantSlopes<T>& W, const InvariantCurvatures<T>& c,
                                    const Vec3<T>& g) {
    const Mat3<T> cof = cofactor(F);
    const Vec3<T> Fg = F * g, FCg = F * (transpose(F) * Fg), cof_g = cof * g;
    const T gg = dot(g, g), size = dot(Fg, Fg);
    Vec3<T> out;
    for (int r = 0; r < 3; ++r) {
        const Vec3<T> f = F.row(r);
        const T dI = T(2) * Fg[r], dII = T(2) * (v.I * Fg[r] - FCg[r]), dJ = cof_g[r];
        const T ddII = T(2) * (Fg[r] * Fg[r] + gg * (v.I - dot(f, f)) - size);
        out[r] = T(2) * gg * W.I + ddII * W.II + c.I_I * dI * dI +
                 dJ * (T(2) * (c.I_J * dI + c.II_J * dII) + c.J_J * dJ);
    }
    return out;
}

/// The whole 3x3 block of a node: d²W along e_r gᵀ and e_s gᵀ, not projected.
template <class T>
LIMBER_HD Mat3<T> block_of(const Mat3<T>& F, const Invariants<T>& v, const InvariantSlopes<T>& W,
                           const InvariantCurvatures<T>& c, const Vec3<T>& g) {
    const Vec3<T> Fg = F * g;
    const Vec3<T> dI = T(2) * Fg, dII = T(2) * (v.I * Fg - F * (transpose(F) * Fg));
    const Vec3<T> dJ = cofactor(F) * g;
    const T gg = dot(g, g), two_II = T(2) * W.II;
    const T even = T(2) * gg * W.I + two_II * (gg * v.I - dot(Fg, Fg));
    // Rows of the symmetric outer products; ∂²II adds 2 Fg Fgᵀ − 2 |g|² F Fᵀ.
    const Vec3<T> with_I = c.I_I * dI + c.I_J * dJ, with_Fg = two_II * Fg;
    const Vec3<T> with_J = c.I_J * dI + c.II_J * dII + c.J_J * dJ;
    Mat3<T> H = Mat3<T>::diagonal(even, even, even);
    for (int s = 0; s < 3; ++s)
        for (int r = 0; r < 3; ++r)
            H(r, s) += dI[r] * with_I[s] + dJ[r] * with_J[s] + c.II_J * dII[r] * dJ[s] +
                       Fg[r] * with_Fg[s] - two_II * gg * dot(F.row(r), F.row(s));
    return H;
}

}  // namespace limber
