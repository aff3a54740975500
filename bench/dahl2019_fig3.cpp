// SPDX-License-Identifier: Apache-2.0
// Dahl & Bargteil 2019, Fig. 3: kinetic energy of the iterate in one solve, from the three initial
// guesses, in the bowling and the car spin scene (Jacobi preconditioner).

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dahl2019.h"
#include "limber/output/plot.h"

namespace limber::bench {

namespace {

struct FigureScene {
    const char *name, *file;
};
constexpr FigureScene scenes[] = {{"Bowling", "bowling"}, {"Cars Spin", "cars_spin"}};

/// Part of the start of a solve that is worth a look.
constexpr int shown_iterations = 40;

}  // namespace

BenchResult dahl2019_fig3(const BenchOptions& options) {
    BenchResult out;
    Plot plot;
    plot.title = "Kinetic energy of one conjugate gradient solve";
    plot.note = "Dahl & Bargteil 2019, Fig. 3; Jacobi preconditioner, h = 1/150 s";
    MarkdownTable table({"scene", "step", "guess", "iterations to 1 % of the energy", "to 0.1 %",
                         "energy of the guess / solution"});
    nlohmann::ordered_json json;
    std::string figure;
    bool fewer = true;
    for (const FigureScene& figure_scene : scenes) {
        options.tell(figure_scene.name);
        const DahlScene scene = load_dahl(options, figure_scene.file);
        // The middle of the run, or for a quick look an eighth of it: the bodies have met.
        const Snapshot start = dahl_state(options, scene, scene.n_steps / options.pick(8, 2, 2));
        PlotPanel panel;
        panel.title = fmt::format("{}, step {}", figure_scene.name, start.state.step + 1);
        panel.x_label = "iteration";
        panel.y_label = "kinetic energy [J]";
        std::array<int, 3> settled{};
        for (std::size_t g = 0; g < dahl_guesses.size(); ++g) {
            const PcgTrace trace =
                trace_of_one_solve(scene, start, dahl_solver(dahl_guesses[g].ours, "jacobi", 0));
            settled[g] = settled_after(trace, 0.01);
            PlotCurve curve;
            curve.label = std::string(dahl_guesses[g].paper);
            curve.style = {static_cast<int>(g)};
            curve.marks = true;
            for (std::size_t k = 0; k < trace.kinetic.size() && k <= shown_iterations; ++k) {
                curve.x.push_back(static_cast<double>(k));
                curve.y.push_back(trace.kinetic[k]);
            }
            panel.curves.push_back(std::move(curve));
            table.add({figure_scene.name, std::to_string(start.state.step + 1),
                       std::string(dahl_guesses[g].paper), std::to_string(settled[g]),
                       std::to_string(settled_after(trace, 0.001)),
                       digits(trace.kinetic.front() / trace.kinetic.back())});
            json["solves"].push_back({{"scene", figure_scene.file},
                                      {"guess", dahl_guesses[g].ours},
                                      {"kinetic", trace.kinetic},
                                      {"residual", trace.residual}});
        }
        fewer = fewer && settled[2] < settled[0];
        figure += fmt::format("{}{} {} against {}", figure.empty() ? "" : ", ", figure_scene.name,
                              settled[2], settled[0]);
        plot.panels.push_back(std::move(panel));
    }
    out.markdown = table.text();
    out.claims = {
        {"v(t) needs fewer iterations than 0 to the same error (1 % of the kinetic energy)", fewer,
         figure}};
    out.json = json.dump();
    write_plot(options, "dahl2019-fig3.svg", plot_svg(plot), out);
    return out;
}

}  // namespace limber::bench
