// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/implicit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "limber/core/errors.h"

namespace limber {
namespace {

/// Points spread over a box of half side `reach`, the same in every run.
Vec3d sample(int i, double reach) {
    return {reach * std::sin(1.1 * i + 0.3), reach * std::sin(2.3 * i + 1),
            reach * std::sin(3.7 * i + 2)};
}

struct Case {
    std::string name;
    std::function<Solid()> make;
    bool exact;  // a signed distance everywhere
};

std::vector<Case> cases() {
    const auto ball = [] { return make_ball({0.4, 0, 0}, 0.7); };
    const auto block = [] { return make_block({-0.2, 0.1, 0}, {1, 0.8, 0.6}); };
    return {
        {"ball", ball, true},
        {"block", block, true},
        {"rounded block",
         [] {
             return make_block({0, 0.1, 0}, {1, 0.8, 0.6}, 0.2);
         },
         true},
        {"capsule",
         [] {
             return make_capsule({-0.5, 0, 0.1}, {0.4, 0.6, 0}, 0.3);
         },
         true},
        {"rounded cone",
         [] {
             return make_rounded_cone({-0.5, 0, 0.1}, 0.5, {0.4, 0.6, 0}, 0.2);
         },
         true},
        {"cone with one end in the other",
         [] {
             return make_rounded_cone({0, 0, 0}, 0.2, {0.1, 0, 0}, 0.6);
         },
         true},
        {"ellipsoid",
         [] {
             return make_ellipsoid({0.1, 0, 0}, {0.9, 0.5, 0.3});
         },
         true},
        {"torus",
         [] {
             return make_torus({0, 0.1, 0}, {1, 2, 2}, 0.7, 0.2);
         },
         true},
        {"rod",
         [] {
             return make_rod({-0.5, -0.2, 0}, {0.5, 0.4, 0.3}, 0.3);
         },
         true},
        {"half space",
         [] {
             return make_half_space({0, 3, 4}, 0.2);
         },
         true},
        {"placed block",
         [=] {
             return place(block(), rotation_about({0.6, 0, 0.8}, 0.9), {0.2, 0, -0.1}, 1.4);
         },
         true},
        {"union", [=] { return unite(ball(), block()); }, false},
        {"smooth union", [=] { return smooth_unite(ball(), block(), 0.4); }, false},
        {"intersection", [=] { return intersect(ball(), block()); }, false},
        {"difference", [=] { return subtract(block(), ball()); }, false},
        {"grown", [=] { return grow(block(), 0.1); }, false},
    };
}

TEST(Implicit, values_change_no_faster_than_the_way_gone) {
    for (const Case& c : cases()) {
        const Solid solid = c.make();
        for (int i = 0; i < 2000; ++i) {
            const Vec3d p = sample(i, 1.6), q = p + 0.1 * sample(7 * i + 1, 1);
            EXPECT_LE(std::fabs(solid->value(p) - solid->value(q)),
                      solid->lipschitz() * norm(p - q) + 1e-12)
                << c.name;
        }
    }
}

// Along the gradient of a distance the value falls by the way gone, down to the surface.
TEST(Implicit, primitives_are_distances) {
    for (const Case& c : cases()) {
        if (!c.exact) continue;
        const Solid solid = c.make();
        int n = 0;
        for (int i = 0; i < 400; ++i) {
            const Vec3d p = sample(i, 1.6);
            const double value = solid->value(p), e = 1e-6;
            if (value < 0.01) continue;  // inside, distances have creases
            Vec3d gradient;
            for (int a = 0; a < 3; ++a) {
                Vec3d up = p, down = p;
                up[a] += e;
                down[a] -= e;
                gradient[a] = (solid->value(up) - solid->value(down)) / (2 * e);
            }
            EXPECT_NEAR(norm(gradient), 1, 1e-4) << c.name;
            EXPECT_NEAR(solid->value(p - value * gradient), 0, 1e-5) << c.name;
            ++n;
        }
        EXPECT_GT(n, 50) << c.name;
    }
}

TEST(Implicit, bounds_hold_the_solid_and_are_tight_for_primitives) {
    for (const Case& c : cases()) {
        const Solid solid = c.make();
        const Box3 box = solid->bounds();
        if (!is_finite(box.size())) continue;
        Box3 found{{9, 9, 9}, {-9, -9, -9}};
        const int n = 60;
        for (int k = 0; k < n * n * n; ++k) {
            const Vec3d p{-2 + 4.0 * (k % n) / (n - 1), -2 + 4.0 * (k / n % n) / (n - 1),
                          -2 + 4.0 * (k / n / n) / (n - 1)};
            if (solid->value(p) >= 0) continue;
            for (int a = 0; a < 3; ++a) {
                EXPECT_GE(p[a], box.lo[a] - 1e-12) << c.name;
                EXPECT_LE(p[a], box.hi[a] + 1e-12) << c.name;
                found.lo[a] = std::min(found.lo[a], p[a]);
                found.hi[a] = std::max(found.hi[a], p[a]);
            }
        }
        // Grid points are 0.068 apart; a tilted block's corner needs a few more to be hit.
        if (c.exact && c.name != "placed block")
            for (int a = 0; a < 3; ++a) {
                EXPECT_NEAR(found.lo[a], box.lo[a], 0.15) << c.name;
                EXPECT_NEAR(found.hi[a], box.hi[a], 0.15) << c.name;
            }
    }
}

TEST(Implicit, ellipsoid_is_right_on_its_axes_and_middle_planes) {
    const Solid e = make_ellipsoid({0, 0, 0}, {3, 2, 1});
    EXPECT_NEAR(e->value({5, 0, 0}), 2, 1e-8);
    EXPECT_NEAR(e->value({0, 0, 3}), 2, 1e-8);
    EXPECT_NEAR(e->value({0, 0, 0}), -1, 1e-8);
    EXPECT_NEAR(e->value({0, 0, 0.25}), -0.75, 1e-8);
    const Solid ball = make_ellipsoid({0, 0, 0}, {1, 1, 1});
    for (int i = 0; i < 100; ++i)
        EXPECT_NEAR(ball->value(sample(i, 2)), norm(sample(i, 2)) - 1, 1e-8);
}

TEST(Implicit, smooth_union_adds_a_quarter_of_its_width_where_values_are_equal) {
    const Solid s = smooth_unite(make_ball({-1, 0, 0}, 1), make_ball({1, 0, 0}, 1), 0.4);
    EXPECT_NEAR(s->value({0, 0, 0}), -0.1, 1e-15);
    EXPECT_DOUBLE_EQ(s->value({3, 0, 0}), 1);
}

TEST(Implicit, refuses_sizes_that_make_no_solid) {
    EXPECT_THROW(make_ball({0, 0, 0}, 0), Bug);
    EXPECT_THROW(make_block({0, 0, 0}, {1, 1, 0.1}, 0.2), Bug);
    EXPECT_THROW(make_torus({0, 0, 0}, {0, 0, 0}, 1, 0.1), Bug);
    EXPECT_THROW(unite(std::vector<Solid>{}), Bug);
    EXPECT_THROW(unite(make_ball({0, 0, 0}, 1), nullptr), Bug);
}

}  // namespace
}  // namespace limber
