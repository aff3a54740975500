// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/numbers.h"

namespace limber {

// Numbers and names as they stand in result files: no locale, shortest form that reads back to the
// same bits.

/// Appends the number; false and nothing appended when it is not finite.
bool append_number(std::string& out, double value);
void append_number(std::string& out, std::int64_t value);

/// `name` as a file name that every system takes: letters, digits, '-', '_' and '.', at most 64,
/// not starting with a dot.
std::string file_stem(std::string_view name);
/// The same for a list, all different, also where upper and lower case are one.
std::vector<std::string> file_stems(std::span<const std::string> names);
/// <stem>_000123.<extension>: six digits or more.
std::string numbered_file(std::string_view stem, std::int64_t number, std::string_view extension);

}  // namespace limber
