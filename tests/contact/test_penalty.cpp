// SPDX-License-Identifier: Apache-2.0
#include "contact/body_worlds.h"
#include "limber/contact/methods/penalty.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>

#include "contact/point_masses.h"
#include "limber/contact/methods/none.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

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

TEST(PenaltyImplicit, weak_load_lifts_a_resting_mass_after_a_few_steps) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.add({0, 1e-3, 0}, {});
    PenaltyContact method(p.options);
    p.run(0.5, method);
    p.gravity = {0, 0.2 * g, 0};
    for (int i = 0; i < 10; ++i) {
        p.step(method);
        EXPECT_GE(p.f[0].y, -0.2 * 0.2 * g * 1.001);  // 1 / (4 a) more: it slows down
    }
    EXPECT_TRUE(p.set.contacts.empty());
}

TEST(PenaltyImplicit, node_placed_deep_inside_is_let_out_gently) {
    PointMasses p;
    p.h = 1.0 / 60;
    p.obstacles = {floor_plane()};
    p.add({0, -0.05, 0}, {});
    PenaltyContact method(p.options);
    for (int i = 0; i < 120; ++i) {
        p.step(method);
        EXPECT_LT(p.v[0].y, 0.051 / (4 * p.h));
        EXPECT_LT(p.x[0].y, 1e-3);  // and does not jump
    }
    EXPECT_GT(p.x[0].y, 0.9e-3);
}

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

TEST(Penalty, reports_the_geometric_penetration_of_the_start) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    p.add({0, 5e-4, 0}, {});
    p.add({0, -2e-3, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    method.respond(p.input(), p.set);
    EXPECT_EQ(p.set.max_penetration, 2e-3);
    p.x[1].y = 5e-4;
    method.detect(p.input(), p.set);
    method.respond(p.input(), p.set);
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
        method.respond(p.input(), p.set);
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
    method.respond(p.input(), p.set);
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
        method.respond(p.input(), sets[i]);
    }
    ASSERT_GT(sets[0].contacts.size(), 2500u);
    for (int i = 1; i < 3; ++i) {
        ASSERT_EQ(sets[i].contacts.size(), sets[0].contacts.size());
        EXPECT_EQ(sets[i].max_penetration, sets[0].max_penetration);
        for (std::size_t c = 0; c < sets[0].contacts.size(); ++c) {
            EXPECT_EQ(sets[i].contacts[c].node(), sets[0].contacts[c].node());
            EXPECT_EQ(sets[i].contacts[c].obstacle, sets[0].contacts[c].obstacle);
            EXPECT_EQ(sets[i].terms[c].block, sets[0].terms[c].block);
            EXPECT_EQ(sets[i].terms[c].impulse, sets[0].terms[c].impulse);
        }
    }
    for (std::size_t c = 1; c < sets[0].contacts.size(); ++c)
        EXPECT_LT(std::pair(sets[0].contacts[c - 1].node(), sets[0].contacts[c - 1].obstacle),
                  std::pair(sets[0].contacts[c].node(), sets[0].contacts[c].obstacle));
}

TEST(Penalty, set_keeps_its_memory_between_steps) {
    PointMasses p;
    p.obstacles = {floor_plane()};
    for (int i = 0; i < 1000; ++i) p.add({0, 1.0 + i, 0}, {});
    PenaltyContact method(p.options);
    method.detect(p.input(), p.set);
    method.respond(p.input(), p.set);
    EXPECT_TRUE(p.set.contacts.empty());
    const Contact* contacts = p.set.contacts.data();
    const ContactTerm* terms = p.set.terms.data();
    for (Vec3d& x : p.x) x.y = 0;
    method.detect(p.input(), p.set);
    method.respond(p.input(), p.set);
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
        Index kind, node, obstacle, unused;
        double force;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<Record>& records :
         {std::vector<Record>{{0, 0, 0, 0, 1}, {0, 3, 1, 0, nan}},
          std::vector<Record>{{0, 4, 0, 0, 1}, {0, 3, 0, 0, 1}},
          std::vector<Record>{{0, 0, 0, 0, 1}, {0, 3, 0, 0, -1}}}) {
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

/// A plane that comes down on a block: the force on it, by load steps of any length.
double pressing_force(const std::string& contact, int steps) {
    const auto world = test::world_from(
        "limber = 1\ngravity = [0, 0, 0]\n[time]\nanalysis = \"quasi_static\"\nstep = " +
        std::to_string(0.2 / steps) + "\nsteps = " + std::to_string(steps) +
        "\n[solver]\nkind = \"newton\"\n[material.rubber]\nkind = \"corotated\"\nyoung = \"500 "
        "kPa\"\npoisson = 0.3\ndensity = 1000\n[contact]\n" +
        contact +
        "\nfriction = 0\n[[obstacle]]\nname = \"press\"\nshape = \"plane\"\nnormal = [0, -1, 0]\n"
        "position = [0, 0.1001, 0]\nmotion = { times = [0, 0.2], translate = [[0, 0, 0], [0, "
        "-0.01, "
        "0]] }\n" +
        test::body("block", "shape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = [4, 4, 4]",
                   "[0, 0, 0]") +
        "[[pin]]\nbody = \"block\"\nselect = { side = \"y-\" }\n");
    for (int k = 0; k < steps; ++k) world->step();
    double sum = 0;
    for (const Contact& c : world->contacts().contacts) sum -= c.force.y;
    return sum;
}

TEST(PenaltyInEquilibrium, presses_as_constraints_do_whatever_the_load_step) {
    const double exact = pressing_force("method = \"lagrange\"", 4);
    EXPECT_GT(exact, 500);
    const std::string springs = "method = \"penalty\"\nthickness = \"0.1 mm\"";
    const double coarse = pressing_force(springs, 4), fine = pressing_force(springs, 20);
    EXPECT_NEAR(fine, coarse, 1e-4 * exact);
    EXPECT_NEAR(coarse, exact, 0.03 * exact);  // a hundredth of the block's own give, and 0.1 mm
}

}  // namespace
}  // namespace limber
