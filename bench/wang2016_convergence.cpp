// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Figs. 3, 5 and 6: how fast steps of the armadillo converge by the age of the
// diagonal, by acceleration and by initialisation. Double precision, so that errors below the
// rounding of float can be seen.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "limber/solve/descent/tuner.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

const std::string source = "descent:direction=jacobi,precision=double";

/// The first `count` of the steps, or those after them.
WangSteps part_of(const WangSteps& all, std::size_t begin, std::size_t end) {
    WangSteps out = all;
    out.run.measured.assign(all.run.measured.begin() + static_cast<std::ptrdiff_t>(begin),
                            all.run.measured.begin() + static_cast<std::ptrdiff_t>(end));
    out.steps.assign(all.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.steps.begin() + static_cast<std::ptrdiff_t>(end));
    return out;
}

/// The mean error that 96 iterations leave under each trial of the tuner.
class PhaseError {
  public:
    explicit PhaseError(const WangSteps& steps)
        : steps_(steps), from_(histories(steps.scene, steps.run, source)), meter_(steps.scene) {}
    double operator()(const ChebyshevPhases& phases) {
        const auto world = world_of(steps_.scene, solver_of(phases));
        double sum = 0;
        for (std::size_t k = 0; k < from_.size(); ++k) {
            restart(*world, from_[k]);
            if (world->step().failed) return std::numeric_limits<double>::quiet_NaN();
            const RaceStep& step = steps_.steps[k];
            const double value = meter_.values(step.before, step.exact, {world->state().x})[0];
            sum += (value - step.least) / (step.first - step.least);
        }
        return sum / static_cast<double>(from_.size());
    }
    static std::string solver_of(const ChebyshevPhases& phases) {
        return source + fmt::format(",rho=[{}],phases=[{}]", fmt::join(phases.rho, ","),
                                    fmt::join(phases.length, ","));
    }

  private:
    const WangSteps& steps_;
    std::vector<Snapshot> from_;
    ValueMeter meter_;
};

}  // namespace

BenchResult wang2016_fig3(const BenchOptions& options) {
    const WangSteps steps = armadillo_steps(options, options.pick(2, 5, 20), 3);
    std::vector<WangTrace> traces;
    for (int M : {1, 8, 32, 64, 96})
        traces.push_back(trace(options, steps, fmt::format("M = {}", M),
                               source + fmt::format(",refresh={}", M)));
    BenchResult out;
    out.markdown = steps.text();
    add_errors(options, "wang2016-fig3", "Age of the diagonal", traces, out);
    const double every = traces[0].at(96);
    double farthest = 1;
    for (const WangTrace& t : traces)
        farthest = std::max({farthest, t.at(96) / every, every / t.at(96)});
    out.claims = {
        {"the same error is reached whatever M is (within 10 % of M = 1 at 96)", farthest < 1.1,
         fmt::format("at most {} apart", times(farthest))},
        {"and M = 32 costs less than M = 1", traces[2].ms_a_iteration < traces[0].ms_a_iteration,
         fmt::format("{} and {} CPU ms an iteration", digits(traces[2].ms_a_iteration),
                     digits(traces[0].ms_a_iteration))}};
    return out;
}

/// The phases are found in some steps of the run and shown in others.
BenchResult wang2016_fig5(const BenchOptions& options) {
    const std::size_t tuning = options.pick(1, 2, 4), shown = options.pick(1, 3, 10);
    const WangSteps all = armadillo_steps(options, static_cast<int>(tuning + shown), 3);
    const WangSteps first = part_of(all, 0, tuning), steps = part_of(all, tuning, tuning + shown);
    std::vector<WangTrace> traces = {
        trace(options, steps, "none", source + ",acceleration=none"),
        trace(options, steps, "Nesterov", source + ",acceleration=nesterov"),
        trace(options, steps, "Chebyshev, default rho", source),
    };
    PhaseError error(first);
    std::string tuned;
    for (const int phases : {1, 2, 4}) {
        ChebyshevPhases start{std::vector<double>(static_cast<std::size_t>(phases), 0.95),
                              std::vector<int>(static_cast<std::size_t>(phases), 96 / phases)};
        TuneOptions tune;
        // Until nothing helps, as the source; --quick only shows that it runs.
        tune.max_cycles =
            options.pick(3, std::numeric_limits<int>::max(), std::numeric_limits<int>::max());
        int trials = 0;
        const TuneResult result = tune_chebyshev(
            start,
            [&](const ChebyshevPhases& trial) {
                options.tell(fmt::format("tuning {} phases, trial {}", phases, ++trials));
                return error(trial);
            },
            tune);
        tuned += fmt::format("{} phases:\n\n```toml\n{}```\n\n", phases, result.toml());
        traces.push_back(trace(options, steps, fmt::format("Chebyshev, {} tuned phases", phases),
                               PhaseError::solver_of(result.phases)));
    }
    BenchResult out;
    out.markdown = steps.text() +
                   fmt::format("Tuned in step {}{}:\n\n", first.steps[0].number,
                               tuning > 1 ? " and those after it" : "") +
                   tuned;
    add_errors(options, "wang2016-fig5", "Accelerations", traces, out);
    const auto e = [&](std::size_t k) { return traces[k].at(96); };
    out.claims = {
        {"Chebyshev, tuned, outperforms Nesterov", std::min({e(3), e(4), e(5)}) < e(1),
         fmt::format("after 96: {} and {}", digits(std::min({e(3), e(4), e(5)})), digits(e(1)))},
        {"more phases are more effective", e(4) < e(3) && e(5) < e(4),
         fmt::format("1, 2, 4 phases: {}, {}, {}", digits(e(3)), digits(e(4)), digits(e(5)))},
        {"goal: the default rho needs no tuner (within 1.2x of the best tuned)",
         e(2) < 1.2 * std::min({e(3), e(4), e(5)}),
         fmt::format("{} and {}", digits(e(2)), digits(std::min({e(3), e(4), e(5)})))}};
    return out;
}

/// Errors after 96 iterations from each initialisation, in every frame of one and the same motion.
BenchResult wang2016_fig6(const BenchOptions& options) {
    const RaceScene scene =
        load_wang(options, "armadillo_rubber", "mooney_rivlin",
                  {fmt::format("body.0.tets={}", options.pick(6000, 55000, 55000))});
    const int frames = options.pick(10, 100, 100);
    const RaceRun run = run_to(options, scene, 1, frames, 1, 0);
    const std::vector<RaceStep> steps = find_minima(options, scene, run);
    const std::vector<std::string> kinds = {"position", "velocity", "acceleration", "optimal"};
    ValueMeter meter(scene);
    std::vector<std::vector<double>> left(kinds.size());  // [kind][frame], J
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto world = world_of(scene, source + ",initial=" + kinds[k]);
        for (const RaceStep& step : steps) {
            options.tell(fmt::format("{}, frame {} of {}", kinds[k], step.number, frames));
            place(*world, step.before);
            world->step();
            const double value = meter.values(step.before, step.exact, {world->state().x})[0];
            left[k].push_back(std::max(value - step.least, 1e-12));
        }
    }
    std::vector<int> best(kinds.size(), 0);
    int acceleration_beats_optimal = 0;
    for (std::size_t f = 0; f < steps.size(); ++f) {
        std::size_t least = 0;
        for (std::size_t k = 1; k < kinds.size(); ++k)
            if (left[k][f] < left[least][f]) least = k;
        ++best[least];
        acceleration_beats_optimal += left[2][f] < left[3][f];
    }
    BenchResult out;
    MarkdownTable table(
        {"initialisation", "mean log10 of the energy left [J]", "worst [J]", "best in frames"});
    nlohmann::ordered_json json;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        double log_sum = 0;
        for (double e : left[k]) log_sum += std::log10(e);
        table.add({kinds[k], digits(log_sum / frames), digits(worst_of(left[k])),
                   std::to_string(best[k])});
        json.push_back({{"initial", kinds[k]}, {"energy_left", left[k]}, {"best", best[k]}});
    }
    out.markdown = fmt::format("{} frames from rest, {} tets.\n\n{}", frames, scene.model.n_tets(),
                               table.text());
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    out.claims = {{"constant acceleration works best in most frames", 2 * best[2] > frames,
                   fmt::format("{} of {} frames", best[2], frames)},
                  {"the optimised step does not outperform it in most frames",
                   2 * acceleration_beats_optimal > frames,
                   fmt::format("acceleration is ahead of it in {} of {} frames",
                               acceleration_beats_optimal, frames)}};
    return out;
}

}  // namespace limber::bench
