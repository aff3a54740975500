// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Figs. 7, 10 and 11: a box stretched, compressed and twisted under four laws,
// elements that the conversion holds coloured; and its force against its stretch beside the
// analytic curve of each law.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/contact/methods/none.h"
#include "limber/fem/materials.h"
#include "limber/mesh/shapes.h"
#include "limber/output/plot.h"
#include "limber/render/picture.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

constexpr std::array laws = {"stvk", "neo_hookean", "mooney_rivlin", "fung"};
constexpr std::array loads = {"box_stretch", "box_compress", "box_twist"};

struct BoxRun {
    std::vector<Vec3d> x;
    std::vector<double> interpolant;  // per tet
    int failed = 0, stopped = 0;      // steps
    double converted() const {
        return static_cast<double>(std::count_if(interpolant.begin(), interpolant.end(),
                                                 [](double l) { return l > 0; })) /
               static_cast<double>(interpolant.size());
    }
};

BoxRun run_box(const BenchOptions& options, const WangScene& scene) {
    const auto world = world_of(scene, "descent");
    BoxRun out;
    const int steps = options.pick(12, 75, 90);
    for (int k = 0; k < steps; ++k) {
        const StepReport r = world->step();
        out.failed += r.failed;
        out.stopped += r.has(StepFlag::line_search);
    }
    CellFields cells;
    world->stepper().describe_cells(cells);
    out.interpolant = cells.at(0).value;
    out.x = world->state().x;
    return out;
}

WangScene box(const BenchOptions& options, const std::string& load, const std::string& law) {
    std::vector<std::string> sets;
    if (options.size == BenchSize::quick) sets.push_back("body.0.cells=[8,12,8]");
    if (law == "stvk") sets.push_back("material.rubber.lambda_plus=0.5");
    if (options.size == BenchSize::quick) sets.push_back("time.step=0.1");
    return load_wang(options, load, law, sets);
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

/// Lateral stretch a and nominal stress of uniaxial tension: P_lateral(diag(a, s, a)) = 0.
double uniaxial_stress(const AnyMaterial& material, double s) {
    return std::visit(
        [&](const auto& law) {
            const auto lateral = [&](double a) {
                return law.stress(Mat3d::diagonal(a, s, a))(0, 0);
            };
            double lo = 0.2, hi = 1.5;  // rises with a
            for (int k = 0; k < 200; ++k) {
                const double mid = 0.5 * (lo + hi);
                (lateral(mid) < 0 ? lo : hi) = mid;
            }
            return law.stress(Mat3d::diagonal(lo, s, lo))(1, 1);
        },
        material);
}

AnyMaterial law_of(int which) {
    // The same s0 and s1 for the last three, as in the source.
    const Lame lame = Lame::from_young(1e5, 0.3);
    const NeoHookean neo = NeoHookean::from(lame);
    switch (which) {
        case 0:
            return StVenantKirchhoff::from(lame);
        case 1:
            return neo;
        case 2: {
            MooneyRivlin law;
            law.s0 = neo.s0;
            law.s1 = neo.s1;
            law.s2 = 0.5 * neo.s0;
            return law;
        }
        default: {
            Fung law;
            law.s0 = neo.s0;
            law.s1 = neo.s1;
            law.s2 = 0.5 * neo.s0;
            law.s3 = 0.5;
            return law;
        }
    }
}

/// Quasi-static pull of a box that is free to shrink sideways; force over the area at rest [Pa].
std::vector<double> pulled(const AnyMaterial& law, const std::vector<double>& stretches) {
    Material material;
    material.name = "rubber";
    material.law = law;
    const double height = 0.6, side = 0.4;
    Model model = one_body("box", make_box({side, height, side}, {4, 6, 4}), material);
    model.integrator = Integrator::quasi_static;
    model.gravity = {0, 0, 0};
    model.h = 1;
    const auto roller = [&](const char* face, int axis) {
        Pin pin{face, model.mesh.node_groups.at(face), {axis == 0, axis == 1, axis == 2}, {}};
        model.pins.push_back(pin);
    };
    roller("x-", 0);
    roller("y-", 1);
    roller("z-", 2);
    roller("y+", 1);
    for (std::size_t k = 0; k <= stretches.size(); ++k) {
        model.pins.back().motion.translate.times.push_back(static_cast<double>(k));
        const double s = k == 0 ? 1 : stretches[k - 1];
        model.pins.back().motion.translate.values.push_back({0, (s - 1) * height, 0});
    }
    finish_model(model);
    auto owned = std::make_unique<const Model>(std::move(model));
    DescentOptions options;
    options.precision = Precision::twofold;
    options.iterations = 20000;
    options.rel_tolerance = 1e-7;
    options.rho = {0.97};
    auto stepper = std::make_unique<DescentStepper>(*owned, options);
    World world(std::move(owned), std::move(stepper), std::make_unique<NoContact>());
    std::vector<double> out;
    for (std::size_t k = 0; k < stretches.size(); ++k) {
        world.step();
        double force = 0;
        for (Index i : world.model().pins.back().nodes) force += world.forces().reaction[i].y;
        out.push_back(force / (side * side));
    }
    return out;
}

}  // namespace

BenchResult wang2016_fig7(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"load", "tets converted", "steps that stopped early", "failed"});
    std::vector<Image> images;
    double most = 0;
    for (const char* load : {"box_compress", "box_twist"}) {
        options.tell(load);
        const WangScene scene = box(options, load, "stvk");
        const BoxRun run = run_box(options, scene);
        most = std::max(most, run.converted());
        table.add({load, fmt::format("{:.2f} %", 100 * run.converted()),
                   std::to_string(run.stopped), std::to_string(run.failed)});
        images.push_back(picture_of(scene.model, run, 640, 640));
    }
    write_png(options.out + "/wang2016-fig7.png", beside(images));
    out.files.push_back("wang2016-fig7.png");
    out.markdown = "StVK, lambda_plus = 0.5.\n\n" + table.text();
    out.claims = {{"elements need the conversion, and only few (under a tenth)",
                   most > 0 && most < 0.1, fmt::format("{:.2f} % at most", 100 * most)}};
    out.json = nlohmann::ordered_json{{"converted", most}}.dump();
    return out;
}

BenchResult wang2016_fig10(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"law", "load", "tets converted", "steps that stopped early", "failed"});
    nlohmann::ordered_json json;
    Image sheet;
    int failed = 0;
    for (const char* law : laws) {
        std::vector<Image> images;
        for (const char* load : loads) {
            options.tell(fmt::format("{}, {}", law, load));
            const WangScene scene = box(options, load, law);
            const BoxRun run = run_box(options, scene);
            failed += run.failed;
            table.add({law, load, fmt::format("{:.2f} %", 100 * run.converted()),
                       std::to_string(run.stopped), std::to_string(run.failed)});
            json.push_back({{"law", law}, {"load", load}, {"converted", run.converted()}});
            images.push_back(picture_of(scene.model, run, 420, 420));
        }
        const Image row = beside(images);
        sheet.width = row.width;
        sheet.height += row.height;
        sheet.rgb.insert(sheet.rgb.end(), row.rgb.begin(), row.rgb.end());
    }
    write_png(options.out + "/wang2016-fig10.png", sheet);
    out.files.push_back("wang2016-fig10.png");
    out.markdown = "Rows: " + std::string("StVK, neo-Hookean, Mooney-Rivlin, Fung") +
                   "; columns: stretched, compressed, twisted.\n\n" + table.text();
    out.claims = {{"every law is simulated robustly under every load", failed == 0,
                   fmt::format("{} failed steps", failed)}};
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    return out;
}

BenchResult wang2016_fig11(const BenchOptions& options) {
    std::vector<double> stretches;
    const double step = options.pick(0.2, 0.1, 0.05);
    for (double s = 1 + step; s < 1.8 + 0.5 * step; s += step) stretches.push_back(s);
    BenchResult out;
    MarkdownTable table({"stretch", "StVK", "analytic", "neo-Hookean", "analytic", "Mooney-Rivlin",
                         "analytic", "Fung", "analytic"});
    std::array<std::vector<double>, 4> ours, exact;
    Plot plot;
    plot.title = "Nominal stress of a box against its stretch";
    plot.note = "Wang & Yang 2016, Fig. 11; marks: simulated, lines: analytic";
    PlotPanel panel;
    panel.x_label = "stretch";
    panel.y_label = "force / area [kPa]";
    double worst = 0;
    for (int law = 0; law < 4; ++law) {
        options.tell(laws[static_cast<std::size_t>(law)]);
        ours[law] = pulled(law_of(law), stretches);
        PlotCurve curve;
        curve.label = laws[static_cast<std::size_t>(law)];
        curve.style.number = law;
        for (std::size_t k = 0; k < stretches.size(); ++k) {
            exact[law].push_back(uniaxial_stress(law_of(law), stretches[k]));
            worst = std::max(worst, std::fabs(ours[law][k] / exact[law][k] - 1));
            curve.x.push_back(stretches[k]);
            curve.y.push_back(1e-3 * exact[law][k]);
            PlotPoint point;
            point.x = stretches[k];
            point.y = 1e-3 * ours[law][k];
            point.style.number = law;
            panel.points.push_back(point);
        }
        panel.curves.push_back(std::move(curve));
    }
    for (std::size_t k = 0; k < stretches.size(); ++k) {
        std::vector<std::string> row = {digits(stretches[k])};
        for (int law = 0; law < 4; ++law) {
            row.push_back(digits(1e-3 * ours[law][k]));
            row.push_back(digits(1e-3 * exact[law][k]));
        }
        table.add(row);
    }
    plot.panels = {panel};
    write_plot(options, "wang2016-fig11.svg", plot_svg(plot), out);
    out.markdown = "Force over the area at rest [kPa].\n\n" + table.text();
    const std::size_t end = stretches.size() - 1;
    out.claims = {
        {"forces agree with the law's stress-strain relation (1e-3)", worst < 1e-3,
         fmt::format("worst {}", digits(worst))},
        {"Fung stiffens more rapidly than neo-Hookean and Mooney-Rivlin",
         ours[3][end] / ours[3][0] > ours[1][end] / ours[1][0] &&
             ours[3][end] / ours[3][0] > ours[2][end] / ours[2][0],
         fmt::format("last / first force {}, {} and {}", digits(ours[3][end] / ours[3][0]),
                     digits(ours[1][end] / ours[1][0]), digits(ours[2][end] / ours[2][0]))}};
    out.json =
        nlohmann::ordered_json{{"stretch", stretches}, {"ours", ours}, {"exact", exact}}.dump();
    return out;
}

}  // namespace limber::bench
