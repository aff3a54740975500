// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the mathematics of an element asks of its numbers T, be they double, float, or packets of
// either (core/simd.h): that scalars have the same names as packets. Compiles for the device too.

#include <cmath>
#include <type_traits>

#include "limber/core/types.h"

namespace limber {

/// The number type of one lane: T::Scalar of a packet (or of a dual number), else T.
template <class T>
struct LaneOf {
    using Type = T;
};
template <class T>
requires requires {
    typename T::Scalar;
}
struct LaneOf<T> {
    using Type = typename T::Scalar;
};
template <class T>
inline constexpr bool is_single = std::is_same_v<typename LaneOf<T>::Type, float>;

LIMBER_HD inline double select(bool m, double a, double b) {
    return m ? a : b;
}
LIMBER_HD inline float select(bool m, float a, float b) {
    return m ? a : b;
}
LIMBER_HD inline bool any(bool m) {
    return m;
}
/// x^(-1/3)
LIMBER_HD inline double inverse_cbrt(double x) {
    return 1 / std::cbrt(x);
}
LIMBER_HD inline float inverse_cbrt(float x) {
    return 1 / std::cbrt(x);
}

}  // namespace limber
