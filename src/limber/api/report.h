// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/core/export.h"

namespace limber::api {

/// What a step has to say, as in steps.csv (docs/results.md).
struct LIMBER_API StepReport {
    std::int64_t step = 0;  // its number, from 1
    double time = 0;        // at its end [s]
    double wall_ms = 0;
    std::string_view status;  // of the solver: "converged", "direct", ...
    int iterations = 0;
    double residual = 0;
    int substeps = 1;
    double kinetic = 0, elastic = 0, potential = 0;  // [J]
    int inverted_tets = 0;
    int contacts = 0;
    double max_penetration = 0;           // [m]
    double energy_gain = 0;               // [J] from nowhere, over the last 50 steps
    std::vector<std::string_view> flags;  // "substepped", "penetration", ...
    std::vector<std::pair<std::string_view, double>> stage_ms;
    bool failed = false;  // the world is where the step began
    std::string failure;  // why, with body, node and likely cause
};

}  // namespace limber::api
