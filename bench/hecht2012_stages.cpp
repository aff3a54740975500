// SPDX-License-Identifier: Apache-2.0
// Hecht et al. 2012, Table II (stages of CG and warp-canceling) and Table III (stages against
// threads).

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hecht2012.h"
#include "limber/core/parallel.h"

namespace limber::bench {

namespace {

struct StageRow {
    const char* name;
    double (*of)(const HechtRun&);
};
double stage(const HechtRun& r, Stage s) {
    return r.stage_ms[static_cast<int>(s)];
}
const StageRow stages[] = {
    {"element rotations, forces",
     [](const HechtRun& r) { return stage(r, Stage::rotate) - r.update.node_rotation_ms; }},
    {"node rotations", [](const HechtRun& r) { return r.update.node_rotation_ms; }},
    {"error estimate", [](const HechtRun& r) { return r.update.error_ms; }},
    {"matrix update", [](const HechtRun& r) { return r.update.matrix_ms; }},
    {"factor update", [](const HechtRun& r) { return stage(r, Stage::factor); }},
    {"assembly, right-hand side",
     [](const HechtRun& r) {
         return stage(r, Stage::assemble) - r.update.error_ms - r.update.matrix_ms;
     }},
    {"solve", [](const HechtRun& r) { return stage(r, Stage::free_motion); }},
    {"contact",
     [](const HechtRun& r) { return stage(r, Stage::detect) + stage(r, Stage::resolve); }},
    {"whole step", [](const HechtRun& r) { return r.mean(); }},
};

nlohmann::json stage_json(const HechtRun& run) {
    nlohmann::json out;
    for (const StageRow& row : stages) out[row.name] = row.of(run);
    return out;
}

struct PaperExample {
    const char *name, *file, *young;
    double cg_solve, cg_total, wc_update, wc_solve, wc_total;  // [ms]
};
const PaperExample examples[] = {
    {"dragon", "dragon_drop", nullptr, 199, 270, 12, 29, 110},
    {"sculpture 115K, 5e7", "sculpture_medium", "5e7", 6117, 6312, 281, 139, 585},
    {"sculpture 115K, 5e8", "sculpture_medium", "5e8", 11508, 11722, 121, 148, 421},
    {"sculpture 329K, 5e8", "sculpture_large", "5e8", 33867, 34509, 1002, 438, 1862},
};

}  // namespace

BenchResult hecht2012_table2(const BenchOptions& options) {
    BenchResult result;
    auto json = nlohmann::json::object();
    const int n = options.pick(1, 4, 4);
    for (int e = 0; e < n; ++e) {
        const PaperExample& p = examples[e];
        HechtCase scene{p.file, {}, options.pick(1, 2, 6), options.pick(5, 8, 20), 60};
        if (p.young) scene.sets.push_back(std::string("material.rubber.young=") + p.young);
        const auto runs = race(options, scene,
                               {{"full", full_cholesky},
                                {"CG", jacobi_cg},
                                {"WC source", source_wc()},
                                {"WC ours", polished_wc}});
        MarkdownTable table({p.name, "full [ms]", "CG [ms]", "WC source [ms]", "WC ours [ms]"});
        for (const StageRow& row : stages) {
            std::vector<std::string> cells{row.name};
            for (const HechtRun& run : runs) cells.push_back(digits(row.of(run)));
            table.add(cells);
        }
        table.add({"error against full", "0", digits(runs[1].error), digits(runs[2].error),
                   digits(runs[3].error)});
        result.markdown +=
            table.text() +
            fmt::format("\npaper: CG solve {} of {} ms; WC factor update {}, solve {} of {} ms\n\n",
                        p.cg_solve, p.cg_total, p.wc_update, p.wc_solve, p.wc_total);
        for (const HechtRun& run : runs) json[p.name][run.label] = stage_json(run);
        result.claims.push_back(
            {fmt::format("{}: warp-canceling beats CG and full refactorisation", p.name),
             runs[3].mean() < runs[1].mean() && runs[3].mean() < runs[0].mean(),
             fmt::format("{} and {}", times(runs[1].mean() / runs[3].mean()),
                         times(runs[0].mean() / runs[3].mean()))});
    }
    result.json = json.dump(2);
    return result;
}

BenchResult hecht2012_table3(const BenchOptions& options) {
    const HechtCase scene{options.pick("sculpture_small", "sculpture_medium", "sculpture_medium"),
                          {},
                          options.pick(1, 2, 6),
                          options.pick(5, 10, 20),
                          90};
    std::vector<HechtRun> runs;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        runs.push_back(race(options, scene, {{"WC source", source_wc()}})[0]);
        runs.push_back(race(options, scene, {{"WC ours", polished_wc}})[0]);
    }
    MarkdownTable table({scene.file, "source 1T [ms]", "source 2T", "speed-up", "ours 1T [ms]",
                         "ours 2T", "speed-up"});
    auto json = nlohmann::json::object();
    for (const StageRow& row : stages) {
        const double s1 = row.of(runs[0]), o1 = row.of(runs[1]), s2 = row.of(runs[2]),
                     o2 = row.of(runs[3]);
        table.add({row.name, digits(s1), digits(s2), times(s1 / s2), digits(o1), digits(o2),
                   times(o1 / o2)});
        json[row.name] = {s1, s2, o1, o2};
    }
    BenchResult result;
    result.markdown = table.text() +
                      "\npaper (115K, two of its eight threads): element rotations 2.0x, node "
                      "rotations 1.7x, error 1.5x, matrix 1.6x, factor update 1.7x, right-hand "
                      "side 1.2x, solve 1.5x, total 1.6x\n";
    result.json = json.dump(2);
    const double speedup = runs[0].mean() / runs[2].mean();
    result.claims.push_back({"two threads speed the whole step up by 1.6x, as in the source",
                             speedup >= 1.6, times(speedup)});
    return result;
}

}  // namespace limber::bench
