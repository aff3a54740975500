// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <cstdlib>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber::app {

namespace {

int checked(const std::string& text, const std::string& what) {
    const auto n = parse_whole(text);
    if (!n || *n < 1 || *n > max_threads)
        throw InputError(what + " '" + printable(text) + "': a number of threads from 1 to " +
                         std::to_string(max_threads) + " is allowed");
    return static_cast<int>(*n);
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

void add_device(CLI::App& command, std::string& device) {
    command
        .add_option("--device", device,
                    "device of the scene: what computes the steps; see limber list support")
        ->type_name("cpu|cuda");
}

std::vector<std::string> device_sets(const std::string& device) {
    if (device.empty()) return {};
    return {"device=\"" + device + '"'};
}

}  // namespace limber::app
