// SPDX-License-Identifier: Apache-2.0
#include "limber/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace limber {
namespace {

TEST(ThreadLimit, holds_while_it_lives) {
    const int before = thread_count();
    {
        const ThreadLimit one(1);
        EXPECT_EQ(thread_count(), 1);
        const ThreadLimit three(3);
        EXPECT_LE(thread_count(), 3);  // the tighter of nested limits wins
    }
    EXPECT_EQ(thread_count(), before);
    const ThreadLimit all(0);
    EXPECT_GE(thread_count(), 1);
}

TEST(ParallelChunks, calls_every_chunk_once) {
    for (int threads : {1, 2, 3, 4}) {
        const ThreadLimit limit(threads);
        for (Index n : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> calls(n);
            parallel_chunks(n, [&](Index chunk) { ++calls[chunk]; });
            for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
        }
    }
}

TEST(ParallelRanges, cover_the_items_without_overlap) {
    for (Index n : {0, 1, 9, 10, 11, 999}) {
        std::vector<std::atomic<int>> calls(n);
        parallel_ranges(n, 10, [&](Index begin, Index end) {
            ASSERT_EQ(begin % 10, 0);
            ASSERT_LT(begin, end);
            ASSERT_LE(end - begin, 10);
            for (Index i = begin; i < end; ++i) ++calls[i];
        });
        for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
    }
}

TEST(ParallelFor, calls_every_item_once) {
    for (int threads : {1, 4}) {
        const ThreadLimit limit(threads);
        std::vector<std::atomic<int>> calls(1001);
        parallel_for(1001, 16, [&](Index i) { ++calls[i]; });
        for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
    }
}

TEST(ParallelSum, has_the_same_bits_for_any_number_of_threads) {
    const Index n = 100003, grain = 64;
    std::vector<double> partial((n + grain - 1) / grain);
    const auto term = [](Index i) { return std::sin(0.1 * i) * std::exp(-1e-4 * i); };
    const auto range = [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) sum += term(i);
        return sum;
    };
    double expected = 0;
    {
        const ThreadLimit limit(1);
        expected = parallel_sum(n, grain, std::span(partial), range);
    }
    double plain = 0;
    for (Index i = 0; i < n; ++i) plain += term(i);
    EXPECT_NEAR(expected, plain, 1e-10);
    for (int threads : {1, 2, 3, 4})
        for (int repeat = 0; repeat < 20; ++repeat) {
            const ThreadLimit limit(threads);
            ASSERT_EQ(parallel_sum(n, grain, std::span(partial), range), expected) << threads;
        }
}

TEST(ParallelSum, of_nothing_is_zero) {
    std::vector<double> none;
    EXPECT_EQ(parallel_sum(0, 8, std::span(none), [](Index, Index) { return 1.0; }), 0);
}

TEST(ParallelChunks, nests) {
    std::atomic<int> calls{0};
    parallel_chunks(10, [&](Index) { parallel_chunks(10, [&](Index) { ++calls; }); });
    EXPECT_EQ(calls, 100);
}

TEST(ParallelChunks, passes_exceptions_on) {
    for (int threads : {1, 4}) {
        const ThreadLimit limit(threads);
        EXPECT_THROW(parallel_chunks(100,
                                     [](Index chunk) {
                                         if (chunk == 57) throw std::runtime_error("57");
                                     }),
                     std::runtime_error);
    }
}

TEST(ParallelTiles, calls_every_tile_once) {
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        for (Index n : {0, 1, 7, 1000}) {
            std::vector<std::atomic<int>> calls(n);
            parallel_tiles(n, [&](Index i) { ++calls[i]; });
            for (const auto& count : calls) ASSERT_EQ(count, 1);
        }
    }
}

/// Parents of a forest of 300 tasks of an uneven shape, with several roots.
std::vector<Index> forest() {
    std::vector<Index> parent(300);
    for (Index i = 0; i < 300; ++i)
        parent[i] = i % 97 == 96 || i == 299 ? -1 : std::min<Index>(299, i + 1 + (i * 7) % 5);
    return parent;
}

TEST(TaskTree, runs_children_before_parents_and_parents_before_children) {
    const std::vector<Index> parent = forest();
    TaskTree tree(parent);
    for (int threads : {1, 2, 4})
        for (int repeat = 0; repeat < 20; ++repeat) {
            const ThreadLimit limit(threads);
            std::vector<std::atomic<int>> when(300);
            std::atomic<int> clock{0};
            const auto run = [&](Index i) { when[i] = ++clock; };
            const auto child_first = [&](bool up) {
                for (Index i = 0; i < 300; ++i) {
                    ASSERT_GT(when[i], 0);
                    if (parent[i] == -1) continue;
                    ASSERT_EQ(when[i] < when[parent[i]], up) << "task " << i;
                }
                ASSERT_EQ(clock, 300);
            };
            tree.upward({}, run);
            child_first(true);
            clock = 0;
            tree.downward({}, run);
            child_first(false);
        }
}

TEST(TaskTree, runs_what_is_to_do_alone) {
    const std::vector<Index> parent = forest();
    TaskTree tree(parent);
    std::vector<char> todo(300, 0);
    for (Index i : {3, 50, 51, 200})
        for (Index k = i; k != -1; k = parent[k]) todo[k] = 1;
    for (int threads : {1, 4}) {
        const ThreadLimit limit(threads);
        std::vector<std::atomic<int>> calls(300);
        // Tiles inside a task: what a large front does.
        const auto run = [&](Index i) { parallel_tiles(5, [&](Index) { ++calls[i]; }); };
        tree.upward(todo, run);
        tree.downward(todo, run);
        for (Index i = 0; i < 300; ++i) ASSERT_EQ(calls[i], todo[i] ? 10 : 0) << "task " << i;
    }
}

}  // namespace
}  // namespace limber
