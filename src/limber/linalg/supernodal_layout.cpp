// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/supernodal_layout.h"

#include <algorithm>

namespace limber {

namespace {

// A subtree below this is one task: about a millisecond, far above the price of starting one.
constexpr double task_flops = 2e7;

void shape_fronts(const SupernodalStructure& t, Index S, FrontLayout& layout) {
    layout.shape.resize(t.n_supernodes());
    for (Index s = 0; s < t.n_supernodes(); ++s) {
        FrontShape& f = layout.shape[s];
        f.c = 3 * t.n_cols(s);
        f.r = 3 * t.n_rows(s);
        f.n_top = (f.c + S - 1) / S;
        f.n_low = (f.r + S - 1) / S;
        f.panel = layout.factor_size;
        layout.factor_size += f.panel_size(S);
        f.update = layout.update_size;
        layout.update_size += f.update_size(S);
    }
}

/// Whole subtrees up to task_flops become one task, every supernode above them one of its own.
void cut_into_tasks(const SupernodalStructure& t, FrontLayout& layout) {
    const Index n = t.n_supernodes();
    std::vector<double> subtree(t.flops);
    for (Index s = 0; s < n; ++s)
        if (t.parent[s] != -1) subtree[t.parent[s]] += subtree[s];
    layout.task_of.resize(n);
    const auto ends_task = [&](Index s) {
        return subtree[s] > task_flops || t.parent[s] == -1 || subtree[t.parent[s]] > task_flops;
    };
    for (Index s = 0; s < n; ++s) {
        if (!ends_task(s)) continue;
        layout.task_root.push_back(s);
        layout.task_first.push_back(subtree[s] > task_flops ? s : t.first_descendant[s]);
        for (Index d = layout.task_first.back(); d <= s; ++d)
            layout.task_of[d] = static_cast<Index>(layout.task_root.size()) - 1;
    }
    for (Index s : layout.task_root)
        layout.task_parent.push_back(t.parent[s] == -1 ? -1 : layout.task_of[t.parent[s]]);
}

}  // namespace

FrontLayout lay_out_fronts(const SupernodalStructure& t, const SupernodalOptions& options, Index S,
                           Index scalar) {
    (void)options;
    FrontLayout layout;
    shape_fronts(t, S, layout);
    cut_into_tasks(t, layout);
    layout.memory.factor_bytes = static_cast<double>(layout.factor_size) * scalar;
    layout.memory.update_bytes = static_cast<double>(layout.update_size) * scalar;
    return layout;
}

}  // namespace limber
