// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "contact/joint_worlds.h"
#include "limber/contact/joints/needle.h"

namespace limber {
namespace {

using namespace test;

/// A block of 0.2 m, held below, and a needle above it that goes down by the key frames.
std::string needle_scene(const std::string& motion, const std::string& more,
                         const std::string& tip = "[0.013, 0.12, 0.007]") {
    return joint_scene(0.01, {0, 0, 0}, 2e4) +
           box_body("tissue", {0.2, 0.2, 0.2}, "[5, 5, 5]", {0, 0, 0}) +
           "[[pin]]\nbody = \"tissue\"\nselect = { side = \"y-\" }\n"
           "[[needle]]\nname = \"needle\"\nbody = \"tissue\"\ntip = " +
           tip + "\ndirection = [0, -1, 0]\nlength = 0.4\nspacing = 0.02\nmotion = { " + motion +
           " }\n" + more;
}
const std::string down_and_up =
    "times = [0, 1, 1.5, 3], translate = [[0, 0, 0], [0, -0.15, 0], [0, -0.15, 0], [0, 0.05, 0]]";

const Needle& needle_of(const World& world) {
    return dynamic_cast<const Needle&>(*world.contact().joints()[0]);
}

TEST(NeedleInsertion, enters_when_the_tip_force_passes_the_puncture_force) {
    // A tenth of a millimetre a step.
    const auto world =
        world_from(needle_scene("times = [0, 1], translate = [[0, 0, 0], [0, -0.01, 0]]",
                                "puncture = 0.6\n", "[0.013, 0.101, 0.007]"));
    double before = 0, at_entry = 0;
    while (needle_of(*world).chain().empty() && world->state().step < 100) {
        before = at_entry;
        run_joints(*world, 1);
        at_entry = reading(*world, 0, "tip_force");
        EXPECT_GE(at_entry, 0);
        // Dented, not entered: the surface point under the tip is at the tip.
        if (at_entry > 0 && needle_of(*world).chain().empty()) {
            EXPECT_LE(at_entry, 0.6);
        }
    }
    ASSERT_EQ(needle_of(*world).chain().size(), 1u);
    EXPECT_GT(at_entry, 0.6);
    EXPECT_GT(before, 0.3) << "the force grows from step to step";
    EXPECT_LT(before, 0.6);
}

TEST(NeedleInsertion, a_blunt_push_never_enters) {
    const auto world = world_from(needle_scene(
        "times = [0, 0.5], translate = [[0, 0, 0], [0, -0.05, 0]]", "puncture = 1000\n"));
    run_joints(*world, 100);
    EXPECT_TRUE(needle_of(*world).chain().empty());
    // The tip at y = 0.07 has pushed the surface there.
    const auto entry = first_entry(std::get<NeedleData>(world->model().joints[0]), world->state().x,
                                   {0.013, 0.07, 0.007}, {0, -1, 0}, 0.01);
    ASSERT_TRUE(entry);
    // Within a step the dent creeps sideways under the tip: of second order, microns.
    EXPECT_NEAR(entry->along, 0, 2e-5);
}

TEST(NeedleInsertion, the_chain_grows_stays_on_the_shaft_and_empties) {
    const auto world = world_from(needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\n"));
    std::size_t most = 0;
    for (int k = 0; k < 300; ++k) {
        run_joints(*world, 1);
        const auto chain = needle_of(*world).chain();
        most = std::max(most, chain.size());
        if (world->state().step == 150) {
            // 0.13 m deep: a point every 0.02 m, and the entry.
            EXPECT_GE(chain.size(), 6u);
            EXPECT_LE(chain.size(), 8u);
            for (const NeedlePoint& p : chain) {
                EXPECT_NEAR(p.position(world->state().x).x, 0.013, 1e-9);
                EXPECT_NEAR(p.position(world->state().x).z, 0.007, 1e-9);
            }
        }
    }
    EXPECT_GE(most, 6u);
    EXPECT_TRUE(needle_of(*world).chain().empty()) << "drawn out";
    run_joints(*world, 200);
    // Nothing holds the tissue any more.
    double farthest = 0;
    for (Index i = 0; i < world->model().n_nodes(); ++i)
        farthest = std::max(farthest, norm(world->state().x[i] - world->model().mesh.nodes[i]));
    EXPECT_LT(farthest, 1e-4);
}

TEST(NeedleInsertion, friction_is_a_force_for_each_length_inside) {
    const auto world = world_from(needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\n"));
    run_joints(*world, 100);
    // Sliding in: all of the shaft drags the tissue along, downwards.
    const double depth = reading(*world, 0, "depth");
    EXPECT_GT(depth, 0.1);
    EXPECT_NEAR(reading(*world, 0, "shaft_force"), 2 * depth, 0.02 * 2 * depth);
    run_joints(*world, 120);
    // Drawn back: upwards.
    const double left = reading(*world, 0, "depth");
    EXPECT_GT(left, 0.01);
    EXPECT_NEAR(reading(*world, 0, "shaft_force"), -2 * left, 0.1 * 2 * left);
}

/// Against the sum of forces: what holds the tissue carries what tip and shaft push it with.
TEST(NeedleInsertion, the_tip_cuts_at_its_force_going_in_and_not_coming_out) {
    const auto with_tip =
        world_from(needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\ncutting = 0.25\n"));
    const auto without = world_from(needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\n"));
    run_joints(*with_tip, 95);
    run_joints(*without, 95);
    EXPECT_NEAR(reading(*with_tip, 0, "tip_force"), 0.25, 1e-6);
    EXPECT_EQ(reading(*without, 0, "tip_force"), 0);
    const auto lower = [](const World& world) {  // how far the free face was pushed down
        double sum = 0;
        for (const Vec3d& x : world.state().x) sum += x.y;
        return sum;
    };
    EXPECT_LT(lower(*with_tip), lower(*without) - 1e-4);
    run_joints(*with_tip, 120);
    EXPECT_EQ(reading(*with_tip, 0, "tip_force"), 0);
    EXPECT_GT(reading(*with_tip, 0, "depth"), 0.01);
}

TEST(NeedleInsertion, a_needle_that_turns_takes_the_tissue_with_it) {
    const auto world = world_from(
        needle_scene("times = [0, 0.5], angle = [0, 10], axis = [0, 0, 1], center = [0, 0.1, 0]",
                     "friction = 1\n", "[0, 0, 0]"));
    EXPECT_GE(needle_of(*world).chain().size(), 5u) << "inside at the start";
    run_joints(*world, 100);
    const NeedleData& data = std::get<NeedleData>(world->model().joints[0]);
    const Vec3d tip = data.tip_at(1), d = data.direction_at(1);
    EXPECT_GT(tip.x, 0.015);
    for (const NeedlePoint& p : needle_of(*world).chain())
        EXPECT_LT(norm(cross(d, p.position(world->state().x) - tip)), 5e-9);
}

TEST(NeedleInsertion, resumes_with_the_same_bits) {
    const std::string scene = needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\n");
    const auto through = world_from(scene), first = world_from(scene), second = world_from(scene);
    for (const int stop : {70, 170}) {
        while (through->state().step < stop) run_joints(*through, 1);
        while (first->state().step < stop) run_joints(*first, 1);
        ByteWriter out;
        first->save(out);
        ByteReader in(out.bytes(), "memory");
        second->load(in);
        run_joints(*through, 40);
        run_joints(*second, 40);
        EXPECT_EQ(second->state_hash(), through->state_hash()) << stop;
        EXPECT_GT(needle_of(*second).chain().size(), 0u);
    }
}

TEST(NeedleInsertion, a_rejected_step_leaves_the_chain_as_it_was) {
    const auto world = world_from(needle_scene(down_and_up, "puncture = 0.3\nfriction = 2\n"));
    run_joints(*world, 100);
    const std::size_t held = needle_of(*world).chain().size();
    ASSERT_GT(held, 2u);
    // What World does after a step whose end is not finite.
    auto& needle = const_cast<Needle&>(needle_of(*world));
    ConstraintSet set;
    const JointInput late{world->state().x, world->state().v, 2.9, 0.01};
    needle.constrain(late, set);
    needle.read_back(late, std::vector<double>(set.n_rows(), 0.0));
    ASSERT_LT(needle.chain().size(), held);
    needle.reset();
    EXPECT_EQ(needle.chain().size(), held);
}

TEST(NeedleInsertion, a_damaged_chain_is_refused) {
    const auto world = world_from(needle_scene(down_and_up, "puncture = 0.3\n"));
    run_joints(*world, 100);
    ByteWriter out;
    std::vector<NeedlePoint> bad(1);
    bad[0].nodes[2] = 100000;
    out.put_array("needle", std::span<const NeedlePoint>(bad));
    ByteReader in(out.bytes(), "memory");
    auto& needle = const_cast<Needle&>(needle_of(*world));
    const std::size_t held = needle.chain().size();
    EXPECT_THROW(needle.load(in), InputError);
    EXPECT_EQ(needle.chain().size(), held);
}

}  // namespace
}  // namespace limber
