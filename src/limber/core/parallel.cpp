// SPDX-License-Identifier: Apache-2.0
#include "limber/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <optional>

namespace limber {

namespace {

// More threads than cores are only asked for to show that results do not depend on them; the pool's
// own arena stops at the cores, so such a limit brings one of its own.
tbb::task_arena* wide_arena = nullptr;

}  // namespace

struct ThreadLimit::Control {
    explicit Control(int n) : limit(tbb::global_control::max_allowed_parallelism, n) {
        if (n > tbb::info::default_concurrency()) wide_arena = &arena.emplace(n);
    }
    ~Control() { wide_arena = outer; }
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    tbb::global_control limit;
    std::optional<tbb::task_arena> arena;
    tbb::task_arena* outer = wide_arena;
};

ThreadLimit::ThreadLimit(int n)
    : control_(std::make_unique<Control>(n > 0 ? n : tbb::info::default_concurrency())) {}
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
    const auto all = [=] {
        tbb::parallel_for(
            Index{0}, n_chunks, [=](Index chunk) { function(context, chunk); },
            tbb::static_partitioner{});
    };
    if (wide_arena)
        wide_arena->execute(all);
    else
        all();
}

}  // namespace detail

}  // namespace limber
