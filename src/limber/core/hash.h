// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace limber {

/// 64-bit checksum (XXH3). Not for security.
std::uint64_t hash64(const void* data, std::size_t size, std::uint64_t seed = 0);

template <class T>
std::uint64_t hash64(std::span<const T> values, std::uint64_t seed = 0) {
    return hash64(values.data(), values.size_bytes(), seed);
}

/// 16 lower-case hexadecimal digits.
std::string hex64(std::uint64_t value);

}  // namespace limber
