// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/factor/schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "limber/core/check.h"

namespace limber::gpu {

namespace {

/// Inputs by the task they come from.
struct Followers {
    std::vector<Index> begin, to;
    std::vector<char> late;
};

Followers followers_of(const TaskGraph& graph) {
    Followers out;
    const std::size_t n = graph.work.size();
    out.begin.assign(n + 1, 0);
    for (const TaskGraph::Input& e : graph.inputs) {
        LIMBER_CHECK(e.from < e.to, "tasks are numbered behind their inputs");
        ++out.begin[e.from + 1];
    }
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
    out.to.resize(graph.inputs.size());
    out.late.resize(graph.inputs.size());
    for (const TaskGraph::Input& e : graph.inputs) {
        const Index k = next[e.from]++;
        out.to[k] = e.to;
        out.late[k] = e.late;
    }
    return out;
}

}  // namespace

std::vector<Index> schedule(const TaskGraph& graph, int workers) {
    const auto n = static_cast<Index>(graph.work.size());
    const Followers f = followers_of(graph);
    // The longest path: the task's own end, and what follows.
    std::vector<double> rank(n);
    for (Index t = n - 1; t >= 0; --t) {
        for (Index k = f.begin[t]; k < f.begin[t + 1]; ++k)
            rank[t] = std::max(rank[t], rank[f.to[k]]);
        rank[t] += graph.end[t];
    }
    // not_begun: inputs that stand nowhere yet; gates: those not done that it may not begin
    // without; open: all that are not done.
    std::vector<Index> not_begun(n, 0), gates(n, 0), open(n, 0);
    for (const TaskGraph::Input& e : graph.inputs) {
        ++not_begun[e.to];
        ++open[e.to];
        if (!e.late) ++gates[e.to];
    }
    const auto later = [&](Index a, Index b) {
        return rank[a] != rank[b] ? rank[a] < rank[b] : a > b;
    };
    std::priority_queue<Index, std::vector<Index>, decltype(later)> ready(later);
    using Event = std::pair<double, Index>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> done;
    enum : char { waits, offered, begun };
    std::vector<char> state(n, waits);
    std::vector<double> begin_time(n, 0);
    std::vector<Index> order;
    order.reserve(n);
    const auto offer = [&](Index t) {
        if (state[t] != waits || not_begun[t] > 0 || gates[t] > 0) return;
        state[t] = offered;
        ready.push(t);
    };
    for (Index t = 0; t < n; ++t) offer(t);
    double now = 0;
    int free = workers;
    while (static_cast<Index>(order.size()) < n) {
        while (free > 0 && !ready.empty()) {
            const Index t = ready.top();
            ready.pop();
            --free;
            order.push_back(t);
            state[t] = begun;
            begin_time[t] = now;
            if (open[t] == 0) done.push({now + graph.work[t], t});
            for (Index k = f.begin[t]; k < f.begin[t + 1]; ++k) {
                --not_begun[f.to[k]];
                offer(f.to[k]);
            }
        }
        if (static_cast<Index>(order.size()) == n) break;
        LIMBER_CHECK(!done.empty(), "some task can always go on");
        const Index t = done.top().second;
        now = done.top().first;
        done.pop();
        ++free;
        for (Index k = f.begin[t]; k < f.begin[t + 1]; ++k) {
            const Index to = f.to[k];
            if (!f.late[k]) --gates[to];
            if (--open[to] == 0 && state[to] == begun)
                done.push({std::max(begin_time[to] + graph.work[to], now + graph.end[to]), to});
            offer(to);
        }
    }
    return order;
}

}  // namespace limber::gpu
