// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal/layout.h"

#include <algorithm>
#include <cstdio>

namespace limber {

namespace {

// A subtree below this is one task: about a millisecond, far above the price of starting one.
constexpr double task_flops = 2e7;

void shape_fronts(const SupernodalStructure& t, Index S, Index unknowns, FrontLayout& layout) {
    layout.shape.resize(t.n_supernodes());
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        FrontShape& f = layout.shape[s];
        f.c = unknowns * t.n_cols(s);
        f.r = unknowns * t.n_rows(s);
        f.n_top = (f.c + S - 1) / S;
        f.n_low = (f.r + S - 1) / S;
        f.panel = layout.factor_size;
        layout.factor_size += f.panel_size(S);
    }
}

/// Whole subtrees up to `limit` flops become one task, every supernode above them one of its own.
void cut_into_tasks(const SupernodalStructure& t, double limit, FrontLayout& layout) {
    const Index n = t.n_supernodes();
    std::vector<double> subtree(t.flops);
    for (Index s = 0; s < n; ++s)
        if (t.parent[s] != -1) subtree[t.parent[s]] += subtree[s];
    const auto ends_task = [&](Index s) {
        return subtree[s] > limit || t.parent[s] == -1 || subtree[t.parent[s]] > limit;
    };
    layout.task_of.assign(n, 0);
    layout.task_root.clear();
    layout.task_first.clear();
    layout.task_parent.clear();
    for (Index s = 0; s < n; ++s) {
        if (!ends_task(s)) continue;
        layout.task_root.push_back(s);
        layout.task_first.push_back(subtree[s] > limit ? s : t.first_descendant[s]);
        for (Index d = layout.task_first.back(); d <= s; ++d)
            layout.task_of[d] = static_cast<Index>(layout.task_root.size()) - 1;
    }
    for (Index s : layout.task_root)
        layout.task_parent.push_back(t.parent[s] == -1 ? -1 : layout.task_of[t.parent[s]]);
}

/// Update blocks of one task that live only while it runs: each takes the lowest gap that is free
/// from its own front to its parent's.
class ScratchPlan {
  public:
    std::size_t place(Index owner, std::size_t size) {
        std::size_t at = 0;
        auto before = live_.begin();
        for (; before != live_.end() && before->begin < at + size; ++before) at = before->end;
        live_.insert(before, {at, at + size, owner});
        peak_ = std::max(peak_, at + size);
        return at;
    }
    void release(Index owner) {
        std::erase_if(live_, [=](const Block& b) { return b.owner == owner; });
    }
    std::size_t peak() const { return peak_; }

  private:
    struct Block {
        std::size_t begin, end;
        Index owner;
    };
    std::vector<Block> live_;  // by place
    std::size_t peak_ = 0;
};

/// Update blocks of tasks' roots are kept, the others too unless they are `dropped`.
void place_updates(const SupernodalStructure& t, bool dropped, Index S, FrontLayout& layout) {
    layout.update_size = layout.scratch_size = 0;
    layout.memory.n_dropped = 0;
    for (std::size_t task = 0; task < layout.task_root.size(); ++task) {
        ScratchPlan scratch;
        for (Index s = layout.task_first[task]; s <= layout.task_root[task]; ++s) {
            FrontShape& f = layout.shape[s];
            f.kept = s == layout.task_root[task] || !dropped;
            if (f.kept) {
                f.update = layout.update_size;
                layout.update_size += f.update_size(S);
            } else {
                f.update = scratch.place(s, f.update_size(S));
                ++layout.memory.n_dropped;
            }
            for (Index c : t.children(s)) scratch.release(c);
        }
        layout.scratch_size = std::max(layout.scratch_size, scratch.peak());
    }
}

}  // namespace

FrontLayout lay_out_fronts(const SupernodalStructure& t, const SupernodalOptions& options, Index S,
                           Index scalar, Index unknowns) {
    FrontLayout layout;
    shape_fronts(t, S, unknowns, layout);
    const auto plan = [&](double limit, bool dropped) {
        cut_into_tasks(t, limit, layout);
        place_updates(t, dropped, S, layout);
        layout.memory.factor_bytes = static_cast<double>(layout.factor_size) * scalar;
        layout.memory.update_bytes = static_cast<double>(layout.update_size) * scalar;
        layout.memory.scratch_bytes = static_cast<double>(layout.scratch_size) * scalar;
        return layout.memory.total();
    };
    double total = plan(task_flops, false);
    if (!options.lean) return layout;
    // Subtrees grow until the memory fits or grows again with the scratch they need.
    for (double limit = t.total_flops / 8192;
         total > options.memory_limit && limit <= options.largest_dropped * t.total_flops;
         limit *= 2) {
        const FrontLayout last = layout;
        const double next = plan(limit, true);
        if (next >= total && last.memory.n_dropped > 0) return last;
        total = next;
    }
    return layout;
}

std::string describe_factor(const SupernodalMemory& memory, const SupernodalStructure& structure) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "factor %.3g MB, update blocks %.3g MB, %.3g GFLOP in %d supernodes",
                  1e-6 * memory.factor_bytes, 1e-6 * memory.update_bytes,
                  1e-9 * structure.total_flops, static_cast<int>(structure.n_supernodes()));
    return text;
}

}  // namespace limber
