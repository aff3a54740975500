// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/update_schedule.h"

#include <algorithm>

namespace limber {

void UpdateMarks::clear() {
    std::fill(marked_.begin(), marked_.end(), 0);
    n_marked_ = 0;
    cost_ = 0;
}

double UpdateMarks::path_cost(Index s, std::span<const double> cost) const {
    double sum = 0;
    for (; s >= 0 && !marked_[s]; s = tree_.parent[s]) sum += cost[s];
    return sum;
}

double UpdateMarks::mark(Index s, std::span<const double> cost) {
    const double added = path_cost(s, cost);
    for (; s >= 0 && !marked_[s]; s = tree_.parent[s]) {
        marked_[s] = 1;
        ++n_marked_;
    }
    cost_ += added;
    return added;
}

void UpdateMarks::mark_above(double threshold, std::span<const double> badness,
                             std::span<const double> cost) {
    for (Index s = 0; s < tree_.n_supernodes(); ++s)
        if (badness[s] > threshold) mark(s, cost);
}

void UpdateMarks::mark_within(double budget, std::span<const double> badness,
                              std::span<const double> cost) {
    order_.clear();
    for (Index s = 0; s < tree_.n_supernodes(); ++s)
        if (!marked_[s] && badness[s] > 0) order_.push_back(s);
    std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
        return badness[a] != badness[b] ? badness[a] > badness[b] : a < b;
    });
    for (const Index s : order_)
        if (!marked_[s] && path_cost(s, cost) <= budget - cost_) mark(s, cost);
}

double UpdateMarks::worst_left(std::span<const double> badness) const {
    double worst = 0;
    for (Index s = 0; s < tree_.n_supernodes(); ++s)
        if (!marked_[s]) worst = std::max(worst, badness[s]);
    return worst;
}

}  // namespace limber
