// SPDX-License-Identifier: Apache-2.0
#pragma once

// A packet carries the same quantity of W elements through one kernel: Mat3<Packet<double, 8>>
// holds eight deformation gradients, and the templates of core/math.h and fem/ work on it
// unchanged. Branches become select(mask, a, b).
//
// A packet that fits a vector register of the machine is one; a wider one is two of half the width,
// and so on down. (Left to GCC 12, a type wider than a register goes through the stack: eight times
// slower.) Every lane sees the same operations in the same order whatever the width of a register.

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "limber/core/lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace limber {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class T, int W>
inline constexpr bool fits_a_register = W* static_cast<int>(sizeof(T)) <= register_bytes;

template <class T, int W>
struct Packet;

/// What follows from the operators that a packet has itself.
template <class P>
struct PacketOperators {
    friend P operator+(P a, const P& b) { return a += b; }
    friend P operator-(P a, const P& b) { return a -= b; }
    friend P operator*(P a, const P& b) { return a *= b; }
    friend P operator/(P a, const P& b) { return a /= b; }
    friend P max(const P& a, const P& b) { return select(a < b, b, a); }
    friend P min(const P& a, const P& b) { return select(b < a, b, a); }
};

/// One register.
template <class T, int W>
requires(fits_a_register<T, W>) struct Packet<T, W> : PacketOperators<Packet<T, W>> {
    static_assert(W > 0 && (W & (W - 1)) == 0, "W is a power of two");
    using Scalar = T;
    using Int = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef T Native __attribute__((vector_size(sizeof(T) * W)));
    typedef Int NativeMask __attribute__((vector_size(sizeof(T) * W)));
    static constexpr int width = W;
    static constexpr bool halved = false;

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
};

/// Two packets of half the width.
template <class T, int W>
requires(!fits_a_register<T, W>) struct Packet<T, W> : PacketOperators<Packet<T, W>> {
    using Scalar = T;
    using Half = Packet<T, W / 2>;
    static constexpr int width = W;
    static constexpr bool halved = true;

    struct Mask {
        typename Half::Mask lo, hi;
        friend Mask operator&(Mask a, Mask b) { return {a.lo & b.lo, a.hi & b.hi}; }
        friend Mask operator|(Mask a, Mask b) { return {a.lo | b.lo, a.hi | b.hi}; }
        friend Mask operator!(Mask a) { return {!a.lo, !a.hi}; }
        friend bool any(Mask a) { return any(a.lo | a.hi); }
    };

    Half lo, hi;

    Packet() = default;
    Packet(T s) : lo(s), hi(s) {}  // NOLINT: as above
    Packet(const Half& low, const Half& high) : lo(low), hi(high) {}
    static Packet load(const T* p) { return {Half::load(p), Half::load(p + W / 2)}; }
    void store(T* p) const {
        lo.store(p);
        hi.store(p + W / 2);
    }
    T operator[](int i) const { return i < W / 2 ? lo[i] : hi[i - W / 2]; }
    void set(int i, T s) { i < W / 2 ? lo.set(i, s) : hi.set(i - W / 2, s); }

    Packet& operator+=(const Packet& b) {
        lo += b.lo;
        hi += b.hi;
        return *this;
    }
    Packet& operator-=(const Packet& b) {
        lo -= b.lo;
        hi -= b.hi;
        return *this;
    }
    Packet& operator*=(const Packet& b) {
        lo *= b.lo;
        hi *= b.hi;
        return *this;
    }
    Packet& operator/=(const Packet& b) {
        lo /= b.lo;
        hi /= b.hi;
        return *this;
    }
    friend Packet operator-(const Packet& a) { return {-a.lo, -a.hi}; }
    friend Mask operator<(const Packet& a, const Packet& b) { return {a.lo < b.lo, a.hi < b.hi}; }
    friend Mask operator>(const Packet& a, const Packet& b) { return {a.lo > b.lo, a.hi > b.hi}; }
    friend Mask operator<=(const Packet& a, const Packet& b) {
        return {a.lo <= b.lo, a.hi <= b.hi};
    }
    friend Mask operator>=(const Packet& a, const Packet& b) {
        return {a.lo >= b.lo, a.hi >= b.hi};
    }
    friend Packet select(Mask m, const Packet& a, const Packet& b) {
        return {select(m.lo, a.lo, b.lo), select(m.hi, a.hi, b.hi)};
    }
    friend Packet sqrt(const Packet& a) { return {sqrt(a.lo), sqrt(a.hi)}; }
    friend Packet abs(const Packet& a) { return {abs(a.lo), abs(a.hi)}; }
};

// ---- moving lanes

/// The packet of lanes i... of a and b one after the other, as __builtin_shufflevector counts them.
template <int... i, class T, int W>
inline Packet<T, sizeof...(i)> shuffle(const Packet<T, W>& a, const Packet<T, W>& b) {
    using Out = Packet<T, sizeof...(i)>;
    if constexpr (Out::halved) {
        return [&]<int... k>(std::integer_sequence<int, k...>) {
            constexpr int index[] = {i...};
            constexpr int half = Out::width / 2;
            return Out{shuffle<index[k]...>(a, b), shuffle<index[half + k]...>(a, b)};
        }
        (std::make_integer_sequence<int, Out::width / 2>{});
    } else if constexpr (Packet<T, W>::halved) {
        return Out::from(typename Out::Native{(i < W ? a[i] : b[i - W])...});
    } else {
        return Out::from(__builtin_shufflevector(a.v, b.v, i...));
    }
}
/// The same four lanes of every four: in each, 0 to 3 are those of a and 4 to 7 those of b.
template <int i0, int i1, int i2, int i3, class T, int W>
inline Packet<T, W> shuffle_fours(const Packet<T, W>& a, const Packet<T, W>& b) {
    if constexpr (W == 4) {
        return shuffle<i0, i1, i2, i3>(a, b);
    } else if constexpr (Packet<T, W>::halved) {
        return {shuffle_fours<i0, i1, i2, i3>(a.lo, b.lo),
                shuffle_fours<i0, i1, i2, i3>(a.hi, b.hi)};
    } else {
        return [&]<int... lane>(std::integer_sequence<int, lane...>) {
            constexpr int of_four[] = {i0, i1, i2, i3};
            return shuffle<(lane / 4 * 4 + of_four[lane % 4] % 4 + of_four[lane % 4] / 4 * W)...>(
                a, b);
        }
        (std::make_integer_sequence<int, W>{});
    }
}
/// Lanes 4 k to 4 k + 3.
template <int k, class T, int W>
inline Packet<T, 4> four_of(const Packet<T, W>& a) {
    if constexpr (W == 4)
        return a;
    else if constexpr (Packet<T, W>::halved)
        return four_of<k % (W / 8)>(k < W / 8 ? a.lo : a.hi);
    else
        return shuffle<4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3>(a, a);
}
/// a, then b.
template <class T, int W>
inline Packet<T, 2 * W> join(const Packet<T, W>& a, const Packet<T, W>& b) {
    if constexpr (Packet<T, 2 * W>::halved)
        return {a, b};
    else
        return [&]<int... i>(std::integer_sequence<int, i...>) {
            return shuffle<i...>(a, b);
        }
    (std::make_integer_sequence<int, 2 * W>{});
}
/// The same numbers in another type.
template <class To, class T, int W>
inline Packet<To, W> convert(const Packet<T, W>& a) {
    using Out = Packet<To, W>;
    if constexpr (!Out::halved && !Packet<T, W>::halved) {
        return Out::from(__builtin_convertvector(a.v, typename Out::Native));
    } else if constexpr (Out::halved && Packet<T, W>::halved) {
        return {convert<To>(a.lo), convert<To>(a.hi)};
    } else if constexpr (Out::halved) {  // to wider numbers
        return [&]<int... i>(std::integer_sequence<int, i...>) {
            return Out{convert<To>(shuffle<i...>(a, a)),
                       convert<To>(shuffle<(W / 2 + i)...>(a, a))};
        }
        (std::make_integer_sequence<int, W / 2>{});
    } else {
        return join(convert<To>(a.lo), convert<To>(a.hi));
    }
}

}  // namespace limber
