// SPDX-License-Identifier: Apache-2.0
#pragma once

// Three numbers of a node or of a column of a 3x3 block, moved as four. The fourth lane carries
// whatever follows in memory and is never used; the caller makes sure that it may be read.

namespace limber {

typedef double Four __attribute__((vector_size(32)));

inline Four load4(const double* p) {
    Four v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline void store4(const Four& v, double* p) {
    __builtin_memcpy(p, &v, sizeof v);
}

/// One lane in all four.
template <int lane>
inline Four spread(const Four& v) {
    return __builtin_shufflevector(v, v, lane, lane, lane, lane);
}

}  // namespace limber
