// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/penalty.h"

#include <gtest/gtest.h>

#include <random>

#include "contact/point_masses.h"

namespace limber {
namespace {

TEST(PenaltyImplicit, friction_sticks_below_the_cone_and_creeps_within_its_bound) {
    for (int degrees = 5; degrees <= 45; degrees += 5)
        for (int tenths = 1; tenths <= 11; ++tenths) {
            const double mu = tenths / 10.0, load = std::tan(degrees * pi / 180) / mu;
            if (load > 0.999) continue;
            PointMasses p;
            p.obstacles = {floor_plane()};
            p.options.friction = mu;
            p.gravity = incline_gravity(degrees);
            p.add({0, 1e-3 - g * std::cos(degrees * pi / 180) * p.h * p.h / 1000, 0}, {});
            PenaltyContact method(p.options);
            p.run(1, method);
            const double before = p.x[0].x;
            p.run(1, method);
            EXPECT_NEAR(p.x[0].x - before, p.options.slip_speed * load, 1e-3 * p.options.slip_speed)
                << degrees << " degrees, mu " << mu;
            EXPECT_NEAR(p.f[0].x, -0.2 * p.gravity.x, 1e-6);
        }
}

TEST(PenaltyImplicit, friction_slides_with_coulombs_acceleration) {
    for (int degrees = 5; degrees <= 45; degrees += 5)
        for (int tenths = 1; tenths <= 11; ++tenths) {
            const double mu = tenths / 10.0, a = degrees * pi / 180;
            const double expected = g * (std::sin(a) - mu * std::cos(a));
            PointMasses p;
            p.h = 1e-3;
            p.obstacles = {floor_plane()};
            p.options.friction = mu;
            p.gravity = incline_gravity(degrees);
            p.add({0, 1e-3 - g * std::cos(a) * p.h * p.h / 1000, 0}, {8, 0, 0});
            p.run(0.5);  // slows down to 2.7 m/s at most
            // Friction is lagged by a step: relative error h |acceleration| / speed < 0.4 % of it.
            EXPECT_NEAR((p.v[0].x - 8) / 0.5, expected, 0.004 * mu * g)
                << degrees << " degrees, mu " << mu;
        }
}

/// The first step of a contact has no friction: no normal force is known yet. Then a mass of speed
/// u under a load L < 1 of the cone keeps (u + h L a) / (u + h a) of it a step, a = mu g cos: from
/// h L a on at most 2 L / (1 + L), which adds up to this way until it sticks.
TEST(PenaltyImplicit, mass_that_must_stick_sticks_after_the_way_that_lagged_friction_takes) {
    for (const double h : {1.0 / 30, 1.0 / 240})
        for (const double load : {0.3, 0.7, 0.95}) {
            PointMasses p;
            p.h = h;
            p.obstacles = {floor_plane()};
            p.options.friction = std::tan(15 * pi / 180) / load;
            p.gravity = incline_gravity(15);
            p.add({0, 1e-3 - g * std::cos(15 * pi / 180) * h * h / 1000, 0}, {});
            const double seconds = 300 * h;
            p.run(seconds);
            EXPECT_LT(norm(p.v[0]), 1.01 * p.options.slip_speed) << "h " << h << ", load " << load;
            const double way = h * h * g * std::sin(15 * pi / 180) * (1 + load) / (1 - load);
            EXPECT_LT(p.x[0].x, way + p.options.slip_speed * seconds) << "h " << h;
        }
}

TEST(PenaltyImplicit, mass_released_above_the_cone_ends_up_sliding) {
    for (int degrees = 5; degrees <= 45; degrees += 5)
        for (int tenths = 1; tenths <= 11; ++tenths) {
            const double mu = tenths / 10.0, a = degrees * pi / 180;
            if (std::tan(a) / mu < 1.05) continue;
            const double expected = g * (std::sin(a) - mu * std::cos(a));
            PointMasses p;
            p.obstacles = {floor_plane()};
            p.options.friction = mu;
            p.gravity = incline_gravity(degrees);
            p.add({0, 1e-3 - g * std::cos(a) * p.h * p.h / 1000, 0}, {});
            PenaltyContact method(p.options);
            p.run(4, method);
            const double before = p.v[0].x;
            p.run(2, method);
            EXPECT_NEAR((p.v[0].x - before) / 2, expected, 0.02 * expected)
                << degrees << " degrees, mu " << mu;
        }
}

TEST(PenaltyImplicit, sliding_mass_comes_to_rest) {
    PointMasses p;
    p.h = 1e-3;
    p.obstacles = {floor_plane()};
    p.options.friction = 0.5;
    p.add({0, 1e-3, 0}, {1, 0, -1});
    p.run(2);
    EXPECT_LT(norm(p.v[0]), 1e-6);
    // Stops after v² / (2 mu g), in the direction of its velocity. Friction begins two steps late:
    // one that gravity needs to make contact, one of lag.
    EXPECT_NEAR(norm(Vec3d{p.x[0].x, 0, p.x[0].z}), 2 / (2 * 0.5 * g), 2 * std::sqrt(2.0) * p.h);
    EXPECT_NEAR(p.x[0].x, -p.x[0].z, 1e-12);
}

TEST(Penalty, friction_does_no_positive_work_and_respects_the_direction_of_slip) {
    for (PenaltyForm form : {PenaltyForm::implicit_form, PenaltyForm::explicit_form}) {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> s(-1, 1);
        PointMasses p;
        p.options.form = form;
        p.h = form == PenaltyForm::implicit_form ? 1.0 / 60 : 1e-3;
        p.obstacles = {floor_plane(), of_shape(SphereShape{0.5}),
                       of_shape(BoxShape{{0.2, 0.9, 0.2}})};
        p.obstacles[1].motion.angle = {{0, 1}, {0, 20}};
        p.obstacles[1].friction = 0.8;
        for (int i = 0; i < 200; ++i)
            p.add({s(random), 0.6 + 0.5 * s(random), s(random)},
                  {3 * s(random), 3 * s(random), 3 * s(random)});
        PenaltyContact method(p.options);
        double worst = 0;
        int seen = 0;
        for (int step = 0; step < 300; ++step) {
            const std::vector<Vec3d> v_start = p.v;
            p.step(method);
            for (std::size_t i = 0; i < p.set.contacts.size(); ++i) {
                const Contact& c = p.set.contacts[i];
                // The explicit form works against the slip it saw; the implicit one against the
                // slip at the end.
                const Vec3d& v =
                    form == PenaltyForm::implicit_form ? p.v[c.node()] : v_start[c.node()];
                const Vec3d f_t = c.force - dot(c.force, c.normal) * c.normal;
                const Vec3d u = v - c.surface_velocity, u_t = u - dot(u, c.normal) * c.normal;
                // The force is a difference of momenta of this size: what rounding may leave.
                const ContactTerm& term = p.set.terms[i];
                const double momentum =
                    norm(term.impulse) + frobenius_norm(term.block) * norm(p.v[c.node()]);
                worst = std::max(worst, dot(f_t, u_t) - 1e-14 * momentum / p.h * norm(u));
                seen += norm(f_t) > 0;
            }
        }
        EXPECT_LE(worst, 0);
        EXPECT_GT(seen, 500);
    }
}

TEST(PenaltyImplicit, conveyor_carries_the_mass_with_it) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.obstacles[0].motion.translate = {{0, 100}, {{0, 0, 0}, {50, 0, 0}}};  // 0.5 m/s
    p.add({0, 1e-3, 0}, {});
    PenaltyContact method(p.options);
    p.run(1, method);
    EXPECT_NEAR(p.v[0].x, 0.5, 1e-6);
    // Lost against the belt while it was slower: v² / (2 mu g).
    EXPECT_NEAR(0.5 * p.time - p.x[0].x, 0.25 / (2 * 0.3 * g), 0.01);
}

TEST(PenaltyImplicit, lift_carries_the_mass_and_counts_its_motion_once) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.obstacles[0].motion.translate = {{0, 100}, {{0, 0, 0}, {0, 200, 0}}};  // 2 m/s
    p.add({0, 1e-3, 0}, {});
    p.run(2);
    EXPECT_NEAR(p.v[0].y, 2, 1e-9);
    EXPECT_NEAR(p.x[0].y - 2 * p.time, 1e-3 - g * p.h * p.h / 1000, 1e-9);
}

TEST(PenaltyImplicit, forces_do_not_depend_on_the_frame_of_the_observer) {
    const Vec3d wind{3, -2, 5};
    PointMasses still, moving;
    still.obstacles = {of_shape(SphereShape{0.5})};
    moving.obstacles = still.obstacles;
    moving.obstacles[0].motion.translate = {{0, 10}, {{0, 0, 0}, 10.0 * wind}};
    still.add({0.1, 0.7, 0.05}, {0.3, -1, 0});
    moving.add({0.1, 0.7, 0.05}, Vec3d{0.3, -1, 0} + wind);
    still.run(0.5);
    moving.run(0.5);
    // Rounding grows as the mass slides off the top of the sphere, which is unstable.
    EXPECT_LT(norm(moving.x[0] - moving.time * wind - still.x[0]), 1e-7);
    EXPECT_GT(std::fabs(still.x[0].x), 0.11);  // it did slide off to the side
}

TEST(PenaltyImplicit, rotating_cylinder_drags_the_mass_along) {
    PointMasses p;
    Obstacle drum = of_shape(CylinderShape{1, 0.5});
    drum.friction = 0.9;
    drum.motion.angle = {{0, 100}, {0, 50}};  // 0.5 rad/s about y
    p.obstacles = {drum};
    p.add({0.5, 0.501, 0}, {});  // on its flat top, half way out
    p.run(4);
    EXPECT_NEAR(std::hypot(p.v[0].x, p.v[0].z), 0.25, 2e-3);
    EXPECT_NEAR(std::hypot(p.x[0].x, p.x[0].z), 0.5, 0.02);
    EXPECT_NEAR(std::atan2(-p.x[0].z, p.x[0].x), 0.5 * p.time, 0.15);
}

TEST(PenaltyImplicit, spinning_wall_drags_the_mass_tangentially) {
    PointMasses p;
    p.gravity = {-5, 0, 0};  // pressed against the wall
    Obstacle drum = of_shape(CylinderShape{1, 50});
    drum.motion.angle = {{0, 10}, {0, -20}};
    p.obstacles = {drum};
    p.add({1.0005, 0, 0}, {});
    p.run(5 * p.h);
    EXPECT_GT(p.v[0].z, 0);  // -2 rad/s about y moves (1, 0, 0) towards +z
    EXPECT_NEAR(p.v[0].y, 0, 1e-12);
}

TEST(PenaltyImplicit, elastic_column_slides_with_coulombs_deceleration) {
    Column column(1.0 / 240, {}, 1e-3);
    PenaltyContact method(column.p.options);
    for (int i = 0; i < 480; ++i) column.step(method);
    for (Vec3d& v : column.p.v) v.x += 3;
    for (int i = 0; i < 120; ++i) column.step(method);
    double mean = 0;
    for (const Vec3d& v : column.p.v) mean += v.x / Column::n;
    EXPECT_NEAR(3 - mean, 0.3 * g * 0.5, 0.02 * 0.3 * g * 0.5);
}

TEST(Penalty, obstacle_friction_overrides_the_default) {
    PointMasses p;
    p.obstacles = {floor_plane(), floor_plane(), floor_plane()};
    p.obstacles[1].friction = 0;
    p.obstacles[2].friction = 0.7;
    p.add({0, 0, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    method.respond(p.input(), p.set);
    ASSERT_EQ(p.set.contacts.size(), 3u);
    EXPECT_EQ(p.set.contacts[0].friction, 0.3);
    EXPECT_EQ(p.set.contacts[1].friction, 0);
    EXPECT_EQ(p.set.contacts[2].friction, 0.7);
}

}  // namespace
}  // namespace limber
