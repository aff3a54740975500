// SPDX-License-Identifier: Apache-2.0
#include "contact_run.h"

#include "limber/scene/build/model.h"
#include "limber/study/contestant.h"

namespace limber::bench {

std::unique_ptr<World> world_of_text(const std::string& text, const std::string& name) {
    const SceneDef scene = make_scene(parse_toml(text, name), name);
    BuildReport report;
    return make_world(scene, build_model(scene, report));
}

ContactRun run_contact(World& world, int skip, int steps) {
    ContactRun run;
    run.n_nodes = world.model().n_nodes();
    run.n_tets = world.model().n_tets();
    std::vector<double> ms;
    for (int k = 0; k < skip + steps; ++k) {
        const StepReport r = world.step();
        if (r.failed) {
            run.failure = r.failure.what;
            break;
        }
        if (k < skip || r.constraints.rows == 0) continue;
        ms.push_back(solve_ms(r));
        run.constraints += r.constraints.rows;
        run.contacts += r.contacts;
        run.iterations += r.constraints.iterations;
        run.solver_iterations += r.solve.iterations;
        run.passes += r.constraints.passes;
        run.rounds += r.constraints.rounds;
        run.built += r.constraints.built_share();
        run.renewed += r.update.share;
        run.residual = std::max(run.residual, r.constraints.residual);
        run.capped += r.has(StepFlag::contact_cap);
        for (int s = 0; s < n_stages; ++s) run.stage_ms[s] += r.stage_ms[s];
    }
    run.steps = static_cast<int>(ms.size());
    const double n = std::max(1, run.steps);
    for (double* sum : {&run.constraints, &run.contacts, &run.iterations, &run.solver_iterations,
                        &run.passes, &run.rounds, &run.built, &run.renewed})
        *sum /= n;
    for (double& stage : run.stage_ms) stage /= n;
    run.ms = spread_of(std::move(ms));
    return run;
}

}  // namespace limber::bench
