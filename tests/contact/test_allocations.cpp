// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "contact/body_samples.h"
#include "contact/complementarity_samples.h"
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

TEST(BodyContacts, allocate_nothing_in_a_steady_state) {
    const ThreadLimit limit(1);
    Bodies b;
    b.add(make_sphere(1, 8), {0, 0, 0});
    const Index upper = b.add(make_sphere(1, 8), {0, 1.97, 0.1}, {0.3, -0.1, 0});
    b.add(cube(1, 3), {0, -1.48, 0});
    Obstacle rock;
    rock.shape = MeshShape(boundary_surface(make_sphere(0.5, 4)));
    rock.position = {1.45, 0, 0};
    rock.motion.angle = {{0, 10}, {0, 1}};
    b.obstacles = {rock};
    std::vector<Vec3d> f(b.x.size());
    PenaltyContact method({.self = true});
    const auto step = [&](double way) {
        for (Index i = upper; i < upper + 729; ++i) b.x[i].x = b.rest[i].x + way;
        method.detect(b.input(), b.set);
        method.respond(b.input(), b.set);
        method.read_back(b.input(), b.v, b.set, f);
    };
    for (int i = 0; i < 20; ++i) step(0.01 * (i % 10));
    EXPECT_GT(b.set.contacts.size(), 10u);
    const long before = n_allocations;
    for (int i = 0; i < 20; ++i) step(0.01 * (i % 10));
    EXPECT_EQ(n_allocations, before);
}

TEST(ComplementaritySolver, allocates_nothing_once_it_has_seen_the_largest_problem) {
    const ThreadLimit limit(1);
    SampleProblem large, small;
    for (Index i = 0; i < 60; ++i) large.add(ConstraintGroup::Kind::friction, 3, 0.5);
    for (Index i = 0; i < 50; ++i) small.add(ConstraintGroup::Kind::friction, 3, 0.5);
    fill_random(large, 1, 200, 0.1);
    for (double& u : large.u_free) u -= 2;  // everything acts
    fill_random(small, 2, 200, 0.1);
    for (const ComplementarityMethod method :
         {ComplementarityMethod::gauss_seidel, ComplementarityMethod::coloured,
          ComplementarityMethod::nonsmooth_cg, ComplementarityMethod::projected_gradient}) {
        const auto solver = make_complementarity_solver(method);
        std::vector<double> p = large.zero(), q = small.zero();
        EXPECT_TRUE(solver->solve(large.view(), {}, p).converged);
        const long before = n_allocations;
        EXPECT_TRUE(solver->solve(small.view(), {}, q).converged);
        EXPECT_EQ(n_allocations, before) << solver->name();
    }
}

}  // namespace
}  // namespace limber
