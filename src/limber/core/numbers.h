// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as they stand in files: no locale, nothing after the number, and the shortest text that
// reads back to the same bits.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "limber/core/export.h"

namespace limber {

/// A finite decimal number: "1.5", "-2e3", "+.5". Numbers too small for a double become zero;
/// hexadecimal, nan, inf, "1,5" and "1d3" are not taken.
LIMBER_API std::optional<double> parse_finite(std::string_view text);

/// A decimal whole number that fits in 64 bits.
LIMBER_API std::optional<std::int64_t> parse_whole(std::string_view text);

/// The shortest decimal number that reads back as exactly `d`; nan and inf as TOML writes them.
LIMBER_API std::string number_text(double d);

}  // namespace limber
