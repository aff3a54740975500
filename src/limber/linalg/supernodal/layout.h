// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "limber/linalg/supernodal/cholesky.h"

namespace limber {

/// Entries before strip q of a lower triangle in strips of S rows: strip q holds S (q + 1) columns.
constexpr std::size_t triangle_offset(std::size_t q, std::size_t S) {
    return S * S * (q * (q + 1) / 2);
}

/// Where a front lies, in scalars. Its columns are L11, a triangle in strips, followed by L21,
/// strips of all columns; its update block is a triangle in strips.
struct FrontShape {
    Index c = 0, r = 0;          // columns, rows below them
    Index n_top = 0, n_low = 0;  // strips of L11 and of L21
    std::size_t panel = 0;       // of L11 in L
    std::size_t update = 0;      // of the update block in its memory
    bool kept = true;            // update block in the common memory, or in scratch

    std::size_t low(std::size_t S) const { return triangle_offset(n_top, S); }  // L21 - L11
    std::size_t panel_size(std::size_t S) const { return low(S) + S * n_low * c; }
    std::size_t update_size(std::size_t S) const { return triangle_offset(n_low, S); }
};

/// Places of all fronts. Work is cut into tasks: a subtree that is factorised by one thread, or one
/// supernode above those.
struct FrontLayout {
    std::vector<FrontShape> shape;
    std::size_t factor_size = 0, update_size = 0, scratch_size = 0;  // scalars; scratch: a thread
    std::vector<Index> task_root;    // supernodes that end a task, ascending
    std::vector<Index> task_first;   // first supernode of the task
    std::vector<Index> task_parent;  // task that waits for it, -1: none
    std::vector<Index> task_of;      // per supernode
    SupernodalMemory memory;
};

/// S: rows of a strip; scalar: bytes of one number; unknowns: scalars a node.
FrontLayout lay_out_fronts(const SupernodalStructure& t, const SupernodalOptions& options, Index S,
                           Index scalar, Index unknowns = 3);

}  // namespace limber
