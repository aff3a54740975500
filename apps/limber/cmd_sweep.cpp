// SPDX-License-Identifier: Apache-2.0
// limber sweep: one scene over values, planned once and run by any number of processes.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <thread>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/study/sweep_plan.h"
#include "options.h"
#include "signal_watch.h"

namespace limber::app {

namespace {

namespace fs = std::filesystem;

struct SweepArguments {
    std::string scene, dir, only, threads;
    std::vector<std::string> axes, sets;
    int jobs = 1;
    bool resume = false;
};

int plan(const SweepArguments& a) {
    std::vector<SweepAxis> axes;
    for (const std::string& axis : a.axes) axes.push_back(parse_sweep(axis));
    const std::string dir =
        a.dir.empty() ? "out/" + fs::path(a.scene).stem().string() + "-sweep" : a.dir;
    const SweepPlan made = plan_sweep(a.scene, a.sets, axes);
    write_plan(dir, made);
    std::printf("%s/sweep.json: %zu runs; limber sweep run %s\n", dir.c_str(), made.points.size(),
                dir.c_str());
    return 0;
}

/// The command line of one run, in a process of its own: what kills it leaves the others alone.
std::vector<std::string> command_of(const SweepPlan& plan, const SweepPoint& point,
                                    const SweepArguments& a, int threads) {
    const std::string folder = a.dir + '/' + point.folder;
    std::vector<std::string> out = {fs::read_symlink("/proc/self/exe").string(), "run", plan.scene};
    if (a.resume && is_folder(folder + "/checkpoint"))
        out.insert(out.end(), {"--resume", folder});
    else
        out.insert(out.end(), {"-o", folder, "--overwrite"});
    for (const auto* sets : {&plan.sets, &point.sets})
        for (const std::string& set : *sets) out.insert(out.end(), {"--set", set});
    if (threads > 0) out.insert(out.end(), {"--threads", std::to_string(threads)});
    return out;
}

/// Its words go to a file beside the run folders.
pid_t start(const std::vector<std::string>& command, const std::string& log) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    // SignalWatch blocks the signals that are to end the run; here they count again.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw SystemError(command[0], "start", error);
    return child;
}

int code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The last line that a run wrote.
std::string last_words(const std::string& log) {
    std::string text = is_regular_file(log) ? read_file(log) : "";
    while (text.ends_with('\n')) text.pop_back();
    const std::size_t line = text.find_last_of("\r\n");
    return line == std::string::npos ? text : text.substr(line + 1);
}

int run_shares(const SweepArguments& a) {
    static StopFlag stop;
    SignalWatch signals(stop);
    const SweepPlan plan = read_plan(a.dir);
    const SweepShare share = a.only.empty() ? SweepShare{} : parse_share(a.only);
    int threads = thread_limit(a.threads);
    if (threads == 0 && a.jobs > 1)
        threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / a.jobs);
    std::vector<std::size_t> todo;
    std::size_t over = 0;
    for (std::size_t k = 0; k < plan.points.size(); ++k)
        if (share.has(k)) {
            if (run_is_over(a.dir + '/' + plan.points[k].folder))
                ++over;
            else
                todo.push_back(k);
        }
    std::printf("%zu of %zu runs to do, %zu are there\n", todo.size(), todo.size() + over, over);
    std::fflush(stdout);
    std::error_code error;
    fs::create_directories(a.dir + "/logs", error);
    if (error) throw SystemError(a.dir + "/logs", "create", error.value());
    signals.run_begins();
    std::map<pid_t, std::size_t> running;
    std::size_t next = 0;
    int worst = 0;
    bool asked = false;
    while (!running.empty() || (next < todo.size() && !stop.requested())) {
        while (next < todo.size() && static_cast<int>(running.size()) < a.jobs &&
               !stop.requested()) {
            const SweepPoint& point = plan.points[todo[next]];
            running[start(command_of(plan, point, a, threads),
                          a.dir + "/logs/" + point.folder + ".txt")] = todo[next];
            ++next;
        }
        if (stop.requested() && !asked) {
            for (const auto& [child, point] : running) ::kill(child, SIGTERM);  // they save
            asked = true;
        }
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            continue;
        }
        const SweepPoint& point = plan.points[running.at(ended)];
        running.erase(ended);
        const int code = code_of(status);
        worst = std::max(worst, code);
        std::string values;
        for (const std::string& set : point.sets) values += ' ' + set;
        std::printf(
            "%s%s: %s\n", point.folder.c_str(), values.c_str(),
            code == 0 ? "done" : last_words(a.dir + "/logs/" + point.folder + ".txt").c_str());
        std::fflush(stdout);
    }
    return stop.requested() ? 128 + stop.why() : worst;
}

int table(const SweepArguments& a) {
    const SweepPlan plan = read_plan(a.dir);
    const SweepTable made = sweep_table(plan.axes, plan.points, a.dir);
    write_file_atomic(a.dir + "/sweep.csv", made.csv, Flush::to_system);
    write_file_atomic(a.dir + "/sweep.md", made.markdown, Flush::to_system);
    std::printf("%s\nresults: %s (sweep.csv, sweep.md)\n", made.markdown.c_str(), a.dir.c_str());
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
    planned->add_option("-o,--out", a->dir, "folder of the sweep; default: out/<scene>-sweep")
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
    ran->add_option("dir", a->dir, "folder with sweep.json")->required()->type_name("DIR");
    ran->add_option("--only", a->only, "the K-th of N shares of the runs")->type_name("K/N");
    ran->add_option("--jobs", a->jobs, "runs side by side, which share the cores")
        ->check(CLI::Range(1, max_threads))
        ->type_name("N");
    ran->add_flag("--resume", a->resume,
                  "go on with runs that were interrupted; without it they start anew");
    add_threads(*ran, a->threads);
    ran->footer("Example: limber sweep run out/sweep --only 2/8 --jobs 4 --resume");
    ran->callback([a, &action] { action = [a] { return run_shares(*a); }; });

    CLI::App* tabled = sweep->add_subcommand("table", "put the summaries side by side");
    tabled->add_option("dir", a->dir, "folder with sweep.json")->required()->type_name("DIR");
    tabled->footer("Example: limber sweep table out/sweep");
    tabled->callback([a, &action] { action = [a] { return table(*a); }; });
    sweep->footer(
        "Example: limber sweep plan my_bar.toml solver.max_iterations=1,2,5 -o out/sweep");
}

}  // namespace limber::app
