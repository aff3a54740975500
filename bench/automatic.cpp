// SPDX-License-Identifier: Apache-2.0
// Two tables of what scenes do without being told how: how deep bodies get into each other, and
// what `auto` costs beside the best of the other solvers.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/timer.h"
#include "limber/scene/automatic.h"
#include "limber/scene/build/model.h"
#include "limber/study/compare.h"
#include "limber/study/converged_solver.h"
#include "limber/study/true_depth.h"
#include "registry.h"

namespace limber::bench {

namespace {

struct Scene {
    const char* name;
    int steps;             // for the race
    const char* set = "";  // a size that takes no minutes
};

/// Meshes of the same scene at other sizes, and scenes of minutes a step, are left out.
constexpr Scene scenes[] = {
    {"bar_gravity", 60},
    {"box_twist", 40},
    {"twisted_beam", 40},
    {"armadillo_pull", 40},
    {"dragon_twist", 30},
    {"dragon_drop", 40},
    {"sphere_drop", 60},
    {"bear_squash", 40},
    {"three_torus_stiff", 30},
    {"three_torus_soft", 30},
    {"sculpture_small", 40},
    {"sculpture_small_5e8", 40},
    {"sculpture_medium", 15},
    {"snowman", 40},
    {"spider", 40},
    {"bowling", 30},
    {"cars_spin", 30},
    {"sheet_on_sphere", 30},
    {"hanging_sheet", 30},
    {"pad_on_sphere", 40},
    {"rolling_cylinder", 40},
    {"stack", 40},
    {"heterogeneous_stack", 40},
    {"heterogeneous_armadillo", 20},
    {"armadillo_torus", 20},
    {"gripper", 20},
    {"ten_tori", 10},
    {"pick_and_place", 20},
    {"trampoline", 30},
    {"soft_finger", 40},
    {"pneunet", 40},
    {"needle", 30},
    {"rubber_twist", 30},
    {"hanging_cloth", 30},
    {"box_rubber", 10, "body.0.cells=[8, 12, 8]"},
    {"armadillo_rubber", 10, "body.0.tets=6000"},
    {"dragon_rubber", 8, "body.0.tets=10000"},
};
constexpr Scene quick_scenes[] = {{"bar_gravity", 20}, {"sphere_drop", 20}, {"pad_on_sphere", 10}};

std::span<const Scene> scenes_of(const BenchOptions& options) {
    return options.size == BenchSize::quick ? std::span<const Scene>(quick_scenes)
                                            : std::span<const Scene>(scenes);
}

/// Errors below this share of a body's size count as none: nobody sees them.
constexpr double exact_enough = 1e-6;
constexpr double allowed_cost = 1.3, same_error = 10;

StudyScene study_of(const BenchOptions& options, const Scene& scene) {
    StudyScene study{options.scenes + '/' + scene.name + ".toml", {}};
    study.load.sets = {"output.formats=[]"};
    if (*scene.set) study.load.sets.emplace_back(scene.set);
    return study;
}

}  // namespace

BenchResult automatic_choice(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"scene", "tets", "contact", "auto takes", "ms", "local error", "best",
                         "its ms", "its local error", "auto / best"});
    auto json = nlohmann::ordered_json::array();
    double worst = 0;
    int slower = 0, n = 0;
    std::string worst_scene, failures;
    for (const Scene& scene : scenes_of(options)) {
        options.tell(scene.name);
        CompareOptions race;
        race.scene = study_of(options, scene);
        race.steps = scene.steps;
        race.windows = WindowMode::never;
        std::string choice, contact;
        try {
            SceneDef chosen = scene_with(race.scene, parse_solvers("auto", "bench")[0], "bench");
            choice = chosen.solver.options.name;
            contact = can_touch(chosen) ? chosen.contact.options.name : "none";
            race.scene.load.sets.push_back("contact.method=\"" + contact + '"');
            const bool minimising =
                family_of(parse_solvers(choice, "bench")[0]) == SolverFamily::minimising;
            race.solvers = parse_solvers(minimising ? "newton,descent,vertex_block_descent"
                                                    : "corotational,cholesky,warp_canceling",
                                         "bench");
            const CompareResult result = compare(race);
            const auto error = [](const ContestantResult& c) {
                const double e = c.local.mean_square();
                // Not measured is not the same as none.
                return std::isfinite(e) ? std::max(e, exact_enough)
                                        : std::numeric_limits<double>::infinity();
            };
            const auto ours =
                std::find_if(result.contestants.begin(), result.contestants.end(),
                             [&](const ContestantResult& c) { return c.spec.kind == choice; });
            if (ours == result.contestants.end() || !ours->ran() || !ours->failure.empty() ||
                !std::isfinite(error(*ours)))
                throw InputError(choice + " did not run, or could not be measured");
            const ContestantResult* best = &*ours;
            for (const ContestantResult& c : result.contestants)
                if (c.ran() && c.failure.empty() && error(c) <= same_error * error(*ours) &&
                    c.ms.p50 < best->ms.p50)
                    best = &c;
            const double ratio = ours->ms.p50 / best->ms.p50;
            ++n;
            slower += ratio > allowed_cost;
            if (ratio > worst) {
                worst = ratio;
                worst_scene = scene.name;
            }
            table.add({scene.name, std::to_string(result.n_tets), contact, choice,
                       digits(ours->ms.p50), digits(ours->local.mean_square()), best->spec.kind,
                       digits(best->ms.p50), digits(best->local.mean_square()), digits(ratio)});
            auto all = nlohmann::ordered_json::object();
            for (const ContestantResult& c : result.contestants)
                if (c.ran())
                    all[c.spec.kind] = {
                        {"ms", c.ms.p50}, {"local", error(c)}, {"failure", c.failure}};
            json.push_back({{"scene", scene.name},
                            {"tets", result.n_tets},
                            {"contact", contact},
                            {"auto", choice},
                            {"ratio", ratio},
                            {"solvers", all}});
        } catch (const std::exception& e) {
            failures += fmt::format("\n- {}: {}", scene.name, e.what());
            table.add({scene.name, "-", contact, choice, "-", "-", "-", "-", "-", "-"});
        }
    }
    out.claims.push_back(
        {fmt::format(
             "goal: never more than {} times slower than the best of ours at the same error",
             allowed_cost),
         slower == 0 && failures.empty(),
         fmt::format("{} of {} scenes, worst {} ({})", n - slower, n, digits(worst), worst_scene)});
    out.markdown =
        "Median of a step. Local error: one step against the converged solver of the "
        "family, parts of the body's size; the best is the fastest whose local error is "
        "within ten times that of `auto` (below 1e-6 all count as exact). All with the "
        "contact that `auto` takes.\n\n" +
        table.text();
    if (!failures.empty()) out.markdown += "\nDid not run:" + failures + '\n';
    out.json = nlohmann::ordered_json{{"scenes", json}}.dump();
    return out;
}

BenchResult contact_depth(const BenchOptions& options) {
    BenchResult out;
    MarkdownTable table({"scene", "solver", "contact", "steps", "edge mm", "deepest mm", "of edge",
                         "by the run mm", "capped", "ms median", "worst"});
    auto json = nlohmann::ordered_json::array();
    double worst = 0;
    std::string worst_scene;
    int capped_steps = 0, by_constraints = 0;
    std::string failures;
    for (const Scene& scene : scenes_of(options)) {
        options.tell(scene.name);
        const StudyScene study = study_of(options, scene);
        const SceneDef def = load_scene(study.path, study.load);
        if (def.contact.options.name == "none" || (def.obstacles.empty() && def.bodies.size() < 2))
            continue;
        BuildReport built;
        const auto world = make_world(def, build_model(def, built));
        const double edge = mean_surface_edge(world->model());
        const auto all = static_cast<int>(def.time.n_steps());
        const int steps = std::min(all, options.pick(30, 200, 100000));
        std::vector<double> ms;
        double deepest = 0, told = 0;
        int capped = 0;
        const Timer clock;
        int k = 0;
        const double seconds = options.pick(20.0, 60.0, 1e9);  // a scene may take no longer
        for (; k < steps && clock.ms() < 1000 * seconds; ++k) {
            const StepReport report = world->step();
            ms.push_back(report.wall_ms);
            told = std::max(told, report.max_penetration);
            capped += report.has(StepFlag::contact_cap);
            if (k % 5 == 4) deepest = std::max(deepest, true_depth(*world).most());
            if (report.failed) {
                failures += fmt::format("\n- {}, step {}: {}", scene.name, report.step,
                                        report.failure.what);
                break;
            }
        }
        std::sort(ms.begin(), ms.end());
        table.add({scene.name, def.solver.options.name, def.contact.options.name, std::to_string(k),
                   digits(1000 * edge), digits(1000 * deepest), digits(deepest / edge),
                   digits(1000 * told), std::to_string(capped), digits(ms[ms.size() / 2]),
                   digits(ms.back())});
        json.push_back({{"scene", scene.name},
                        {"solver", def.solver.options.name},
                        {"contact", def.contact.options.name},
                        {"steps", k},
                        {"edge", edge},
                        {"deepest", deepest},
                        {"told", told},
                        {"capped", capped},
                        {"ms", ms[ms.size() / 2]},
                        {"worst_ms", ms.back()}});
        if (def.contact.options.name != "lagrange") continue;
        ++by_constraints;
        capped_steps += capped;
        if (deepest / edge > worst) {
            worst = deepest / edge;
            worst_scene = scene.name;
        }
    }
    out.claims.push_back(
        {"goal: deepest true penetration of scenes with constraints 1e-3 of the "
         "mean edge",
         worst <= 1e-3 && failures.empty(), digits(worst) + " in " + worst_scene});
    out.claims.push_back({"goal: no step capped in scenes with constraints", capped_steps == 0,
                          fmt::format("{} steps in {} scenes", capped_steps, by_constraints)});
    out.markdown =
        "Surface nodes in the tets of other bodies and in obstacles, every fifth step, "
        "by a measure that shares nothing with contact; beside it what the run itself "
        "reports of every step. At most 200 steps and a minute a scene.\n\n" +
        table.text();
    if (!failures.empty()) out.markdown += "\nFailed:" + failures + '\n';
    out.json = nlohmann::ordered_json{{"scenes", json}}.dump();
    return out;
}

}  // namespace limber::bench
