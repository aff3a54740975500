// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The allowed key that a word of textbooks or of other programs means (E: young, dt: step); empty
/// where it means none of them.
std::string key_meant(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace limber
