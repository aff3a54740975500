// SPDX-License-Identifier: Apache-2.0
#include "limber/api/run.h"

#include <filesystem>

#include "limber/api/scene_access.h"
#include "limber/api/world_report.h"
#include "limber/core/errors.h"
#include "limber/core/hash.h"
#include "limber/core/parallel.h"
#include "limber/io/file.h"
#include "limber/output/registry.h"
#include "limber/output/run_folder.h"
#include "limber/output/verdict_output.h"
#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/scene/solver_name.h"
#include "limber/sim/checkpoint.h"
#include "limber/sim/run.h"
#include "limber/sim/tune.h"
#include "limber/sim/verdict_rules.h"

namespace limber::api {

namespace {

/// Hands the reports on, and the wish of whoever gets them to end the run.
class Teller final : public limber::Observer {
  public:
    Teller(api::Observer* observer, StopFlag& stop) : observer_(observer), stop_(stop) {}
    void after_step(const limber::World&, const limber::StepReport& report) override {
        if (observer_ && !observer_->after_step(told(report))) stop_.request();
    }

  private:
    api::Observer* observer_;
    StopFlag& stop_;
};

bool holds_a_run(const std::string& dir) {
    return exists(dir + "/steps.csv") || exists(dir + "/summary.json") ||
           exists(dir + "/checkpoint");
}

RunOutputOptions output_options(const SceneDef& scene, const std::string& dir,
                                std::int64_t last_step) {
    RunOutputOptions o;
    o.dir = dir;
    o.every = scene.output.every;
    o.probe_every = scene.output.probe_every;
    o.formats.clear();
    for (OutputFormat format : scene.output.formats)
        o.formats.emplace_back(enum_names(format)[static_cast<std::size_t>(format)]);
    o.scene = scene.file;
    o.scene_text = resolved_toml(scene);
    o.solver = solver_name(scene);
    o.device = enum_names(scene.device)[static_cast<std::size_t>(scene.device)];
    o.chosen = scene.chosen;
    o.threads = thread_count();
    o.total_steps = last_step;
    o.log = LogKind::none;
    return o;
}

std::string_view name_of(RunOutcome outcome) {
    switch (outcome) {
        case RunOutcome::done:
            return "done";
        case RunOutcome::failed:
            return "failed";
        case RunOutcome::interrupted:
            break;
    }
    return "interrupted";
}

}  // namespace

RunResult run(const Scene& scene, const RunOptions& options) {
    const std::string& dir = options.folder;
    if (dir.empty()) throw InputError("the name of the run folder is empty");
    if (options.resume && options.overwrite)
        throw InputError("a run is resumed or overwritten, not both");
    if (!options.resume && !options.overwrite && holds_a_run(dir))
        throw InputError(dir + " holds a run already; allowed: another folder, overwrite, resume");
    SceneDef def = SceneAccess::definition(scene, options.sets);
    require_device(def);
    BuildReport built;
    BuildOptions build;
    if (options.resume) build.mesh_folders.push_back(dir + "/mesh");
    auto model = std::make_unique<const Model>(build_model(def, built, build));
    check_device(def, *model);
    const std::int64_t last_step = options.steps.value_or(def.time.n_steps());
    if (last_step < 0)
        throw InputError("steps = " + std::to_string(last_step) + "; allowed: 0 and more");

    std::vector<std::string> inputs = input_files(def);
    // A scene made in code has no file; one that is resumed may be the run's own.
    std::error_code none;
    const bool of_the_run =
        options.resume && std::filesystem::equivalent(def.file, dir + "/scene.toml", none);
    if (exists(def.file) && !of_the_run) inputs.insert(inputs.begin(), def.file);
    const RunFolder folder(dir, inputs);
    for (const FilledMesh& filled : built.filled) keep_filled_mesh(filled, dir + "/mesh");
    // Meshes of arrays belong to the run: its scene.toml names them after this process.
    def = SceneAccess::kept_in(scene, options.sets, dir + "/mesh");
    const std::uint64_t hash = scene_hash(def);
    RunResult out;
    out.warnings = built.warnings;
    out.chosen = def.chosen;
    if (wants_tuning(def)) {
        const std::string file = dir + "/tuned.toml";
        const std::string cached = is_regular_file(file) ? read_file(file) : "";
        const TunedScene found = tuned(def, *model, cached);
        if (found.text != cached) write_file_atomic(file, found.text, Flush::to_system);
        if (!found.improved) out.warnings.push_back(found.note);
        def = found.scene;
    }
    auto stepper = make_stepper(def, *model);
    auto contact = make_contact(def, *model);
    limber::World world(std::move(model), std::move(stepper), std::move(contact),
                        {.measure_energy = def.output.energy, .verdict = verdict_rules(def)});
    if (options.resume)
        load_checkpoint(dir, hash, world, out.warnings);
    else if (options.overwrite)
        remove_earlier_run(dir);
    add_observers(world, output_options(def, dir, last_step));
    StopFlag stop;
    world.add(std::make_unique<Teller>(options.observer, stop));
    const limber::RunResult result =
        limber::run(world, {.last_step = last_step,
                            .dir = dir,
                            .checkpoint_every = def.output.checkpoint_every,
                            .scene_hash = hash,
                            .replay_decisions = "",
                            .stop = &stop});
    out.outcome = name_of(result.outcome);
    out.last = told(result.last);
    out.state_hash = hex64(world.state_hash());
    out.verdict = verdict_lines(world);
    return out;
}

}  // namespace limber::api
