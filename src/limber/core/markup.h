// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace limber {

/// Safe inside text and quoted attributes of XML and HTML.
std::string markup_escaped(std::string_view text);

}  // namespace limber
