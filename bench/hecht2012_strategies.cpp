// SPDX-License-Identifier: Apache-2.0
// Hecht et al. 2012, Table IV (update strategies: three-torus and the bowl of bears) and Table V
// (the other scenes).

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hecht2012.h"

namespace limber::bench {

namespace {

struct PaperTimes {
    double min, max, mean;  // [ms]
};
struct Strategy {
    const char* label;
    std::string solver;
    PaperTimes paper;
};

void add_rows(const std::vector<Strategy>& strategies, const std::vector<HechtRun>& runs,
              const char* object, MarkdownTable& table, nlohmann::json& json) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
        const HechtRun& run = runs[k];
        const PaperTimes& p = strategies[k].paper;
        const bool known = p.mean > 0;
        if (!run.failure.empty()) {
            table.add({object, run.label, known ? digits(p.mean) : "-", "failed", "-", "-", "-",
                       "-", "-"});
            continue;
        }
        table.add({object, run.label, known ? digits(p.mean) : "-", digits(run.ms.min),
                   digits(run.ms.max), digits(run.ms.mean), digits(run.iterations),
                   digits(run.update.share), digits(run.error)});
        json[object][run.label] = {{"min", run.ms.min},
                                   {"max", run.ms.max},
                                   {"mean", run.ms.mean},
                                   {"share", run.update.share},
                                   {"error", run.error}};
    }
}

std::vector<HechtRun> race_all(const BenchOptions& options, const HechtCase& scene,
                               const std::vector<Strategy>& strategies) {
    std::vector<std::pair<std::string, std::string>> solvers;
    for (const Strategy& s : strategies) solvers.emplace_back(s.label, s.solver);
    return race(options, scene, solvers);
}

std::vector<std::string> header() {
    return {"object",    "method",     "paper mean",      "min [ms]", "max [ms]",
            "mean [ms]", "iterations", "share of factor", "error"};
}

}  // namespace

BenchResult hecht2012_table4(const BenchOptions& options) {
    const std::string ours = polished_wc;
    const std::vector<Strategy> stiff = {
        {"full Cholesky", full_cholesky, {126, 237, 157}},
        {"CG", jacobi_cg, {50, 577, 307}},
        {"WC unlimited", source_wc(), {37, 207, 107}},
        {"WC ours", ours, {}},
    };
    const std::vector<Strategy> soft = {
        {"full Cholesky", full_cholesky, {123, 271, 146}},
        {"CG", jacobi_cg, {43, 171, 121}},
        {"WC unlimited", source_wc(), {36, 194, 87}},
        {"WC 66 %", source_wc("threshold=5e-3,schedule=time,budget_share=0.66"), {35, 172, 72}},
        {"WC 33 %", source_wc("threshold=5e-3,schedule=time,budget_share=0.33"), {33, 127, 65}},
        {"WC ours", ours, {}},
        {"damped stiffness warping", "stiffness_warping:threshold=5e-3", {34, 111, 52}},
    };
    const std::vector<Strategy> bears = {
        {"full Cholesky", full_cholesky, {2032, 2214, 2085}},
        {"CG 1e-4", jacobi_cg, {4322, 5536, 4689}},
        {"WC low tolerance", source_wc(), {556, 1693, 1594}},
        {"WC high tolerance",
         source_wc("threshold=10,schedule=hybrid,budget_share=0.2"),
         {488, 861, 728}},
        {"WC ours", ours, {}},
    };
    MarkdownTable table(header());
    auto json = nlohmann::json::object();
    BenchResult result;
    const int windows = options.pick(1, 4, 10), steps = options.pick(5, 20, 30);
    const auto stiff_runs =
        race_all(options, {"three_torus_stiff", {}, windows, steps, 200}, stiff);
    add_rows(stiff, stiff_runs, "3-torus (stiff)", table, json);
    const auto soft_runs = race_all(options, {"three_torus_soft", {}, windows, steps, 200}, soft);
    add_rows(soft, soft_runs, "3-torus (soft)", table, json);
    if (options.size != BenchSize::quick) {
        const auto bear_runs =
            race_all(options, {"bowl_of_bears", {}, 1, options.pick(2, 5, 20), 20}, bears);
        add_rows(bears, bear_runs, "bowl of bears", table, json);
        result.claims.push_back({"bowl of bears: warp-canceling is faster than CG at low tolerance",
                                 bear_runs[2].mean() < bear_runs[1].mean(),
                                 times(bear_runs[1].mean() / bear_runs[2].mean())});
    }
    result.markdown = table.text();
    result.json = json.dump(2);
    const auto beats = [&](const char* what, const HechtRun& slow, const HechtRun& fast) {
        result.claims.push_back(
            {what, fast.mean() < slow.mean(),
             fmt::format("{} against {} ms", digits(fast.mean()), digits(slow.mean()))});
    };
    beats("stiff 3-torus: warp-canceling is faster than CG", stiff_runs[1], stiff_runs[2]);
    beats("stiff 3-torus: warp-canceling is faster than full Cholesky", stiff_runs[0],
          stiff_runs[2]);
    beats("soft 3-torus: warp-canceling is faster than full Cholesky", soft_runs[0], soft_runs[2]);
    beats("soft 3-torus: a budget of a third makes it faster still", soft_runs[2], soft_runs[4]);
    result.claims.push_back({"soft 3-torus: and less accurate",
                             soft_runs[4].error > soft_runs[2].error,
                             fmt::format("error {} against {}", digits(soft_runs[4].error),
                                         digits(soft_runs[2].error))});
    return result;
}

BenchResult hecht2012_table5(const BenchOptions& options) {
    struct Row {
        const char *name, *file, *tau;
        PaperTimes paper;
    };
    const Row rows[] = {
        {"bear squash", "bear_squash", "1e-2", {61, 355, 157}},
        {"cloth drop", "sheet_on_sphere", "1e-4", {25, 209, 77}},
        {"trampoline", "trampoline", "1e-5", {39, 219, 92}},
        {"spider", "spider", "1e-4", {29, 183, 79}},
    };
    MarkdownTable table(header());
    auto json = nlohmann::json::object();
    BenchResult result;
    for (const Row& row : rows) {
        const std::vector<Strategy> strategies = {
            {"full Cholesky", full_cholesky, {}},
            {"WC source", source_wc(std::string("threshold=") + row.tau), row.paper},
            {"WC ours", polished_wc, {}},
        };
        const auto runs = race_all(options,
                                   {row.file,
                                    {},
                                    options.pick(1, 4, 10),
                                    options.pick(4, 20, 30),
                                    options.pick(40, 200, 300)},
                                   strategies);
        add_rows(strategies, runs, row.name, table, json);
        result.claims.push_back({fmt::format("{}: stable without limits on the updates", row.name),
                                 runs[1].failure.empty() && runs[1].error < 0.1,
                                 runs[1].failure.empty()
                                     ? fmt::format("error {}", digits(runs[1].error))
                                     : runs[1].failure});
    }
    result.markdown = table.text();
    result.json = json.dump(2);
    return result;
}

}  // namespace limber::bench
