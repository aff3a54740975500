// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "count_allocations.h"
#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

TEST(Penalty, allocates_nothing_after_the_first_step) {
    const ThreadLimit limit(1);  // the thread pool has its own bookkeeping
    constexpr Index n = 3000;
    std::vector<Vec3d> x(n), v(n), f(n);
    std::vector<double> mass(n, 0.1);
    std::vector<Index> surface(n);
    std::vector<Obstacle> obstacles(2);
    obstacles[1].shape = SphereShape{0.5};
    obstacles[1].position = {100, 100, 100};
    obstacles[1].motion.angle = {{0, 1}, {0, 1}};
    for (Index i = 0; i < n; ++i) {
        surface[i] = i;
        x[i] = {0, 0.001 * i, 0};
        v[i] = {1, -1, 0};
    }
    PenaltyContact method(PenaltyOptions{});
    ContactSet set;
    const ContactInput start{x, v, surface, obstacles, mass, 0, 0.01};
    method.detect(start, set);
    method.respond(start, set);
    method.read_back(start, v, set, f);
    const std::size_t first = set.contacts.size();
    const long before = n_allocations;
    std::size_t last = 0;
    for (int step = 1; step < 200; ++step) {
        for (Vec3d& p : x) p += 0.01 * Vec3d{1, -1, 0};
        const ContactInput in{x, v, surface, obstacles, mass, 0.01 * step, 0.01};
        method.detect(in, set);
        method.respond(in, set);
        method.read_back(in, v, set, f);
        max_penetration(x, surface, obstacles, 0.01 * step);
        last = set.contacts.size();
    }
    EXPECT_EQ(n_allocations, before);
    EXPECT_GT(last, first + 1000);  // although many more nodes touch
}

}  // namespace
}  // namespace limber
