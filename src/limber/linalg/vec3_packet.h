// SPDX-License-Identifier: Apache-2.0
#pragma once

// Three numbers of a node or of a column of a 3x3 block, moved as four. The fourth lane carries
// whatever follows in memory and is never used; the caller makes sure that it may be read.

#include "limber/core/simd.h"

namespace limber {

using Four = Packet<double, 4>;

/// One lane in all four.
template <int lane>
inline Four spread(const Four& p) {
    return shuffle<lane, lane, lane, lane>(p, p);
}

}  // namespace limber
