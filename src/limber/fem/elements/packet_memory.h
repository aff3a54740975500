// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between arrays of Vec3d and packets of eight tets.

#include "limber/fem/elements/element_set.h"

#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace limber {

inline Vec3<Double8> load_vector(const double* a) {
    return {Double8::load(a), Double8::load(a + tet_lanes), Double8::load(a + 2 * tet_lanes)};
}
inline Mat3<Double8> load_matrix(const double (&a)[9][tet_lanes]) {
    return Mat3<Double8>::from_columns(load_vector(a[0]), load_vector(a[3]), load_vector(a[6]));
}
/// Written out: GCC makes a copy in memory of a loop.
inline void store_matrix(const Mat3<Double8>& m, double (&a)[9][tet_lanes]) {
    const auto store_column = [&](int j) {
        m(0, j).store(a[3 * j]);
        m(1, j).store(a[3 * j + 1]);
        m(2, j).store(a[3 * j + 2]);
    };
    store_column(0);
    store_column(1);
    store_column(2);
}

/// (x, y, z, 0)
inline Packet<double, 4> load_padded(const Vec3d& p) {
    using Four = Packet<double, 4>;
#if defined(__AVX512VL__)
    return Four::from(_mm256_maskz_loadu_pd(7, &p.x));  // never touches what lies behind p
#else
    return Four::from(Four::Native{p.x, p.y, p.z, 0});
#endif
}

/// x of one corner of eight tets. Eight loads and seven shuffles: on Zen 4 a third of the time of
/// three gather instructions.
inline Vec3<Double8> load_corner(const Vec3d* x, const Index (&node)[tet_lanes]) {
    const auto pair = [&](int lane) {
        return Double8::from(__builtin_shufflevector(load_padded(x[node[lane]]).v,
                                                     load_padded(x[node[lane + 4]]).v, 0, 1, 2, 3,
                                                     4, 5, 6, 7));
    };
    const Double8 p0 = pair(0), p1 = pair(1), p2 = pair(2), p3 = pair(3);
    const Double8::Native &r0 = p0.v, &r1 = p1.v, &r2 = p2.v, &r3 = p3.v;
    const auto xz01 = __builtin_shufflevector(r0, r1, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto xz23 = __builtin_shufflevector(r2, r3, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto y01 = __builtin_shufflevector(r0, r1, 1, 9, 3, 11, 5, 13, 7, 15);
    const auto y23 = __builtin_shufflevector(r2, r3, 1, 9, 3, 11, 5, 13, 7, 15);
    return {Double8::from(__builtin_shufflevector(xz01, xz23, 0, 1, 8, 9, 4, 5, 12, 13)),
            Double8::from(__builtin_shufflevector(y01, y23, 0, 1, 8, 9, 4, 5, 12, 13)),
            Double8::from(__builtin_shufflevector(xz01, xz23, 2, 3, 10, 11, 6, 7, 14, 15))};
}

/// Calls put(lane, value) with (f.x, f.y, f.z, w) of each lane.
template <class Put>
inline void for_each_lane(const Vec3<Double8>& f, const Double8& w, Put&& put) {
    // Pair k of xy_even and zw_even belongs to tet 2k, of the odd ones to tet 2k + 1.
    const auto xy_even = __builtin_shufflevector(f.x.v, f.y.v, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto xy_odd = __builtin_shufflevector(f.x.v, f.y.v, 1, 9, 3, 11, 5, 13, 7, 15);
    const auto zw_even = __builtin_shufflevector(f.z.v, w.v, 0, 8, 2, 10, 4, 12, 6, 14);
    const auto zw_odd = __builtin_shufflevector(f.z.v, w.v, 1, 9, 3, 11, 5, 13, 7, 15);
    const auto put_two = [&](int lane, const Double8::Native& two) {  // `lane` and `lane + 2`
        using Four = Packet<double, 4>;
        put(lane, Four::from(__builtin_shufflevector(two, two, 0, 1, 2, 3)));
        put(lane + 2, Four::from(__builtin_shufflevector(two, two, 4, 5, 6, 7)));
    };
    put_two(0, __builtin_shufflevector(xy_even, zw_even, 0, 1, 8, 9, 2, 3, 10, 11));
    put_two(1, __builtin_shufflevector(xy_odd, zw_odd, 0, 1, 8, 9, 2, 3, 10, 11));
    put_two(4, __builtin_shufflevector(xy_even, zw_even, 4, 5, 12, 13, 6, 7, 14, 15));
    put_two(5, __builtin_shufflevector(xy_odd, zw_odd, 4, 5, 12, 13, 6, 7, 14, 15));
}

/// sum[slot[lane]] += f of that lane.
inline void add_corner(const Vec3<Double8>& f, const std::uint16_t (&slot)[tet_lanes], Vec4d* sum) {
    using Four = Packet<double, 4>;
    for_each_lane(f, Double8(0.0), [&](int lane, const Four& value) {
        double* at = sum[slot[lane]].v;
        (Four::load(at) + value).store(at);
    });
}

// ---- sixteen tets in single precision

using Float16 = Packet<float, 16>;

inline Packet<float, 4> load_padded(const Vec3<float>& p) {
    using Four = Packet<float, 4>;
#if defined(__AVX512VL__)
    return Four::from(_mm_maskz_loadu_ps(7, &p.x));
#else
    return Four::from(Four::Native{p.x, p.y, p.z, 0});
#endif
}

inline Vec3<Float16> load_corner(const Vec3<float>* x, const Index (&node)[16]) {
    // Register k holds corners k, k + 4, k + 8, k + 12: transposed by fours they come out in order.
    const auto four = [&](int lane) {
        const auto a = load_padded(x[node[lane]]).v, b = load_padded(x[node[lane + 4]]).v,
                   c = load_padded(x[node[lane + 8]]).v, d = load_padded(x[node[lane + 12]]).v;
        const auto ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
        const auto cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
        return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                       15);
    };
    const Float16::Native r0 = four(0), r1 = four(1), r2 = four(2), r3 = four(3);
    const auto xy01 =
        __builtin_shufflevector(r0, r1, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const auto xy23 =
        __builtin_shufflevector(r2, r3, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const auto z01 =
        __builtin_shufflevector(r0, r1, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    const auto z23 =
        __builtin_shufflevector(r2, r3, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    return {Float16::from(__builtin_shufflevector(xy01, xy23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24,
                                                  25, 12, 13, 28, 29)),
            Float16::from(__builtin_shufflevector(xy01, xy23, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11,
                                                  26, 27, 14, 15, 30, 31)),
            Float16::from(__builtin_shufflevector(z01, z23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24,
                                                  25, 12, 13, 28, 29))};
}

inline void add_corner(const Vec3<Float16>& f, const std::uint16_t (&slot)[16], Vec4<float>* sum) {
    const auto& x = f.x.v;
    const auto& y = f.y.v;
    const auto& z = f.z.v;
    const Float16::Native w{};
    const auto xy_low =
        __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const auto xy_high =
        __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    const auto zw_low =
        __builtin_shufflevector(z, w, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const auto zw_high =
        __builtin_shufflevector(z, w, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    using Four = Packet<float, 4>;
    const auto put = [&](int lane, const Four::Native& value) {
        float* at = sum[slot[lane]].v;
        (Four::load(at) + Four::from(value)).store(at);
    };
    const auto put_four = [&](int lane, const Float16::Native& v) {  // lane, + 4, + 8, + 12
        put(lane, __builtin_shufflevector(v, v, 0, 1, 2, 3));
        put(lane + 4, __builtin_shufflevector(v, v, 4, 5, 6, 7));
        put(lane + 8, __builtin_shufflevector(v, v, 8, 9, 10, 11));
        put(lane + 12, __builtin_shufflevector(v, v, 12, 13, 14, 15));
    };
    put_four(0, __builtin_shufflevector(xy_low, zw_low, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25,
                                        12, 13, 28, 29));
    put_four(1, __builtin_shufflevector(xy_low, zw_low, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27,
                                        14, 15, 30, 31));
    put_four(2, __builtin_shufflevector(xy_high, zw_high, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25,
                                        12, 13, 28, 29));
    put_four(3, __builtin_shufflevector(xy_high, zw_high, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26,
                                        27, 14, 15, 30, 31));
}

// ---- edges and balanced forces of either width

/// Edge vectors from corner 0: Ds as columns.
template <class Real, int W>
Mat3<Packet<Real, W>> load_edges(const Vec3<Real>* x, const Index (&node)[4][W]) {
    const Vec3<Packet<Real, W>> x0 = load_corner(x, node[0]);
    return Mat3<Packet<Real, W>>::from_columns(
        load_corner(x, node[1]) - x0, load_corner(x, node[2]) - x0, load_corner(x, node[3]) - x0);
}
inline Mat3<Double8> load_edges(const Vec3d* x, const TetPacket& packet) {
    return load_edges(x, packet.node);
}

/// Adds the columns of f at corners 1 to 3 and their negative sum at corner 0: no net force.
template <class Real, int W>
void add_balanced(const Mat3<Packet<Real, W>>& f, const std::uint16_t (&slot)[4][W],
                  Vec4<Real>* sum) {
    add_corner(-(f.col(0) + f.col(1) + f.col(2)), slot[0], sum);
    add_corner(f.col(0), slot[1], sum);
    add_corner(f.col(1), slot[2], sum);
    add_corner(f.col(2), slot[3], sum);
}

/// Values of a per-tet array for one packet; 0 past the end.
inline Double8 load_tets(const std::vector<double>& values, Index packet) {
    const std::size_t first = static_cast<std::size_t>(packet) * tet_lanes;
    if (first + tet_lanes <= values.size()) return Double8::load(values.data() + first);
    Double8 out(0.0);
    for (std::size_t i = first; i < values.size(); ++i)
        out.set(static_cast<int>(i - first), values[i]);
    return out;
}

}  // namespace limber
