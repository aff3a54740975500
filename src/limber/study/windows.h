// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/study/contestant.h"

namespace limber {

/// States spread evenly over a run of the scene, the first one at its start: step 0, s, 2 s, ...
/// below n_steps with s = n_steps / count. Each is kept in `dir` (made where missing) under the
/// scene's name and hash, so that a second call finds it; a damaged file is made anew. A run that
/// fails gives the states up to there.
std::vector<Snapshot> window_starts(const SceneDef& scene, const Model& model, int count,
                                    std::int64_t n_steps, const std::string& dir);

}  // namespace limber
