// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Figs. 8 and 9: where the time of a step goes, on one thread and on all of them;
// and how far the double helix stretches as its mesh becomes finer.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/contact/methods/none.h"
#include "limber/core/cpu_time.h"
#include "limber/core/parallel.h"
#include "limber/output/plot.h"
#include "limber/solve/objective.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

/// One thread: its own time, which others on the machine do not lengthen; else that of the wall.
double now_ms() {
    static const Timer wall;
    return thread_count() == 1 ? thread_cpu_ms() : wall.ms();
}

/// Times of the parts of an iteration at the state of a world, in the precision of `descent`.
struct PartTimes final : Stepper {
    explicit PartTimes(const Model& model)
        : objective(model), x(model.n_nodes()), g(model.n_nodes()) {}
    std::string_view name() const override { return "part_times"; }
    void free_motion(const StepInput& in, State& state, NodeForces&, StepReport&) override {
        objective.begin(in, state);
        for (std::size_t i = 0; i < x.size(); ++i)
            for (int k = 0; k < 3; ++k)
                x[i][k] = static_cast<float>(state.x[i][k] + in.h * state.v[i][k]);
        objective.prescribe(x);
        const auto least = [](auto&& part) {
            double ms = 1e300;
            for (int pass = 0; pass < 9; ++pass) {
                const double start = now_ms();
                part();
                ms = std::min(ms, now_ms() - start);
            }
            return ms;
        };
        force = least([&] { objective.gradient(x, g); });
        matrix = least([&] { objective.diagonal(x, g); });
        energy = least([&] { objective.value(x); });
    }
    void integrate(const StepInput&, State&) const override {}

    Objective<float> objective;
    std::vector<Vec3<float>> x, g;
    double force = 0, matrix = 0, energy = 0;  // [ms] once
};

struct Parts {
    double force = 0, matrix = 0, energy = 0, all = 0;  // of a step [ms]
    double rest() const { return std::max(0.0, all - force - matrix - energy); }
};

Parts parts_of(const RaceScene& scene, const Snapshot& from) {
    const DescentOptions defaults;
    const auto world = world_of(scene, "descent:direction=jacobi");
    Parts out;
    out.all = 1e300;
    for (int pass = 0; pass < 5; ++pass) {
        restart(*world, from);
        const double start = now_ms();
        world->step();
        out.all = std::min(out.all, now_ms() - start);
    }
    auto own = std::make_unique<const Model>(scene.model);
    auto stepper = std::make_unique<PartTimes>(*own);
    const PartTimes& times = *stepper;
    World probe(std::move(own), std::move(stepper), std::make_unique<NoContact>(),
                WorldOptions{.measure_energy = false});
    place(probe, from.state);
    probe.step();
    const double iterations = defaults.iterations;
    out.force = iterations * times.force;
    out.matrix = iterations / defaults.refresh * times.matrix;
    out.energy = iterations / defaults.check_every * times.energy;
    return out;
}

/// From the lowest free node to the highest [m].
double height_of(const State& state) {
    double lo = 1e300, hi = -1e300;
    for (const Vec3d& x : state.x) {
        lo = std::min(lo, x.y);
        hi = std::max(hi, x.y);
    }
    return hi - lo;
}

}  // namespace

BenchResult wang2016_fig8(const BenchOptions& options) {
    const RaceScene scene =
        load_wang(options, "armadillo_rubber", "mooney_rivlin",
                  {fmt::format("body.0.tets={}", options.pick(6000, 55000, 55000))});
    const auto world = world_of(scene, "descent:direction=jacobi");
    for (int k = 0; k < options.pick(5, 30, 100); ++k) world->step();
    const Snapshot from = snapshot_of(*world);
    MarkdownTable table({"threads", "forces", "matrix, every 32nd iteration",
                         "energy, every 8th iteration", "the rest", "all"});
    nlohmann::ordered_json json;
    std::vector<Parts> runs;
    for (int threads : {1, thread_count()}) {
        options.tell(fmt::format("{} threads", threads));
        const ThreadLimit limit(threads);
        const Parts p = parts_of(scene, from);
        runs.push_back(p);
        table.add({std::to_string(threads), digits(p.force), digits(p.matrix), digits(p.energy),
                   digits(p.rest()), digits(p.all)});
        json.push_back({{"threads", threads},
                        {"force_ms", p.force},
                        {"matrix_ms", p.matrix},
                        {"energy_ms", p.energy},
                        {"all_ms", p.all}});
    }
    BenchResult out;
    out.markdown =
        fmt::format(
            "Armadillo, {} tets, one step of 96 iterations [ms]. Parts are measured alone "
            "and multiplied; in a step they are fused, and the rest is what is left.\n\n",
            scene.model.n_tets()) +
        table.text();
    const bool most = std::all_of(runs.begin(), runs.end(), [](const Parts& p) {
        return p.force > std::max({p.matrix, p.energy, p.rest()});
    });
    const bool cheap = std::all_of(runs.begin(), runs.end(),
                                   [](const Parts& p) { return p.matrix < 0.2 * p.force; });
    out.claims = {
        {"the evaluation of forces is the most expensive part", most,
         fmt::format("{} of {} ms on one thread", digits(runs[0].force), digits(runs[0].all))},
        {"that of the matrix is much less expensive (a fifth of it)", cheap,
         fmt::format("{} and {} ms on one thread", digits(runs[0].matrix), digits(runs[0].force))}};
    if (thread_count() > 1)
        out.claims.push_back(
            {fmt::format("threads effectively reduce the cost (more than half of {} times)",
                         thread_count()),
             runs[0].all > (0.5 + 0.25 * thread_count()) * runs[1].all,
             times(runs[0].all / runs[1].all)});
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

BenchResult wang2016_fig9(const BenchOptions& options) {
    const std::vector<int> sizes = options.size == BenchSize::quick
                                       ? std::vector<int>{5000, 10000}
                                       : std::vector<int>{41000, 82000, 158000, 316000};
    const int steps = options.pick(20, 30, 90);
    BenchResult out;
    MarkdownTable table({"tets", "solver", "longest in the run", "in parts of the converged run",
                         "of its length at rest"});
    nlohmann::ordered_json json;
    double worst = 0, worst_default = 0;
    for (int tets : sizes) {
        const RaceScene scene = load_wang(options, "helix_rubber", "mooney_rivlin",
                                          {fmt::format("body.0.tets={}", tets)});
        // A converged run of the same mesh tells what of the stretch is elastic.
        const auto longest = [&](const std::string& label, const std::string& solver) {
            const auto world = world_of(scene, solver);
            double most = 0;
            for (int k = 0; k < steps; ++k) {
                options.tell(fmt::format("{}K tets, {}, step {}", tets / 1000, label, k + 1));
                world->step();
                most = std::max(most, height_of(world->state()));
            }
            return most;
        };
        const double exact = longest(
            "converged",
            "descent:direction=newton_cg,precision=double,rel_tolerance=1e-5,iterations=2000");
        State rest;
        rest.x = scene.model.mesh.nodes;
        const double at_rest = height_of(rest);
        for (const auto& [label, solver] : std::vector<std::pair<std::string, std::string>>{
                 {"the source's", "descent:direction=jacobi"}, {"our default", "descent"}}) {
            const double most = longest(label, solver), ratio = most / exact;
            (label == "our default" ? worst_default : worst) =
                std::max(label == "our default" ? worst_default : worst, std::fabs(ratio - 1));
            table.add({std::to_string(scene.model.n_tets()), label, digits(most),
                       fmt::format("{:.4f}", ratio), digits(most / at_rest)});
            json.push_back({{"tets", scene.model.n_tets()},
                            {"solver", label},
                            {"longest", most},
                            {"converged", exact},
                            {"at_rest", at_rest}});
        }
    }
    out.markdown =
        fmt::format("Height of the hanging double helix, the most in {} steps of 1/30 s [m].\n\n{}",
                    steps, table.text());
    const auto claim = [&](const std::string& who, double off) {
        out.claims.push_back(
            {"96 iterations neither stretch nor hold back any of the meshes (2 %), by " + who,
             off < 0.02, fmt::format("at most {:.2f} % off the converged run", 100 * off)});
    };
    claim("the source's method", worst);
    claim("our default", worst_default);
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

}  // namespace limber::bench
