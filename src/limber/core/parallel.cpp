// SPDX-License-Identifier: Apache-2.0
#include "limber/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace limber {

struct ThreadLimit::Control {
    tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int n)
    : control_(new Control{tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                               n > 0 ? n : tbb::info::default_concurrency())}) {}
ThreadLimit::~ThreadLimit() = default;

int thread_count() {
    return static_cast<int>(
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

namespace detail {

void run_chunks(Index n_chunks, void* context, ChunkFunction function) {
    if (n_chunks <= 1 || thread_count() == 1) {
        for (Index chunk = 0; chunk < n_chunks; ++chunk) function(context, chunk);
        return;
    }
    tbb::parallel_for(
        Index{0}, n_chunks, [=](Index chunk) { function(context, chunk); },
        tbb::static_partitioner{});
}

}  // namespace detail

}  // namespace limber
