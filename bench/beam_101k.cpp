// SPDX-License-Identifier: Apache-2.0
// The field's beam: 16 x 16 x 76 nodes, 101 250 tets, pinned at one end, swinging under its weight;
// ten iterations of conjugate gradients a step. The peer's figures were measured on the machine of
// bench/results/amd-epyc.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/linalg/bandwidth.h"
#include "limber/mesh/shapes.h"
#include "limber/output/summary.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"
#include "limber/study/contestant.h"
#include "limber/study/statistics.h"
#include "registry.h"

namespace limber::bench {

namespace {

constexpr int iterations = 10;

Model beam() {
    Material rubber;
    const Lame lame = Lame::from_young(1e6, 0.4);
    rubber.law = CorotatedElastic{lame.mu, lame.lambda};
    rubber.damping_stiffness = 1e-3;
    Model model = one_body("beam", make_box({5, 1, 1}, {75, 15, 15}), rubber);
    model.pins.push_back({"end", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(model);
    return model;
}

CorotationalOptions solver() {
    CorotationalOptions options;
    options.pcg.max_iterations = iterations;
    options.pcg.rel_tolerance = 1e-12;  // the cap stops it
    return options;
}

struct Row {
    int threads = 1;
    Spread step;
    std::array<Spread, n_stages> stage;
    double floor_ms = 0;   // bytes of ten iterations / read bandwidth
    double bandwidth = 0;  // [B/s]
};

/// Bytes of one iteration: the product and the vectors, each once.
double iteration_bytes(const Model& model) {
    const SystemAssembler assembler(model.elements);
    const BlockCsr A = assembler.make_matrix();
    Preconditioner P(solver().preconditioner);
    P.update(A, model.mass, model.free);  // sizes it; the values do not matter
    return Pcg::iteration_bytes(A.product_bytes(), P);
}

Row measure(const Model& model, int threads, int n_steps, double bytes) {
    const ThreadLimit limit(threads);
    auto own = std::make_unique<const Model>(model);
    auto stepper = std::make_unique<CorotationalStepper>(*own, solver());
    World world(std::move(own), std::move(stepper), std::make_unique<NoContact>(),
                {.measure_energy = false});
    Row row;
    row.threads = threads;
    for (int k = 0; k < 10; ++k) world.step();  // warm-up
    std::vector<double> step;
    std::array<std::vector<double>, n_stages> stage;
    // The floor is measured among the steps: what slows one down slows the other.
    for (int k = 0; k < n_steps; ++k) {
        if (k % (n_steps / 3) == 0)
            row.bandwidth =
                std::max(row.bandwidth, read_bandwidth(static_cast<std::size_t>(bytes)));
        const StepReport report = world.step();
        step.push_back(report.wall_ms);
        for (int s = 0; s < n_stages; ++s)
            stage[static_cast<std::size_t>(s)].push_back(
                report.stage_ms[static_cast<std::size_t>(s)]);
    }
    row.step = spread_of(step);
    for (std::size_t s = 0; s < stage.size(); ++s) row.stage[s] = spread_of(stage[s]);
    row.floor_ms = 1e3 * iterations * bytes / row.bandwidth;
    return row;
}

/// SOFA's fastest path on the same beam, ten iterations, matrix-free; middle of the measured range.
double peer_ms(int threads) {
    return threads == 1 ? 57.5 : 46;
}

}  // namespace

BenchResult beam_101k(const BenchOptions& options) {
    const Model model = beam();
    const double bytes = iteration_bytes(model);
    const int n_steps = options.pick(30, 300, 1000);
    std::vector<int> threads = {1};
    if (thread_count() >= 2) threads.push_back(2);
    if (options.size == BenchSize::full && thread_count() > 2) threads.push_back(thread_count());
    MarkdownTable table({"threads", "step p50 ms", "p99 ms", "rotate", "assemble", "factor",
                         "solve", "other", "CG floor", "solve / floor", "SOFA ms", "ours / SOFA"});
    BenchResult out;
    nlohmann::ordered_json json;
    double worst_ratio = 0, worst_floor = 0;
    for (const int n : threads) {
        options.tell(fmt::format("{} thread{}", n, n == 1 ? "" : "s"));
        const Row row = measure(model, n, n_steps, bytes);
        const auto ms = [&](Stage s) { return row.stage[static_cast<std::size_t>(s)].p50; };
        const double solve = ms(Stage::free_motion);
        const double other =
            row.step.p50 - ms(Stage::rotate) - ms(Stage::assemble) - ms(Stage::factor) - solve;
        const bool has_peer = n <= 2;
        const double ratio = peer_ms(n) / row.step.p50;
        if (has_peer) worst_ratio = worst_ratio == 0 ? ratio : std::min(worst_ratio, ratio);
        worst_floor = std::max(worst_floor, solve / row.floor_ms);
        table.add({std::to_string(n), digits(row.step.p50), digits(row.step.p99),
                   digits(ms(Stage::rotate)), digits(ms(Stage::assemble)),
                   digits(ms(Stage::factor)), digits(solve), digits(other), digits(row.floor_ms),
                   times(solve / row.floor_ms), has_peer ? digits(peer_ms(n)) : "-",
                   has_peer ? times(ratio) + " faster" : "-"});
        nlohmann::ordered_json stages;
        for (std::size_t s = 0; s < row.stage.size(); ++s)
            stages[std::string(stage_names[s])] = row.stage[s].p50;
        json["rows"].push_back(
            {{"threads", n},
             {"ms", {{"p50", row.step.p50}, {"p99", row.step.p99}, {"min", row.step.min}}},
             {"stages_ms", stages},
             {"read_gb_s", row.bandwidth * 1e-9},
             {"floor_ms", row.floor_ms}});
    }
    json["tets"] = model.n_tets();
    json["nodes"] = model.n_nodes();
    json["iteration_bytes"] = bytes;
    json["steps"] = n_steps;
    json["peak_rss_mb"] = peak_rss_mb();
    out.markdown = fmt::format(
        "{} tets, {} nodes, {} steps of {} iterations, medians in ms; no energies measured.\n\n{}\n"
        "CG floor: {:.1f} MB an iteration at the rate at which the same threads read an array of "
        "that size.\nPeak memory {:.0f} MB.\n",
        model.n_tets(), model.n_nodes(), n_steps, iterations, table.text(), bytes * 1e-6,
        peak_rss_mb());
    out.claims = {{"a step is five times faster than SOFA's fastest on the same threads",
                   worst_ratio >= 5, "smallest ratio " + times(worst_ratio)},
                  {"an iteration takes at most 1.3 times the time of its bytes", worst_floor <= 1.3,
                   "largest ratio " + times(worst_floor)}};
    out.json = json.dump();
    return out;
}

}  // namespace limber::bench
