// SPDX-License-Identifier: Apache-2.0
#include "wang2016.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/output/plot.h"

namespace limber::bench {

RaceScene load_wang(const BenchOptions& options, const std::string& file, const std::string& law,
                    std::vector<std::string> sets) {
    for (const std::string& set :
         {"material.rubber.kind=\"" + law + '"', std::string("material.rubber.damping.stiffness=0"),
          std::string(law == "linear" ? "material.rubber.invertible=false"
                                      : "material.rubber.invertible=true")})
        sets.push_back(set);
    if (law == "projective") sets.emplace_back("material.rubber.poisson=0");
    return load_race(options, file, std::move(sets));
}

WangSteps armadillo_steps(const BenchOptions& options, int count, int stride) {
    WangSteps out;
    const int tets = options.tets_or(options.pick(6000, 55000, 55000));
    out.scene = load_wang(options, "armadillo_rubber", "mooney_rivlin",
                          {fmt::format("body.0.tets={}", tets)});
    out.what = fmt::format("Armadillo pulled by its hands, {} tets, Mooney-Rivlin, h = 1/30 s",
                           out.scene.model.n_tets());
    const bool quick = options.size == BenchSize::quick;
    out.run = run_to(options, out.scene, quick ? 21 : 101, count, stride, quick ? 8 : 12);
    out.steps = find_minima(options, out.scene, out.run);
    return out;
}

std::string WangSteps::text() const {
    double residual = 0;
    int converted = 0;
    std::string numbers;
    for (const RaceStep& step : steps) {
        residual = std::max(residual, step.residual);
        converted = std::max(converted, step.converted);
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(step.number);
    }
    return fmt::format(
        "{}; step {} of a run, with what each method remembers of the steps before. Least values "
        "by "
        "`{}`: gradients down to {} of the forces, {} tets converted there.\n\n",
        what, numbers, minimiser_of(scene.model), digits(residual), converted);
}

double WangTrace::at(std::size_t iteration) const {
    double sum = 0;
    for (const std::vector<double>& e : error) sum += e[std::min(iteration, e.size() - 1)];
    return sum / static_cast<double>(error.size());
}
double WangTrace::worst_at(std::size_t iteration) const {
    double worst = 0;
    for (const std::vector<double>& e : error)
        worst = std::max(worst, e[std::min(iteration, e.size() - 1)]);
    return worst;
}

WangTrace trace(const BenchOptions& options, const WangSteps& steps, const std::string& label,
                const std::string& solver, std::size_t history) {
    options.tell(label);
    WangTrace out;
    out.label = label;
    out.ms_a_iteration = 1e300;
    const std::vector<Snapshot> from = histories(steps.scene, steps.run, solver, history);
    const auto world = world_of(steps.scene, solver);
    Stepper& stepper = world->stepper();
    for (std::size_t k = 0; k < from.size(); ++k) {
        const RaceStep& step = steps.steps[k];
        for (int pass = 0; pass < 2; ++pass) {
            restart(*world, from[k]);
            const StepCost cost = timed_step(*world);
            out.ms_a_iteration =
                std::min(out.ms_a_iteration, cost.cpu / std::max(cost.report.solve.iterations, 1));
        }
        std::vector<double> error;
        stepper.watch([&](const Iterate& at) {
            error.push_back(std::max(at.value - step.least, 0.0) / (step.first - step.least));
        });
        restart(*world, from[k]);
        out.stopped += world->step().has(StepFlag::line_search);
        stepper.watch({});
        out.error.push_back(std::move(error));
    }
    return out;
}

void add_errors(const BenchOptions& options, const std::string& name, const std::string& title,
                const std::vector<WangTrace>& traces, BenchResult& result) {
    const std::vector<std::size_t> at = {1, 8, 16, 32, 64, 96};
    std::vector<std::string> header = {"method"};
    for (std::size_t k : at) header.push_back(fmt::format("error at {}", k));
    for (const char* more : {"worst at 96", "CPU ms an iteration", "steps stopped early"})
        header.emplace_back(more);
    MarkdownTable table(header);
    Plot plot;
    plot.title = title;
    plot.note = "Wang & Yang 2016; error = (value - least) / (first value - least), mean";
    PlotPanel iterations{"", "iteration", "relative error", false, true, {}, {}, 1e-8, 1, {}};
    PlotPanel time{"", "CPU time [ms]", "relative error", true, true, {}, {}, 1e-8, 1, {}};
    nlohmann::ordered_json json;
    int number = 0;
    for (const WangTrace& t : traces) {
        std::vector<std::string> row = {t.label};
        for (std::size_t k : at) row.push_back(digits(t.at(k)));
        row.push_back(digits(t.worst_at(96)));
        row.push_back(digits(t.ms_a_iteration));
        row.push_back(std::to_string(t.stopped));
        table.add(row);
        PlotCurve curve;
        curve.label = t.label;
        curve.style.number = number++;
        PlotCurve timed = curve;
        std::size_t longest = 0;
        for (const std::vector<double>& e : t.error) longest = std::max(longest, e.size());
        for (std::size_t k = 0; k < longest; ++k) {
            const double y = std::max(t.at(k), 1e-9);
            curve.x.push_back(static_cast<double>(k));
            curve.y.push_back(y);
            if (k > 0) {
                timed.x.push_back(static_cast<double>(k) * t.ms_a_iteration);
                timed.y.push_back(y);
            }
        }
        iterations.curves.push_back(std::move(curve));
        time.curves.push_back(std::move(timed));
        json.push_back({{"method", t.label},
                        {"error", t.error},
                        {"ms_a_iteration", t.ms_a_iteration},
                        {"stopped", t.stopped}});
    }
    plot.panels = {iterations, time};
    write_plot(options, name + ".svg", plot_svg(plot), result);
    result.markdown += table.text() + '\n';
    auto all = nlohmann::ordered_json::parse(result.json);
    all["traces"] = json;
    result.json = all.dump();
}

}  // namespace limber::bench
