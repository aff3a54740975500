// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// Positions [m] and velocities [m/s] of a state lie below this. Beyond, squares times a stiffness
/// overflow: such a state is as good as infinite, and no file may hold what follows from it.
inline constexpr double largest_in_state = 1e75;

}  // namespace limber
