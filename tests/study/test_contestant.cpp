// SPDX-License-Identifier: Apache-2.0
#include "limber/study/contestant.h"

#include <gtest/gtest.h>

#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;
using test::spec_of;

struct Contestants : testing::Test {
    Folder folder;
    StudyScene scene = test::study_scene(folder);
    Model model = test::model_of(scene);
    std::unique_ptr<World> world(const std::string& spec) {
        return make_world(scene_with(scene, spec_of(spec), "--solvers"), model);
    }
};

TEST_F(Contestants, go_on_from_a_snapshot_with_the_same_bits) {
    const auto through = world("corotational:max_iterations=4"),
               other = world("corotational:max_iterations=4");
    for (int k = 0; k < 5; ++k) through->step();
    restart(*other, snapshot_of(*through));
    for (int k = 0; k < 5; ++k) {
        through->step();
        other->step();
    }
    EXPECT_EQ(other->state_hash(), through->state_hash());
    EXPECT_EQ(other->state().time, through->state().time);
}

TEST_F(Contestants, take_over_states_of_other_solvers) {
    scene.load.sets = {"contact.method=\"penalty\""};  // as compare() gives it to all
    const auto from = world("corotational:max_iterations=2"), to = world("cholesky");
    for (int k = 0; k < 5; ++k) from->step();
    restart(*to, snapshot_of(*from));
    EXPECT_EQ(to->state_hash(), from->state_hash());
    EXPECT_FALSE(to->step().failed);
}

TEST_F(Contestants, measure_errors_in_parts_of_the_body_size) {
    const StateMeter meter(model);
    ASSERT_EQ(meter.sizes().size(), 1u);
    EXPECT_NEAR(meter.sizes()[0], std::sqrt(1 + 2 * 0.04), 1e-12);
    std::vector<Vec3d> x = model.mesh.nodes;
    EXPECT_EQ(meter(x, model.mesh.nodes).max, 0);
    x[7].y += 0.1;
    const StateError e = meter(x, model.mesh.nodes);
    EXPECT_NEAR(e.max, 0.1 / meter.sizes()[0], 1e-12);
    EXPECT_NEAR(e.rms, e.max / std::sqrt(static_cast<double>(x.size())), 1e-12);
}

TEST_F(Contestants, are_nudged_where_nothing_holds_them) {
    const StateMeter meter(model);
    State state;
    state.x = model.mesh.nodes;
    perturb(meter, model, 1e-3, state);
    EXPECT_NEAR(meter(state.x, model.mesh.nodes).max, 1e-3, 1e-9);
    for (Index i : model.pins[0].nodes) EXPECT_EQ(state.x[i], model.mesh.nodes[i]);
}

}  // namespace
}  // namespace limber
