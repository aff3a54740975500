// SPDX-License-Identifier: Apache-2.0
#include "sweep_runs.h"

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
#include <set>
#include <thread>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"
#include "options.h"
#include "signal_watch.h"

namespace limber::app {

namespace {

namespace fs = std::filesystem;

/// The command line of one run, in a process of its own: what kills it leaves the others alone.
std::vector<std::string> command_of(const SweepPlan& plan, const SweepPoint& point,
                                    const SweepWork& work, int threads) {
    const std::string folder = work.dir + '/' + point.folder;
    std::vector<std::string> out = {fs::read_symlink("/proc/self/exe").string(), "run", plan.scene};
    if (work.resume && is_folder(folder + "/checkpoint"))
        out.insert(out.end(), {"--resume", folder});
    else
        out.insert(out.end(), {"-o", folder, "--overwrite"});
    for (const auto* sets : {&plan.sets, &point.sets})
        for (const std::string& set : *sets) out.insert(out.end(), {"--set", set});
    if (plan.end.steps) out.insert(out.end(), {"--steps", std::to_string(*plan.end.steps)});
    if (plan.end.time) out.insert(out.end(), {"--time", number_text(*plan.end.time)});
    if (plan.sandbox) out.emplace_back("--sandbox");
    out.insert(out.end(), work.options.begin(), work.options.end());
    if (threads > 0) out.insert(out.end(), {"--threads", std::to_string(threads)});
    return out;
}

/// Its words go to a file beside the run folders, or without one to where ours go.
pid_t start(const std::vector<std::string>& command, const std::string& log) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (!log.empty()) {
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0644);
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    }
    // SignalWatch blocks the signals that are to end the run; here they count again.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // In a group of its own: of a terminal's Ctrl-C a run hears from us alone, once. Twice would
    // mean that it is not to be saved.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
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

std::string values_of(const SweepPoint& point) {
    std::string out;
    for (const std::string& set : point.sets) out += ' ' + set;
    return out;
}

struct Todo {
    std::vector<std::size_t> points;
    std::size_t over = 0;
    bool failed = false;  // one of those that are over
};

Todo what_is_left(const SweepPlan& plan, const SweepWork& work) {
    const SweepShare share = work.only.empty() ? SweepShare{} : parse_share(work.only);
    Todo out;
    std::set<std::string> taken;  // values that mean the same are one run
    for (std::size_t k = 0; k < plan.points.size(); ++k) {
        const std::string& folder = plan.points[k].folder;
        if (!share.has(k)) continue;
        const std::string outcome = work.again ? "" : run_outcome(work.dir + '/' + folder);
        out.failed = out.failed || outcome == "failed";
        if (!outcome.empty() || !taken.insert(folder).second)
            ++out.over;
        else
            out.points.push_back(k);
    }
    return out;
}

}  // namespace

int run_plan(const SweepPlan& plan, const SweepWork& work) {
    static StopFlag stop;
    SignalWatch signals(stop);
    int threads = thread_limit(work.threads);
    if (threads == 0 && work.jobs > 1)
        threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / work.jobs);
    const Todo todo = what_is_left(plan, work);
    const std::size_t n = todo.points.size();
    if (!work.quiet && (!work.here || todo.over > 0))
        std::printf("%zu of %zu runs to do, %zu are there\n", n, n + todo.over, todo.over);
    std::fflush(stdout);
    const auto log_of = [&](const SweepPoint& point) {
        return work.here ? "" : work.dir + "/logs/" + point.folder + ".txt";
    };
    std::error_code error;
    if (!work.here) fs::create_directories(work.dir + "/logs", error);
    if (error) throw SystemError(work.dir + "/logs", "create", error.value());
    signals.run_begins();
    std::map<pid_t, std::size_t> running;
    std::size_t next = 0;
    int worst = todo.failed ? 1 : 0;
    bool asked = false;
    while (!running.empty() || (next < n && !stop.requested())) {
        while (next < n && static_cast<int>(running.size()) < work.jobs && !stop.requested()) {
            const SweepPoint& point = plan.points[todo.points[next]];
            if (work.here && !work.quiet)
                std::printf("run %zu of %zu:%s\n", next + 1, n, values_of(point).c_str());
            std::fflush(stdout);
            running[start(command_of(plan, point, work, threads), log_of(point))] =
                todo.points[next];
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
        if (work.here) continue;
        std::printf("%s%s: %s\n", point.folder.c_str(), values_of(point).c_str(),
                    code == 0 ? "done" : last_words(log_of(point)).c_str());
        std::fflush(stdout);
    }
    return stop.requested() ? 128 + stop.why() : worst;
}

std::vector<SweepPoint> link_by_values(const SweepPlan& plan, const std::string& dir) {
    std::error_code error;
    // Those of a smaller plan have other numbers.
    for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
        if (entry.is_symlink() && is_run_name(fs::read_symlink(entry.path(), error).string()))
            fs::remove(entry.path(), error);
    std::vector<SweepPoint> named = sweep_points(plan.axes);
    for (std::size_t k = 0; k < named.size(); ++k) {
        const std::string link = dir + '/' + named[k].folder;
        if (is_folder(link))
            throw InputError(link + " is a folder already, of another sweep; give another -o");
        fs::create_directory_symlink(plan.points[k].folder, link, error);
        if (error) throw SystemError(link, "create", error.value());
    }
    return named;
}

std::string write_sweep_table(const std::vector<SweepAxis>& axes,
                              const std::vector<SweepPoint>& points, const std::string& dir) {
    const SweepTable made = sweep_table(axes, points, dir);
    write_file_atomic(dir + "/sweep.csv", made.csv, Flush::to_system);
    write_file_atomic(dir + "/sweep.md", made.markdown, Flush::to_system);
    return made.markdown;
}

}  // namespace limber::app
