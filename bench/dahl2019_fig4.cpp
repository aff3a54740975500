// SPDX-License-Identifier: Apache-2.0
// Dahl & Bargteil 2019, Fig. 4: kinetic energy of the iterate in one solve of the cars sideways
// scene, for each preconditioner and initial guess; and the iterations to convergence behind the
// text's "1/5th as many".

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dahl2019.h"
#include "limber/output/plot.h"
#include "limber/study/statistics.h"

namespace limber::bench {

namespace {

constexpr std::array<std::string_view, 4> preconditioners = {"identity", "mass", "jacobi",
                                                             "block_jacobi"};
constexpr int shown_iterations = 60;

int iterations_to(const PcgTrace& trace, double rel_tolerance) {
    // The trace has |r|; the rule is |r| <= tolerance |b|, and from the guess 0 |b| = |r_0|.
    for (std::size_t k = 0; k < trace.residual.size(); ++k)
        if (trace.residual[k] <= rel_tolerance) return static_cast<int>(k);
    return static_cast<int>(trace.residual.size());
}

}  // namespace

BenchResult dahl2019_fig4(const BenchOptions& options) {
    const DahlScene scene = load_dahl(options, "cars_sideways");
    const std::vector<Snapshot> starts = dahl_starts(options, scene, options.pick(4, 8, 30));
    const std::size_t middle = starts.size() / 2;
    BenchResult out;
    Plot plot;
    plot.title = "Kinetic energy of one solve, by preconditioner";
    plot.note = "Dahl & Bargteil 2019, Fig. 4; cars sideways, h = 1/150 s";
    plot.columns = 3;
    plot.panel_width = 400;
    MarkdownTable table({"guess", "identity", "mass", "jacobi", "block jacobi", "jacobi / identity",
                         "paper", "mass / identity"});
    nlohmann::ordered_json json;
    double ratio_sum = 0, mass_sum = 0;
    for (std::size_t g = 0; g < dahl_guesses.size(); ++g) {
        PlotPanel panel;
        panel.title = "Guess " + std::string(dahl_guesses[g].paper);
        panel.x_label = "iteration";
        panel.y_label = "kinetic energy [J]";
        std::array<double, 4> mean{};
        for (std::size_t p = 0; p < preconditioners.size(); ++p) {
            options.tell(fmt::format("guess {}, {}", dahl_guesses[g].paper, preconditioners[p]));
            std::vector<double> counts;
            for (std::size_t s = 0; s < starts.size(); ++s) {
                const PcgTrace trace = trace_of_one_solve(
                    scene, starts[s], dahl_solver(dahl_guesses[g].ours, preconditioners[p], 0));
                const PcgTrace from_zero = trace_of_one_solve(
                    scene, starts[s], dahl_solver("zero", preconditioners[p], 1));
                counts.push_back(iterations_to(trace, 1e-5 * from_zero.residual.front()));
                if (s != middle) continue;
                PlotCurve curve;
                curve.label = preconditioners[p];
                curve.style = {static_cast<int>(p)};
                for (std::size_t k = 0; k < trace.kinetic.size() && k <= shown_iterations; ++k) {
                    curve.x.push_back(static_cast<double>(k));
                    curve.y.push_back(trace.kinetic[k]);
                }
                panel.curves.push_back(std::move(curve));
            }
            mean[p] = spread_of(counts).mean;
            json["iterations"].push_back({{"guess", dahl_guesses[g].ours},
                                          {"preconditioner", preconditioners[p]},
                                          {"mean", mean[p]},
                                          {"counts", counts}});
        }
        plot.panels.push_back(std::move(panel));
        ratio_sum += mean[2] / mean[0] / 3;
        mass_sum += mean[1] / mean[0] / 3;
        table.add({std::string(dahl_guesses[g].paper), digits(mean[0]), digits(mean[1]),
                   digits(mean[2]), digits(mean[3]), digits(mean[2] / mean[0]), "0.2",
                   digits(mean[1] / mean[0])});
    }
    out.markdown = fmt::format(
        "Iterations until r.r <= 1e-10 b.b, means over {} states spread over the run.\n\n{}",
        starts.size(), table.text());
    out.claims = {{"Jacobi needs about a fifth of the iterations of identity and mass (a tenth to "
                   "two fifths)",
                   ratio_sum >= 0.1 && ratio_sum <= 0.4, "ratio " + digits(ratio_sum)},
                  {"identity and mass are roughly equivalent (within a quarter)",
                   mass_sum >= 0.8 && mass_sum <= 1.25, "ratio " + digits(mass_sum)}};
    out.json = json.dump();
    write_plot(options, "dahl2019-fig4.svg", plot_svg(plot), out);
    return out;
}

}  // namespace limber::bench
