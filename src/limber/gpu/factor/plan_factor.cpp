// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/core/check.h"
#include "limber/gpu/factor/plan_parts.h"

namespace limber::gpu {

namespace {

// Time of a task and of a full tile product in it [us], as a prototype of the engine measured them
// on an H200 in single precision: only their ratios matter, and the order hardly changes with them.
struct TaskTime {
    double alone, product;
};
constexpr TaskTime panel_time{8.9, 3.4}, diagonal_time{17.8, 5.9}, update_time{4.2, 3.7};
// A task may begin while the last of its inputs are at work: it sums up the others meanwhile.
constexpr Index late_inputs = 3;

struct FrontEntries {
    Index tile;  // place in the front's tiles
    TileEntry entry;
};

class FactorPlanner {
  public:
    FactorPlanner(const SupernodalStructure& t, const std::vector<ChildRows>& rows, TilePlan& plan)
        : t_(t), rows_(rows), plan_(plan), made_by_(plan.n_tiles, -1) {}

    void run() {
        for (Index s = 0; s < t_.n_supernodes(); ++s) plan_front(s);
        std::vector<TileTask> tasks;
        tasks.reserve(tasks_.size());
        for (Index k : schedule(graph_, tile_workers)) tasks.push_back(tasks_[k]);
        plan_.tasks = std::move(tasks);
    }

  private:
    /// A's numbers by the tile of the front that they enter.
    void sort_entries(Index s) {
        const TileFront& f = plan_.fronts[s];
        const Index n_tiles = place_in_front(f.tile_rows(), 0, f.col_tiles);
        std::vector<FrontEntries> found;
        for (Index k = t_.entry_begin[s]; k < t_.entry_begin[s + 1]; ++k) {
            const FrontEntry& e = t_.entry[k];
            for (Index i = 0; i < 3; ++i)
                for (Index j = 0; j < (e.row == e.col ? i + 1 : 3); ++j) {
                    const Index col = 3 * e.col + j;
                    Index row = 3 * e.row + i;
                    if (row >= f.n_cols) row += tile_side * f.col_tiles - f.n_cols;
                    // A block enters transposed: entry (i, j) is the block's (j, i), column by
                    // column.
                    found.push_back({place_in_front(row / tile_side, col / tile_side, f.col_tiles),
                                     {9 * e.block + j + 3 * i,
                                      tile_side * (col % tile_side) + row % tile_side}});
                }
        }
        std::ranges::stable_sort(found, {}, &FrontEntries::tile);
        entry_begin_.assign(n_tiles + 1, 0);
        for (const FrontEntries& e : found) ++entry_begin_[e.tile + 1];
        entry_begin_[0] = static_cast<Index>(plan_.entries.size());
        for (Index k = 0; k < n_tiles; ++k) entry_begin_[k + 1] += entry_begin_[k];
        for (const FrontEntries& e : found) plan_.entries.push_back(e.entry);
    }

    void add_input(Index tile, bool late) {
        LIMBER_CHECK(made_by_[tile] >= 0, "a tile is made before it is asked for");
        graph_.inputs.push_back({made_by_[tile], static_cast<Index>(tasks_.size()), late});
    }

    /// Tile (i, j) with a sum over n_k tiles, and what it waits for.
    TileSum sum(Index s, Index i, Index j, Index n_k) {
        const TileFront& f = plan_.fronts[s];
        const Index last = f.n_cols - tile_side * (f.col_tiles - 1);
        TileSum out;
        const bool in_columns = j < f.col_tiles;
        out.out = in_columns ? f.first_tile + place_in_front(i, j, f.col_tiles)
                             : f.first_update + place_in_triangle(i - f.col_tiles, j - f.col_tiles);
        out.a = f.first_tile + place_in_front(i, 0, f.col_tiles);
        out.b = f.first_tile + place_in_front(j, 0, f.col_tiles);
        out.n_k = n_k;
        out.last_k = n_k == f.col_tiles ? last : tile_side;
        out.rows = valid_rows(f, i);
        out.cols = valid_rows(f, j);
        out.row_tile = f.first_row / tile_side + i;
        if (in_columns) {
            out.col_tile = f.first_row / tile_side + j;
            const Index place = place_in_front(i, j, f.col_tiles);
            out.entry_begin = entry_begin_[place];
            out.entry_end = entry_begin_[place + 1];
        }
        out.pull_begin = static_cast<Index>(plan_.pulls.size());
        for (Index c : t_.children(s)) {
            const ChildRows& r = rows_[c];
            const TilePull pull{plan_.fronts[c].first_update,
                                r.relative,
                                r.begin[i],
                                r.begin[i + 1],
                                r.begin[j],
                                r.begin[j + 1]};
            if (pull.row == pull.row_end || pull.col == pull.col_end) continue;
            plan_.pulls.push_back(pull);
            for (Index a = pull.row / tile_side; a <= (pull.row_end - 1) / tile_side; ++a)
                for (Index b = pull.col / tile_side; b <= (pull.col_end - 1) / tile_side; ++b)
                    if (b <= a) add_input(pull.update + place_in_triangle(a, b), false);
        }
        out.pull_end = static_cast<Index>(plan_.pulls.size());
        for (Index k = 0; k < n_k; ++k) {
            const bool late = k + late_inputs >= n_k;
            add_input(out.a + k, late);
            if (i != j) add_input(out.b + k, late);
        }
        const double width = n_k == 0 ? 0 : n_k - 1 + out.last_k / double(tile_side);
        plan_.tile_flops += 2.0 * tile_side * tile_side * tile_side * width;
        return out;
    }
    static Index valid_rows(const TileFront& f, Index i) {
        return std::min<Index>(tile_side, i < f.col_tiles
                                              ? f.n_cols - tile_side * i
                                              : f.n_rows - tile_side * (i - f.col_tiles));
    }

    void add(const TileTask& task, const TaskTime& time, double n_products, double n_last) {
        const auto number = static_cast<Index>(tasks_.size());
        made_by_[task.tile.out] = number;
        if (task.left.out >= 0) made_by_[task.left.out] = number;
        graph_.work.push_back(time.alone + time.product * n_products);
        graph_.end.push_back(time.alone + time.product * n_last);
        tasks_.push_back(task);
    }

    void plan_front(Index s) {
        const TileFront& f = plan_.fronts[s];
        sort_entries(s);
        for (Index j = 0; j < f.col_tiles; ++j) {
            TileTask diagonal;
            diagonal.work = TileTaskKind::diagonal;
            diagonal.position = 3 * t_.first[s] + tile_side * j;
            if (j > 0) {
                diagonal.inverse = f.first_tile + place_in_front(j - 1, j - 1, f.col_tiles);
                diagonal.left = sum(s, j, j - 1, j - 1);
                add_input(diagonal.inverse, true);
                plan_.tile_flops += 2 * 2.0 * tile_side * tile_side * tile_side;
            }
            diagonal.tile = sum(s, j, j, std::max<Index>(0, j - 1));
            add(diagonal, diagonal_time, j, 1);
            for (Index i = j + 2; i < f.tile_rows(); ++i) add_panel(s, i, j);
            // The tile below the last diagonal one is not the left neighbour of another.
            if (j + 1 >= f.col_tiles && j + 1 < f.tile_rows()) add_panel(s, j + 1, j);
        }
        for (Index i = f.col_tiles; i < f.tile_rows(); ++i)
            for (Index j = f.col_tiles; j <= i; ++j) {
                TileTask update;
                update.work = TileTaskKind::update;
                update.tile = sum(s, i, j, f.col_tiles);
                const double width = f.n_cols / double(tile_side);
                add(update, update_time, width, std::min(width, 1.0));
            }
    }
    void add_panel(Index s, Index i, Index j) {
        const TileFront& f = plan_.fronts[s];
        TileTask panel;
        panel.work = TileTaskKind::panel;
        panel.inverse = f.first_tile + place_in_front(j, j, f.col_tiles);
        panel.tile = sum(s, i, j, j);
        add_input(panel.inverse, true);
        plan_.tile_flops += 2.0 * tile_side * tile_side * tile_side;
        add(panel, panel_time, j + 1, 1);
    }

    const SupernodalStructure& t_;
    const std::vector<ChildRows>& rows_;
    TilePlan& plan_;
    TaskGraph graph_;
    std::vector<TileTask> tasks_;
    std::vector<Index> made_by_;      // per tile: its task
    std::vector<Index> entry_begin_;  // per tile of the front at work, and the end
};

}  // namespace

void plan_factor(const SupernodalStructure& t, const std::vector<ChildRows>& rows, TilePlan& plan) {
    FactorPlanner(t, rows, plan).run();
}

}  // namespace limber::gpu
