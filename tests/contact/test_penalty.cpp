// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/penalty.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <random>

#include "limber/contact/methods/none.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

const double pi = std::acos(-1.0);
constexpr double g = 9.81;

/// Point masses that feel gravity and contact:  (m I + Σ block) v⁺ = m v + h m gravity + Σ impulse,
/// x⁺ = x + h v⁺.
struct PointMasses {
    PenaltyOptions options;
    std::vector<Obstacle> obstacles;
    Vec3d gravity{0, -g, 0};
    double h = 1.0 / 240, time = 0;
    std::vector<Vec3d> x, v, f;
    std::vector<double> mass;
    std::vector<Index> surface;
    ContactSet set;
    int steps = 0;

    void add(const Vec3d& position, const Vec3d& velocity, double m = 0.2) {
        surface.push_back(static_cast<Index>(x.size()));
        x.push_back(position);
        v.push_back(velocity);
        f.push_back({});
        mass.push_back(m);
    }
    ContactInput input() const { return {x, v, surface, obstacles, mass, time, h}; }
    void step(ContactMethod& method) {
        method.detect(input(), set);
        std::vector<Vec3d> v_end(v.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            Mat3d A = mass[i] * Mat3d::identity();
            Vec3d b = mass[i] * (v[i] + h * gravity);
            for (; next < set.terms.size() && set.terms[next].node == Index(i); ++next) {
                A += set.terms[next].block;
                b += set.terms[next].impulse;
            }
            v_end[i] = inverse(A) * b;
        }
        EXPECT_EQ(next, set.terms.size());  // terms come by node
        std::fill(f.begin(), f.end(), Vec3d{});
        method.read_back(input(), v_end, set, f);
        v = v_end;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
        time = ++steps * h;
    }
    void run(double seconds, ContactMethod& method) {
        const int n = static_cast<int>(std::lround(seconds / h));
        for (int i = 0; i < n; ++i) step(method);
    }
    void run(double seconds) {
        PenaltyContact method(options);
        run(seconds, method);
    }
    double energy(int i = 0) const {
        return 0.5 * mass[i] * squared_norm(v[i]) - mass[i] * dot(gravity, x[i]);
    }
};

Obstacle floor_plane(const Vec3d& normal = {0, 1, 0}) {
    Obstacle o;
    o.shape = PlaneShape{normal};
    return o;
}
Obstacle of_shape(const ObstacleShape& shape) {
    Obstacle o;
    o.shape = shape;
    return o;
}

/// Gravity turned so that the floor y = 0 is an incline that falls towards +x.
Vec3d incline_gravity(double degrees) {
    const double a = degrees * pi / 180;
    return {g * std::sin(a), -g * std::cos(a), 0};
}

TEST(PenaltyImplicit, mass_dropped_on_a_plane_rests_where_the_spring_carries_it) {
    for (double stiffness : {0.0, 1e3, 1e5}) {
        PointMasses p;
        p.options.stiffness = stiffness;
        p.obstacles = {floor_plane()};
        p.add({0, 0.3, 0}, {});
        p.run(3);
        const double k =
            stiffness > 0 ? stiffness : automatic_stiffness(PenaltyForm::implicit_form, 0.2, p.h);
        EXPECT_NEAR(p.options.thickness - p.x[0].y, 0.2 * g / k, 1e-6 * p.options.thickness);
        EXPECT_NEAR(p.f[0].y, 0.2 * g, 1e-6);
        EXPECT_LT(norm(p.v[0]), 1e-6);
    }
}

TEST(PenaltyImplicit, automatic_stiffness_keeps_a_loaded_node_off_the_surface) {
    PointMasses p;
    p.h = 1.0 / 60;
    p.obstacles = {floor_plane()};
    p.gravity = {0, -300 * g, 0};  // carries 300 times its own mass
    p.add({0, 1e-3, 0}, {});
    p.run(5);
    EXPECT_GT(p.x[0].y, 0);
    EXPECT_LT(p.x[0].y, p.options.thickness);
}

TEST(PenaltyImplicit, impact_never_gains_energy) {
    for (double step : {1.0 / 60, 1.0 / 240, 1e-3})
        for (double speed : {0.1, 3.0, 100.0})
            for (double damping : {0.0, 0.1, 1.0}) {
                PointMasses p;
                p.h = step;
                p.options.damping = damping;
                p.obstacles = {floor_plane()};
                p.add({0, 0.05, 0}, {1, -speed, 0});
                PenaltyContact method(p.options);
                const double start = p.energy();
                for (int i = 0; i < 200; ++i) {
                    p.step(method);
                    EXPECT_LE(p.energy(), start * (1 + 1e-12));
                    // Stopped in the zone; the step in which gravity alone makes it touch is
                    // missed.
                    EXPECT_GT(p.x[0].y, -1e-2 * speed * step - g * step * step);
                }
            }
}

TEST(PenaltyImplicit, fast_mass_neither_tunnels_nor_meets_what_it_misses) {
    // 100 m/s at 1/60 s: 1.7 m a step, through a plate 2 cm thick.
    PointMasses p;
    p.h = 1.0 / 60;
    p.gravity = {};
    p.obstacles = {of_shape(BoxShape{{0.5, 0.01, 0.5}})};
    p.add({0.2, 1, 0.1}, {0, -100, 0});   // hits the plate
    p.add({0.52, 1, 0.1}, {0, -100, 0});  // passes its edge 2 cm away
    p.add({1, 1, 0}, {-100, 0, 0});       // flies over it
    p.run(2 * p.h);
    EXPECT_NEAR(p.x[0].y, 0.011, 1e-3);
    EXPECT_EQ(p.v[1], (Vec3d{0, -100, 0}));
    EXPECT_EQ(p.v[2], (Vec3d{-100, 0, 0}));
}

TEST(PenaltyImplicit, mass_rests_on_top_of_every_shape) {
    for (const auto& [shape, top] :
         std::vector<std::pair<ObstacleShape, Vec3d>>{{SphereShape{0.5}, {0, 0.5, 0}},
                                                      {BoxShape{{0.5, 0.3, 0.5}}, {0.2, 0.3, 0.1}},
                                                      {CylinderShape{0.4, 0.6}, {0.1, 0.6, 0}},
                                                      {TorusShape{0.5, 0.2}, {0, 0.2, 0.5}}}) {
        PointMasses p;
        p.obstacles = {of_shape(shape)};
        p.obstacles[0].friction = 0.5;
        p.add(top + Vec3d{0, 0.2, 0}, {});
        p.run(2);
        EXPECT_LT(norm(p.x[0] - top), 1.1e-3);
        EXPECT_LT(norm(p.v[0]), 1e-6);
    }
}

TEST(PenaltyImplicit, mass_thrown_up_inside_the_zone_leaves_freely) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.options.friction = 1;
    p.add({0, 0.9e-3, 0}, {0.5, 2, 0});
    PenaltyContact method(p.options);
    for (int i = 1; i <= 20; ++i) {
        p.step(method);
        EXPECT_TRUE(p.set.contacts.empty());
        EXPECT_NEAR(p.v[0].y, 2 - g * p.h * i, 1e-12);
        EXPECT_EQ(p.v[0].x, 0.5);
    }
}

TEST(PenaltyImplicit, load_that_lifts_a_resting_mass_is_held_for_one_step_only) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.add({0, 1e-3, 0}, {});
    PenaltyContact method(p.options);
    p.run(0.5, method);
    p.gravity = {0, 5 * g, 0};
    p.step(method);
    EXPECT_LE(norm(p.f[0]), 0.2 * 5 * g);
    p.step(method);
    EXPECT_TRUE(p.set.contacts.empty());
    EXPECT_EQ(p.f[0], Vec3d{});
}

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
                const Vec3d& v = form == PenaltyForm::implicit_form ? p.v[c.node] : v_start[c.node];
                const Vec3d f_t = c.force - dot(c.force, c.normal) * c.normal;
                const Vec3d u = v - c.surface_velocity, u_t = u - dot(u, c.normal) * c.normal;
                // The force is a difference of momenta of this size: what rounding may leave.
                const ContactTerm& term = p.set.terms[i];
                const double momentum =
                    norm(term.impulse) + frobenius_norm(term.block) * norm(p.v[c.node]);
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
    EXPECT_LT(norm(moving.x[0] - moving.time * wind - still.x[0]), 1e-9);
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

PointMasses explicit_mass(double h) {
    PointMasses p;
    p.options.form = PenaltyForm::explicit_form;
    p.h = h;
    p.obstacles = {floor_plane()};
    return p;
}

/// A column of masses on springs that are 100 times stiffer than m / h², the way a node of a soft
/// body feels its neighbours. Only the lowest mass can touch the floor.
struct Column {
    static constexpr int n = 12;
    PointMasses p;
    double spacing = 0.05, k = 0;
    int touching = 0;

    explicit Column(double h, const Vec3d& velocity, double height) {
        p.h = h;
        p.obstacles = {floor_plane()};
        for (int i = 0; i < n; ++i) p.add({0, height + spacing * i, 0}, velocity);
        k = 100 * p.mass[0] / (h * h);
    }
    void step(PenaltyContact& method) {
        method.detect(p.input(), p.set);
        std::array<Mat3d, n> A;  // diagonal blocks; the others are -h² k I
        std::array<Vec3d, n> b;
        const double c = p.h * p.h * k;
        for (int i = 0; i < n; ++i) {
            const int springs = (i > 0) + (i + 1 < n);
            A[i] = (p.mass[i] + springs * c) * Mat3d::identity();
            b[i] = p.mass[i] * (p.v[i] + p.h * p.gravity);
        }
        for (int i = 0; i + 1 < n; ++i) {
            const Vec3d f = k * (p.x[i + 1] - p.x[i] - Vec3d{0, spacing, 0});
            b[i] += p.h * f;
            b[i + 1] -= p.h * f;
        }
        for (const ContactTerm& term : p.set.terms) {
            A[term.node] += term.block;
            b[term.node] += term.impulse;
        }
        for (int i = 0; i + 1 < n; ++i) {  // block elimination of a tridiagonal system
            A[i + 1] -= c * c * inverse(A[i]);
            b[i + 1] += c * (inverse(A[i]) * b[i]);
        }
        p.v[n - 1] = inverse(A[n - 1]) * b[n - 1];
        for (int i = n - 2; i >= 0; --i) p.v[i] = inverse(A[i]) * (b[i] + c * p.v[i + 1]);
        std::fill(p.f.begin(), p.f.end(), Vec3d{});
        method.read_back(p.input(), p.v, p.set, p.f);
        for (int i = 0; i < n; ++i) p.x[i] += p.h * p.v[i];
        p.time = ++p.steps * p.h;
        touching = static_cast<int>(p.set.contacts.size());
    }
};

TEST(PenaltyImplicit, elastic_column_settles_without_chatter) {
    for (double h : {1.0 / 60, 1.0 / 240, 1e-3}) {
        Column column(h, {0, -1, 0}, 0.02);
        PenaltyContact method(column.p.options);
        const double weight = Column::n * 0.2 * g;
        for (int i = 0; i * h < 4; ++i) column.step(method);
        double least = 1e9, most = 0;
        for (int i = 0; i < 100; ++i) {
            column.step(method);
            EXPECT_EQ(column.touching, 1);
            least = std::min(least, column.p.f[0].y);
            most = std::max(most, column.p.f[0].y);
        }
        EXPECT_NEAR(least, weight, 0.01 * weight) << h;
        EXPECT_NEAR(most, weight, 0.01 * weight) << h;
        EXPECT_EQ(column.p.set.max_penetration, 0);
    }
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

TEST(Penalty, forces_read_back_are_what_changed_the_momentum) {
    for (PenaltyForm form : {PenaltyForm::implicit_form, PenaltyForm::explicit_form}) {
        PointMasses p;
        p.options.form = form;
        p.obstacles = {floor_plane(), floor_plane({0.6, 0.8, 0})};
        p.add({0, 5e-4, 0}, {-0.1, -0.3, 0.2});
        const Vec3d before = p.v[0];
        PenaltyContact method(p.options);
        p.step(method);
        EXPECT_EQ(p.set.contacts.size(), 2u);
        const Vec3d force = (0.2 / p.h) * (p.v[0] - before) - 0.2 * p.gravity;
        EXPECT_LT(norm(p.f[0] - force), 1e-9 * norm(force));
        EXPECT_EQ(p.f[0], p.set.contacts[0].force + p.set.contacts[1].force);
    }
}

TEST(Penalty, obstacle_friction_overrides_the_default) {
    PointMasses p;
    p.obstacles = {floor_plane(), floor_plane(), floor_plane()};
    p.obstacles[1].friction = 0;
    p.obstacles[2].friction = 0.7;
    p.add({0, 0, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    ASSERT_EQ(p.set.contacts.size(), 3u);
    EXPECT_EQ(p.set.contacts[0].friction, 0.3);
    EXPECT_EQ(p.set.contacts[1].friction, 0);
    EXPECT_EQ(p.set.contacts[2].friction, 0.7);
}

TEST(Penalty, reports_the_geometric_penetration_of_the_start) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.add({0, 5e-4, 0}, {});
    p.add({0, -2e-3, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    EXPECT_EQ(p.set.max_penetration, 2e-3);
    p.x[1].y = 5e-4;
    method.detect(p.input(), p.set);
    EXPECT_EQ(p.set.max_penetration, 0);  // within the thickness is not inside
}

TEST(Penalty, is_finite_at_centres_and_far_away) {
    for (PenaltyForm form : {PenaltyForm::implicit_form, PenaltyForm::explicit_form}) {
        PointMasses p;
        p.options.form = form;
        p.obstacles = {floor_plane(), of_shape(SphereShape{}), of_shape(BoxShape{}),
                       of_shape(CylinderShape{}), of_shape(TorusShape{})};
        p.add({0, 0, 0}, {});
        p.add({1, 0, 0}, {0, -1, 0});
        p.add({1e100, -1e100, 1e100}, {});
        p.add({0, 1, 0}, {1e100, -1e100, 0});
        PenaltyContact method(p.options);
        method.detect(p.input(), p.set);
        EXPECT_GE(p.set.contacts.size(), 8u);
        for (const ContactTerm& term : p.set.terms) {
            EXPECT_TRUE(is_finite(term.block));
            EXPECT_TRUE(is_finite(term.impulse));
        }
    }
}

TEST(Penalty, node_that_is_not_finite_gets_no_contact) {
    PointMasses p;
    p.obstacles = {floor_plane(), of_shape(SphereShape{}), of_shape(BoxShape{})};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    p.add({nan, nan, nan}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    EXPECT_TRUE(p.set.contacts.empty());
    EXPECT_EQ(p.set.max_penetration, 0);
}

TEST(Penalty, same_bits_for_any_number_of_threads) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> s(-1, 1);
    PointMasses p;
    p.obstacles = {floor_plane(), of_shape(SphereShape{0.5}), of_shape(TorusShape{0.7, 0.2})};
    p.obstacles[1].motion.translate = {{0, 1}, {{0, 0, 0}, {1, 0, 0}}};
    for (int i = 0; i < 5000; ++i)
        p.add({s(random), s(random), s(random)}, {s(random), s(random), s(random)});
    std::vector<ContactSet> sets(3);
    for (int i = 0; i < 3; ++i) {
        const ThreadLimit limit(1 << i);
        PenaltyContact method(p.options);
        method.detect(p.input(), sets[i]);
    }
    ASSERT_GT(sets[0].contacts.size(), 2500u);
    for (int i = 1; i < 3; ++i) {
        ASSERT_EQ(sets[i].contacts.size(), sets[0].contacts.size());
        EXPECT_EQ(sets[i].max_penetration, sets[0].max_penetration);
        for (std::size_t c = 0; c < sets[0].contacts.size(); ++c) {
            EXPECT_EQ(sets[i].contacts[c].node, sets[0].contacts[c].node);
            EXPECT_EQ(sets[i].contacts[c].obstacle, sets[0].contacts[c].obstacle);
            EXPECT_EQ(sets[i].terms[c].block, sets[0].terms[c].block);
            EXPECT_EQ(sets[i].terms[c].impulse, sets[0].terms[c].impulse);
        }
    }
    for (std::size_t c = 1; c < sets[0].contacts.size(); ++c)
        EXPECT_LT(std::pair(sets[0].contacts[c - 1].node, sets[0].contacts[c - 1].obstacle),
                  std::pair(sets[0].contacts[c].node, sets[0].contacts[c].obstacle));
}

TEST(Penalty, set_keeps_its_memory_between_steps) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    for (int i = 0; i < 1000; ++i) p.add({0, 1.0 + i, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    EXPECT_TRUE(p.set.contacts.empty());
    const Contact* contacts = p.set.contacts.data();
    const ContactTerm* terms = p.set.terms.data();
    for (Vec3d& x : p.x) x.y = 0;
    method.detect(p.input(), p.set);
    EXPECT_EQ(p.set.contacts.size(), 1000u);
    EXPECT_EQ(p.set.contacts.data(), contacts);
    EXPECT_EQ(p.set.terms.data(), terms);
}

TEST(Penalty, resuming_gives_the_same_bits_as_running_through) {
    PointMasses a;
    a.obstacles = {floor_plane(), of_shape(SphereShape{0.3})};
    for (int i = 0; i < 20; ++i) a.add({0.05 * i - 0.5, 0.4, 0}, {1, -1, 0.1 * i});
    PenaltyContact through(a.options);
    a.run(0.3, through);
    ByteWriter writer;
    through.save(writer);
    PointMasses b = a;
    PenaltyContact resumed(b.options), forgetful(b.options);
    ByteReader reader(writer.bytes(), "checkpoint");
    resumed.load(reader);
    EXPECT_TRUE(reader.at_end());
    PointMasses c = a;
    a.run(0.2, through);
    b.run(0.2, resumed);
    c.run(0.2, forgetful);
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.v, b.v);
    EXPECT_NE(a.v, c.v);  // the History matters
}

TEST(Penalty, damaged_history_is_refused_by_index) {
    struct Record {
        Index node, obstacle;
        double force;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<Record>& records :
         {std::vector<Record>{{0, 0, 1}, {3, 1, nan}}, std::vector<Record>{{4, 0, 1}, {3, 0, 1}},
          std::vector<Record>{{0, 0, 1}, {3, 0, -1}}}) {
        ByteWriter writer;
        writer.put_array("penalty_contacts", std::span<const Record>(records));
        ByteReader reader(writer.bytes(), "checkpoint");
        PenaltyContact method(PenaltyOptions{});
        try {
            method.load(reader);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& e) {
            EXPECT_NE(std::string(e.what()).find("index 1"), std::string::npos) << e.what();
        }
    }
}

TEST(Penalty, works_without_obstacles_and_without_nodes) {
    PointMasses p;
    p.add({0, 0, 0}, {});
    p.run(2 * p.h);
    EXPECT_TRUE(p.set.contacts.empty());
    EXPECT_NEAR(p.v[0].y, -g * p.time, 1e-12);
    PointMasses empty;
    empty.obstacles = {floor_plane()};
    empty.run(2 * empty.h);
    EXPECT_TRUE(empty.set.contacts.empty());
}

TEST(Penalty, refuses_a_step_that_is_not_positive) {
    PointMasses p;
    p.h = 0;
    PenaltyContact method(p.options);
    EXPECT_THROW(method.detect(p.input(), p.set), Bug);
}

TEST(NoContact, lets_everything_through) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.add({0, -1, 0}, {});
    NoContact method;
    p.step(method);
    EXPECT_EQ(method.name(), "none");
    EXPECT_TRUE(p.set.contacts.empty() && p.set.terms.empty());
    EXPECT_EQ(p.f[0], Vec3d{});
    EXPECT_NEAR(p.v[0].y, -g * p.h, 1e-15);
}

}  // namespace
}  // namespace limber
