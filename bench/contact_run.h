// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/study/statistics.h"

namespace limber::bench {

/// The world of a scene in a string; `name` is what errors call it.
std::unique_ptr<World> world_of_text(const std::string& text, const std::string& name);

/// What the steps of a run took and had to do: means over the steps that count.
struct ContactRun {
    Index n_nodes = 0, n_tets = 0;
    double constraints = 0, contacts = 0, iterations = 0, solver_iterations = 0;
    double passes = 0, rounds = 0;  // of contact: with the solver, and of acting rows
    double built = 0, renewed = 0;  // share of W's rows built; of the factor renewed
    std::array<double, n_stages> stage_ms{};
    Spread ms;            // whole steps
    double residual = 0;  // largest
    int steps = 0, capped = 0;
    std::string failure;  // why it ended early; empty: it did not

    double of(Stage s) const { return stage_ms[static_cast<int>(s)]; }
};
/// `skip` steps that do not count, then `steps`, of which those with constraints do. With 0 all
/// count from the first touch on, the impact among them.
ContactRun run_contact(World& world, int skip, int steps);

}  // namespace limber::bench
