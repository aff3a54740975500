// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/factor/plan.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/gpu/factor/plan_parts.h"

namespace limber::gpu {

SupernodalOptions tile_relaxation() {
    SupernodalOptions options;
    options.relax_nodes = {12, 32, 96};
    options.relax_zeros = {0.5, 0.2, 0.05};
    return options;
}

TilePlan plan_tiles(const BlockCsr& pattern, const SupernodalOptions& options) {
    return plan_tiles(analyze_pattern(pattern, options));
}

namespace {

Index tiles_of(Index rows) {
    return (rows + tile_side - 1) / tile_side;
}

void lay_out(const SupernodalStructure& t, TilePlan& plan) {
    std::int64_t tile = 0, row = 0;
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        TileFront f;
        f.n_cols = 3 * t.n_cols(s);
        f.n_rows = 3 * t.n_rows(s);
        f.col_tiles = tiles_of(f.n_cols);
        f.row_tiles = tiles_of(f.n_rows);
        f.first_tile = static_cast<Index>(tile);
        tile += place_in_front(f.tile_rows(), 0, f.col_tiles);
        f.first_update = static_cast<Index>(tile);
        tile += place_in_triangle(f.row_tiles, 0);
        f.first_row = static_cast<Index>(row);
        row += tile_side * f.tile_rows();
        LIMBER_CHECK(tile < INT32_MAX && row < INT32_MAX, "tiles are counted with 32 bits");
        plan.fronts.push_back(f);
        const double c = f.n_cols;
        plan.factor_nnz += c * (c + 1) / 2 + c * f.n_rows;
    }
    plan.n_tiles = static_cast<Index>(tile);
    plan.n_rows = static_cast<Index>(row);
    plan.flops = t.total_flops;
    plan.order = t.order;
    plan.n_nodes = t.n_nodes();
}

/// Where the unknown of padded row `row` is a column, for the rows of columns; for those below the
/// padded number of their column.
void number_rows(const SupernodalStructure& t, TilePlan& plan) {
    plan.unknown.assign(plan.n_rows, -1);
    plan.above.assign(plan.n_rows, -1);
    std::vector<Index> column(3 * static_cast<std::size_t>(t.n_nodes()));  // by position
    for (Index s = 0; s < t.n_supernodes(); ++s)
        for (Index k = 0; k < plan.fronts[s].n_cols; ++k) {
            const Index position = t.first[s] + k / 3;
            column[3 * position + k % 3] = plan.fronts[s].first_row + k;
            plan.unknown[plan.fronts[s].first_row + k] = 3 * t.order[position] + k % 3;
        }
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        const TileFront& f = plan.fronts[s];
        for (Index r = 0; r < f.n_rows; ++r)
            plan.above[f.first_row + tile_side * f.col_tiles + r] =
                column[3 * t.row[t.row_begin[s] + r / 3] + r % 3];
    }
}

}  // namespace

std::vector<ChildRows> child_rows(const SupernodalStructure& t, TilePlan& plan) {
    std::vector<ChildRows> out(t.n_supernodes());
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        const Index p = t.parent[s];
        out[s].relative = static_cast<Index>(plan.relative.size());
        if (p == -1) continue;
        const TileFront &f = plan.fronts[s], &above = plan.fronts[p];
        out[s].begin.assign(above.tile_rows() + 1, f.n_rows);
        Index next = 0;  // first tile row of the parent without a beginning
        for (Index r = 0; r < f.n_rows; ++r) {
            const Index place = 3 * t.relative[t.row_begin[s] + r / 3] + r % 3;
            // Columns and rows below are padded separately.
            const Index padded =
                place < above.n_cols ? place : place - above.n_cols + tile_side * above.col_tiles;
            for (; next <= padded / tile_side; ++next) out[s].begin[next] = r;
            plan.relative.push_back(static_cast<std::uint8_t>(padded % tile_side));
        }
    }
    return out;
}

TilePlan plan_tiles(const SupernodalStructure& t) {
    TilePlan plan;
    lay_out(t, plan);
    number_rows(t, plan);
    const std::vector<ChildRows> rows = child_rows(t, plan);
    plan_factor(t, rows, plan);
    plan_substitution(t, rows, plan);
    return plan;
}

}  // namespace limber::gpu
