// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of plan_tiles(), a source each.

#include "limber/gpu/factor/plan.h"
#include "limber/gpu/factor/schedule.h"

namespace limber::gpu {

/// Blocks that are resident on the device at once, for the order of tickets.
inline constexpr int tile_workers = 264;

/// Which rows of a front's update block enter which tile row of its parent: those from begin[i] to
/// begin[i + 1] - 1 enter tile row i, since both are ascending.
struct ChildRows {
    Index relative = 0;  // of row 0 in TilePlan::relative
    std::vector<Index> begin;
};
/// Per front; fills plan.relative.
std::vector<ChildRows> child_rows(const SupernodalStructure& t, TilePlan& plan);

/// Tasks of the factorisation, their entries of A and pulls.
void plan_factor(const SupernodalStructure& t, const std::vector<ChildRows>& rows, TilePlan& plan);
/// Tasks of both substitutions.
void plan_substitution(const SupernodalStructure& t, const std::vector<ChildRows>& rows,
                       TilePlan& plan);

}  // namespace limber::gpu
