// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sparse Cholesky factorisation as a list of tasks that a device takes one after the other. The
// fronts of the multifrontal method are cut into tiles of 64 x 64 entries; a task makes one tile,
// from tiles that tasks before it in the list have made. All of it is data, made once for a
// pattern: gpu/factor/host_factor.h runs the list on the host, factor_kernel.cuh on the device.
//
// Rows of a front are padded to whole tiles, its columns and the rows below them separately. Below,
// "padded" numbers count such rows through all fronts; the unknowns are those of column rows.

#include <cstdint>
#include <vector>

#include "limber/linalg/supernodal/structure.h"

namespace limber::gpu {

/// Rows and columns of a tile, which lies column by column: entry (r, c) is at 64 c + r.
inline constexpr Index tile_side = 64;
inline constexpr std::size_t tile_entries = 4096;

/// A front in tiles. Its columns are tile rows and tile columns 0 .. col_tiles - 1; tile (i, j) of
/// them and of the rows below is first_tile + place_in_front(i, j, col_tiles). A diagonal tile
/// holds the inverse of the factor there, since nothing else is ever asked of it. The update block,
/// a lower triangle of tiles, follows from first_update on.
struct TileFront {
    Index n_cols = 0, n_rows = 0;        // unknowns, without padding
    Index col_tiles = 0, row_tiles = 0;  // tile rows of the columns, and below them
    Index first_tile = 0, first_update = 0;
    Index first_row = 0;  // padded number of its first row
    Index tile_rows() const { return col_tiles + row_tiles; }
};

/// Tiles of the columns before (i, j), j <= i: whole rows of the triangle, then the rows below.
LIMBER_HD constexpr Index place_in_front(Index i, Index j, Index col_tiles) {
    return i < col_tiles ? i * (i + 1) / 2 + j
                         : col_tiles * (col_tiles + 1) / 2 + (i - col_tiles) * col_tiles + j;
}
LIMBER_HD constexpr Index place_in_triangle(Index i, Index j) {
    return i * (i + 1) / 2 + j;
}

/// A number of A and where it enters its tile.
struct TileEntry {
    std::int32_t source;  // in A's blocks as they lie, nine numbers each
    std::int32_t place;   // 64 column + row
};

/// What a tile takes from the update block of a child: rows [row, row_end) and columns [col,
/// col_end) of it, which enter where TilePlan::relative says, counted from `relative`.
struct TilePull {
    std::int32_t update;  // first tile of the child's update block
    std::int32_t relative;
    std::int32_t row, row_end, col, col_end;
};

/// tile = A + children - Σ_k L(i, k) L(j, k)ᵀ over n_k tiles.
struct TileSum {
    std::int32_t out = -1;
    std::int32_t a = 0, b = 0;        // tiles (i, 0) and (j, 0)
    std::int32_t n_k = 0;             // tiles in the sum
    std::int32_t last_k = tile_side;  // columns of the last of them
    std::int32_t rows = 0, cols = 0;  // of the tile that are in the front
    // Padded number / 64 of its rows and of its columns; -1 in update blocks, which A does not
    // enter.
    std::int32_t row_tile = 0, col_tile = -1;
    std::int32_t entry_begin = 0, entry_end = 0;
    std::int32_t pull_begin = 0, pull_end = 0;
};

enum class TileTaskKind : std::int32_t {
    panel,     // the sum times the transposed inverse of the diagonal tile of its column
    diagonal,  // the panel tile on its left, then the inverse of its own factor
    update,    // the sum alone
};

/// One ticket: 128 bytes, that a device reads at once. A diagonal task makes the tile on its left
/// as well: the two are next to each other on the longest path, and the left one's numbers are at
/// hand for the diagonal. `tile` does not count the left tile among its n_k.
struct alignas(16) TileTask {
    TileTaskKind work = TileTaskKind::panel;
    std::int32_t inverse = -1;   // panel: diagonal tile of its column; diagonal: of the left tile's
    std::int32_t position = -1;  // diagonal: of its first column in the order of elimination
    TileSum tile;
    TileSum left;  // diagonal, where there is one
    std::int32_t unused[3] = {};
};
static_assert(sizeof(TileTask) == 128);

/// One ticket of a substitution. Forward: tile row `index` of a front, y = L⁻¹ (b + children -
/// Σ_k L(i, k) y_k), and without L⁻¹ below the columns, for the parent to take. Backward: tile
/// column `index`, x = L⁻ᵀ (y - Σ_i L(i, j)ᵀ x_i), the lowest tile row first.
struct alignas(16) RowTask {
    std::int32_t first_tile = 0, col_tiles = 0, tile_rows = 0;  // of the front
    std::int32_t index = 0;
    std::int32_t first_row = 0;          // padded, of the front
    std::int32_t last_k = tile_side;     // columns of the front's last tile column
    std::int32_t rows = tile_side;       // of the tile row or column that are in the front
    std::int32_t last_rows = tile_side;  // rows of the front's last tile row
};
static_assert(sizeof(RowTask) == 32);

/// Everything that does not change while the pattern stays.
struct TilePlan {
    std::vector<TileFront> fronts;  // children before parents
    std::vector<TileTask> tasks;    // in the order of tickets
    std::vector<TileEntry> entries;
    std::vector<TilePull> pulls;
    std::vector<std::uint8_t> relative;  // place in the parent's tile row
    std::vector<RowTask> forward, backward;
    // Per padded row: those of children that the forward substitution adds to it.
    std::vector<Index> gather_begin, gather;
    std::vector<Index> unknown;  // per padded row: 3 node + axis of a column, -1: padding, or below
    std::vector<Index> above;    // per padded row below the columns: padded number of that column
    std::vector<Index> order;    // node eliminated k-th
    Index n_nodes = 0, n_tiles = 0, n_rows = 0;  // n_rows: padded
    double flops = 0;                            // of the factorisation, without padding
    double tile_flops = 0;                       // of the tile products as they are computed
    double factor_nnz = 0;                       // entries of L

    Index tile_row_count() const { return n_rows / tile_side; }
};

/// Relaxation for the device, where a tile that is half empty costs as much as a full one.
SupernodalOptions tile_relaxation();

/// The tasks in an order that keeps `workers` of them busy. Depends on the pattern alone.
TilePlan plan_tiles(const BlockCsr& pattern, const SupernodalOptions& options = tile_relaxation());
TilePlan plan_tiles(const SupernodalStructure& structure);

}  // namespace limber::gpu
