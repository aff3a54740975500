// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace limber {

class World;

/// One line for each kind of thing that went wrong so far, in the order of FaultKind; none: all is
/// well.
std::vector<std::string> verdict_lines(const World& world);
/// The same as data, a JSON array of {kind, first_step, body, count, worst, text}; body is null
/// where it is not known.
std::string verdict_json(const World& world);

}  // namespace limber
