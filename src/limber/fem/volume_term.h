// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/fem/invariants.h"

namespace limber {

/// k/2 (det F − 1)², which any law may add. Kavan's notes, Eq. (39a) with its exponent restored.
/// Adds k to the small-strain bulk modulus.
template <class P>
struct VolumeTermOf {
    P k{};  // [Pa]

    template <class T>
    LIMBER_HD T energy(const Mat3<T>& F) const {
        const T d = determinant(F) - T(1);
        return T(P(0.5) * k) * d * d;
    }
    template <class T>
    LIMBER_HD Mat3<T> stress(const Mat3<T>& F) const {
        const Mat3<T> cof = cofactor(F);
        return (T(k) * (dot(F.col(0), cof.col(0)) - T(1))) * cof;
    }
    template <class T>
    LIMBER_HD InvariantSlopes<T> slopes(const Invariants<T>& v) const {
        return {T(0), T(0), T(k) * (v.J - T(1))};
    }
    template <class T>
    LIMBER_HD InvariantCurvatures<T> curvatures(const Invariants<T>&) const {
        return {T(0), T(0), T(0), T(k)};
    }
    template <class T>
    LIMBER_HD PrincipalCurvature<T> curvature(const Vec3<T>& s) const {
        const Invariants<T> v = invariants_of(s);
        return curvature_of(s, slopes(v), curvatures(v));
    }
    template <class T>
    LIMBER_HD Mat9<T> hessian(const Mat3<T>& F) const {
        const Invariants<T> v = invariants_of(F);
        return hessian_of(F, v, slopes(v), curvatures(v));
    }
};
using VolumeTerm = VolumeTermOf<double>;

}  // namespace limber
