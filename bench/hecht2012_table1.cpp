// SPDX-License-Identifier: Apache-2.0
// Hecht et al. 2012, Table I: mean time of a frame of the falling sculpture, three meshes x three
// stiffnesses, conjugate gradients against warp-canceling.

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hecht2012.h"

namespace limber::bench {

namespace {

struct PaperCell {
    double cg, wc;  // [ms]
};
struct Mesh {
    const char *name, *file;
    PaperCell cell[3];  // E = 5e6, 5e7, 5e8
};
const Mesh meshes[] = {
    {"7K", "sculpture_small", {{34, 39}, {53, 25}, {88, 25}}},
    {"115K", "sculpture_medium", {{2400, 740}, {6300, 585}, {11700, 421}}},
    {"329K", "sculpture_large", {{6900, 2900}, {18000, 2400}, {34500, 1900}}},
};
const char* const young[] = {"5e6", "5e7", "5e8"};

struct Row {
    int mesh, stiffness;
    HechtRun full, cg, source, ours;
    HechtFloor floor;
    double best_wc() const { return std::fmin(source.mean(), ours.mean()); }
};

HechtCase case_of(const BenchOptions& options, int mesh, int stiffness) {
    HechtCase out{meshes[mesh].file, {}, 3, 20, 150};
    out.sets.push_back(std::string("material.rubber.young=") + young[stiffness]);
    if (mesh == 0) {
        out.n_windows = options.pick(2, 6, 15);
        out.window_steps = options.pick(10, 20, 20);
    } else if (mesh == 1) {
        out.n_windows = options.pick(1, 3, 15);
        out.window_steps = options.pick(3, 10, 20);
        out.run_steps = options.pick(2, 90, 300);
    } else {
        out.n_windows = options.pick(1, 2, 15);
        out.window_steps = options.pick(2, 5, 20);
        out.run_steps = options.pick(2, 60, 300);
    }
    return out;
}

/// Each method beside what its bytes and operations take at the rates of this machine.
std::string floor_table(const std::vector<Row>& rows, nlohmann::json& json) {
    MarkdownTable table({"mesh", "E [Pa]", "full [ms]", "floor", "CG [ms]", "floor",
                         "WC source [ms]", "floor of solve", "of update", "WC ours [ms]",
                         "floor of solve", "of update", "ours/floor"});
    std::string rates;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const Row& row = rows[k];
        const HechtFloor& f = row.floor;
        const double full = f.full_ms(), cg = f.cg_ms(row.cg);
        const double source_solve = f.solve_ms(row.source, false);
        const double source_update = f.update_ms(row.source, false);
        const double ours_solve = f.solve_ms(row.ours, true);
        const double ours_update = f.update_ms(row.ours, true);
        const double ratio = row.ours.mean() / (ours_solve + ours_update);
        table.add({meshes[row.mesh].name, young[row.stiffness], digits(row.full.mean()),
                   digits(full), digits(row.cg.mean()), digits(cg), digits(row.source.mean()),
                   digits(source_solve), digits(source_update), digits(row.ours.mean()),
                   digits(ours_solve), digits(ours_update), times(ratio)});
        json[k]["floor_ms"] = {{"full", full},
                               {"cg", cg},
                               {"source_solve", source_solve},
                               {"source_update", source_update},
                               {"ours_solve", ours_solve},
                               {"ours_update", ours_update}};
        if (row.stiffness == 0)
            rates += fmt::format(
                "- {}: {} GFLOP, L {} MB (float {} MB); read {} GB/s (float L {}, A and vectors "
                "{}); products {} GF/s (float {})\n",
                meshes[row.mesh].name, digits(1e-9 * f.flops), digits(1e-6 * f.factor_double),
                digits(1e-6 * f.factor_single), digits(1e-9 * f.read_double),
                digits(1e-9 * f.read_single), digits(1e-9 * f.read_matrix),
                digits(1e-9 * f.gemm_double), digits(1e-9 * f.gemm_single));
    }
    return table.text() +
           "\nA floor is the bytes of L (twice a solve) and of A over the read bandwidth at that "
           "size, and the operations of the updates over the rate of dense products, all measured "
           "in this run; rotations, forces, assembly and contact are not in it.\n" +
           rates;
}

void add_claims(const std::vector<Row>& rows, BenchResult& result) {
    const auto at = [&](int mesh, int stiffness) -> const Row* {
        for (const Row& row : rows)
            if (row.mesh == mesh && row.stiffness == stiffness) return &row;
        return nullptr;
    };
    const int mesh = at(1, 2) && at(1, 0) ? 1 : 0;
    const Row &soft = *at(mesh, 0), &stiff = *at(mesh, 2);
    result.claims.push_back({"a stiffer material is slower for CG",
                             stiff.cg.mean() > soft.cg.mean(),
                             fmt::format("{}: {} ms at 5e6, {} ms at 5e8", meshes[mesh].name,
                                         digits(soft.cg.mean()), digits(stiff.cg.mean()))});
    result.claims.push_back(
        {"... and faster for the method of the source", stiff.source.mean() < soft.source.mean(),
         fmt::format("{} ms and {} ms", digits(soft.source.mean()), digits(stiff.source.mean()))});
    result.claims.push_back(
        {"... and for ours", stiff.ours.mean() < soft.ours.mean(),
         fmt::format("{} ms and {} ms", digits(soft.ours.mean()), digits(stiff.ours.mean()))});
    int cells = 0, faster_than_cg = 0, faster_than_full = 0, three_times = 0, large = 0;
    double least = INFINITY;
    for (const Row& row : rows) {
        ++cells;
        faster_than_cg += row.ours.mean() < row.cg.mean();
        faster_than_full += row.ours.mean() < row.full.mean();
        if (row.mesh == 0 || row.stiffness == 0) continue;
        ++large;
        three_times += row.cg.mean() > 3 * row.ours.mean();
        least = std::fmin(least, row.cg.mean() / row.ours.mean());
    }
    result.claims.push_back({"ours is faster than CG in every cell", faster_than_cg == cells,
                             fmt::format("{} of {}", faster_than_cg, cells)});
    result.claims.push_back({"ours is faster than full refactorisation in every cell",
                             faster_than_full == cells,
                             fmt::format("{} of {}", faster_than_full, cells)});
    if (large > 0)
        result.claims.push_back({"at least 3x faster than CG at 115K and 329K from 5e7 up",
                                 three_times == large, fmt::format("least {}", times(least))});
}

}  // namespace

BenchResult hecht2012_table1(const BenchOptions& options) {
    std::vector<Row> rows;
    const int n_meshes = options.pick(1, 3, 3);
    for (int mesh = 0; mesh < n_meshes; ++mesh) {
        const HechtFloor floor = floor_of(options, case_of(options, mesh, 0));
        for (int stiffness = 0; stiffness < 3; ++stiffness) {
            auto runs = race(options, case_of(options, mesh, stiffness),
                             {{"full", full_cholesky},
                              {"CG", jacobi_cg},
                              {"WC source", source_wc()},
                              {"WC ours", polished_wc}});
            rows.push_back({mesh, stiffness, runs[0], runs[1], runs[2], runs[3], floor});
        }
    }
    BenchResult result;
    MarkdownTable table({"mesh", "E [Pa]", "paper CG", "paper WC", "paper CG/WC", "full [ms]",
                         "CG [ms]", "WC source [ms]", "WC ours [ms]", "ours p99", "CG/ours",
                         "full/ours", "CG its", "ours its", "source share", "err CG", "err source",
                         "err ours"});
    auto json = nlohmann::json::array();
    for (const Row& row : rows) {
        const PaperCell& p = meshes[row.mesh].cell[row.stiffness];
        table.add({meshes[row.mesh].name, young[row.stiffness], digits(p.cg), digits(p.wc),
                   times(p.cg / p.wc), digits(row.full.mean()), digits(row.cg.mean()),
                   digits(row.source.mean()), digits(row.ours.mean()), digits(row.ours.ms.p99),
                   times(row.cg.mean() / row.ours.mean()), times(row.full.mean() / row.ours.mean()),
                   digits(row.cg.iterations), digits(row.ours.iterations),
                   digits(row.source.update.share), digits(row.cg.error), digits(row.source.error),
                   digits(row.ours.error)});
        json.push_back({{"mesh", meshes[row.mesh].name},
                        {"young", young[row.stiffness]},
                        {"full_ms", row.full.mean()},
                        {"cg_ms", row.cg.mean()},
                        {"source_ms", row.source.mean()},
                        {"ours_ms", row.ours.mean()},
                        {"cg_iterations", row.cg.iterations},
                        {"ours_iterations", row.ours.iterations},
                        {"error_cg", row.cg.error},
                        {"error_source", row.source.error},
                        {"error_ours", row.ours.error}});
    }
    result.markdown =
        table.text() +
        "\nTimes are means of a step. Windows begin with a fresh factor, whose step is left out. "
        "full: factorised every step, the reference of the errors (rms at the end of a window, in "
        "parts of the body size). WC source: tau = 5e-3 N s, double, no refinement. WC ours: float "
        "factor, polished by PCG to |r| <= 1e-4 |b|, the tolerance of CG. Contact is explicit "
        "everywhere, as in the source.\n\n" +
        floor_table(rows, json);
    result.json = nlohmann::json{{"rows", json}}.dump(2);
    add_claims(rows, result);
    return result;
}

}  // namespace limber::bench
