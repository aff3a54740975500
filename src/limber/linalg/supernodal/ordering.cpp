// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <chrono>
#include <future>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <type_traits>

#include "limber/core/check.h"
#include "limber/core/stop.h"
#include "limber/linalg/supernodal/structure.h"

namespace limber {

namespace {

// From here on METIS may take longer than somebody who wants to stop should wait.
constexpr Index long_ordering = 50'000;

/// A graph as METIS takes it.
struct Graph {
    std::vector<idx_t> begin{0}, neighbour;
    Index n() const { return static_cast<Index>(begin.size()) - 1; }
};

/// The vertices in the order of elimination.
std::vector<idx_t> order_graph(Graph& graph, int n_separators) {
    static std::mutex one_at_a_time;  // all its calls share one sequence of random numbers
    const std::scoped_lock lock(one_at_a_time);
    std::array<idx_t, METIS_NOPTIONS> options;
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_NSEPS] = n_separators;
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    idx_t n_vertices = graph.n();
    std::vector<idx_t> perm(graph.n()), inverse(graph.n());
    const int status = METIS_NodeND(&n_vertices, graph.begin.data(), graph.neighbour.data(),
                                    nullptr, options.data(), perm.data(), inverse.data());
    if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
    LIMBER_CHECK(status == METIS_OK, "METIS orders a valid graph");
    return perm;
}

/// The same where the caller may be asked to stop, which METIS cannot be: it works in a thread that
/// owns all it uses, and is left alone there.
std::vector<idx_t> order_until_stopped(Graph graph, int n_separators) {
    std::packaged_task<std::vector<idx_t>()> task(
        [graph = std::move(graph), n_separators]() mutable {
            return order_graph(graph, n_separators);
        });
    std::future<std::vector<idx_t>> order = task.get_future();
    std::thread(std::move(task)).detach();
    while (order.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
        stop_if_requested();
    return order.get();
}

}  // namespace

std::vector<Index> nested_dissection(const BlockCsr& pattern, int n_separators,
                                     std::span<const Index> last) {
    static_assert(sizeof(idx_t) >= sizeof(Index), "METIS counts at least as far as we do");
    std::vector<Index> number(pattern.n_nodes(), 0), order;  // number: in the graph, -1: last
    for (Index node : last) {
        LIMBER_CHECK(node >= 0 && node < pattern.n_nodes() && number[node] == 0,
                     "nodes ordered last are named once each");
        number[node] = -1;
    }
    for (Index i = 0; i < pattern.n_nodes(); ++i) {
        if (number[i] == -1) continue;
        number[i] = static_cast<Index>(order.size());
        order.push_back(i);
    }
    const auto n = static_cast<Index>(order.size());
    Graph graph;
    graph.begin.reserve(n + 1);
    graph.neighbour.reserve(pattern.n_blocks());
    for (Index i : order) {
        for (Index k = pattern.row_begin()[i]; k < pattern.row_begin()[i + 1]; ++k) {
            const Index j = pattern.column()[k];
            if (j != i && number[j] != -1) graph.neighbour.push_back(number[j]);
        }
        graph.begin.push_back(static_cast<idx_t>(graph.neighbour.size()));
    }
    const auto and_last = [&] {
        order.insert(order.end(), last.begin(), last.end());
        return order;
    };
    if (graph.neighbour.empty()) return and_last();  // nothing couples: any order is as good

    const std::vector<idx_t> perm = StopScope::current() && n >= long_ordering
                                        ? order_until_stopped(std::move(graph), n_separators)
                                        : order_graph(graph, n_separators);
    const std::vector<Index> node = order;
    for (Index k = 0; k < n; ++k) order[k] = node[perm[k]];
    return and_last();
}

}  // namespace limber
