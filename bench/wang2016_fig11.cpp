// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Fig. 11: the force on a box against its stretch beside the analytic curve of
// each law.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/contact/methods/none.h"
#include "limber/fem/materials.h"
#include "limber/mesh/shapes.h"
#include "limber/output/plot.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

constexpr std::array laws = {"stvk", "neo_hookean", "mooney_rivlin", "fung"};
constexpr double young = 1e5;  // [Pa]

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
    const Lame lame = Lame::from_young(young, 0.3);
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

/// Quasi-static pull of a box that is free to shrink sideways; force over the area at rest [Pa]. By
/// the source's method, or by our default.
std::vector<double> pulled(const AnyMaterial& law, const std::vector<double>& stretches,
                           bool source) {
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
    if (source) options.direction = DirectionKind::jacobi;
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
    double worst = 0, worst_default = 0;
    for (int law = 0; law < 4; ++law) {
        options.tell(laws[static_cast<std::size_t>(law)]);
        ours[law] = pulled(law_of(law), stretches, true);
        const std::vector<double> by_default = pulled(law_of(law), stretches, false);
        PlotCurve curve;
        curve.label = laws[static_cast<std::size_t>(law)];
        curve.style.number = law;
        for (std::size_t k = 0; k < stretches.size(); ++k) {
            exact[law].push_back(uniaxial_stress(law_of(law), stretches[k]));
            worst = std::max(worst, std::fabs(ours[law][k] / exact[law][k] - 1));
            worst_default = std::max(worst_default, std::fabs(by_default[k] / exact[law][k] - 1));
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
    double cubic = 0;  // farthest from E/2 (s³ − s), in parts of the largest force
    for (std::size_t k = 0; k <= end; ++k) {
        const double s = stretches[k], force = 0.5 * young * (s * s * s - s);
        cubic = std::max(cubic, std::fabs(ours[0][k] - force) / ours[0][end]);
    }
    out.claims = {
        {"forces agree with the law's stress-strain relation (1e-3), by the source's method",
         worst < 1e-3, fmt::format("worst {}", digits(worst))},
        {"and by our default", worst_default < 1e-3,
         fmt::format("worst {}", digits(worst_default))},
        {"Fung stiffens more rapidly than neo-Hookean and Mooney-Rivlin",
         ours[3][end] / ours[3][0] > ours[1][end] / ours[1][0] &&
             ours[3][end] / ours[3][0] > ours[2][end] / ours[2][0],
         fmt::format("last / first force {}, {} and {}", digits(ours[3][end] / ours[3][0]),
                     digits(ours[1][end] / ours[1][0]), digits(ours[2][end] / ours[2][0]))},
        {"the force of StVK is a cubic function of the stretch, E/2 (s^3 - s) (1e-3)", cubic < 1e-3,
         fmt::format("{} of the largest force off", digits(cubic))}};
    out.json =
        nlohmann::ordered_json{{"stretch", stretches}, {"ours", ours}, {"exact", exact}}.dump();
    return out;
}

}  // namespace limber::bench
