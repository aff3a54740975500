// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that never change the result. Work is cut into chunks of a fixed size that depends on the
// problem alone, never on the number of threads; sums are taken chunk by chunk and then added in
// chunk order. One thread runs the chunks in order without touching the pool.

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>

#include "limber/core/types.h"

namespace limber {

/// While it lives, parallel work uses at most n threads (0: all cores of the machine).
class ThreadLimit {
  public:
    explicit ThreadLimit(int n);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

  private:
    struct Control;
    std::unique_ptr<Control> control_;
};

/// Threads that parallel work may use now.
int thread_count();

namespace detail {
using ChunkFunction = void (*)(void* context, Index chunk);
void run_chunks(Index n_chunks, void* context, ChunkFunction function);
}  // namespace detail

/// Calls f(chunk) for chunk = 0 .. n_chunks - 1, in any order, on any thread. Allocates nothing
/// itself.
template <class F>
void parallel_chunks(Index n_chunks, F&& f) {
    using Function = std::remove_reference_t<F>;
    detail::run_chunks(
        n_chunks, const_cast<void*>(static_cast<const void*>(std::addressof(f))),
        [](void* context, Index chunk) { (*static_cast<Function*>(context))(chunk); });
}

/// Calls f(begin, end) for consecutive ranges of `grain` items (the last one may be shorter).
template <class F>
void parallel_ranges(Index n, Index grain, F&& f) {
    const Index n_chunks = (n + grain - 1) / grain;
    parallel_chunks(n_chunks, [&](Index chunk) {
        const Index begin = chunk * grain;
        f(begin, std::min<Index>(n, begin + grain));
    });
}

/// Calls f(i) for i = 0 .. n - 1.
template <class F>
void parallel_for(Index n, Index grain, F&& f) {
    parallel_ranges(n, grain, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) f(i);
    });
}

/// Σ over ranges of f(begin, end), added in range order: the same bits for any number of threads.
/// `partial` is scratch of at least ceil(n / grain) entries, owned by the caller so that nothing is
/// allocated.
template <class T, class F>
T parallel_sum(Index n, Index grain, std::span<T> partial, F&& f) {
    const Index n_chunks = (n + grain - 1) / grain;
    parallel_chunks(n_chunks, [&](Index chunk) {
        const Index begin = chunk * grain;
        partial[chunk] = f(begin, std::min<Index>(n, begin + grain));
    });
    T sum{};
    for (Index chunk = 0; chunk < n_chunks; ++chunk) sum += partial[chunk];
    return sum;
}

}  // namespace limber
