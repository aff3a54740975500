// SPDX-License-Identifier: Apache-2.0
// The program: subcommands, and every failure as one line and an exit code.
//   0 done   1 the simulation failed   2 bad usage or input   3 a bug of ours   4 the system
//   refused

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/core/version.h"
#include "limber/scene/format/field_info.h"

namespace {

using limber::printable;

/// Memory ran out at some time: streams, and libraries that use them, pass that over and then fail
/// for reasons that are none.
std::atomic<bool> ran_out{false};

[[noreturn]] void on_no_memory() {
    ran_out = true;
    throw std::bad_alloc();
}

constexpr char no_memory[] = "error: the system has no more memory for this\n";

/// Where memory runs out before main(), in a thread, or inside a library that lets no exception
/// pass, nobody can catch it: it is still no bug, and ends like everywhere else.
[[noreturn]] void on_terminate() {
    try {
        if (ran_out) throw std::bad_alloc();
        if (const std::exception_ptr error = std::current_exception())
            std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, no_memory, sizeof no_memory - 1);
        _exit(4);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
    } catch (...) {
    }
    std::fprintf(stderr,
                 "This is a bug in limber; please report it with the command line above.\n");
    _exit(3);
}

/// Before the constructors of any global object of the program.
[[gnu::constructor(101)]] void watch_from_the_start() {
    std::set_terminate(on_terminate);
    std::set_new_handler(on_no_memory);
}

/// A closed stream must not be replaced by the first file we open: hold its place with something
/// that refuses.
void hold_standard_streams() {
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1)
            _exit(4);
}

/// Arguments no honest call has: far too long, or not text.
void check_arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        if (text.size() > 64 * 1024)
            throw limber::InputError("argument " + std::to_string(i) + " has " +
                                     std::to_string(text.size()) + " bytes ('" +
                                     printable(text, 40) + "'); at most 65536 are allowed");
        if (printable(text, text.size() * 4 + 1) != text)
            throw limber::InputError("argument " + std::to_string(i) +
                                     " is not plain UTF-8 text: '" + printable(text) + "'");
    }
}

/// CLI11 would only say that a subcommand is missing.
void check_subcommand(const CLI::App& program, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::vector<std::string> names;
    for (const CLI::App* sub : program.get_subcommands({})) names.push_back(sub->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
    throw limber::InputError("no subcommand '" + printable(argv[1]) + "'; there are " +
                             limber::joined(names) + limber::did_you_mean(argv[1], names) +
                             "; see limber --help");
}

int run_program(int argc, char** argv) {
    check_arguments(argc, argv);
    CLI::App program("limber: soft bodies by the finite element method, fast enough to touch",
                     "limber");
    program.set_version_flag("--version", [] {
        const limber::BuildInfo& info = limber::build_info();
        return "limber " + std::string(info.version) + " (" + std::string(info.commit) + "; " +
               std::string(info.flags) + ")";
    });
    program.require_subcommand(1);
    program.footer(
        "Example: limber run scenes/bar_gravity.toml -o out/bar && limber render out/bar --frame "
        "60 -o bar.png");
    limber::app::Action action;
    limber::app::add_run(program, action);
    limber::app::add_sweep(program, action);
    limber::app::add_bench(program, action);
    limber::app::add_compare(program, action);
    limber::app::add_check(program, action);
    limber::app::add_render(program, action);
    limber::app::add_view(program, action);
    limber::app::add_export(program, action);
    limber::app::add_mesh(program, action);
    limber::app::add_list(program, action);
    limber::app::add_schema(program, action);
    limber::app::add_doctor(program, action);
    if (argc < 2) {  // what can be asked for is the answer
        std::fputs(program.help().c_str(), stdout);
        return 0;
    }
    check_subcommand(program, argc, argv);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
        std::string usage = "limber --help";
        for (const CLI::App* sub : program.get_subcommands())
            usage = "limber " + sub->get_name() + " --help";
        throw limber::InputError(printable(error.what(), 300) + "; see " + usage);
    }
    return action ? action() : 2;
}

/// Output that never arrived is a failure, even at the very end.
bool standard_output_is_whole() {
    return std::fflush(stdout) == 0 && !std::ferror(stdout);
}

/// One line and an exit code for what a command threw. To be called where it is caught.
int report_failure() {
    try {
        if (ran_out) throw std::bad_alloc();
        throw;
    } catch (const limber::InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const limber::SystemError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 4;
    } catch (const std::bad_alloc&) {
        std::fputs(no_memory, stderr);
        return 4;
    } catch (const std::system_error& error) {  // of std::filesystem and std::thread too
        if (error.code() == std::errc::resource_unavailable_try_again) {  // a thread, its stack
            std::fputs("error: the system has no more memory for this, or no more threads\n",
                       stderr);
            return 4;
        }
        std::fprintf(stderr, "error: the system refused: %s\n",
                     printable(error.what(), 500).c_str());
        return 4;
    } catch (const std::exception& error) {
        std::fprintf(
            stderr,
            "error: %s\nThis is a bug in limber; please report it with the command line above.\n",
            error.what());
        return 3;
    }
}

}  // namespace

int main(int argc, char** argv) {
    hold_standard_streams();
    // Writes then fail with a reason (EPIPE, EFBIG) that is told like any other.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        const int code = run_program(argc, argv);
        if (!standard_output_is_whole())
            throw limber::SystemError("standard output", "write", errno);
        return code;
    } catch (...) {
        return report_failure();
    }
}
