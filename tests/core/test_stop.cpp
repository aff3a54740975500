// SPDX-License-Identifier: Apache-2.0
#include "limber/core/stop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "limber/core/parallel.h"

namespace limber {
namespace {

TEST(Stop, nothing_is_thrown_outside_a_scope) {
    StopFlag flag;
    flag.request();
    EXPECT_NO_THROW(stop_if_requested());
    EXPECT_NO_THROW(parallel_for(1000, 10, [](Index) {}));
    const StopScope scope(&flag);
    EXPECT_THROW(stop_if_requested(), Stopped);
    const StopScope not_now(nullptr);
    EXPECT_NO_THROW(stop_if_requested());
}

TEST(Stop, a_scope_ends_where_it_ends_and_a_cleared_flag_is_none) {
    StopFlag flag;
    flag.request(15);
    EXPECT_EQ(flag.why(), 15);
    {
        const StopScope scope(&flag);
        EXPECT_EQ(StopScope::current(), &flag);
    }
    EXPECT_EQ(StopScope::current(), nullptr);
    flag.clear();
    const StopScope scope(&flag);
    EXPECT_NO_THROW(stop_if_requested());
}

TEST(Stop, the_nth_look_finds_the_request) {
    StopFlag flag;
    flag.request_at_look(3);
    EXPECT_FALSE(flag.requested());
    EXPECT_FALSE(flag.requested());
    EXPECT_TRUE(flag.requested());
    EXPECT_TRUE(flag.requested());
}

/// Work of every kind is left at any of its pieces, by any number of threads, and goes through
/// whole afterwards.
TEST(Stop, parallel_work_is_left_at_every_piece) {
    constexpr Index n = 40;
    std::vector<Index> parents(n, -1);
    for (Index i = 0; i + 1 < n; ++i) parents[i] = std::min(n - 1, i + 1 + i % 3);
    TaskTree tree(parents);
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        std::atomic<int> done{0};
        const auto count = [&](Index) { ++done; };
        const std::vector<std::function<void()>> kinds = {
            [&] { parallel_chunks(n, count); },
            [&] { parallel_tiles(n, count); },
            [&] { tree.upward({}, count); },
            [&] { tree.downward({}, count); },
            [&] { parallel_chunks(4, [&](Index) { parallel_tiles(n / 4, count); }); },
        };
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            for (int look = 1; look <= n; ++look) {
                StopFlag flag;
                flag.request_at_look(look);
                const StopScope scope(&flag);
                done = 0;
                EXPECT_THROW(kinds[kind](), Stopped) << kind << " at " << look;
                EXPECT_LT(done, n);
            }
            done = 0;
            kinds[kind]();
            EXPECT_EQ(done, n);
        }
    }
}

TEST(Stop, another_thread_may_ask) {
    StopFlag flag;
    std::atomic<bool> looking{false};
    std::thread other([&] {
        while (!looking) std::this_thread::yield();
        flag.request();
    });
    const StopScope scope(&flag);
    const auto work = [&] {
        for (;;) parallel_for(100, 10, [&](Index) { looking = true; });
    };
    EXPECT_THROW(work(), Stopped);
    other.join();
}

}  // namespace
}  // namespace limber
