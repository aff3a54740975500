// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that never change the result. Work is cut into chunks of a fixed size that depends on the
// problem alone, never on the number of threads; sums are taken chunk by chunk and then added in
// chunk order. One thread runs the chunks in order without touching the pool.

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

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
void run_tiles(Index n_tiles, void* context, ChunkFunction function);

template <class F>
void* context_of(F& f) {
    return const_cast<void*>(static_cast<const void*>(std::addressof(f)));
}
template <class F>
void call(void* context, Index i) {
    (*static_cast<F*>(context))(i);
}
}  // namespace detail

/// Calls f(chunk) for chunk = 0 .. n_chunks - 1, in any order, on any thread. Allocates nothing
/// itself.
template <class F>
void parallel_chunks(Index n_chunks, F&& f) {
    detail::run_chunks(n_chunks, detail::context_of(f), detail::call<std::remove_reference_t<F>>);
}

/// The same for pieces of unequal work, inside a task of a tree as well: threads take the next
/// piece as they finish one, and a thread that waits here does not start other tasks meanwhile.
template <class F>
void parallel_tiles(Index n_tiles, F&& f) {
    detail::run_tiles(n_tiles, detail::context_of(f), detail::call<std::remove_reference_t<F>>);
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

/// Tasks that depend on each other as nodes of a forest. Children have smaller numbers than their
/// parents; one thread runs the tasks in order of their numbers.
class TaskTree {
  public:
    TaskTree() = default;
    /// parent[i] > i, or -1 for a root.
    explicit TaskTree(std::vector<Index> parent);
    Index size() const { return static_cast<Index>(parent_.size()); }

    /// Calls f(i) for every i with todo[i] != 0, after f of its children that are to do. An empty
    /// `todo` means all. f must not throw.
    template <class F>
    void upward(std::span<const char> todo, F&& f) {
        run_upward(todo, detail::context_of(f), detail::call<std::remove_reference_t<F>>);
    }
    /// Calls f(i) after f of its parent. Where i is to do, its ancestors are as well.
    template <class F>
    void downward(std::span<const char> todo, F&& f) {
        run_downward(todo, detail::context_of(f), detail::call<std::remove_reference_t<F>>);
    }

  private:
    void run_upward(std::span<const char> todo, void* context, detail::ChunkFunction function);
    void run_downward(std::span<const char> todo, void* context, detail::ChunkFunction function);

    std::vector<Index> parent_, child_begin_, child_, root_;
    std::unique_ptr<std::atomic<Index>[]> pending_;  // children that are not done yet
};

}  // namespace limber
