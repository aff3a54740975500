// SPDX-License-Identifier: Apache-2.0
// The descent of Wang & Yang 2016 beside what users compare with today: our default, vertex block
// descent (Chen et al. 2024), small steps of position based dynamics (Macklin et al. 2019),
// nonlinear CG, L-BFGS, and one Newton iteration. Steps of a run as it really goes: error against
// time.

#include <fmt/format.h>

#include "without_factor.h"

namespace limber::bench {

BenchResult descent_today(const BenchOptions& options) {
    const int tets = options.tets_or(options.pick(6000, 55000, 300000));
    // xpbd has neo-Hookean and corotated bodies alone, and no conversion.
    std::vector<std::string> sets = {fmt::format("body.0.tets={}", tets),
                                     "material.rubber.kind=\"neo_hookean\""};
    const RaceScene scene = load_race(options, "armadillo_rubber", sets);
    sets.emplace_back("material.rubber.invertible=false");
    const RaceScene plain = load_race(options, "armadillo_rubber", sets);
    const bool large = tets > 100000;
    const RaceRun run =
        run_to(options, scene, options.pick(21, 101, 101), options.pick(2, large ? 2 : 5, 5), 3,
               options.pick(8, large ? 8 : 12, 20));
    const std::vector<RaceStep> steps = find_minima(options, scene, run);
    BenchResult out;
    double residual = 0;
    int converted = 0;
    for (const RaceStep& step : steps) {
        residual = std::max(residual, step.residual);
        converted = std::max(converted, step.converted);
    }
    out.markdown = fmt::format(
        "Armadillo pulled by its hands, {} tets, neo-Hookean, h = 1/30 s; steps {} to {} of a "
        "run. Minima by `{}` (gradients down to {} of the forces, {} tets converted there).\n\n",
        scene.model.n_tets(), steps.front().number, steps.back().number, minimiser_of(scene.model),
        digits(residual), converted);
    race_without_factor(options, "descent-today", scene, &plain, run, steps, out);
    return out;
}

}  // namespace limber::bench
