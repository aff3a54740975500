// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace limber {

class World;

// What went wrong, as the page is told it (docs/view_protocol.md). Without faults where all is
// well.

/// Of a simulation: since the step at which this world was made. `failure`: why it stopped, or
/// empty.
std::string verdict_message(const World& world, std::int64_t since, const std::string& failure);
/// Of finished runs: what summary.json of each folder says. Where it cannot be read the message
/// says that nothing is known.
std::string verdict_message(const std::vector<std::string>& dirs);

}  // namespace limber
