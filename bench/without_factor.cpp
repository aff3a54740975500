// SPDX-License-Identifier: Apache-2.0
#include "without_factor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/output/plot.h"

namespace limber::bench {

namespace {

const std::vector<int> iterations = {2, 4, 6, 8, 12, 17, 24, 34, 48, 68, 96, 136, 192};
const std::vector<int> sweeps = {1, 2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128};

/// The source's method: its 96 iterations set the time.
const RaceMethod source = {"jacobi, Chebyshev (the source)", "descent:direction=jacobi",
                           "iterations", iterations};
const RaceMethod others[] = {
    {"our default", "descent", "iterations", iterations},
    {"jacobi, Nesterov", "descent:direction=jacobi,acceleration=nesterov", "iterations",
     iterations},
    {"nonlinear CG, Jacobi", "descent:direction=nonlinear_cg", "iterations", iterations},
    {"L-BFGS, Jacobi", "descent:direction=lbfgs", "iterations", iterations},
    {"vertex block descent", "vertex_block_descent", "iterations", sweeps},
    {"xpbd", "xpbd", "substeps", sweeps, 0},
};
const RaceMethod one_newton = {
    "Newton, one iteration by a factor", "newton", "max_iterations", {1}, 0};

struct Racer {
    std::string label;
    std::vector<RaceResult> results;
    std::vector<double> error, distance;  // within the time, one a step
};

std::string digits_or_dash(double value) {
    return std::isfinite(value) ? digits(value) : "-";
}

PlotPanel panel_of(const std::vector<Racer>& racers) {
    PlotPanel panel{
        "", "CPU time of the step [ms]", "mean relative error", true, true, {}, {}, 1e-8, 1, {}};
    int number = 0;
    for (const Racer& racer : racers) {
        PlotCurve curve;
        curve.label = racer.label;
        curve.style.number = number++;
        curve.marks = true;
        for (const RaceResult& r : racer.results) {
            curve.x.push_back(mean_of(r.ms));
            curve.y.push_back(std::max(mean_of(r.error), 1e-9));
        }
        panel.curves.push_back(std::move(curve));
    }
    return panel;
}

}  // namespace

void race_without_factor(const BenchOptions& options, const std::string& name,
                         const RaceScene& scene, const RaceScene* plain, const RaceRun& run,
                         const std::vector<RaceStep>& steps, BenchResult& result) {
    std::vector<Racer> racers;
    racers.push_back({source.label, race(options, scene, run, steps, source, {}), {}, {}});
    const auto it = std::find_if(racers[0].results.begin(), racers[0].results.end(),
                                 [](const RaceResult& r) { return r.budget == 96; });
    const std::vector<double> time = it->ms;
    for (const RaceMethod& method : others) {
        const bool is_xpbd = method.solver == "xpbd";
        if (is_xpbd && !plain) continue;
        racers.push_back({method.label,
                          race(options, is_xpbd ? *plain : scene, run, steps, method, time),
                          {},
                          {}});
    }
    for (Racer& racer : racers) {
        racer.error = errors_within(racer.results, time);
        racer.distance = errors_within(racer.results, time, &RaceResult::distance);
    }

    MarkdownTable table({"method", "budget that fits", "mean error", "worst error", "mean distance",
                         "worst distance"});
    nlohmann::ordered_json json;
    for (const Racer& racer : racers) {
        int fits = 0;
        for (const RaceResult& r : racer.results) {
            if (mean_of(r.ms) <= mean_of(time)) fits = r.budget;
            json.push_back({{"method", racer.label},
                            {"budget", r.budget},
                            {"cpu_ms", r.ms},
                            {"wall_ms", r.wall_ms},
                            {"error", r.error},
                            {"distance", r.distance}});
        }
        table.add({racer.label, fits > 0 ? std::to_string(fits) : "-",
                   digits_or_dash(mean_of(racer.error)), digits_or_dash(worst_of(racer.error)),
                   digits_or_dash(mean_of(racer.distance)),
                   digits_or_dash(worst_of(racer.distance))});
    }
    result.markdown += fmt::format(
        "**Error at the time of 96 iterations of the source's method** ({} CPU ms of all "
        "threads, {} ms of waiting, mean of {} steps; budgets are iterations, sweeps or sub-steps; "
        "error = (value - least) / (value of the "
        "guess - least), distance = |x - x*| / |x* - x_n|)\n\n{}\n",
        digits(mean_of(time)), digits(mean_of(it->wall_ms)), steps.size(), table.text());

    try {
        const RaceResult newton = race(options, scene, run, steps, one_newton, {})[0];
        result.markdown += fmt::format(
            "With a factor: {} takes {} CPU ms ({} ms of waiting) and leaves {} (worst {}), "
            "distance {}.\n",
            one_newton.label, digits(mean_of(newton.ms)), digits(mean_of(newton.wall_ms)),
            digits(mean_of(newton.error)), digits(worst_of(newton.error)),
            digits(mean_of(newton.distance)));
        json.push_back({{"method", one_newton.label},
                        {"budget", 1},
                        {"cpu_ms", newton.ms},
                        {"wall_ms", newton.wall_ms},
                        {"error", newton.error},
                        {"distance", newton.distance}});
    } catch (const InputError& problem) {
        result.markdown += fmt::format("No line of {}: {}.\n", one_newton.label, problem.what());
    }

    // By the mean: the default against the best of all others, method by method.
    const Racer& ours = racers[1];
    double best = std::numeric_limits<double>::infinity();
    std::string who;
    for (const Racer& racer : racers)
        if (&racer != &ours && mean_of(racer.error) < best) {
            best = mean_of(racer.error);
            who = racer.label;
        }
    result.claims.push_back(
        {fmt::format("goal: at that time our default's error is the least, {} tets",
                     scene.model.n_tets()),
         mean_of(ours.error) < best,
         fmt::format("{} and, next best, {} by {}", digits_or_dash(mean_of(ours.error)),
                     digits_or_dash(best), who)});

    Plot plot;
    plot.title = fmt::format("Error against time, {} tets", scene.model.n_tets());
    plot.note = "mean over the steps; least of a few runs each";
    plot.panels = {panel_of(racers)};
    write_plot(options, name + ".svg", plot_svg(plot), result);
    auto all = nlohmann::ordered_json::parse(result.json);
    all["race"] = json;
    all["time_of_96"] = time;
    all["tets"] = scene.model.n_tets();
    result.json = all.dump();
}

}  // namespace limber::bench
