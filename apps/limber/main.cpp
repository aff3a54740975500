// SPDX-License-Identifier: Apache-2.0
// The program: subcommands, and every failure as one line and an exit code.
//   0 done   1 the simulation failed   2 bad usage or input   3 a bug of ours   4 the system
//   refused

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/core/version.h"
#include "limber/scene/field_info.h"

namespace {

using limber::printable;

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

}  // namespace

int main(int argc, char** argv) {
    hold_standard_streams();
    std::signal(SIGPIPE, SIG_IGN);
    int code = 3;
    try {
        code = run_program(argc, argv);
        if (!standard_output_is_whole())
            throw limber::SystemError("standard output", "write", errno);
    } catch (const limber::InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 2;
    } catch (const limber::SystemError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 4;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "error: the system has no more memory for this\n");
        code = 4;
    } catch (const std::exception& error) {
        std::fprintf(
            stderr,
            "error: %s\nThis is a bug in limber; please report it with the command line above.\n",
            error.what());
        code = 3;
    }
    return code;
}
