// SPDX-License-Identifier: Apache-2.0
#include "bench_program.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/scene/format/field_info.h"
#include "scene_folder.h"

namespace limber::app {

namespace {

/// The arguments this program was started with, the name it was called by first.
std::vector<std::string> own_arguments() {
    std::vector<std::string> out;
    const std::string text = read_file("/proc/self/cmdline");
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\0', begin);
        out.push_back(text.substr(begin, end - begin));
        begin = end == std::string::npos ? text.size() : end + 1;
    }
    return out;
}

[[noreturn]] void become(const std::string& program) {
    std::vector<std::string> arguments = own_arguments();
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    const int why = errno;
    if (why != ENOENT) throw SystemError(program, "start", why);
    throw InputError(
        "the benches are a program of their own, and " + printable(program) +
        " is not there; cmake --build --preset release --target limber_bench makes it");
}

}  // namespace

std::span<const bench::BenchEntry> require_benches() {
    const std::span<const bench::BenchEntry> benches = bench::benches();
    if (benches.empty()) become((program_folder() / "limber-bench").string());
    return benches;
}

const bench::BenchEntry& find_bench(const std::string& name) {
    std::vector<std::string> names;
    for (const bench::BenchEntry& entry : require_benches()) {
        if (entry.name == name) return entry;
        names.emplace_back(entry.name);
    }
    throw InputError("no bench '" + printable(name) + "'; there are " + joined(names) +
                     did_you_mean(name, names));
}

}  // namespace limber::app
