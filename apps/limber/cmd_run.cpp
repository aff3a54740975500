// SPDX-License-Identifier: Apache-2.0
// limber run: from a scene file to a run folder.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "limber/core/parallel.h"
#include "limber/io/file.h"
#include "limber/output/registry.h"
#include "limber/output/run_folder.h"
#include "limber/output/verdict_output.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/scene/solver_name.h"
#include "limber/sim/checkpoint.h"
#include "limber/sim/run.h"
#include "limber/sim/tune.h"
#include "limber/sim/verdict_rules.h"
#include "limber/study/sweep_plan.h"
#include "options.h"
#include "signal_watch.h"
#include "sweep_runs.h"

namespace limber::app {

namespace {

namespace fs = std::filesystem;

struct Arguments {
    std::string scene, out, resume, solver, device, log = "text", threads, replay;
    std::vector<std::string> sets, sweeps;
    std::optional<std::int64_t> steps;
    std::optional<double> time;
    bool overwrite = false, sandbox = false, strict = false;
};

StopFlag stop;  // set by SIGINT and SIGTERM while a run is under way

/// out/<scene>, out/<scene>-2, ...: an earlier run is never written over unasked.
std::string free_folder(const std::string& scene, const std::string& suffix = "") {
    const std::string stem = "out/" + fs::path(scene).stem().string() + suffix;
    std::string name = stem;
    for (int k = 2; exists(name); ++k) name = stem + "-" + std::to_string(k);
    return name;
}

bool holds_a_run(const std::string& dir) {
    return exists(dir + "/steps.csv") || exists(dir + "/summary.json") ||
           exists(dir + "/checkpoint");
}

RunOutputOptions output_options(const Arguments& a, const SceneDef& scene, const std::string& dir,
                                std::int64_t last_step, std::string_view solver) {
    RunOutputOptions o;
    o.dir = dir;
    o.every = scene.output.every;
    o.probe_every = scene.output.probe_every;
    o.formats.clear();
    for (OutputFormat format : scene.output.formats)
        o.formats.emplace_back(enum_names(format)[static_cast<int>(format)]);
    o.scene = a.scene;
    o.scene_text = resolved_toml(scene);
    o.solver = solver;
    o.device = enum_names(scene.device)[static_cast<std::size_t>(scene.device)];
    o.chosen = scene.chosen;
    o.threads = thread_count();
    o.total_steps = last_step;
    o.log = a.log == "json" ? LogKind::json : LogKind::text;
    o.log_is_tty = isatty(STDOUT_FILENO) != 0;
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        o.log_width = window.ws_col;
    return o;
}

std::int64_t last_step_of(const Arguments& a, const SceneDef& scene) {
    if (a.steps) return *a.steps;
    if (a.time) return static_cast<std::int64_t>(std::ceil(*a.time / scene.time.step - 1e-9));
    return scene.time.n_steps();
}

int finish(const RunResult& result, const Arguments& a, const std::string& dir,
           const World& world) {
    const std::vector<std::string> verdict = verdict_lines(world);
    for (const std::string& line : verdict) std::fprintf(stderr, "verdict: %s\n", line.c_str());
    switch (result.outcome) {
        case RunOutcome::done:
            if (a.log == "text")
                std::printf("results: %s (report.html, vtu/series.pvd, steps.csv)\n", dir.c_str());
            return a.strict && !verdict.empty() ? 1 : 0;
        case RunOutcome::failed:
            std::fprintf(stderr, "error: %s; the state up to step %lld is kept in %s\n",
                         result.last.failure.what.c_str(),
                         static_cast<long long>(world.state().step), dir.c_str());
            return 1;
        case RunOutcome::interrupted:
            std::fprintf(
                stderr,
                "interrupted after step %lld and saved; go on with: limber run %s --resume %s\n",
                static_cast<long long>(world.state().step), a.scene.c_str(), dir.c_str());
            return 128 + stop.why();
    }
    return 3;
}

LoadOptions load_options(const Arguments& a) {
    LoadOptions load{device_sets(a.device), a.sandbox};
    load.sets.insert(load.sets.end(), a.sets.begin(), a.sets.end());
    // First: another kind drops the options of the old one, and --set gives those of the new.
    if (!a.solver.empty()) load.sets.insert(load.sets.begin(), "solver.kind=\"" + a.solver + "\"");
    return load;
}

/// The scene's solver; where it is to be tuned the phases are those of tuned.toml in the run
/// folder, which is written where it is missing or belongs to another scene.
std::unique_ptr<Stepper> tuned_stepper(const SceneDef& scene, const Model& model,
                                       const std::string& dir, bool talks) {
    if (!wants_tuning(scene)) return make_stepper(scene, model);
    const std::string file = dir + "/tuned.toml";
    if (talks) {
        std::printf("tuning: a pre-simulation, or %s\n", file.c_str());
        std::fflush(stdout);
    }
    const std::string cached = is_regular_file(file) ? read_file(file) : "";
    const TunedScene found = tuned(scene, model, cached);
    if (found.text != cached) write_file_atomic(file, found.text, Flush::to_system);
    if (!found.improved) std::fprintf(stderr, "warning: %s\n", found.note.c_str());
    if (talks) std::printf("tuning: %s\n", found.note.c_str());
    return make_stepper(found.scene, model);
}

int run_scene(Arguments a) {
    SignalWatch signals(stop);
    const ThreadLimit limit(thread_limit(a.threads));
    const bool resuming = !a.resume.empty();
    if (resuming && !a.out.empty())
        throw InputError("--resume goes on in its own folder; -o cannot be given with it");
    std::string dir = resuming ? run_folder_of(a.resume) : a.out;
    if (a.scene.empty()) {
        if (!resuming) throw InputError("no scene given; see limber run --help");
        a.scene = dir + "/scene.toml";
    }
    const SceneDef scene = load_scene(a.scene, load_options(a));
    require_device(scene);
    BuildReport built;
    BuildOptions build;
    if (resuming) build.mesh_folders.push_back(dir + "/mesh");
    auto model = std::make_unique<const Model>(build_model(scene, built, build));
    check_device(scene, *model);
    const std::uint64_t hash = scene_hash(scene);  // reads files whole: they are known to be ours
    for (const std::string& warning : built.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (dir.empty()) dir = free_folder(a.scene);
    if (!resuming && holds_a_run(dir) && !a.overwrite)
        throw InputError(dir +
                         " holds a run already; give another -o, --overwrite it, or --resume it");
    const std::int64_t last_step = last_step_of(a, scene);

    std::vector<std::string> inputs = input_files(scene);
    inputs.insert(inputs.begin(), a.scene);
    if (resuming && fs::path(a.scene) == fs::path(dir) / "scene.toml") inputs.erase(inputs.begin());
    const RunFolder folder(dir, inputs);
    for (const FilledMesh& filled : built.filled) keep_filled_mesh(filled, dir + "/mesh");
    auto stepper = tuned_stepper(scene, *model, dir, a.log == "text");
    const std::string solver = solver_name(scene);
    if (a.log == "text")
        for (const std::string& line : scene.chosen) std::printf("auto: %s\n", line.c_str());
    if (const std::string needs = stepper->describe(); !needs.empty() && a.log == "text") {
        std::printf("%s: %s\n", solver.c_str(), needs.c_str());
        std::fflush(stdout);  // the progress that follows goes past the buffer
    }
    auto contact = make_contact(scene, *model);
    World world(std::move(model), std::move(stepper), std::move(contact),
                {.measure_energy = scene.output.energy, .verdict = verdict_rules(scene)});
    if (resuming) {
        std::vector<std::string> warnings;
        load_checkpoint(a.resume, hash, world, warnings);
        for (const std::string& warning : warnings)
            std::fprintf(stderr, "warning: %s\n", warning.c_str());
    } else if (a.overwrite) {
        remove_earlier_run(dir);
    }
    add_observers(world, output_options(a, scene, dir, last_step, solver));
    signals.run_begins();
    const RunResult result = run(world, {.last_step = last_step,
                                         .dir = dir,
                                         .checkpoint_every = scene.output.checkpoint_every,
                                         .scene_hash = hash,
                                         .replay_decisions = a.replay,
                                         .stop = &stop});
    return finish(result, a, dir, world);
}

/// Every combination of the values as a run of its own, planned and done as by limber sweep, one
/// after another; the summaries side by side at the end.
int run_sweep(const Arguments& a) {
    if (a.scene.empty()) throw InputError("no scene given; see limber run --help");
    const bool resuming = !a.resume.empty();
    if (resuming && !a.out.empty())
        throw InputError("--resume goes on in its own folder; -o cannot be given with it");
    if (resuming && a.overwrite) throw InputError("a sweep is resumed or overwritten, not both");
    std::string dir = resuming ? a.resume : a.out;
    if (dir.empty()) dir = free_folder(a.scene, "-sweep");
    const bool there = exists(dir + "/sweep.json") || exists(dir + "/sweep.csv");
    if (resuming && !exists(dir + "/sweep.json"))
        throw InputError(dir + " holds no sweep to go on with");
    if (there && !resuming && !a.overwrite)
        throw InputError(dir +
                         " holds a sweep already; give another -o, --overwrite it, or --resume it");
    SweepPlan wanted;
    wanted.scene = a.scene;
    wanted.sets = load_options(a).sets;
    wanted.end = {a.steps, a.time};
    wanted.sandbox = a.sandbox;
    for (const std::string& argument : a.sweeps) wanted.axes.push_back(parse_sweep(argument));
    // Refused before the first step of the first run.
    const SweepPlan plan = plan_sweep(std::move(wanted));
    write_plan(dir, plan);
    const std::vector<SweepPoint> named = link_by_values(plan, dir);
    SweepWork work;
    work.dir = dir;
    work.threads = a.threads;
    work.resume = resuming;
    work.again = a.overwrite;
    work.here = true;
    work.quiet = a.log != "text";
    work.options = {"--log", a.log};
    if (a.strict) work.options.emplace_back("--strict");
    if (!a.replay.empty())
        work.options.insert(work.options.end(), {"--replay-decisions", a.replay});
    const int code = run_plan(plan, work);
    const std::string table = write_sweep_table(plan.axes, named, dir);
    if (!work.quiet)
        std::printf("\n%s\nresults: %s (sweep.csv, sweep.md, a run folder each)\n", table.c_str(),
                    dir.c_str());
    if (code >= 128)
        std::fprintf(stderr, "interrupted; go on with the same command, --resume %s for its -o\n",
                     dir.c_str());
    return code;
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    CLI::App* command = program.add_subcommand("run", "simulate a scene into a run folder");
    command->add_option("scene", a->scene, "scene file, TOML or JSON; not needed with --resume")
        ->type_name("SCENE");
    command
        ->add_option("-o,--out", a->out,
                     "run folder; default: out/<scene>, numbered where that exists")
        ->type_name("DIR");
    auto* steps =
        command->add_option("--steps", a->steps, "run until this step instead of the scene's end");
    steps->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000'000}))->type_name("N");
    command->add_option("--time", a->time, "run until this simulated time [s]")
        ->check(CLI::Range(0.0, 1e9))
        ->type_name("S")
        ->excludes(steps);
    command
        ->add_option("--solver", a->solver,
                     "solver.kind of the scene, with its defaults; see limber list solvers")
        ->type_name("NAME");
    command
        ->add_option("--set", a->sets,
                     "override one value: solver.max_iterations=5, body.bar.translate=[0,1,0]")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--sweep", a->sweeps,
                     "a run for every value, solver.max_iterations=1,2,5; given again: for every "
                     "combination; summaries side by side")
        ->type_name("PATH=A,B,...")
        ->allow_extra_args(false);
    add_threads(*command, a->threads);
    add_device(*command, a->device);
    command
        ->add_option("--resume", a->resume,
                     "go on from the newest checkpoint of a run folder, or from one file; with "
                     "--sweep: go on with the runs of its folder that are not over")
        ->type_name("DIR");
    command->add_option("--log", a->log, "progress as text or as one JSON object a line")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("text|json");
    command
        ->add_option("--replay-decisions", a->replay,
                     "repeat what the clock decided in a recorded run")
        ->type_name("FILE");
    command->add_flag("--overwrite", a->overwrite, "replace an earlier run in the folder");
    command->add_flag("--strict", a->strict,
                      "exit with 1 where the run ends with a verdict: anything went wrong "
                      "(docs/verdict.md)");
    command->add_flag("--sandbox", a->sandbox, "refuse files outside the scene's folder");
    command->footer(
        "Example: limber run scenes/sphere_drop.toml -o out/drop --set solver.max_iterations=10");
    command->callback([a, &action] {
        action = [a] { return a->sweeps.empty() ? run_scene(*a) : run_sweep(*a); };
    });
}

}  // namespace limber::app
