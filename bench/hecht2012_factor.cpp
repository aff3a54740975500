// SPDX-License-Identifier: Apache-2.0
// Hecht et al. 2012, section 6 (memory of the factor) and section 4.3: time of an update against
// the share of the elements that changed, in clusters, in layers and scattered.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hecht2012.h"
#include "limber/core/timer.h"
#include "limber/fem/assembly.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/scene/build/model.h"

namespace limber::bench {

namespace {

Model sculpture(const BenchOptions& options, const std::string& file) {
    BuildReport report;
    return build_model(load_scene(options.scenes + '/' + file + ".toml", {}), report);
}

/// What of this program is in memory now [B]; 0 where the system does not say.
double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double total = 0, resident = 0;
    file >> total >> resident;
    return file ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

/// How much a first factorisation adds to it.
template <class T>
double resident_of_factor(const BlockCsr& A, const Model& model, SupernodalCholesky<T>& factor) {
    const double before = resident_bytes();
    factor.factorize(A, model.free);
    return resident_bytes() - before;
}

BlockCsr matrix_of(const Model& model) {
    SystemAssembler assembler(model.elements);
    BlockCsr A = assembler.make_matrix();
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({model.h, false, model.lumped}, rotations, A);
    return A;
}

}  // namespace

BenchResult hecht2012_memory(const BenchOptions& options) {
    struct Row {
        const char *name, *file;
        double matrix, factor, update;  // the paper's [MB]
    };
    const Row rows[] = {{"7K", "sculpture_small", 1.5, 7.8, 14.8},
                        {"115K", "sculpture_medium", 22, 268, 884},
                        {"329K", "sculpture_large", 62, 956, 3406}};
    MarkdownTable table({"mesh", "paper A [MB]", "A", "paper L", "L", "paper update blocks",
                         "update blocks", "predicted", "resident", "float L", "float update blocks",
                         "predicted", "resident"});
    auto json = nlohmann::json::array();
    BenchResult result;
    double most = 0, off = 0;
    for (int k = 0; k < options.pick(2, 3, 3); ++k) {
        options.tell(rows[k].file);
        const Model model = sculpture(options, rows[k].file);
        const BlockCsr A = matrix_of(model);
        SupernodalCholesky<double> wide;
        SupernodalCholesky<float> narrow;
        wide.analyze(A);
        narrow.analyze(A);
        const double mb = 1e-6;
        const double wide_mb = resident_of_factor(A, model, wide) * mb;
        const double narrow_mb = resident_of_factor(A, model, narrow) * mb;
        const double a = A.n_blocks() * (9.0 * 8 + 4) * mb;
        const SupernodalMemory d = wide.memory(), f = narrow.memory();
        table.add({rows[k].name, digits(rows[k].matrix), digits(a), digits(rows[k].factor),
                   digits(d.factor_bytes * mb), digits(rows[k].update), digits(d.update_bytes * mb),
                   digits(d.total() * mb), digits(wide_mb), digits(f.factor_bytes * mb),
                   digits(f.update_bytes * mb), digits(f.total() * mb), digits(narrow_mb)});
        // In the small one the tables of the fronts weigh as much as the numbers.
        if (k > 0)
            off = std::max({off, std::abs(wide_mb / (d.total() * mb) - 1),
                            std::abs(narrow_mb / (f.total() * mb) - 1)});
        json.push_back({{"mesh", rows[k].name},
                        {"matrix_mb", a},
                        {"factor_mb", d.factor_bytes * mb},
                        {"update_mb", d.update_bytes * mb},
                        {"predicted_mb", d.total() * mb},
                        {"resident_mb", wide_mb},
                        {"predicted_float_mb", f.total() * mb},
                        {"resident_float_mb", narrow_mb}});
        most = std::max(most,
                        (d.factor_bytes + d.update_bytes) * mb / (rows[k].factor + rows[k].update));
    }
    result.markdown = table.text();
    result.json = nlohmann::json{{"rows", json}}.dump(2);
    result.claims.push_back({"factor and update blocks take no more memory than in the source",
                             most <= 1, fmt::format("at most {} of it", times(most))});
    result.claims.push_back(
        {"what is predicted before the run is what becomes resident, within 10 %", off <= 0.1,
         fmt::format("off by {} at most", digits(off))});
    return result;
}

BenchResult hecht2012_update(const BenchOptions& options) {
    const Model model =
        sculpture(options, options.pick("sculpture_small", "sculpture_medium", "sculpture_medium"));
    const BlockCsr A = matrix_of(model);
    const Index n = model.n_nodes();
    SupernodalCholesky<double> factor;
    factor.factorize(A, model.free);
    factor.factorize(A, model.free);
    const double full_ms = factor.last_work().ms, full_flops = factor.structure().total_flops;

    // Nodes in the order in which each kind of dirt spreads.
    std::vector<Index> cluster(n), layer(n), scatter(n);
    std::iota(cluster.begin(), cluster.end(), 0);
    layer = scatter = cluster;
    const auto& x = model.mesh.nodes;
    const Index lowest = static_cast<Index>(
        std::min_element(x.begin(), x.end(),
                         [](const Vec3d& a, const Vec3d& b) { return a.y < b.y; }) -
        x.begin());
    std::sort(cluster.begin(), cluster.end(), [&](Index a, Index b) {
        return squared_norm(x[a] - x[lowest]) < squared_norm(x[b] - x[lowest]);
    });
    std::sort(layer.begin(), layer.end(), [&](Index a, Index b) { return x[a].y < x[b].y; });
    std::mt19937 random(1);
    std::shuffle(scatter.begin(), scatter.end(), random);

    MarkdownTable table({"dirty nodes", "clustered: flops", "time", "layered: flops", "time",
                         "scattered: flops", "time"});
    auto json = nlohmann::json::array();
    double worst = 0, scattered = 0, most_over = 0;
    for (const double share : {0.001, 0.01, 0.05, 0.1, 0.25, 0.44}) {
        std::vector<std::string> cells{fmt::format("{} %", 100 * share)};
        nlohmann::json row{{"share", share}};
        for (const auto& [name, order] :
             {std::pair("clustered", &cluster), std::pair("layered", &layer),
              std::pair("scattered", &scatter)}) {
            const auto dirty = std::span<const Index>(*order).first(
                std::max<std::size_t>(1, static_cast<std::size_t>(share * n)));
            std::vector<double> ms;
            for (int k = 0; k < options.pick(5, 5, 9); ++k) {
                factor.update(A, model.free, dirty);
                ms.push_back(factor.last_work().ms);
            }
            const double flops = factor.last_work().flops / full_flops;
            const double time = spread_of(ms).p50 / full_ms;
            cells.push_back(digits(flops));
            cells.push_back(digits(time));
            row[name] = {{"flops", flops}, {"time", time}};
            if (order != &scatter) worst = std::max(worst, time - flops);
            if (order == &scatter && share == 0.01) scattered = time;
            most_over = std::max(most_over, time);
        }
        table.add(cells);
        json.push_back(row);
    }
    BenchResult result;
    result.markdown =
        fmt::format("{} tets, full factorisation {} ms = 1\n\n", model.n_tets(), digits(full_ms)) +
        table.text();
    result.json = nlohmann::json{{"full_ms", full_ms}, {"rows", json}}.dump(2);
    result.claims.push_back(
        {"an update takes its share of the operations, within 5 % of a full "
         "factorisation",
         worst <= 0.05, fmt::format("at most {} above it", digits(worst))});
    result.claims.push_back(
        {"scattered dirt costs as much as refactoring", scattered > 0.8,
         fmt::format("1 % scattered: {} of a full factorisation", digits(scattered))});
    result.claims.push_back({"no update takes more than 1.05 of a full factorisation",
                             most_over <= 1.05, digits(most_over)});
    return result;
}

}  // namespace limber::bench
