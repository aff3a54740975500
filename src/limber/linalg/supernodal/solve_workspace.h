// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workspace of the triangular solves.

#include <span>
#include <vector>

#include "limber/linalg/supernodal/numeric.h"

namespace limber {

/// Every front has a vector of its own, its columns and the rows below them, each padded to whole
/// strips: on the way up the rows carry what the parent must add, on the way down the solution
/// there. Nobody writes what belongs to another task.
template <class T>
struct SupernodalCholesky<T>::Numeric::Solver {
    static constexpr Index S = strip_lanes<T>;

    explicit Solver(const Numeric& f);

    std::vector<std::size_t> begin;  // per supernode: its vector; and the end
    std::vector<std::size_t> sums;   // per supernode: its partial sums, where they are large
    StripMemory<T> vectors;          // one right-hand side
    StripMemory<T> many;             // one a lane, allocated by the first solve_many()
    StripMemory<T> partial;          // of L21ᵀ x, chunk by chunk
    bool many_allocated = false;
    std::vector<char> up, down;  // per supernode: on a path to the roots
    std::vector<char> todo;      // per task
    std::vector<Index> slot;     // per node: where it stands in a list of nodes, -1: not there
    std::vector<Vec3d> trial, residual, change;  // of the solves that refine
};

}  // namespace limber
