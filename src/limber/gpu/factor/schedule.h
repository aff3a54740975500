// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/core/types.h"

namespace limber::gpu {

/// Tasks and what they wait for. Tasks are numbered so that inputs come before what they enter.
struct TaskGraph {
    struct Input {
        Index from, to;
        bool late;  // a task may begin while the tasks of its late inputs are still at work
    };
    std::vector<double> work;  // time of a task that waits for nothing [us]
    std::vector<double> end;   // of that, what is left when its last input arrives
    std::vector<Input> inputs;
};

/// The order in which `workers` that take tasks by the longest path from there to the end would
/// begin them (list scheduling, Graham 1966). A task stands behind all its inputs.
std::vector<Index> schedule(const TaskGraph& graph, int workers);

}  // namespace limber::gpu
