// SPDX-License-Identifier: Apache-2.0
#include "limber/output/contacts_output.h"

#include <gtest/gtest.h>

#include <map>

#include "contact/joint_worlds.h"
#include "limber/contact/contact_read_back.h"
#include "limber/output/text.h"
#include "limber/render/frame.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::lines_of;
using test::run_to;
using test::split;

/// A box slides along the floor: normal force and friction at each of its lower corners.
std::unique_ptr<World> sliding() {
    return test::world_from(
        test::joint_scene(0.01, {0, -9.81, 0}, 1e6, "friction = 0.3") +
        test::box_body("box", {0.2, 0.2, 0.2}, "[1, 1, 1]", {0, 0.1, 0}, "velocity = [1, 0, 0]") +
        "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n");
}

TEST(ContactsOutput, a_row_has_the_whole_force_and_its_two_parts) {
    const TempFolder temp;
    auto world = sliding();
    world->add(std::make_unique<ContactsOutput>(temp.path(""), 1));
    run_to(*world, 3);
    const std::vector<std::string> lines = lines_of(temp.path("contacts.csv"));
    const std::vector<std::string> names = split(lines[0]);
    const std::vector<Contact>& contacts = world->contacts().contacts;
    ASSERT_EQ(contacts.size(), 4u);
    ASSERT_GE(lines.size(), 5u);
    bool pressed = false;
    for (std::size_t k = 0; k < 4; ++k) {
        const std::vector<std::string> fields = split(lines[lines.size() - 4 + k]);
        ASSERT_EQ(fields.size(), names.size());
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
        const auto number = [&](const std::string& name) {
            return parse_finite(row.at(name)).value();
        };
        const auto vector = [&](const std::string& name) {
            return Vec3d{number(name + "_x"), number(name + "_y"), number(name + "_z")};
        };
        EXPECT_EQ(row["body"], "\"box\"");
        EXPECT_EQ(row["other"], "\"floor\"");
        EXPECT_EQ(vector("force"), contacts[k].force);
        EXPECT_EQ(number("normal_force"), normal_force(contacts[k]));
        const Vec3d sum = number("normal_force") * vector("normal") + vector("friction_force");
        EXPECT_LE(norm(sum - vector("force")), 1e-12 * norm(contacts[k].force));
        EXPECT_EQ(number("friction_coefficient"), 0.3);
        pressed = pressed || (number("normal_force") > 1 && number("friction_force_x") < -0.1);
    }
    EXPECT_TRUE(pressed) << "it presses, and friction is against its motion";
}

TEST(ContactsOutput, a_face_on_what_stands_out_between_its_nodes_has_a_name) {
    const TempFolder temp;
    auto world =
        test::world_from(test::joint_scene(0.01, {0, -9.81, 0}, 1e6, "friction = 0.3") +
                         test::box_body("box", {0.2, 0.2, 0.2}, "[1, 1, 1]", {0, 0.151, 0}) +
                         "[[obstacle]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.05\n");
    world->add(std::make_unique<ContactsOutput>(temp.path(""), 1));
    run_to(*world, 4);
    EXPECT_NE(read_file(temp.path("contacts.csv")).find(",face-obstacle,"), std::string::npos);
}

TEST(ContactsOutput, resuming_keeps_every_contact_of_the_steps_before) {
    const TempFolder through, stopped;
    for (const TempFolder* folder : {&through, &stopped}) {
        auto world = sliding();
        world->add(std::make_unique<ContactsOutput>(folder->path(""), 1));
        run_to(*world, 5);
    }
    auto world = sliding();
    for (int k = 0; k < 3; ++k) world->step();
    world->add(std::make_unique<ContactsOutput>(stopped.path(""), 1));
    run_to(*world, 5);
    EXPECT_EQ(read_file(stopped.path("contacts.csv")), read_file(through.path("contacts.csv")));
    EXPECT_GT(lines_of(through.path("contacts.csv")).size(), 17u);
}

TEST(ContactsOutput, frames_are_read_back_whole_also_those_of_earlier_versions) {
    const TempFolder temp;
    auto world = sliding();
    world->add(std::make_unique<ContactsOutput>(temp.path(""), 1));
    run_to(*world, 2);
    const auto expect_forces = [&] {
        const std::vector<FrameContact> read = read_frame_contacts(temp.path(""), 2);
        ASSERT_EQ(read.size(), world->contacts().contacts.size());
        for (std::size_t k = 0; k < read.size(); ++k) {
            const Vec3d& force = world->contacts().contacts[k].force;
            EXPECT_LE(norm(read[k].force - force), 1e-12 * norm(force));
        }
    };
    expect_forces();
    // Versions before had the two parts alone.
    std::vector<Vec3d> points, along, across;
    for (const Contact& c : world->contacts().contacts) {
        points.push_back(contact_point(c, world->state().x));
        along.push_back(normal_force(c) * c.normal);
        across.push_back(friction_force(c));
    }
    VtuGrid grid;
    grid.points = points;
    grid.vertices = true;
    grid.point_data = {{"normal_force", std::span<const Vec3d>(along)},
                       {"friction_force", std::span<const Vec3d>(across)}};
    write_vtu(temp.path("contacts/contacts_000002.vtu"), grid, Flush::to_system);
    expect_forces();
}

}  // namespace
}  // namespace limber
