// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is left of one lattice tet inside the surface (Labelle & Shewchuk 2007, section 3.4). A
// corner is inside, on the surface (moved there by warping) or outside; an edge between an inside
// and an outside corner carries a cut point.

#include <array>
#include <cstdint>

#include "limber/mesh/stuffing/lattice.h"

namespace limber {

enum class Side : std::int8_t { inside = -1, on = 0, outside = 1 };

/// Corner `a` when a == b, else the cut point between the inside corner a and the outside corner b.
struct StencilNode {
    int a = 0, b = 0;
};
using StencilTet = std::array<StencilNode, 4>;

struct Stencil {
    int n_tets = 0;
    std::array<StencilTet, 3> tets;  // in no particular orientation
};

/// Corners 0 1 and 2 3 are the long edges of the tet, the other four edges are short.
Stencil make_stencil(const std::array<Side, 4>& side, const std::array<LatticePoint, 4>& at);

}  // namespace limber
