// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace limber {

/// What to write instead, for the slips that TOML's own message does not explain: a unit without
/// quotes, a word without quotes, a fraction. "; write young = \"500 kPa\"" or nothing; `line`
/// counts from 1.
std::string toml_hint(std::string_view text, int line);

}  // namespace limber
