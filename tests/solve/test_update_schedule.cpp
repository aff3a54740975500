// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/update_schedule.h"

#include <gtest/gtest.h>

#include "limber/solve/warp_canceling/selective_damping.h"

namespace limber {
namespace {

/// 6 is the root; 2 and 5 its children; 0, 1 below 2 and 3, 4 below 5.
SupernodalStructure small_tree() {
    SupernodalStructure tree;
    tree.parent = {2, 2, 6, 5, 5, 6, -1};
    return tree;
}
const std::vector<double> cost = {1, 1, 2, 1, 1, 2, 4};

std::vector<Index> marked(const UpdateMarks& marks) {
    std::vector<Index> out;
    for (Index s = 0; s < std::ssize(marks.marked()); ++s)
        if (marks.marked()[s]) out.push_back(s);
    return out;
}

TEST(UpdateMarks, close_a_supernode_under_its_ancestors) {
    const SupernodalStructure tree = small_tree();
    UpdateMarks marks(tree);
    EXPECT_EQ(marks.mark(3, cost), 7);
    EXPECT_EQ(marked(marks), (std::vector<Index>{3, 5, 6}));
    EXPECT_EQ(marks.mark(4, cost), 1);  // its ancestors are paid for
    EXPECT_EQ(marks.cost(), 8);
    marks.clear();
    EXPECT_FALSE(marks.any());
}

TEST(UpdateMarks, quality_takes_everything_above_the_threshold) {
    const SupernodalStructure tree = small_tree();
    UpdateMarks marks(tree);
    const std::vector<double> badness = {0.5, 0.1, 0, 0, 2, 0, 0};
    marks.mark_above(0.4, badness, cost);
    EXPECT_EQ(marked(marks), (std::vector<Index>{0, 2, 4, 5, 6}));
    EXPECT_EQ(marks.worst_left(badness), 0.1);
}

TEST(UpdateMarks, time_takes_the_worst_that_the_budget_pays_for) {
    const SupernodalStructure tree = small_tree();
    const std::vector<double> badness = {3, 1, 0, 0, 2, 0, 0};
    UpdateMarks marks(tree);
    // 0 with 2 and 6 costs 7; then 4 with 5 costs 3 and does not fit into 8; then 1 costs 1.
    marks.mark_within(8, badness, cost);
    EXPECT_EQ(marked(marks), (std::vector<Index>{0, 1, 2, 6}));
    marks.clear();
    marks.mark_within(6, badness, cost);  // no path fits
    EXPECT_FALSE(marks.any());
    EXPECT_EQ(marks.worst_left(badness), 3);
    marks.mark_within(100, badness, cost);
    EXPECT_EQ(marked(marks), (std::vector<Index>{0, 1, 2, 4, 5, 6}));
}

struct TwoTets {
    std::vector<Tet> tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    std::vector<double> mass = {1, 2, 1, 3, 1};
    std::vector<Vec3d> free{5, Vec3d{1, 1, 1}};
    std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    std::vector<Index> region = {0, 0};
    std::vector<double> error = {4, 2};
    DampingInput input() const { return {tets, mass, free, x, region, error, 1}; }
};

TEST(SelectiveDamping, towards_a_rigid_motion_keeps_momentum) {
    const TwoTets t;  // errors and with them shares differ
    std::vector<Vec3d> v = {{1, 0, 2}, {0, 1, 0}, {-1, 2, 0}, {0.5, 0, 0}, {0, 0, -1}};
    const auto momenta = [&] {
        std::pair<Vec3d, Vec3d> sum;
        for (int i = 0; i < 5; ++i) {
            sum.first += t.mass[i] * v[i];
            sum.second += t.mass[i] * cross(t.x[i], v[i]);
        }
        return sum;
    };
    const auto before = momenta();
    damp_towards_rigid_motion(t.input(), v);
    EXPECT_LT(norm(momenta().first - before.first), 1e-12);
    EXPECT_LT(norm(momenta().second - before.second), 1e-8);
}

TEST(SelectiveDamping, leaves_a_rigid_motion_alone) {
    const TwoTets t;
    std::vector<Vec3d> v;
    for (const Vec3d& x : t.x) v.push_back(Vec3d{1, 2, 3} + cross({0.1, 0.2, -0.3}, x));
    const auto before = v;
    damp_towards_rigid_motion(t.input(), v);
    for (int i = 0; i < 5; ++i) EXPECT_LT(norm(v[i] - before[i]), 1e-8);
}

TEST(SelectiveDamping, scales_velocities_by_the_worst_error_and_spares_pins_and_good_tets) {
    TwoTets t;
    t.error = {4, 0.5};
    t.free[2] = {1, 0, 1};
    std::vector<Vec3d> v(5, Vec3d{1, 1, 1});
    damp_velocities(t.input(), v);
    EXPECT_EQ(v[0], (Vec3d{0.25, 0.25, 0.25}));
    EXPECT_EQ(v[2], (Vec3d{0.25, 1, 0.25}));
    EXPECT_EQ(v[4], (Vec3d{1, 1, 1}));
}

}  // namespace
}  // namespace limber
