// SPDX-License-Identifier: Apache-2.0
#include "limber/api/version.h"

#include <cstdlib>
#include <memory>
#include <mutex>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"

namespace limber::api {

namespace {

constexpr int most_threads = 1024;

int thread_number(std::optional<std::int64_t> n, const std::string& what) {
    if (!n || *n < 1 || *n > most_threads)
        throw InputError(what + ": a number of threads from 1 to " + std::to_string(most_threads) +
                         " is allowed");
    return static_cast<int>(*n);
}

}  // namespace

std::string version() {
    return std::string(build_info().version);
}

std::string description() {
    const BuildInfo& info = build_info();
    return std::string(info.version) + " (" + std::string(info.commit) + "), " +
           std::string(info.flags);
}

void set_threads(int n) {
    static std::mutex mutex;
    static std::unique_ptr<ThreadLimit> limit;
    if (n != 0) n = thread_number(n, "threads = " + std::to_string(n));
    const char* variable = std::getenv("LIMBER_THREADS");
    if (n == 0 && variable)
        n = thread_number(parse_whole(variable),
                          "environment variable LIMBER_THREADS '" + printable(variable) + "'");
    const std::lock_guard lock(mutex);
    limit.reset();  // the lowest of several limits would hold
    if (n != 0) limit = std::make_unique<ThreadLimit>(n);
}

int threads() {
    return thread_count();
}

}  // namespace limber::api
