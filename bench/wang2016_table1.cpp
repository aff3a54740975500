// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Table 1: time of a step of 1/30 s with 96 iterations, CPU columns; and the cost
// against the size over three decades. Mooney-Rivlin, single precision, conversion and energy
// checks on.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/cpu_time.h"
#include "limber/mesh/shapes.h"
#include "limber/study/statistics.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

struct PaperRow {
    const char *name, *file;
    int vertices, tets;  // in thousands
    double cpu_s, gpu_ms;
};
const PaperRow paper[] = {
    {"Dragon", "dragon_twist", 16, 58, 1.35, 32.8},
    {"Armadillo", "armadillo_pull", 15, 55, 1.28, 31.4},
    {"Box", "box_twist", 14, 72, 1.47, 37.6},
    {"Double helix", "double_helix_41k", 13, 41, 0.98, 27.5},
    {"Double helix", "double_helix_82k", 24, 82, 1.91, 38.5},
    {"Double helix", "double_helix_158k", 48, 158, 3.86, 65.4},
    {"Double helix", "double_helix_316k", 96, 316, 7.78, 122},
};

struct Cost {
    Spread wall, cpu;  // of a step [ms]
    double residual = 0;
    int taken_back = 0, failed = 0;  // steps
};
Cost cost_of(World& world, int warm_up, int steps) {
    std::vector<double> wall, cpu;
    Cost out;
    for (int k = 0; k < warm_up + steps; ++k) {
        const double before = process_cpu_ms();
        const StepReport r = world.step();
        if (k < warm_up) continue;
        cpu.push_back(process_cpu_ms() - before);
        wall.push_back(r.ms(Stage::free_motion) + r.ms(Stage::assemble));
        out.residual = r.solve.residual;
        out.taken_back += r.has(StepFlag::line_search);
        out.failed += r.failed;
    }
    out.wall = spread_of(wall);
    out.cpu = spread_of(cpu);
    return out;
}

}  // namespace

BenchResult wang2016_table1(const BenchOptions& options) {
    MarkdownTable table({"scene", "vertices", "tets", "least ms", "median ms", "least CPU ms",
                         "paper CPU ms", "paper GPU ms", "paper CPU / ours", "residual"});
    nlohmann::ordered_json json;
    std::vector<double> per_tet;
    double dragon = std::nan("");
    bool all_faster = true;
    for (const PaperRow& row : paper) {
        if (options.size == BenchSize::quick && row.tets > 60) continue;
        options.tell(fmt::format("{} {}K", row.name, row.tets));
        const WangScene scene = load_wang(options, row.file, "mooney_rivlin");
        const auto world = world_of(scene, "descent");
        const Cost cost = cost_of(*world, 3, options.pick(5, 20, 90));
        if (per_tet.empty()) dragon = cost.wall.min;
        per_tet.push_back(cost.cpu.min / scene.model.n_tets());
        all_faster = all_faster && cost.wall.p50 < 1e3 * row.cpu_s;
        table.add({row.name, std::to_string(scene.model.n_nodes()),
                   std::to_string(scene.model.n_tets()), digits(cost.wall.min),
                   digits(cost.wall.p50), digits(cost.cpu.min), digits(1e3 * row.cpu_s),
                   digits(row.gpu_ms), times(1e3 * row.cpu_s / cost.wall.p50),
                   digits(cost.residual)});
        json.push_back({{"scene", row.file},
                        {"tets", scene.model.n_tets()},
                        {"least_ms", cost.wall.min},
                        {"median_ms", cost.wall.p50},
                        {"least_cpu_ms", cost.cpu.min},
                        {"failed_steps", cost.failed}});
    }
    BenchResult out;
    out.markdown = table.text() +
                   "\nCPU ms are of all threads together, the whole step with its report. The "
                   "dress row (15K vertices, 44K elements; paper 290 ms) needs cloth.\n";
    const auto [lo, hi] = std::minmax_element(per_tet.begin(), per_tet.end());
    out.claims = {
        {"cost is almost proportional to the number of tets (within 1.5x)", *hi < 1.5 * *lo,
         fmt::format("CPU time a tet from {} to {} us", digits(1e3 * *lo), digits(1e3 * *hi))},
        {"every row is faster than the paper's four cores", all_faster, "median of the steps"},
        {"the goal of 60 ms for 58K tets on two cores", dragon < 60,
         fmt::format("least {} ms", digits(dragon))}};
    out.json = nlohmann::ordered_json{{"rows", json}}.dump();
    return out;
}

BenchResult wang2016_scaling(const BenchOptions& options) {
    MarkdownTable table(
        {"tets", "vertices", "least ms", "least CPU ms", "CPU ns a tet and iteration"});
    nlohmann::ordered_json json;
    std::vector<double> per_tet;
    const std::vector<int> sizes = options.size == BenchSize::quick
                                       ? std::vector<int>{1, 3, 10, 30}
                                       : std::vector<int>{1, 3, 10, 30, 100, 300, 1000};
    for (const int thousand : sizes) {
        options.tell(fmt::format("{}K tets", thousand));
        const double n = std::cbrt(1000.0 * thousand / 9);  // 6 tets a cell, 1 x 1.5 x 1
        const int a = std::max(1, static_cast<int>(std::lround(n)));
        const int b = std::max(1, static_cast<int>(std::lround(1.5 * n)));
        const WangScene scene = load_wang(options, "box_twist", "mooney_rivlin",
                                          {fmt::format("body.0.cells=[{},{},{}]", a, b, a)});
        const auto world = world_of(scene, "descent");
        const Cost cost = cost_of(*world, 2, thousand > 100 ? 3 : 8);
        const double ns = 1e6 * cost.cpu.min / (96.0 * scene.model.n_tets());
        per_tet.push_back(ns);
        table.add({std::to_string(scene.model.n_tets()), std::to_string(scene.model.n_nodes()),
                   digits(cost.wall.min), digits(cost.cpu.min), digits(ns)});
        json.push_back({{"tets", scene.model.n_tets()},
                        {"least_ms", cost.wall.min},
                        {"least_cpu_ms", cost.cpu.min}});
    }
    BenchResult out;
    out.markdown = table.text();
    const auto [lo, hi] = std::minmax_element(per_tet.begin() + 1, per_tet.end());
    out.claims = {{"cost is linear in tets (within 2x a tet, from 3K on)", *hi < 2 * *lo,
                   fmt::format("{} to {} ns", digits(*lo), digits(*hi))}};
    out.json = nlohmann::ordered_json{{"rows", json}}.dump();
    return out;
}

}  // namespace limber::bench
