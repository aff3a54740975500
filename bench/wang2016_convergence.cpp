// SPDX-License-Identifier: Apache-2.0
// Wang & Yang 2016, Figs. 2 to 6: how fast one step of time converges, by direction, by age of the
// diagonal, beside projective dynamics, by acceleration and by initialisation. Double precision, so
// that errors below the rounding of float can be seen.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/solve/descent_tuner.h"
#include "wang2016.h"

namespace limber::bench {

namespace {

const std::string common = "descent:precision=double,initial=velocity";

/// The armadillo pulled by its hands, in the middle of its way.
WangScene armadillo(const BenchOptions& options) {
    return load_wang(options, "armadillo_pull", "mooney_rivlin",
                     {fmt::format("body.0.tets={}", options.pick(6000, 55000, 55000))});
}
int steps_before(const BenchOptions& options) {
    return options.pick(10, 30, 30);
}

double error_at(const WangTrace& t, double least, std::size_t k) {
    const std::vector<double> e = t.error(least);
    return e[std::min(k, e.size() - 1)];
}

}  // namespace

BenchResult wang2016_fig2(const BenchOptions& options) {
    const WangScene scene = armadillo(options);
    options.tell("the state before the step");
    const Snapshot from = state_after(scene, steps_before(options));
    options.tell("the minimum");
    const double least = minimum(scene, from);
    const std::vector<std::pair<std::string, std::string>> methods = {
        {"gradient", ",direction=gradient,acceleration=none"},
        {"gradient, Jacobi", ",acceleration=none"},
        {"nonlinear CG", ",direction=nonlinear_cg,preconditioned=false"},
        {"nonlinear CG, Jacobi", ",direction=nonlinear_cg"},
        {"L-BFGS", ",direction=lbfgs,preconditioned=false"},
        {"L-BFGS, Jacobi", ",direction=lbfgs"},
        {"ours (Jacobi, Chebyshev)", ""},
        {"Newton", ",direction=newton,iterations=6"},
    };
    std::vector<WangTrace> traces;
    for (const auto& [label, more] : methods) {
        options.tell(label);
        traces.push_back(trace(scene, from, label, common + more));
    }
    BenchResult out;
    out.markdown = fmt::format("Armadillo, {} tets, Mooney-Rivlin, step {}.\n\n",
                               scene.model.n_tets(), steps_before(options) + 1);
    add_errors(options, "wang2016-fig2", "One step of the armadillo", traces, least, out);
    const double ours = error_at(traces[6], least, 96), cg = error_at(traces[3], least, 96);
    const double ours_ms = traces[6].ms_a_iteration, cg_ms = traces[3].ms_a_iteration;
    out.claims = {
        {"Newton converges fastest by iterations",
         error_at(traces[7], least, 6) < 1e-3 * ours + 1e-9,
         fmt::format("after 6: {}", digits(error_at(traces[7], least, 6)))},
        {"the Jacobi preconditioner improves nonlinear CG, L-BFGS and gradient descent",
         error_at(traces[1], least, 96) < error_at(traces[0], least, 96) &&
             cg < error_at(traces[2], least, 96) &&
             error_at(traces[5], least, 96) < error_at(traces[4], least, 96),
         fmt::format("after 96: {} to {}, {} to {}, {} to {}",
                     digits(error_at(traces[0], least, 96)), digits(error_at(traces[1], least, 96)),
                     digits(error_at(traces[2], least, 96)), digits(cg),
                     digits(error_at(traces[4], least, 96)),
                     digits(error_at(traces[5], least, 96)))},
        {"ours converges like preconditioned nonlinear CG, by iterations (within ten times)",
         ours < 10 * cg, fmt::format("after 96: {} and {}", digits(ours), digits(cg))},
        {"and costs less an iteration", ours_ms < cg_ms,
         fmt::format("{} ms and {} ms", digits(ours_ms), digits(cg_ms))}};
    return out;
}

BenchResult wang2016_fig3(const BenchOptions& options) {
    const WangScene scene = armadillo(options);
    const Snapshot from = state_after(scene, steps_before(options));
    const double least = minimum(scene, from);
    std::vector<WangTrace> traces;
    for (int M : {1, 8, 32, 64, 96}) {
        options.tell(fmt::format("M = {}", M));
        traces.push_back(
            trace(scene, from, fmt::format("M = {}", M), common + fmt::format(",refresh={}", M)));
    }
    BenchResult out;
    add_errors(options, "wang2016-fig3", "Age of the diagonal", traces, least, out);
    const double every = error_at(traces[0], least, 96), ours = error_at(traces[2], least, 96);
    // Within a step the diagonal hardly changes: the rows part in the fourth digit.
    out.claims = {{"M = 32 reaches the error of M = 1 (within twice)", ours < 2 * every,
                   fmt::format("{:.6g} and {:.6g}", ours, every)},
                  {"and costs less", traces[2].ms_a_iteration < traces[0].ms_a_iteration,
                   fmt::format("{} and {} ms an iteration", digits(traces[2].ms_a_iteration),
                               digits(traces[0].ms_a_iteration))}};
    return out;
}

BenchResult wang2016_fig4(const BenchOptions& options) {
    const WangScene scene =
        load_wang(options, "armadillo_pull", "projective",
                  {fmt::format("body.0.tets={}", options.pick(6000, 55000, 55000))});
    const Snapshot from = state_after(scene, steps_before(options));
    const double least = minimum(scene, from);
    const std::string pd = ",direction=projective,acceleration=none,step_length=fixed";
    const std::vector<WangTrace> traces = {
        trace(scene, from, "projective dynamics, length 1", common + pd + ",step=1"),
        trace(scene, from, "projective dynamics, length 0.5", common + pd + ",step=0.5"),
        trace(scene, from, "ours, length 0.5", common + ",step_length=fixed,step=0.5"),
        trace(scene, from, "ours, adjusted length", common + ""),
    };
    BenchResult out;
    out.markdown =
        "The source compares on the dress, a mass-spring system solved by a diagonal matrix; here "
        "tets with the projective energy, and the constant matrix factorised whole.\n\n";
    add_errors(options, "wang2016-fig4", "Beside projective dynamics", traces, least, out);
    out.claims = {
        {"ours converges faster than projective dynamics, by iterations",
         error_at(traces[3], least, 96) < error_at(traces[0], least, 96),
         fmt::format("after 96: {} and {}; after 16: {} and {}",
                     digits(error_at(traces[3], least, 96)), digits(error_at(traces[0], least, 96)),
                     digits(error_at(traces[3], least, 16)),
                     digits(error_at(traces[0], least, 16)))}};
    return out;
}

BenchResult wang2016_fig5(const BenchOptions& options) {
    const WangScene scene = armadillo(options);
    const Snapshot from = state_after(scene, steps_before(options));
    const double least = minimum(scene, from);
    std::vector<WangTrace> traces = {
        trace(scene, from, "none", common + ",acceleration=none"),
        trace(scene, from, "Nesterov", common + ",acceleration=nesterov"),
    };
    std::string tuned;
    for (const int phases : {1, 2, 4}) {
        options.tell(fmt::format("tuning {} phases", phases));
        const auto solver = [&](const ChebyshevPhases& p) {
            return common + fmt::format(",rho=[{}],phases=[{}]", fmt::join(p.rho, ","),
                                        fmt::join(p.length, ","));
        };
        const auto world_error = [&](const ChebyshevPhases& p) {
            return error_at(trace(scene, from, "", solver(p)), least, 96);
        };
        ChebyshevPhases start{std::vector<double>(static_cast<std::size_t>(phases), 0.95),
                              std::vector<int>(static_cast<std::size_t>(phases), 96 / phases)};
        TuneOptions tune;
        tune.max_cycles = options.pick(3, 8, 60);
        const TuneResult result = tune_chebyshev(start, world_error, tune);
        tuned += fmt::format("{} phases:\n\n```toml\n{}```\n\n", phases, result.toml());
        traces.push_back(
            trace(scene, from, fmt::format("Chebyshev, {} phases", phases), solver(result.phases)));
    }
    BenchResult out;
    out.markdown = tuned;
    add_errors(options, "wang2016-fig5", "Accelerations", traces, least, out);
    const auto e = [&](std::size_t k) { return error_at(traces[k], least, 96); };
    out.claims = {
        {"Chebyshev outperforms Nesterov", std::min({e(2), e(3), e(4)}) < e(1),
         fmt::format("after 96: {} and {}", digits(std::min({e(2), e(3), e(4)})), digits(e(1)))},
        {"more phases are more effective", e(3) < e(2) && e(4) <= e(3),
         fmt::format("1, 2, 4 phases: {}, {}, {}", digits(e(2)), digits(e(3)), digits(e(4)))}};
    return out;
}

/// Errors after 96 iterations from each initialisation, in every frame of one and the same motion.
BenchResult wang2016_fig6(const BenchOptions& options) {
    const WangScene scene = armadillo(options);
    const int frames = options.pick(4, 20, 100);
    const std::vector<std::string> kinds = {"position", "velocity", "acceleration", "optimal"};
    const auto reference = world_of(scene, "descent:precision=double");
    for (int k = 0; k < steps_before(options); ++k) reference->step();
    std::vector<double> log_sum(kinds.size(), 0), best(kinds.size(), 0);
    for (int frame = 0; frame < frames; ++frame) {
        options.tell(fmt::format("frame {} of {}", frame + 1, frames));
        const Snapshot from = snapshot_of(*reference);
        const double least = minimum(scene, from);
        std::vector<double> left;  // [J]
        for (const std::string& kind : kinds)
            left.push_back(
                std::max(trace(scene, from, kind, "descent:precision=double,initial=" + kind, false)
                                 .value.back() -
                             least,
                         1e-12));
        for (std::size_t k = 0; k < kinds.size(); ++k) log_sum[k] += std::log10(left[k]);
        best[static_cast<std::size_t>(std::min_element(left.begin(), left.end()) - left.begin())] +=
            1;
        reference->step();
    }
    BenchResult out;
    MarkdownTable table({"initialisation", "mean log10 of the energy left [J]", "best in frames"});
    nlohmann::ordered_json json;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        table.add({kinds[k], digits(log_sum[k] / frames), digits(best[k])});
        json.push_back(
            {{"initial", kinds[k]}, {"log10_energy_left", log_sum[k] / frames}, {"best", best[k]}});
    }
    out.markdown =
        fmt::format("{} frames, {} tets.\n\n{}", frames, scene.model.n_tets(), table.text());
    out.json = nlohmann::ordered_json{{"runs", json}}.dump();
    out.claims = {{"constant acceleration is best in most cases", best[2] > 0.5 * frames,
                   fmt::format("{} of {} frames", best[2], frames)},
                  {"the optimised step does not outperform it in most cases",
                   best[3] < 0.5 * frames, fmt::format("{} of {} frames", best[3], frames)}};
    return out;
}

}  // namespace limber::bench
