// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Fig. 2: how fast steps of the armadillo converge, by direction. Against
// iterations in double precision, so that errors below the rounding of float can be seen; against
// time as users run them.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "wang2016.h"
#include "without_factor.h"

namespace limber::bench {

BenchResult wang2016_fig2(const BenchOptions& options) {
    const WangSteps steps = armadillo_steps(options, options.pick(2, 5, 20), 3);
    const auto run = [&](const std::string& label, const std::string& more) {
        return trace(options, steps, label, "descent:precision=double," + more);
    };
    // The preconditioner of CG is the source's diagonal; its formula is Fletcher and Reeves', with
    // a diagonal of every iteration, where CG restarts here: once a step (refresh = 96) as well.
    const std::vector<WangTrace> traces = {
        run("gradient", "direction=gradient,acceleration=none"),
        run("gradient, Jacobi", "direction=jacobi,acceleration=none"),
        run("nonlinear CG", "direction=nonlinear_cg,preconditioned=false"),
        run("nonlinear CG, Jacobi", "direction=nonlinear_cg"),
        run("nonlinear CG, Jacobi, Fletcher-Reeves",
            "direction=nonlinear_cg,cg=fletcher_reeves,refresh=96"),
        run("nonlinear CG, Jacobi, one diagonal", "direction=nonlinear_cg,refresh=96"),
        run("L-BFGS", "direction=lbfgs,preconditioned=false"),
        run("L-BFGS, Jacobi", "direction=lbfgs"),
        run("the source's (Jacobi, Chebyshev)", "direction=jacobi"),
        run("Nesterov (Jacobi)", "direction=jacobi,acceleration=nesterov"),
        run("constant matrix of projective dynamics", "direction=projective,step_length=adjusted"),
        // It remembers the velocity of one step.
        trace(options, steps, "Newton", "descent:precision=double,direction=newton,iterations=6",
              1),
        run("our default", "iterations=96"),
    };
    const WangTrace &plain = traces[0], &jacobi = traces[1], &cg_plain = traces[2],
                    &lbfgs_plain = traces[6], &lbfgs = traces[7], &source = traces[8],
                    &newton = traces[11];
    const WangTrace& cg = *std::min_element(
        traces.begin() + 3, traces.begin() + 6,
        [](const WangTrace& a, const WangTrace& b) { return a.at(96) < b.at(96); });
    BenchResult out;
    out.markdown = steps.text();
    add_errors(options, "wang2016-fig2", "Steps of the armadillo", traces, out);
    double least_of_others = 1e300;
    for (const WangTrace& t : traces)
        if (&t != &newton) least_of_others = std::min(least_of_others, t.at(6));
    out.claims = {
        {"Newton's method converges fastest by iterations", newton.at(6) < least_of_others,
         fmt::format("after 6: {}, the best of the others {}", digits(newton.at(6)),
                     digits(least_of_others))},
        {"the Jacobi preconditioner improves gradient descent, nonlinear CG and L-BFGS",
         jacobi.at(96) < plain.at(96) && cg.at(96) < cg_plain.at(96) &&
             lbfgs.at(96) < lbfgs_plain.at(96),
         fmt::format("after 96: {} to {}, {} to {}, {} to {}", digits(plain.at(96)),
                     digits(jacobi.at(96)), digits(cg_plain.at(96)), digits(cg.at(96)),
                     digits(lbfgs_plain.at(96)), digits(lbfgs.at(96)))},
        {"the source's method is as fast by iterations as nonlinear CG (at 96 within 2x of the "
         "best of ours)",
         source.at(96) < 2 * cg.at(96),
         fmt::format("mean {} and {} ({}), worst {} and {}", digits(source.at(96)),
                     digits(cg.at(96)), cg.label, digits(source.worst_at(96)),
                     digits(cg.worst_at(96)))},
        {"and cheaper an iteration", source.ms_a_iteration < cg.ms_a_iteration,
         fmt::format("{} and {} CPU ms", digits(source.ms_a_iteration), digits(cg.ms_a_iteration))},
        {"its result after 96 iterations cannot be told from the minimum by eye (error below 1 %)",
         source.worst_at(96) < 0.01, fmt::format("worst {}", digits(source.worst_at(96)))}};
    race_without_factor(options, "wang2016-fig2-time", steps.scene, nullptr, steps.run, steps.steps,
                        out);
    return out;
}

}  // namespace limber::bench
