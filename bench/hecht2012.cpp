// SPDX-License-Identifier: Apache-2.0
#include "hecht2012.h"

#include "limber/scene/build/model.h"
#include "limber/study/windows.h"

namespace limber::bench {

namespace {

/// Sums over the steps of a run, for means.
struct Totals {
    std::vector<double> ms;
    std::array<double, n_stages> stage_ms{};
    FactorUpdate update;
    double iterations = 0;

    void add(const StepReport& r) {
        ms.push_back(solve_ms(r));
        for (int s = 0; s < n_stages; ++s) stage_ms[s] += r.stage_ms[s];
        update.supernodes += r.update.supernodes;
        update.share += r.update.share;
        update.estimated_ms += r.update.estimated_ms;
        update.ms += r.update.ms;
        update.badness = std::max(update.badness, r.update.badness);
        update.node_rotation_ms += r.update.node_rotation_ms;
        update.error_ms += r.update.error_ms;
        update.matrix_ms += r.update.matrix_ms;
        iterations += r.solve.iterations;
    }
    void finish(HechtRun& run) {
        const double n = std::max<double>(1, static_cast<double>(ms.size()));
        for (int s = 0; s < n_stages; ++s) run.stage_ms[s] = stage_ms[s] / n;
        run.update = update;
        run.update.supernodes = static_cast<int>(update.supernodes / n);
        for (double* v :
             {&run.update.share, &run.update.estimated_ms, &run.update.ms,
              &run.update.node_rotation_ms, &run.update.error_ms, &run.update.matrix_ms})
            *v /= n;
        run.iterations = iterations / n;
        run.ms = spread_of(ms);
    }
};

}  // namespace

std::string source_wc(const std::string& more) {
    return "warp_canceling:refine=0,schedule=quality,precision=double,linearise=false," + more;
}

void explicit_contact(StudyScene& study) {
    const bool springs = load_scene(study.path, study.load).contact.options.name == "penalty";
    study.load.sets.emplace_back("contact.method=\"penalty\"");
    if (!springs) study.load.sets.emplace_back("contact.thickness=0.002");
    study.load.sets.emplace_back("contact.form=\"explicit\"");
    study.load.sets.emplace_back("contact.unsafe=true");  // the source's own; it sinks in
}

std::vector<HechtRun> race(const BenchOptions& options, const HechtCase& scene,
                           const std::vector<std::pair<std::string, std::string>>& solvers) {
    StudyScene study{options.scenes + '/' + scene.file + ".toml", {scene.sets, false}};
    explicit_contact(study);
    study.load.sets.push_back("output.formats=[]");
    const auto spec_of = [](const std::string& text) { return parse_solvers(text, "bench")[0]; };
    const SceneDef base = scene_with(study, spec_of("warp_canceling:linearise=false"), "bench");
    BuildReport report;
    const Model model = build_model(base, report);
    options.tell(scene.file + ": states of " + std::to_string(scene.n_windows) + " windows");
    const auto starts = window_starts(base, model, scene.n_windows, scene.run_steps, options.out);
    const StateMeter meter(model);
    std::vector<std::vector<Vec3d>> ends;  // of the reference, a window each
    std::vector<HechtRun> out;
    for (const auto& [label, text] : solvers) {
        options.tell(scene.file + ": " + label);
        const SceneDef def = scene_with(study, spec_of(text), "bench");
        const auto world = make_world(def, model);
        HechtRun run;
        run.label = label;
        Totals totals;
        std::vector<double> errors;
        for (std::size_t w = 0; w < starts.size() && run.failure.empty(); ++w) {
            restart(*world, starts[w]);
            for (int k = 0; k <= scene.window_steps; ++k) {
                const StepReport r = world->step();
                if (r.failed) {
                    run.failure = r.failure.what;
                    break;
                }
                if (k > 0) totals.add(r);
            }
            if (out.empty()) ends.push_back(world->state().x);
            if (w < ends.size()) errors.push_back(meter(world->state().x, ends[w]).rms);
        }
        totals.finish(run);
        run.error = root_mean_square(errors);
        out.push_back(std::move(run));
    }
    return out;
}

}  // namespace limber::bench
