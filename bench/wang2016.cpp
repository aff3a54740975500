// SPDX-License-Identifier: Apache-2.0
#include "wang2016.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/output/plot.h"
#include "limber/scene/build_model.h"

namespace limber::bench {

namespace {

SolverSpec spec_of(const std::string& text) {
    return parse_solvers(text, "bench")[0];
}

}  // namespace

WangScene load_wang(const BenchOptions& options, const std::string& file, const std::string& law,
                    std::vector<std::string> sets) {
    WangScene out;
    out.study = {options.scenes + '/' + file + ".toml", {std::move(sets), false}};
    for (const std::string& set :
         {"material.rubber.kind=\"" + law + '"', std::string("material.rubber.damping.stiffness=0"),
          std::string("output.formats=[]"),
          std::string(law == "linear" ? "material.rubber.invertible=false"
                                      : "material.rubber.invertible=true")})
        out.study.load.sets.push_back(set);
    if (law == "projective") out.study.load.sets.push_back("material.rubber.poisson=0");
    BuildReport report;
    out.model = build_model(scene_with(out.study, spec_of("descent"), "bench"), report);
    return out;
}

std::unique_ptr<World> world_of(const WangScene& scene, const std::string& solver) {
    return make_world(scene_with(scene.study, spec_of(solver), "bench"), scene.model);
}

Snapshot state_after(const WangScene& scene, int steps, const std::string& solver) {
    const auto world = world_of(scene, solver);
    for (int k = 0; k < steps; ++k) world->step();
    return snapshot_of(*world);
}

std::vector<double> WangTrace::error(double least) const {
    std::vector<double> out;
    for (double v : value) out.push_back(std::max(v - least, 0.0) / (value.front() - least));
    return out;
}

WangTrace trace(const WangScene& scene, const Snapshot& from, const std::string& label,
                const std::string& solver, bool forget) {
    WangTrace out;
    out.label = label;
    const auto world = world_of(scene, solver);
    auto& stepper = dynamic_cast<DescentStepper&>(world->stepper());
    const auto run = [&] {
        restart(*world, from);
        if (forget) stepper.reset();
        return world->step();
    };
    out.ms_a_iteration = 1e300;
    for (int pass = 0; pass < 2; ++pass) {
        const StepReport r = run();
        const double ms = r.ms(Stage::free_motion) + r.ms(Stage::assemble) + r.ms(Stage::factor);
        out.ms_a_iteration = std::min(out.ms_a_iteration, ms / std::max(r.solve.iterations, 1));
    }
    stepper.watch([&](int, double value) { out.value.push_back(value); });
    out.report = run();
    stepper.watch({});
    return out;
}

double minimum(const WangScene& scene, const Snapshot& from) {
    const WangTrace newton = trace(scene, from, "Newton",
                                   "descent:direction=newton,precision=double,initial=velocity,"
                                   "iterations=60,rel_tolerance=1e-10,check_every=1");
    return *std::min_element(newton.value.begin(), newton.value.end());
}

void add_errors(const BenchOptions& options, const std::string& name, const std::string& title,
                const std::vector<WangTrace>& traces, double least, BenchResult& result) {
    const std::vector<std::size_t> at = {1, 8, 16, 32, 64, 96};
    std::vector<std::string> header = {"method"};
    for (std::size_t k : at) header.push_back(fmt::format("error at {}", k));
    for (const char* more : {"iterations", "ms an iteration", "flags"}) header.emplace_back(more);
    MarkdownTable table(header);
    Plot plot;
    plot.title = title;
    plot.note = "Wang & Yang 2016; error = (value - least) / (first value - least)";
    PlotPanel iterations{"", "iteration", "relative error", false, true, {}, {}, 1e-8, 1, {}};
    PlotPanel time{"", "time [ms]", "relative error", true, true, {}, {}, 1e-8, 1, {}};
    nlohmann::ordered_json json;
    int number = 0;
    for (const WangTrace& t : traces) {
        const std::vector<double> error = t.error(least);
        std::vector<std::string> row = {t.label};
        for (std::size_t k : at) row.push_back(digits(error[std::min(k, error.size() - 1)]));
        row.push_back(std::to_string(t.report.solve.iterations));
        row.push_back(digits(t.ms_a_iteration));
        row.push_back(t.report.has(StepFlag::line_search) ? "line_search" : "");
        table.add(row);
        PlotCurve curve;
        curve.label = t.label;
        curve.style.number = number++;
        PlotCurve timed = curve;
        for (std::size_t k = 0; k < error.size(); ++k) {
            const double y = std::max(error[k], 1e-9);
            curve.x.push_back(static_cast<double>(k));
            curve.y.push_back(y);
            if (k > 0) {
                timed.x.push_back(static_cast<double>(k) * t.ms_a_iteration);
                timed.y.push_back(y);
            }
        }
        iterations.curves.push_back(std::move(curve));
        time.curves.push_back(std::move(timed));
        json.push_back(
            {{"method", t.label}, {"error", error}, {"ms_a_iteration", t.ms_a_iteration}});
    }
    plot.panels = {iterations, time};
    write_plot(options, name + ".svg", plot_svg(plot), result);
    result.markdown += table.text();
    result.json = nlohmann::ordered_json{{"traces", json}, {"least", least}}.dump();
}

}  // namespace limber::bench
