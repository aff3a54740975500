// SPDX-License-Identifier: Apache-2.0
#include "limber/core/memory.h"

#include <cstdlib>
#include <fstream>
#include <limits>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber {

double available_memory() {
    if (const char* text = std::getenv("LIMBER_MEMORY_LIMIT")) {
        const auto limit = parse_whole(text);
        if (!limit || *limit < 1)
            throw InputError("environment variable LIMBER_MEMORY_LIMIT '" + printable(text) +
                             "': a number of bytes >= 1 is allowed");
        return static_cast<double>(*limit);
    }
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    double kib = 0;
    while (info >> key >> kib >> unit)
        if (key == "MemAvailable:") return 1024 * kib;
    return std::numeric_limits<double>::infinity();
}

std::string bytes_text(double bytes) {
    const bool large = bytes >= 1e9;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", bytes / (large ? 1e9 : 1e6), large ? "GB" : "MB");
    return text;
}

void require_memory(double bytes, const std::string& what) {
    const double available = available_memory();
    if (bytes > available)
        throw InputError(what + " need about " + bytes_text(bytes) + " of memory; " +
                         bytes_text(available) + " are available");
}

}  // namespace limber
