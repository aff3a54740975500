// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/penalty.h"

#include <gtest/gtest.h>

#include "contact/point_masses.h"

namespace limber {
namespace {

PointMasses explicit_mass(double h) {
    PointMasses p;
    p.options.form = PenaltyForm::explicit_form;
    p.h = h;
    p.obstacles = {floor_plane()};
    return p;
}

TEST(PenaltyExplicit, mass_dropped_on_a_plane_comes_to_rest) {
    PointMasses p = explicit_mass(1e-3);
    p.options.stiffness = 2e3;  // h sqrt(k/m) = 0.1
    p.options.damping = 0.5;
    p.add({0, 0.05, 0}, {});
    p.run(4);
    EXPECT_NEAR(1e-3 - p.x[0].y, 0.2 * g / 2e3, 1e-6);
    EXPECT_NEAR(p.f[0].y, 0.2 * g, 1e-4);
}

TEST(PenaltyExplicit, automatic_stiffness_is_stable) {
    PointMasses p = explicit_mass(1e-3);
    p.add({0, 2e-3, 0}, {});
    const double start = p.energy();
    PenaltyContact method(p.options);
    for (int i = 0; i < 5000; ++i) {
        p.step(method);
        ASSERT_LT(p.energy(), 1.1 * start);
    }
    EXPECT_LT(norm(p.v[0]), 1e-3);
}

TEST(PenaltyExplicit, incline_sticks_or_slides_by_coulombs_law) {
    for (int degrees = 5; degrees <= 45; degrees += 5)
        for (int tenths = 1; tenths <= 11; tenths += 2) {
            const double mu = tenths / 10.0, a = degrees * pi / 180, load = std::tan(a) / mu;
            if (load > 0.99 && load < 1.01) continue;
            PointMasses p = explicit_mass(1e-3);
            p.options.friction = mu;
            p.gravity = incline_gravity(degrees);
            p.add({0, 1e-3 - g * std::cos(a) * p.h * p.h / 0.1, 0}, {});
            p.run(1);
            if (load < 1)  // creeps at h f_t / m
                EXPECT_NEAR(p.v[0].x, p.h * g * std::sin(a), 1e-9) << degrees << " " << mu;
            else
                EXPECT_NEAR(p.v[0].x, g * (std::sin(a) - mu * std::cos(a)),
                            2 * p.h * g)  // one step late at the start
                    << degrees << " " << mu;
        }
}

TEST(PenaltyExplicit, never_attracts) {
    PointMasses p = explicit_mass(1e-3);
    p.options.damping = 1;
    p.gravity = {};
    p.add({0, 0.5e-3, 0}, {0, 2, 0});
    PenaltyContact method(p.options);
    for (int i = 0; i < 10; ++i) {
        p.step(method);
        EXPECT_GE(p.f[0].y, 0);
        EXPECT_GE(p.v[0].y, 2);
    }
}

}  // namespace
}  // namespace limber
