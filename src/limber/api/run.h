// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/api/scene.h"
#include "limber/api/world.h"
#include "limber/core/export.h"

namespace limber::api {

struct LIMBER_API RunOptions {
    std::string folder;                 // the run folder; an earlier run in it is refused
    bool overwrite = false;             // ... or replaced
    bool resume = false;                // ... or gone on with, from its newest checkpoint
    std::vector<std::string> sets;      // as of --set
    std::optional<std::int64_t> steps;  // until this step instead of the scene's end
    Observer* observer = nullptr;       // told of every step; null: nobody
};

struct LIMBER_API RunResult {
    std::string outcome;  // "done", "failed", "interrupted"
    StepReport last;
    std::string state_hash;
    std::vector<std::string> verdict, warnings, chosen;
};

/// What `limber run` does, without a word: a scene into a run folder (docs/results.md).
LIMBER_API RunResult run(const Scene& scene, const RunOptions& options);

}  // namespace limber::api
