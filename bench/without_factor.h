// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "step_race.h"

namespace limber::bench {

/// All our methods without a factor in the steps of a run, and one Newton iteration with one:
/// tables and a plot of error against time, and whether our default has come nearest at the time
/// that the 96 iterations of Wang & Yang 2016 take. `plain`: the same scene without the conversion
/// of inverted elements, for xpbd; null: its law is not one that xpbd has.
void race_without_factor(const BenchOptions& options, const std::string& name,
                         const RaceScene& scene, const RaceScene* plain, const RaceRun& run,
                         const std::vector<RaceStep>& steps, BenchResult& result);

}  // namespace limber::bench
