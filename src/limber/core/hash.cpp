// SPDX-License-Identifier: Apache-2.0
#include "limber/core/hash.h"

#include <cstdio>

#include <xxhash.h>

namespace limber {

std::uint64_t hash64(const void* data, std::size_t size, std::uint64_t seed) {
    return XXH3_64bits_withSeed(data, size, seed);
}

std::string hex64(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace limber
