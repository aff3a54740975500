// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "limber/core/check.h"
#include "limber/core/types.h"

namespace limber {

/// A natural cubic spline through control points, continued by straight lines: C² everywhere. The
/// zero function without points. Plain data of a fixed size, so that laws stay plain data, on the
/// device too.
template <class P>
struct CubicSplineOf {
    static constexpr int capacity = 16;
    using Point = std::array<double, 2>;  // argument, value; arguments increase

    int n = 0;               // control points
    P knot[capacity]{};      // arguments
    P c[capacity + 1][4]{};  // piece p is Σ c_q (t − origin_p)^q; 0 and n are the straight ones
    P area[capacity + 1]{};  // ∫ from knot 0 to the origin of the piece

    static CubicSplineOf through(std::span<const Point> points);
    template <class Q>
    CubicSplineOf<Q> in() const {
        CubicSplineOf<Q> out;
        out.n = n;
        for (int i = 0; i < capacity; ++i) out.knot[i] = Q(knot[i]);
        for (int p = 0; p <= capacity; ++p) {
            for (int q = 0; q < 4; ++q) out.c[p][q] = Q(c[p][q]);
            out.area[p] = Q(area[p]);
        }
        return out;
    }

    LIMBER_HD P value(P t) const {
        const int p = piece(t);
        const P u = t - origin(p);
        return c[p][0] + u * (c[p][1] + u * (c[p][2] + u * c[p][3]));
    }
    LIMBER_HD P slope(P t) const {
        const int p = piece(t);
        const P u = t - origin(p);
        return c[p][1] + u * (2 * c[p][2] + u * (3 * c[p][3]));
    }
    /// ∫ from 1 to t
    LIMBER_HD P integral(P t) const { return from_first_knot(t) - from_first_knot(P(1)); }
    /// (value(a) − value(b)) / (a − b), and slope(a) for b = a, without cancellation: the mean of
    /// the quotients of the pieces between, each of which is a polynomial.
    LIMBER_HD P quotient(P a, P b) const;

  private:
    LIMBER_HD int piece(P t) const {
        int p = 0;
        while (p < n && t >= knot[p]) ++p;
        return p;
    }
    LIMBER_HD P origin(int p) const { return knot[p > 0 ? p - 1 : 0]; }
    LIMBER_HD P from_first_knot(P t) const {
        const int p = piece(t);
        const P u = t - origin(p);
        return area[p] + u * (c[p][0] + u * (c[p][1] / 2 + u * (c[p][2] / 3 + u * c[p][3] / 4)));
    }
    LIMBER_HD P quotient_in(int p, P a, P b) const {
        const P u = a - origin(p), v = b - origin(p);
        return c[p][1] + c[p][2] * (u + v) + c[p][3] * (u * u + u * v + v * v);
    }
};
using CubicSpline = CubicSplineOf<double>;

template <class P>
LIMBER_HD P CubicSplineOf<P>::quotient(P a, P b) const {
    if (a > b) {
        const P larger = a;
        a = b;
        b = larger;
    }
    const int last = piece(b);
    int p = piece(a);
    if (p == last) return quotient_in(p, a, b);
    P sum = 0, from = a;
    for (; p <= last; ++p) {
        const P to = p == last ? b : knot[p];
        sum += quotient_in(p, from, to) * (to - from);
        from = to;
    }
    return sum / (b - a);
}

template <>
inline CubicSpline CubicSpline::through(std::span<const Point> points) {
    CubicSpline s;
    s.n = static_cast<int>(points.size());
    LIMBER_CHECK(s.n == 0 || (s.n >= 2 && s.n <= capacity), "2 to 16 control points");
    if (s.n == 0) return s;
    const int n = s.n;
    for (int i = 0; i < n; ++i) {
        s.knot[i] = points[i][0];
        LIMBER_CHECK(i == 0 || s.knot[i] > s.knot[i - 1], "arguments of a spline increase");
    }
    const auto width = [&](int i) { return s.knot[i + 1] - s.knot[i]; };
    const auto secant = [&](int i) { return (points[i + 1][1] - points[i][1]) / width(i); };
    // Second derivatives m_i, m_0 = m_(n-1) = 0, by elimination without pivots: the tridiagonal
    // matrix is diagonally dominant.
    double m[capacity]{}, pivot[capacity]{};
    for (int i = 1; i + 1 < n; ++i) {
        const double below = i > 1 ? width(i - 1) / pivot[i - 1] : 0;
        pivot[i] = 2 * (width(i - 1) + width(i)) - below * (i > 1 ? width(i - 1) : 0);
        m[i] = 6 * (secant(i) - secant(i - 1)) - below * m[i - 1];
    }
    for (int i = n - 2; i >= 1; --i) m[i] = (m[i] - width(i) * m[i + 1]) / pivot[i];
    for (int i = 0; i + 1 < n; ++i) {
        const double h = width(i);
        double* c = s.c[i + 1];
        c[0] = points[i][1];
        c[1] = secant(i) - h * (2 * m[i] + m[i + 1]) / 6;
        c[2] = m[i] / 2;
        c[3] = (m[i + 1] - m[i]) / (6 * h);
        s.area[i + 2] = s.area[i + 1] + h * (c[0] + h * (c[1] / 2 + h * (c[2] / 3 + h * c[3] / 4)));
    }
    s.c[0][0] = points[0][1];
    s.c[0][1] = s.c[1][1];
    s.c[n][0] = points[n - 1][1];
    const double h = width(n - 2);
    s.c[n][1] = s.c[n - 1][1] + h * (2 * s.c[n - 1][2] + h * (3 * s.c[n - 1][3]));
    return s;
}

}  // namespace limber
