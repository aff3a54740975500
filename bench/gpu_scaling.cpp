// SPDX-License-Identifier: Apache-2.0
// Descent on a graphics card from a thousand tets to thirty million: time of a step, the bytes that
// its sweeps move and how far that is from the bandwidth of a copy, memory.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpu_cubes.h"
#include "limber/core/math.h"
#include "limber/gpu/descent/tiles.h"
#include "limber/gpu/device.h"
#include "limber/study/statistics.h"

namespace limber::bench {

namespace {

constexpr int iterations = 96;

/// Bytes that tiles of a mesh read and write in a sweep in float, outside of the processors.
double bytes_of_sweep(const Model& model, bool& stays) {
    const gpu::TileLayout tiles = gpu::make_tiles(
        model.mesh.nodes, model.mesh.tets, gpu::suitable_tiles(model.n_tets(), sizeof(float)));
    // Sums at shared vertices: each copy sends its own and reads those of all.
    double bytes = 0;
    for (const gpu::TileExchange& e : tiles.exchange) bytes += 16.0 * (1 + e.n);
    stays = tiles.n_tiles() <= gpu::device().processors;
    if (stays) return bytes;
    // Rest shape, volume, interpolant, places of corners and slots; x and reference there and back,
    // target, P⁻¹, slots; where sums lie.
    constexpr double of_tet = 9 * 4 + 4 + 4 + 8 + 8, of_copy = 2 * 2 * 16 + 16 + 12 + 4;
    return bytes + of_tet * model.n_tets() + of_copy * tiles.n_copies() +
           8.0 * static_cast<double>(tiles.exchange.size());
}

}  // namespace

BenchResult gpu_scaling(const BenchOptions& options) {
    BenchResult out;
    if (is_without_card(out)) return out;
    const double bandwidth = gpu::copy_bandwidth();
    MarkdownTable table({"tets", "median ms", "p99 ms", "whole step, ms", "ns a tet and iteration",
                         "MB a sweep", "of a copy's bandwidth", "MiB on the card", "failed"});
    nlohmann::ordered_json json;
    std::vector<double> per_tet;  // of streamed sizes [ns]
    int failed = 0;
    for (const Index n : {6, 13, 18, 27, 40, 59, 86, 129, 182}) {
        if (n > options.pick(27, 86, 182)) continue;
        const Model model = held_cube(n, invertible_rubber(), 1.0 / 60);
        options.tell(fmt::format("{} tets", model.n_tets()));
        bool stays = false;
        const double bytes = bytes_of_sweep(model, stays);
        const DeviceSteps steps = device_steps(model, 20);
        const Spread ms = spread_of(steps.ms), whole = spread_of(steps.whole_ms);
        const double ns = 1e6 * ms.p50 / (static_cast<double>(iterations) * model.n_tets());
        const double share = iterations * bytes / (1e-3 * ms.p50) / bandwidth;
        if (!stays) per_tet.push_back(ns);
        failed += steps.failed;
        table.add({std::to_string(model.n_tets()), digits(ms.p50), digits(ms.p99),
                   digits(whole.p50), digits(ns),
                   digits(bytes * 1e-6) + (stays ? " (tiles stay)" : ""),
                   fmt::format("{:.0f} %", 100 * share), steps.mib, std::to_string(steps.failed)});
        json.push_back({{"tets", model.n_tets()},
                        {"median_ms", ms.p50},
                        {"p99_ms", ms.p99},
                        {"whole_ms", whole.p50},
                        {"bytes_a_sweep", bytes},
                        {"share_of_copy", share},
                        {"failed", steps.failed}});
    }
    out.markdown =
        fmt::format(
            "{}, copies {} GB/s. Cubes held at a side, Mooney-Rivlin, conversion on, "
            "float; 20 steps of 96 iterations by the source's method, after five, by the "
            "clock of the card. Bytes are those that sweeps must move by the layout of "
            "tiles; looks at the energy and new diagonals come on top.\n\n",
            gpu::device().name, digits(1e-9 * bandwidth)) +
        table.text();
    out.claims = {{"no step fails", failed == 0, fmt::format("{} did", failed)}};
    if (per_tet.size() > 1) {
        const auto [lo, hi] = std::minmax_element(per_tet.begin(), per_tet.end());
        out.claims.push_back({"linear where tiles pass through (within 1.3x a tet)",
                              *hi < 1.3 * *lo,
                              fmt::format("{} to {} ns", digits(*lo), digits(*hi))});
    }
    out.json = nlohmann::ordered_json{{"rows", json}}.dump();
    return out;
}

}  // namespace limber::bench
