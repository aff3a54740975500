// SPDX-License-Identifier: Apache-2.0
#pragma once

// The six numbers of an aggregate, or a row of a block with six columns, in registers.

#include "limber/core/simd.h"

namespace limber {

struct Six {
    Packet<double, 4> low;
    Packet<double, 2> high;

    static Six load(const double* p) {
        return {Packet<double, 4>::load(p), Packet<double, 2>::load(p + 4)};
    }
    void store(double* p) const {
        low.store(p);
        high.store(p + 4);
    }
    /// += s b
    void add(double s, const Six& b) {
        low += Packet<double, 4>(s) * b.low;
        high += Packet<double, 2>(s) * b.high;
    }
};

inline double dot(const Six& a, const Six& b) {
    const Packet<double, 4> p = a.low * b.low;
    const Packet<double, 2> q = a.high * b.high;
    return ((p[0] + p[2]) + (p[1] + p[3])) + (q[0] + q[1]);
}

}  // namespace limber
