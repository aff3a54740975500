// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between arrays of Vec3d and packets of eight tets.

#include "limber/core/simd_math.h"
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
template <class Real>
Packet<Real, 4> load_padded(const Vec3<Real>& p) {
    using Four = Packet<Real, 4>;
#if defined(__AVX512VL__)  // never touches what lies behind p
    if constexpr (sizeof(Real) == 8)
        return Four::from(_mm256_maskz_loadu_pd(7, &p.x));
    else
        return Four::from(_mm_maskz_loadu_ps(7, &p.x));
#else
    if constexpr (Four::halved)
        return {{Four::Half::load(&p.x)}, Four::Half::from(typename Four::Half::Native{p.z, 0})};
    else
        return Four::from(typename Four::Native{p.x, p.y, p.z, 0});
#endif
}

/// x of one corner of W tets, by loads and shuffles: on Zen 4 a third of the time of gather
/// instructions. Register k holds the corners of tets k, k + 4, k + 8, ...: transposed by fours
/// they come out in order.
template <class Real, int W>
inline Vec3<Packet<Real, W>> gather_corner(const Vec3<Real>* x, const Index* node) {
    using Lanes = Packet<Real, W>;
    if constexpr (W > 4 && Lanes::halved) {
        const auto lo = gather_corner<Real, W / 2>(x, node),
                   hi = gather_corner<Real, W / 2>(x, node + W / 2);
        return {{lo.x, hi.x}, {lo.y, hi.y}, {lo.z, hi.z}};
    } else {
        const auto rows = [&](int k) {
            if constexpr (W == 4)
                return load_padded(x[node[k]]);
            else if constexpr (W == 8)
                return join(load_padded(x[node[k]]), load_padded(x[node[k + 4]]));
            else
                return join(join(load_padded(x[node[k]]), load_padded(x[node[k + 4]])),
                            join(load_padded(x[node[k + 8]]), load_padded(x[node[k + 12]])));
        };
        const Lanes r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
        // Each pattern keeps to what one instruction does inside 128 bits: two doubles or four
        // floats.
        if constexpr (sizeof(Real) == 8) {
            const Lanes xz01 = shuffle_fours<0, 4, 2, 6>(r0, r1),
                        xz23 = shuffle_fours<0, 4, 2, 6>(r2, r3);
            const Lanes y01 = shuffle_fours<1, 5, 3, 7>(r0, r1),
                        y23 = shuffle_fours<1, 5, 3, 7>(r2, r3);
            return {shuffle_fours<0, 1, 4, 5>(xz01, xz23), shuffle_fours<0, 1, 4, 5>(y01, y23),
                    shuffle_fours<2, 3, 6, 7>(xz01, xz23)};
        } else {
            const Lanes xy01 = shuffle_fours<0, 4, 1, 5>(r0, r1),
                        xy23 = shuffle_fours<0, 4, 1, 5>(r2, r3);
            const Lanes z01 = shuffle_fours<2, 6, 3, 7>(r0, r1),
                        z23 = shuffle_fours<2, 6, 3, 7>(r2, r3);
            return {shuffle_fours<0, 1, 4, 5>(xy01, xy23), shuffle_fours<2, 3, 6, 7>(xy01, xy23),
                    shuffle_fours<0, 1, 4, 5>(z01, z23)};
        }
    }
}

template <class Real, int W>
inline Vec3<Packet<Real, W>> load_corner(const Vec3<Real>* x, const Index (&node)[W]) {
    return gather_corner<Real, W>(x, node);
}

/// Calls put(lane, value) with (f.x, f.y, f.z, w) of each lane, in an order that does not depend on
/// the width of registers.
template <class Real, int W, class Put>
inline void for_each_lane(const Vec3<Packet<Real, W>>& f, const Packet<Real, W>& w, Put&& put) {
    constexpr auto fours = std::make_integer_sequence<int, W / 4>{};
    if constexpr (sizeof(Real) == 8) {
        const auto xy_even = shuffle_fours<0, 4, 2, 6>(f.x, f.y),
                   xy_odd = shuffle_fours<1, 5, 3, 7>(f.x, f.y);
        const auto zw_even = shuffle_fours<0, 4, 2, 6>(f.z, w),
                   zw_odd = shuffle_fours<1, 5, 3, 7>(f.z, w);
        const auto p0 = shuffle_fours<0, 1, 4, 5>(xy_even, zw_even),
                   p2 = shuffle_fours<2, 3, 6, 7>(xy_even, zw_even);
        const auto p1 = shuffle_fours<0, 1, 4, 5>(xy_odd, zw_odd),
                   p3 = shuffle_fours<2, 3, 6, 7>(xy_odd, zw_odd);
        const auto put_four = [&]<int k>(std::integral_constant<int, k>) {
            put(4 * k, four_of<k>(p0));
            put(4 * k + 2, four_of<k>(p2));
            put(4 * k + 1, four_of<k>(p1));
            put(4 * k + 3, four_of<k>(p3));
        };
        [&]<int... k>(std::integer_sequence<int, k...>) {
            (put_four(std::integral_constant<int, k>{}), ...);
        }
        (fours);
    } else {
        const auto xy_low = shuffle_fours<0, 4, 1, 5>(f.x, f.y),
                   xy_high = shuffle_fours<2, 6, 3, 7>(f.x, f.y);
        const auto zw_low = shuffle_fours<0, 4, 1, 5>(f.z, w),
                   zw_high = shuffle_fours<2, 6, 3, 7>(f.z, w);
        const auto put_all = [&](int lane, const Packet<Real, W>& p) {  // lane, lane + 4, ...
            [&]<int... k>(std::integer_sequence<int, k...>) {
                (put(lane + 4 * k, four_of<k>(p)), ...);
            }
            (fours);
        };
        put_all(0, shuffle_fours<0, 1, 4, 5>(xy_low, zw_low));
        put_all(1, shuffle_fours<2, 3, 6, 7>(xy_low, zw_low));
        put_all(2, shuffle_fours<0, 1, 4, 5>(xy_high, zw_high));
        put_all(3, shuffle_fours<2, 3, 6, 7>(xy_high, zw_high));
    }
}

/// sum[slot[lane]] += f of that lane.
template <class Real, int W>
inline void add_corner(const Vec3<Packet<Real, W>>& f, const std::uint16_t (&slot)[W],
                       Vec4<Real>* sum) {
    using Four = Packet<Real, 4>;
    for_each_lane(f, Packet<Real, W>(Real(0)), [&](int lane, const Four& value) {
        Real* at = sum[slot[lane]].v;
        (Four::load(at) + value).store(at);
    });
}

// ---- edges and balanced forces of either width

/// Edge vectors from corner 0: Ds as columns.
template <class Real, int W>
Mat3<Packet<Real, W>> load_edges(const Vec3<Real>* x, const Index (&node)[4][W]) {
    const Vec3<Packet<Real, W>> x0 = load_corner(x, node[0]);
    return Mat3<Packet<Real, W>>::from_columns(
        load_corner(x, node[1]) - x0, load_corner(x, node[2]) - x0, load_corner(x, node[3]) - x0);
}
inline Mat3<Double8> load_edges(const Vec3d* x, const HookePacket& packet) {
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
