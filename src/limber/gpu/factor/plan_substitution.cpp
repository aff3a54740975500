// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/gpu/factor/plan_parts.h"

namespace limber::gpu {

namespace {

// Of a task without products and of a product with a tile [us]: estimates, only their ratio counts.
constexpr double row_alone = 1, row_product = 0.3;
constexpr Index late_rows = 4;

class SubstitutionPlanner {
  public:
    SubstitutionPlanner(const SupernodalStructure& t, const std::vector<ChildRows>& rows,
                        TilePlan& plan)
        : t_(t), rows_(rows), plan_(plan), made_by_(plan.tile_row_count(), -1) {}

    void run() {
        list_gathers();
        for (Index s = 0; s < t_.n_supernodes(); ++s)
            for (Index i = 0; i < plan_.fronts[s].tile_rows(); ++i) plan_forward(s, i);
        plan_.forward = ordered();
        std::ranges::fill(made_by_, -1);
        for (Index s = t_.n_supernodes() - 1; s >= 0; --s)
            for (Index j = plan_.fronts[s].col_tiles - 1; j >= 0; --j) plan_backward(s, j);
        plan_.backward = ordered();
    }

  private:
    RowTask task_of(Index s, Index index) const {
        const TileFront& f = plan_.fronts[s];
        RowTask out;
        out.first_tile = f.first_tile;
        out.col_tiles = f.col_tiles;
        out.tile_rows = f.tile_rows();
        out.index = index;
        out.first_row = f.first_row;
        out.last_k = f.n_cols - tile_side * (f.col_tiles - 1);
        if (f.row_tiles > 0) out.last_rows = f.n_rows - tile_side * (f.row_tiles - 1);
        if (index == f.col_tiles - 1) out.rows = out.last_k;
        if (index >= f.col_tiles && index == f.tile_rows() - 1) out.rows = out.last_rows;
        return out;
    }
    void add(const RowTask& task, Index n_products) {
        made_by_[task.first_row / tile_side + task.index] = static_cast<Index>(tasks_.size());
        graph_.work.push_back(row_alone + row_product * n_products);
        graph_.end.push_back(row_alone);
        tasks_.push_back(task);
    }
    void add_input(Index tile_row, bool late) {
        graph_.inputs.push_back({made_by_[tile_row], static_cast<Index>(tasks_.size()), late});
    }

    void plan_forward(Index s, Index i) {
        const TileFront& f = plan_.fronts[s];
        for (Index c : t_.children(s)) {
            const TileFront& child = plan_.fronts[c];
            const Index from = child.first_row + tile_side * child.col_tiles;
            const Index row = rows_[c].begin[i], end = rows_[c].begin[i + 1];
            if (row == end) continue;
            for (Index a = row / tile_side; a <= (end - 1) / tile_side; ++a)
                add_input(from / tile_side + a, false);
        }
        const Index n_k = std::min(i, f.col_tiles);
        for (Index k = 0; k < n_k; ++k)
            add_input(f.first_row / tile_side + k, k + late_rows >= n_k);
        add(task_of(s, i), n_k);
    }
    /// Rows of children by the row that they enter, children in order.
    void list_gathers() {
        std::vector<std::vector<Index>> sources(plan_.n_rows);
        for (Index s = 0; s < t_.n_supernodes(); ++s)
            for (Index c : t_.children(s)) {
                const TileFront& child = plan_.fronts[c];
                const Index from = child.first_row + tile_side * child.col_tiles;
                for (Index i = 0; i < plan_.fronts[s].tile_rows(); ++i)
                    for (Index r = rows_[c].begin[i]; r < rows_[c].begin[i + 1]; ++r)
                        sources[plan_.fronts[s].first_row + tile_side * i +
                                plan_.relative[rows_[c].relative + r]]
                            .push_back(from + r);
            }
        plan_.gather_begin.assign(1, 0);
        for (const std::vector<Index>& of_row : sources) {
            plan_.gather.insert(plan_.gather.end(), of_row.begin(), of_row.end());
            plan_.gather_begin.push_back(static_cast<Index>(plan_.gather.size()));
        }
    }
    void plan_backward(Index s, Index j) {
        const TileFront& f = plan_.fronts[s];
        const RowTask task = task_of(s, j);
        for (Index i = f.tile_rows() - 1; i > j; --i) {
            if (i < f.col_tiles) {
                add_input(f.first_row / tile_side + i, i <= j + late_rows);
                continue;
            }
            Index last = -1;
            for (Index r = tile_side * i; r < tile_side * (i + 1); ++r) {
                const Index above = plan_.above[f.first_row + r];
                if (above < 0 || above / tile_side == last) continue;
                last = above / tile_side;
                add_input(last, false);
            }
        }
        add(task, f.tile_rows() - 1 - j);
    }

    std::vector<RowTask> ordered() {
        std::vector<RowTask> out;
        out.reserve(tasks_.size());
        for (Index k : schedule(graph_, tile_workers)) out.push_back(tasks_[k]);
        tasks_.clear();
        graph_ = {};
        return out;
    }

    const SupernodalStructure& t_;
    const std::vector<ChildRows>& rows_;
    TilePlan& plan_;
    TaskGraph graph_;
    std::vector<RowTask> tasks_;
    std::vector<Index> made_by_;  // per padded tile row
};

}  // namespace

void plan_substitution(const SupernodalStructure& t, const std::vector<ChildRows>& rows,
                       TilePlan& plan) {
    SubstitutionPlanner(t, rows, plan).run();
}

}  // namespace limber::gpu
