// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tets cut into tiles that a block of the device computes together. A tile owns its tets, so none
// is computed twice; a vertex that several tiles share has a copy in each. Every tile sums the
// forces of its own tets; the sums at shared vertices are exchanged, and each tile adds all of them
// up in the same order and moves its own copy: all copies stay the same bits.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/core/math.h"
#include "limber/core/types.h"

namespace limber::gpu {

/// Local numbers of the corners of a tet, or of their slots: one word to load.
struct alignas(8) TileCorners {
    std::uint16_t at[4];
};
/// Where the sums at a shared vertex lie: those of its `n` copies from `begin` on, in the order of
/// tiles, that of this copy as number `own`.
struct alignas(8) TileExchange {
    Index begin = 0;
    std::uint16_t own = 0, n = 0;
};
/// The slots of a vertex: the first one, and one for each of its tets in this tile.
struct alignas(4) TileSlots {
    std::uint16_t first = 0, n = 0;
};
/// A tile: where its tets, copies of vertices and exchanges begin. Its first tets and its last
/// vertices are those at its border.
struct alignas(16) TileRange {
    Index first_tet, n_border, n_tets, first_vertex, n_vertices, n_own, first_shared, number;
};

/// Vertices of a tile: those of no other tile first, then the shared ones, each by falling number
/// of tets. Slots of 32 vertices are interleaved, as in gpu/slots.h.
struct TileLayout {
    std::vector<TileRange> tile;
    std::vector<Index> tet_order;  // of each tet in the order of tiles, its number before
    // of copies
    std::vector<Index> node;
    std::vector<unsigned char> owner;  // 1: the first copy of its vertex
    std::vector<TileSlots> slots;
    std::vector<TileExchange> exchange;  // of shared ones
    // of tets, in their order
    std::vector<TileCorners> corner, slot;
    Index n_sums = 0;  // that are exchanged
    Index most_tets = 0, most_vertices = 0, most_slots = 0;

    Index n_tiles() const { return static_cast<Index>(tile.size()); }
    Index n_copies() const { return static_cast<Index>(node.size()); }
    bool empty() const { return tile.empty(); }
};

/// How many tiles suit so many tets: one a processor of a large card where the tets fit into its
/// shared memory, else a multiple of what runs there at a time. Depends on the mesh alone, as the
/// order of sums does.
Index suitable_tiles(Index n_tets, std::size_t bytes_of_real);

/// By recursive bisection of the tets' centres. Empty where a tile had more vertices at one tet, or
/// more slots, than local numbers count.
TileLayout make_tiles(std::span<const Vec3d> node, std::span<const std::array<Index, 4>> tets,
                      Index n_tiles);

}  // namespace limber::gpu
