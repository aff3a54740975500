// SPDX-License-Identifier: Apache-2.0
// limber sweep: one scene over values, planned once and run by any number of processes.

#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "limber/study/sweep_plan.h"
#include "options.h"
#include "sweep_runs.h"

namespace limber::app {

namespace {

namespace fs = std::filesystem;

struct SweepArguments {
    std::string scene;
    std::vector<std::string> axes, sets;
    SweepWork work;
};

int plan(const SweepArguments& a) {
    std::vector<SweepAxis> axes;
    for (const std::string& axis : a.axes) axes.push_back(parse_sweep(axis));
    const std::string dir =
        a.work.dir.empty() ? "out/" + fs::path(a.scene).stem().string() + "-sweep" : a.work.dir;
    const SweepPlan made = plan_sweep({a.scene, a.sets, {}, false, axes, {}});
    write_plan(dir, made);
    std::printf("%s/sweep.json: %zu runs; limber sweep run %s\n", dir.c_str(), made.points.size(),
                dir.c_str());
    return 0;
}

int table(const SweepArguments& a) {
    const SweepPlan plan = read_plan(a.work.dir);
    const std::string text = write_sweep_table(plan.axes, plan.points, a.work.dir);
    std::printf("%s\nresults: %s (sweep.csv, sweep.md)\n", text.c_str(), a.work.dir.c_str());
    return 0;
}

}  // namespace

void add_sweep(CLI::App& program, Action& action) {
    auto a = std::make_shared<SweepArguments>();
    CLI::App* sweep = program.add_subcommand(
        "sweep", "one scene over values: planned once, run by any number of processes");
    sweep->require_subcommand(1);
    CLI::App* planned = sweep->add_subcommand("plan", "write sweep.json: every combination a run");
    planned->add_option("scene", a->scene, "scene file, TOML or JSON")
        ->required()
        ->type_name("SCENE");
    planned->add_option("axes", a->axes, "values of a key: solver.max_iterations=1,2,5")
        ->required()
        ->type_name("PATH=A,B,...");
    planned->add_option("-o,--out", a->work.dir, "folder of the sweep; default: out/<scene>-sweep")
        ->type_name("DIR");
    planned->add_option("--set", a->sets, "override one value in all runs")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    planned->footer(
        "Example: limber sweep plan my_bar.toml material.rubber.young=1e5,1e6 "
        "solver.kind=cholesky,newton -o out/sweep");
    planned->callback([a, &action] { action = [a] { return plan(*a); }; });

    CLI::App* ran = sweep->add_subcommand(
        "run", "do the runs of a plan that are not there, each in a process and a folder");
    ran->add_option("dir", a->work.dir, "folder with sweep.json")->required()->type_name("DIR");
    ran->add_option("--only", a->work.only, "the K-th of N shares of the runs")->type_name("K/N");
    ran->add_option("--jobs", a->work.jobs, "runs side by side, which share the cores")
        ->check(CLI::Range(1, max_threads))
        ->type_name("N");
    ran->add_flag("--resume", a->work.resume,
                  "go on with runs that were interrupted; without it they start anew");
    add_threads(*ran, a->work.threads);
    ran->footer("Example: limber sweep run out/sweep --only 2/8 --jobs 4 --resume");
    ran->callback(
        [a, &action] { action = [a] { return run_plan(read_plan(a->work.dir), a->work); }; });

    CLI::App* tabled = sweep->add_subcommand("table", "put the summaries side by side");
    tabled->add_option("dir", a->work.dir, "folder with sweep.json")->required()->type_name("DIR");
    tabled->footer("Example: limber sweep table out/sweep");
    tabled->callback([a, &action] { action = [a] { return table(*a); }; });
    sweep->footer(
        "Example: limber sweep plan my_bar.toml solver.max_iterations=1,2,5 -o out/sweep");
}

}  // namespace limber::app
