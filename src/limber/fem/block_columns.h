// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/core/math.h"
#include "limber/core/simd.h"

namespace limber {

/// A 3x3 matrix by columns, each padded to four; what is in the fourth lanes is never used.
struct BlockColumns {
    using Four = Packet<double, 4>;
    Four c0{0.0}, c1{0.0}, c2{0.0};

    /// Reads nothing behind the matrix.
    static BlockColumns load(const Mat3d& m) {
        const Four last = Four::load(m.a + 5);
        return {Four::load(m.a), Four::load(m.a + 3), shuffle<1, 2, 3, 3>(last, last)};
    }
    /// This times a vector.
    Four times(const double* b) const {
        return c0 * Four(b[0]) + c1 * Four(b[1]) + c2 * Four(b[2]);
    }
    /// This times B, and times Bᵀ.
    BlockColumns times(const Mat3d& B) const {
        return {times(B.a), times(B.a + 3), times(B.a + 6)};
    }
    BlockColumns times_transposed(const Mat3d& B) const {
        const auto column = [&](int c) {
            return c0 * Four(B.a[c]) + c1 * Four(B.a[3 + c]) + c2 * Four(B.a[6 + c]);
        };
        return {column(0), column(1), column(2)};
    }
    BlockColumns& operator+=(const BlockColumns& b) {
        c0 += b.c0;
        c1 += b.c1;
        c2 += b.c2;
        return *this;
    }

    void add_outer(const Four& a, const double* b) {  // a bᵀ
        c0 += a * Four(b[0]);
        c1 += a * Four(b[1]);
        c2 += a * Four(b[2]);
    }
    void add_isotropic(double s) {
        constexpr double unit[] = {0, 0, 1, 0, 0, 0};  // e0 from its third number on, ...
        c0 += Four(s) * Four::load(unit + 2);
        c1 += Four(s) * Four::load(unit + 1);
        c2 += Four(s) * Four::load(unit);
    }
    BlockColumns transposed() const {
        const Four low = shuffle<0, 4, 2, 6>(c0, c1), high = shuffle<1, 5, 3, 7>(c0, c1);
        return {shuffle<0, 1, 4, 4>(low, c2), shuffle<0, 1, 5, 5>(high, c2),
                shuffle<2, 3, 6, 6>(low, c2)};
    }
    /// Three overlapping stores; the last one puts right what the padding of the second spoilt.
    void store(Mat3d& out) const {
        c0.store(out.a);
        c1.store(out.a + 3);
        shuffle<2, 4, 5, 6>(c1, c2).store(out.a + 5);
    }
};

}  // namespace limber
