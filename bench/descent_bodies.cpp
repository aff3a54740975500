// SPDX-License-Identifier: Apache-2.0
// `kind = "descent"` as a scene gets it without a word more, on six bodies of 50K to 300K tets:
// every tenth step of a run beside Newton's method from the same state.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/scene/build/model.h"
#include "limber/study/step_errors.h"
#include "step_race.h"

namespace limber::bench {

namespace {

struct Body {
    const char *scene, *set;
    bool tame = true;  // the goal is 1e-3, elsewhere 1.2 times the best of twelve rho
};
constexpr Body bodies[] = {
    {"armadillo_rubber", "body.0.tets=55000"},     {"dragon_rubber", "body.0.tets=58000", false},
    {"box_rubber", "body.0.cells=[20, 30, 20]"},   {"helix_rubber", "body.0.tets=82000", false},
    {"helix_rubber", "body.0.tets=159000", false}, {"armadillo_rubber", "body.0.tets=300000"}};
constexpr Body small_bodies[] = {{"armadillo_rubber", "body.0.tets=3000"},
                                 {"box_rubber", "body.0.cells=[4, 6, 4]"}};

constexpr const char* twelve_rho[] = {"0.5",   "0.8",   "0.9",   "0.95",   "0.98",   "0.99",
                                      "0.995", "0.998", "0.999", "0.9995", "0.9998", "0.9999"};
constexpr int rho_steps = 20;

}  // namespace

BenchResult descent_bodies(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"scene", "tets", "steps", "mean error", "worst", "worst unflagged",
                         "flagged", "rise beyond Newton's"});
    nlohmann::ordered_json json;
    const bool quick = options.size == BenchSize::quick;
    const int steps = quick ? 30 : 100;
    for (const Body& body : quick ? std::span<const Body>(small_bodies) : std::span(bodies)) {
        options.tell(fmt::format("{}, {}", body.scene, body.set));
        const RaceScene scene = load_race(options, body.scene, {body.set});
        const auto errors = [&](const std::string& solver, int n) {
            const auto with = [&](const std::string& spec) {
                const SolverSpec parsed = parse_solvers(spec, "bench")[0];
                return make_world(scene_with(scene.study, parsed, "bench"), scene.model);
            };
            return step_errors(*with(solver), *with("newton:rel_tolerance=1e-9"), n, 10);
        };
        const StepErrors e = errors("descent", steps);
        table.add({body.scene, std::to_string(scene.model.n_tets()), std::to_string(steps),
                   digits(e.mean), digits(e.worst), digits(e.unflagged),
                   fmt::format("{} of {}", e.flagged, e.count), digits(e.beyond)});
        json.push_back({{"scene", body.scene},
                        {"tets", scene.model.n_tets()},
                        {"mean", e.mean},
                        {"worst", e.worst},
                        {"unflagged", e.unflagged},
                        {"flagged", e.flagged},
                        {"beyond", e.beyond}});
        const std::string what = fmt::format("{}, {} tets", body.scene, scene.model.n_tets());
        if (body.tame) {
            out.claims.push_back({"goal: mean error below 1e-3, " + what,
                                  !e.failed && e.mean < 1e-3, digits(e.mean)});
        } else {
            const double ours = errors("descent", rho_steps).mean;
            double best = 1e300;
            for (const char* rho : twelve_rho) {
                options.tell(what + ", rho " + rho);
                const StepErrors fixed =
                    errors(fmt::format("descent:direction=jacobi,rho=[{}]", rho), rho_steps);
                if (!fixed.failed) best = std::min(best, fixed.mean);
            }
            out.claims.push_back(
                {fmt::format("goal: mean error of the first {} steps at most 1.2 times that of "
                             "the best of twelve rho, {}",
                             rho_steps, what),
                 ours <= 1.2 * best, digits(ours) + " and " + digits(best)});
        }
        out.claims.push_back({"goal: no error above 0.05 without its flag, " + what,
                              e.unflagged < 0.05, digits(e.unflagged)});
        out.claims.push_back(
            {"goal: no rise of the total energy (1e-4 of what motion and strain "
             "hold) where Newton's step has none, " +
                 what,
             e.beyond < 1e-4, digits(e.beyond)});
    }
    out.markdown =
        "Errors of a step, |x - x*| / |x* - x_n|, against Newton's method (rel_tolerance 1e-9) "
        "from the same state, every tenth step.\n\n" +
        table.text();
    out.json = nlohmann::ordered_json{{"bodies", json}}.dump();
    return out;
}

}  // namespace limber::bench
