// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Fig. 4: the dress, a mass-spring system, by the source's method and by
// projective dynamics whose matrix has lost all but its diagonal (Wang 2015).

#include <algorithm>

#include <fmt/format.h>

#include "wang2016.h"

namespace limber::bench {

BenchResult wang2016_fig4(const BenchOptions& options) {
    // Bodies are kept out of the figure at the end of a part of the step, after its minimum:
    // the run has that, single steps are measured without.
    const RaceScene dressed = load_race(options, "dress", {});
    WangSteps steps;
    steps.scene = load_race(options, "dress", {"contact={method=\"none\"}"});
    const int first = options.pick(31, 301, 301);  // it twirls from 0.6 s on, step 144
    steps.run = run_to(options, dressed, first, options.pick(2, 5, 20), 8, 12);
    steps.steps = find_minima(options, steps.scene, steps.run);
    steps.what =
        fmt::format("Dress of springs, {} nodes, h = 1/240 s", steps.scene.model.n_nodes());
    const std::string common = "descent:precision=double,iterations=96,";
    const auto run = [&](const std::string& label, const std::string& more) {
        return trace(options, steps, label, common + more);
    };
    const std::string pd = "direction=projective_diagonal", jacobi = "direction=jacobi";
    const std::string half = ",step_length=fixed,step=0.5", whole = ",step_length=fixed,step=1";
    const std::vector<WangTrace> traces = {
        run("diagonal projective dynamics, length 0.5", pd + half),
        run("diagonal projective dynamics, length 1", pd + whole),
        run("the source's, length 0.5", jacobi + half),
        run("the source's, adjusted length", jacobi),
        run("diagonal projective dynamics, length 0.5, no momentum",
            pd + half + ",acceleration=none"),
        run("diagonal projective dynamics, length 1, no momentum",
            pd + whole + ",acceleration=none"),
        run("the source's, length 0.5, no momentum", jacobi + half + ",acceleration=none"),
        run("projective dynamics with its factor, length 1",
            "direction=projective,acceleration=none"),
        run("our default", "initial=acceleration"),
    };
    BenchResult out;
    out.markdown = steps.text();
    add_errors(options, "wang2016-fig4", "Beside projective dynamics", traces, out);
    const auto claim = [&](const std::string& text, const WangTrace& ours, const WangTrace& theirs,
                           double bound) {
        out.claims.push_back(
            {text, ours.at(96) < bound * theirs.at(96),
             fmt::format("after 96: {} and {}; after 40, as many as a part of the step has: {} and "
                         "{}",
                         digits(ours.at(96)), digits(theirs.at(96)), digits(ours.at(40)),
                         digits(theirs.at(40)))});
    };
    claim(
        "at the same length 0.5 the source's method converges significantly faster (half the "
        "error at 96)",
        traces[2], traces[0], 0.5);
    claim("the length 1 does not bring projective dynamics there", traces[2], traces[1], 1);
    claim("the first without momentum in both", traces[6], traces[4], 0.5);
    claim("the second without momentum in both", traces[6], traces[5], 1);
    return out;
}

}  // namespace limber::bench
