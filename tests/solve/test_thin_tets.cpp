// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/thin_tets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "fixtures.h"

namespace limber {
namespace {

/// A bar of which one tet is turned against all others.
struct OneTurnedTet : testing::Test {
    Model model = test::bar(1, false);
    CorotationCache rotations;
    std::vector<char> always = std::vector<char>(model.n_nodes(), 0), marked = always;
    std::vector<Index> changed;
    const Index turned = 7;

    void SetUp() override { rotations.reset(model.elements); }
    /// How many nodes are marked with the tet at this angle.
    std::ptrdiff_t at(double degrees) {
        const Mat3d R = rotation_about({0, 1, 0}, degrees * std::numbers::pi / 180);
        for (int i = 0; i < 9; ++i)
            rotations.element[turned / tet_lanes].R[i][turned % tet_lanes] = R.a[i];
        mark_wide_spread(model, rotations, always, marked, changed);
        return std::count(marked.begin(), marked.end(), 1);
    }
};

TEST_F(OneTurnedTet, marks_its_nodes_beyond_60_degrees_and_frees_them_below_40) {
    EXPECT_EQ(at(0), 0);
    EXPECT_EQ(at(59), 0);
    EXPECT_TRUE(changed.empty());
    EXPECT_EQ(at(61), 4);
    std::vector<Index> nodes(model.mesh.tets[turned].begin(), model.mesh.tets[turned].end());
    std::sort(nodes.begin(), nodes.end());
    EXPECT_EQ(changed, nodes);
    EXPECT_EQ(at(41), 4);  // not in every step that is near the border
    EXPECT_TRUE(changed.empty());
    EXPECT_EQ(at(39), 0);
    EXPECT_EQ(changed, nodes);
    EXPECT_EQ(at(59), 0);
}

TEST_F(OneTurnedTet, never_frees_nodes_that_are_always_marked) {
    const Index held = model.mesh.tets[turned][2];
    always[held] = marked[held] = 1;
    EXPECT_EQ(at(61), 4);
    EXPECT_EQ(changed.size(), 3u);
    EXPECT_EQ(at(0), 1);
    EXPECT_EQ(marked[held], 1);
}

}  // namespace
}  // namespace limber
