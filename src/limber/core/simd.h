// SPDX-License-Identifier: Apache-2.0
#pragma once

// A packet carries the same quantity of W elements through one kernel: Mat3<Packet<double, 8>>
// holds eight deformation gradients, and the templates of core/math.h and fem/ work on it
// unchanged. Compiled with the machine's vector instructions a packet is one or two registers;
// without them it is an unrolled loop with the same result. Branches become select(mask, a, b).

#include <cmath>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace limber {

template <class T, int W>
struct Packet {
    static_assert(W > 0 && (W & (W - 1)) == 0, "W is a power of two");
    using Scalar = T;
    using Int = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef T Native __attribute__((vector_size(sizeof(T) * W)));
    typedef Int NativeMask __attribute__((vector_size(sizeof(T) * W)));
    static constexpr int width = W;

    struct Mask {  // all ones or all zeros per lane
        NativeMask m;
        friend Mask operator&(Mask a, Mask b) { return {a.m & b.m}; }
        friend Mask operator|(Mask a, Mask b) { return {a.m | b.m}; }
        friend Mask operator!(Mask a) { return {~a.m}; }
        friend bool any(Mask a) {
#if defined(__AVX512F__)
            if constexpr (sizeof(NativeMask) == 64)
                return _mm512_test_epi64_mask((__m512i)a.m, (__m512i)a.m) != 0;
#endif
            Int r = 0;
            for (int i = 0; i < W; ++i) r |= a.m[i];
            return r != 0;
        }
    };

    Native v{};

    Packet() = default;
    Packet(T s)
        : v(s - Native{}) {}  // NOLINT: a scalar is the packet with that value in every lane
    static Packet from(Native n) {
        Packet p;
        p.v = n;
        return p;
    }
    static Packet load(const T* p) {
        Packet r;
        __builtin_memcpy(&r.v, p, sizeof r.v);
        return r;
    }
    void store(T* p) const {
        __builtin_memcpy(p, &v, sizeof v);
    }
    T operator[](int i) const {
        return v[i];
    }
    void set(int i, T s) {
        v[i] = s;
    }

    Packet& operator+=(const Packet& b) {
        v += b.v;
        return *this;
    }
    Packet& operator-=(const Packet& b) {
        v -= b.v;
        return *this;
    }
    Packet& operator*=(const Packet& b) {
        v *= b.v;
        return *this;
    }
    Packet& operator/=(const Packet& b) {
        v /= b.v;
        return *this;
    }
    friend Packet operator+(Packet a, const Packet& b) {
        return a += b;
    }
    friend Packet operator-(Packet a, const Packet& b) {
        return a -= b;
    }
    friend Packet operator*(Packet a, const Packet& b) {
        return a *= b;
    }
    friend Packet operator/(Packet a, const Packet& b) {
        return a /= b;
    }
    friend Packet operator-(const Packet& a) {
        return from(-a.v);
    }
    friend Mask operator<(const Packet& a, const Packet& b) {
        return {a.v < b.v};
    }
    friend Mask operator>(const Packet& a, const Packet& b) {
        return {a.v > b.v};
    }
    friend Mask operator<=(const Packet& a, const Packet& b) {
        return {a.v <= b.v};
    }
    friend Mask operator>=(const Packet& a, const Packet& b) {
        return {a.v >= b.v};
    }
    friend Packet select(Mask m, const Packet& a, const Packet& b) {
        return from(m.m ? a.v : b.v);
    }
    friend Packet sqrt(const Packet& a) {
        Packet r;
        for (int i = 0; i < W; ++i) r.v[i] = std::sqrt(a.v[i]);
        return r;
    }
    friend Packet abs(const Packet& a) {  // clears the sign bit
        constexpr Int rest = static_cast<Int>(~(std::uint64_t{1} << (8 * sizeof(T) - 1)));
        return from((Native)((NativeMask)a.v & (rest - NativeMask{})));
    }
    friend Packet max(const Packet& a, const Packet& b) {
        return select(a < b, b, a);
    }
    friend Packet min(const Packet& a, const Packet& b) {
        return select(b < a, b, a);
    }
};

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

// The same names for scalars, so that one kernel serves both.
inline double select(bool m, double a, double b) {
    return m ? a : b;
}
inline float select(bool m, float a, float b) {
    return m ? a : b;
}
inline bool any(bool m) {
    return m;
}

}  // namespace limber
