// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <charconv>
#include <cstdlib>

#include "limber/core/errors.h"

namespace limber::app {

namespace {

int checked(const std::string& text, const std::string& what) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > max_threads)
        throw InputError(what + " '" + printable(text) + "': a number of threads from 1 to " +
                         std::to_string(max_threads) + " is allowed");
    return n;
}

}  // namespace

void add_threads(CLI::App& command, std::string& threads) {
    command
        .add_option("--threads", threads,
                    "worker threads, 1 to 1024; default: LIMBER_THREADS, else all cores")
        ->type_name("N");
}

int thread_limit(const std::string& threads) {
    if (!threads.empty()) return checked(threads, "--threads");
    if (const char* variable = std::getenv("LIMBER_THREADS"))
        return checked(variable, "environment variable LIMBER_THREADS");
    return 0;
}

}  // namespace limber::app
