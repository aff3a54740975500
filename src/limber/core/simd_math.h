// SPDX-License-Identifier: Apache-2.0
#pragma once

// exp, log and x^(-1/3) of packets, without a branch or a call per lane. All are good to a few
// units in the last place (tests/core/test_simd_math.cpp).

#include <cmath>
#include <cstdint>
#include <limits>

#include "limber/core/simd.h"

namespace limber {

namespace simd_detail {

template <class T>
struct Layout;
template <>
struct Layout<double> {
    static constexpr int fraction_bits = 52;
    static constexpr std::int64_t bias = 1023, one_bits = std::int64_t{1023} << 52;
    static constexpr double round_to_int = 6755399441055744.0;  // 1.5 · 2⁵²
    static constexpr double ln2_hi = 6.93147180369123816490e-01,
                            ln2_lo = 1.90821492927058770002e-10;
    static constexpr double exp_hi = 709, exp_lo = -708;
    static constexpr int exp_degree = 13, log_terms = 12;
};
template <>
struct Layout<float> {
    static constexpr int fraction_bits = 23;
    static constexpr std::int32_t bias = 127, one_bits = std::int32_t{127} << 23;
    static constexpr float round_to_int = 12582912.0f;  // 1.5 · 2²³
    static constexpr float ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f;
    static constexpr float exp_hi = 88, exp_lo = -87;
    static constexpr int exp_degree = 7, log_terms = 6;
};

}  // namespace simd_detail

/// eˣ: x = k ln 2 + r, |r| <= ln 2 / 2, and Taylor's sum for r. +infinity from 709 (float: 88) on,
/// zero below -708 (-87).
template <class T, int W>
Packet<T, W> exp(const Packet<T, W>& x) {
    using P = Packet<T, W>;
    if constexpr (P::halved) {
        return {exp(x.lo), exp(x.hi)};
    } else {
        using L = simd_detail::Layout<T>;
        const P bounded = max(min(x, P(L::exp_hi)), P(L::exp_lo));
        const P k = (bounded * P(T(1.4426950408889634)) + P(L::round_to_int)) - P(L::round_to_int);
        const P r = (bounded - k * P(L::ln2_hi)) - k * P(L::ln2_lo);
        P sum(T(1));
        for (int n = L::exp_degree; n >= 1; --n) sum = P(T(1)) + sum * r * P(T(1.0 / n));
        using Int = typename P::NativeMask;
        const Int bits = (__builtin_convertvector(k.v, Int) + L::bias) << L::fraction_bits;
        const P result = sum * P::from((typename P::Native)bits);
        return select(x > P(L::exp_hi), P(std::numeric_limits<T>::infinity()),
                      select(x < P(L::exp_lo), P(T(0)), result));
    }
}

/// ln x of positive normal numbers: x = 2ᵉ m with m in [√½, √2), f = (m - 1) / (m + 1) and
/// ln m = 2 (f + f³/3 + f⁵/5 + …). Other x give numbers without meaning.
template <class T, int W>
Packet<T, W> log(const Packet<T, W>& x) {
    using P = Packet<T, W>;
    if constexpr (P::halved) {
        return {log(x.lo), log(x.hi)};
    } else {
        using L = simd_detail::Layout<T>;
        using Int = typename P::NativeMask;
        constexpr typename P::Int fraction = (typename P::Int{1} << L::fraction_bits) - 1;
        const Int bits = (Int)x.v;
        P m = P::from((typename P::Native)((bits & fraction) | L::one_bits));
        P e = P::from(
            __builtin_convertvector((bits >> L::fraction_bits) - L::bias, typename P::Native));
        const auto upper = m > P(T(1.4142135623730951));
        m = select(upper, m * P(T(0.5)), m);
        e = select(upper, e + P(T(1)), e);
        const P f = (m - P(T(1))) / (m + P(T(1))), z = f * f;
        P sum(T(0));
        for (int n = L::log_terms - 1; n >= 1; --n) sum = (sum + P(T(1.0 / (2 * n + 1)))) * z;
        const P f2 = f + f;
        return e * P(L::ln2_hi) + (f2 + (f2 * sum + e * P(L::ln2_lo)));
    }
}

/// x^(-1/3) of positive normal numbers: a guess good to 3.5 % from the exponent bits, and twice the
/// series of (1 - r)^(-1/3) for the residual r = 1 - x y³.
template <class T, int W>
Packet<T, W> inverse_cbrt(const Packet<T, W>& x) {
    using P = Packet<T, W>;
    if constexpr (P::halved) {
        return {inverse_cbrt(x.lo), inverse_cbrt(x.hi)};
    } else {
        using L = simd_detail::Layout<T>;
        using Int = typename P::NativeMask;
        constexpr T one = T(typename P::Int{1} << L::fraction_bits);
        const P third = P::from(__builtin_convertvector((Int)x.v, typename P::Native));
        const P guess = P(T((4.0 / 3) * L::bias - 0.066) * one) - third * P(T(1.0 / 3));
        P y = P::from((typename P::Native) __builtin_convertvector(guess.v, Int));
        for (int k = 0; k < 2; ++k) {
            const P r = P(T(1)) - (x * y) * (y * y);
            y += (y * r) * (P(T(1.0 / 3)) + r * (P(T(2.0 / 9)) + r * P(T(14.0 / 81))));
        }
        return y;
    }
}

}  // namespace limber
