// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Figs. 7 and 10: a box stretched, compressed and twisted under four laws,
// elements that the conversion holds coloured.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/output/plot.h"
#include "limber/render/picture.h"
#include "limber/sim/verdict.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

constexpr std::array laws = {"stvk", "neo_hookean", "mooney_rivlin", "fung"};
/// A load grows over the first `loaded` steps and stays.
struct Load {
    const char* file;
    double seconds;
};
constexpr std::array<Load, 3> loads = {
    {{"box_stretch", 2.0}, {"box_compress", 2.0}, {"box_twist", 2.5}}};

struct BoxRun {
    std::vector<Vec3d> x;
    std::vector<double> interpolant;  // per tet, at the end
    std::vector<double> share, load;  // of tets converted, and of the load, after each step
    double kinetic = 0, elastic = 0;  // at the end [J]
    double distance = 0;              // of one more step from Newton's, in parts of the size
    bool failed = false;
    std::string verdict;  // what went wrong; empty: nothing
    double converted() const { return share.back(); }
    double most() const { return *std::max_element(share.begin(), share.end()); }
    /// No verdict, calm under a load that stays, and the last step near its minimum.
    bool robust() const {
        return !failed && verdict.empty() && kinetic < 0.01 * elastic && distance < 1e-3;
    }
};

BoxRun run_box(const BenchOptions& options, const RaceScene& scene, const Load& load,
               const std::string& solver) {
    const SceneDef def = scene_with(scene.study, parse_solvers(solver, "bench")[0], "bench");
    const auto world = make_world(def, scene.model);
    BoxRun out;
    const int steps = options.pick(30, 90, 90);
    StepReport report;
    for (int k = 0; k < steps && !out.failed; ++k) {
        options.tell(fmt::format("{}, step {} of {}", load.file, k + 1, steps));
        report = world->step();
        out.failed = report.failed;
        CellFields cells;
        world->stepper().describe_cells(cells);
        out.interpolant = cells.at(0).value;
        const auto held = std::count_if(out.interpolant.begin(), out.interpolant.end(),
                                        [](double l) { return l > 0; });
        out.share.push_back(static_cast<double>(held) /
                            static_cast<double>(out.interpolant.size()));
        out.load.push_back(std::min(1.0, report.time / load.seconds));
    }
    out.x = world->state().x;
    out.kinetic = report.kinetic;
    out.elastic = report.elastic;
    for (int kind = 0; kind < n_fault_kinds; ++kind)
        if (const Fault& fault = world->verdict().of(static_cast<FaultKind>(kind)); fault.count > 0)
            out.verdict += fmt::format("{}{} {}", out.verdict.empty() ? "" : ", ",
                                       fault_names[static_cast<std::size_t>(kind)], fault.count);
    const Snapshot from = snapshot_of(*world);
    const auto exact = world_of(scene, minimiser_of(scene.model));
    restart(*exact, from);
    exact->step();
    world->step();
    out.distance = StateMeter(scene.model)(world->state().x, exact->state().x).max;
    return out;
}

RaceScene box(const BenchOptions& options, const Load& load, const std::string& law) {
    std::vector<std::string> sets;
    if (law == "stvk") sets.emplace_back("material.rubber.lambda_plus=0.5");
    if (options.size == BenchSize::quick) {
        sets.emplace_back("body.0.cells=[8,12,8]");
        sets.emplace_back("time.step=0.1");
    }
    return load_wang(options, load.file, law, sets);
}

Image picture_of(const Model& model, const BoxRun& run, int width, int height) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    PictureBody body;
    body.points = run.x;
    body.triangles = model.bodies[0].surface;
    body.scalar.assign(run.x.size(), 0.0f);
    for (Index t = 0; t < model.n_tets(); ++t)
        for (Index node : model.mesh.tets[t])
            body.scalar[node] = std::max(body.scalar[node], static_cast<float>(run.interpolant[t]));
    picture.bodies.push_back(std::move(body));
    picture.scale = {0, 1, "interpolant"};
    return render_frame(picture);
}

/// Pictures side by side.
Image beside(const std::vector<Image>& images) {
    Image out;
    out.height = images.at(0).height;
    for (const Image& image : images) out.width += image.width;
    for (int row = 0; row < out.height; ++row)
        for (const Image& image : images) {
            const auto* begin = image.rgb.data() + static_cast<std::size_t>(row) * image.width * 3;
            out.rgb.insert(out.rgb.end(), begin, begin + static_cast<std::size_t>(image.width) * 3);
        }
    return out;
}

}  // namespace

BenchResult wang2016_fig7(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"load", "at 25 %", "at 50 %", "at 75 %", "at 100 %", "at the end", "most",
                         "verdict of the run"});
    Plot plot;
    plot.title = "Tets that the conversion holds, StVK, lambda_plus = 0.5";
    plot.note = "Wang & Yang 2016, Fig. 7";
    PlotPanel panel;
    panel.x_label = "share of the load";
    panel.y_label = "tets converted [%]";
    std::vector<Image> images;
    nlohmann::ordered_json json;
    double most = 0, half = 0;
    int number = 0;
    for (const Load& load : {loads[1], loads[2]}) {
        const RaceScene scene = box(options, load, "stvk");
        const BoxRun run = run_box(options, scene, load, "descent");
        const auto at = [&](double share) {
            const auto it = std::lower_bound(run.load.begin(), run.load.end(), share - 1e-9);
            return it == run.load.end()
                       ? run.share.back()
                       : run.share[static_cast<std::size_t>(it - run.load.begin())];
        };
        const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
        most = std::max(most, run.most());
        half = std::max(half, at(0.5));
        table.add({load.file, percent(at(0.25)), percent(at(0.5)), percent(at(0.75)),
                   percent(at(1)), percent(run.converted()), percent(run.most()), run.verdict});
        PlotCurve curve;
        curve.label = load.file;
        curve.style.number = number++;
        for (std::size_t k = 0; k < run.share.size() && (k == 0 || run.load[k - 1] < 1); ++k) {
            curve.x.push_back(run.load[k]);
            curve.y.push_back(100 * run.share[k]);
        }
        panel.curves.push_back(std::move(curve));
        json.push_back({{"load", load.file},
                        {"share_of_load", run.load},
                        {"converted", run.share},
                        {"verdict", run.verdict}});
        images.push_back(picture_of(scene.model, run, 640, 640));
    }
    plot.panels = {panel};
    write_plot(options, "wang2016-fig7.svg", plot_svg(plot), out);
    write_png(options.out + "/wang2016-fig7.png", beside(images));
    out.files.push_back("wang2016-fig7.png");
    out.markdown =
        "StVK, lambda_plus = 0.5; share of the tets that the conversion holds, against "
        "the share of the load: 40 % shorter, half a turn.\n\n" +
        table.text();
    out.claims = {
        {"elements need the conversion", most > 0, fmt::format("{:.2f} % at most", 100 * most)},
        {"only a small number of them, at half of the load (under a tenth)", half < 0.1,
         fmt::format("{:.2f} %", 100 * half)},
        {"and under all of it", most < 0.1, fmt::format("{:.2f} %", 100 * most)}};
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

BenchResult wang2016_fig10(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"law", "load", "solver", "tets converted", "kinetic / elastic",
                         "distance from Newton", "verdict of the run", "robust"});
    nlohmann::ordered_json json;
    Image sheet;
    const std::array<std::pair<const char*, const char*>, 2> solvers = {
        {{"the source's", "descent:direction=jacobi"}, {"our default", "descent"}}};
    std::array<std::string, 2> broken;
    for (const char* law : laws) {
        std::vector<Image> images;
        for (const Load& load : loads) {
            const RaceScene scene = box(options, load, law);
            for (std::size_t s = 0; s < solvers.size(); ++s) {
                options.tell(fmt::format("{}, {}, {}", law, load.file, solvers[s].first));
                const BoxRun run = run_box(options, scene, load, solvers[s].second);
                const double calm = run.kinetic / run.elastic;
                if (!run.robust())
                    broken[s] +=
                        fmt::format("{}{} {}", broken[s].empty() ? "" : ", ", law, load.file);
                table.add({law, load.file, solvers[s].first,
                           fmt::format("{:.2f} %", 100 * run.converted()), digits(calm),
                           digits(run.distance), run.failed ? "failed" : run.verdict,
                           run.robust() ? "yes" : "no"});
                json.push_back({{"law", law},
                                {"load", load.file},
                                {"solver", solvers[s].first},
                                {"converted", run.converted()},
                                {"kinetic", run.kinetic},
                                {"elastic", run.elastic},
                                {"distance", run.distance},
                                {"verdict", run.verdict},
                                {"robust", run.robust()}});
                if (s == 1) images.push_back(picture_of(scene.model, run, 420, 420));
            }
        }
        const Image row = beside(images);
        sheet.width = row.width;
        sheet.height += row.height;
        sheet.rgb.insert(sheet.rgb.end(), row.rgb.begin(), row.rgb.end());
    }
    write_png(options.out + "/wang2016-fig10.png", sheet);
    out.files.push_back("wang2016-fig10.png");
    out.markdown =
        "Rows of the picture: StVK, neo-Hookean, Mooney-Rivlin, Fung; columns: stretched, "
        "compressed, twisted. Robust: the run has no verdict (docs/verdict.md), kinetic energy is "
        "below 1 % of the elastic one under the load that stays, and one more step ends within "
        "1e-3 of the body size of where Newton's method takes it.\n\n" +
        table.text();
    for (std::size_t s = 0; s < solvers.size(); ++s)
        out.claims.push_back({std::string("every law is simulated robustly under every load, by ") +
                                  (s == 0 ? "the source's method" : "our default"),
                              broken[s].empty(),
                              broken[s].empty() ? "12 of 12" : "not: " + broken[s]});
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

}  // namespace limber::bench
