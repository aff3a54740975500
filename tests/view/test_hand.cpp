// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/view/hand.h"

namespace limber {
namespace {

/// A bar held at one end by a pin, at the other by a joint or by nothing, over a floor; a box falls
/// onto it.
std::string scene_text(const std::string& method, const std::string& solver) {
    std::string text =
        "limber = 1\n[time]\nstep = 0.01\nend = 1\n[solver]\nkind = \"" + solver +
        "\"\n[material.rubber]\nyoung = \"200 kPa\"\npoisson = 0.3\ndensity = 1000\n"
        "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [1, 0.1, 0.1]\ncells = [8, 1, 1]\n"
        "material = \"rubber\"\ntranslate = [0, 0.2, 0]\n"
        "[[body]]\nname = \"box\"\nshape = \"box\"\nsize = [0.1, 0.1, 0.1]\ncells = [2, 2, 2]\n"
        "material = \"rubber\"\ntranslate = [0.2, 0.36, 0]\n"
        "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n[[obstacle]]\nshape = \"plane\"\n"
        "[contact]\nmethod = \"" +
        method + "\"\n";
    if (method == "lagrange")
        text +=
            "[[cable]]\nbody = \"bar\"\npath = [[-0.5, 0.25, 0], [0, 0.25, 0], [0.5, 0.25, 0]]\n"
            "times = [0, 0.5]\npull = [0, 0.05]\n";
    return text;
}

/// Everything that a contact method does must still reach the time loop.
TEST(Hand, that_does_nothing_changes_nothing) {
    const std::pair<const char*, const char*> cases[] = {
        {"penalty", "corotational"},    {"penalty", "newton"},    {"lagrange", "cholesky"},
        {"lagrange", "warp_canceling"}, {"lagrange", "async"},    {"lagrange", "newton"},
        {"repulsion", "newton"},        {"projection", "descent"}};
    for (const auto& [method, solver] : cases) {
        const std::string text = scene_text(method, solver);
        const SceneDef scene = make_scene(parse_toml(text, "scene.toml"), "scene.toml");
        const auto run = [&](bool held) {
            BuildReport report;
            auto model = std::make_unique<Model>(build_model(scene, report));
            auto stepper = make_stepper(scene, *model);
            auto contact = make_contact(scene, *model);
            if (held) contact = std::make_unique<Hand>(std::move(contact), model->obstacles, true);
            World world(std::move(model), std::move(stepper), std::move(contact));
            int contacts = 0;
            for (int k = 0; k < 30; ++k) {
                const StepReport step = world.step();
                EXPECT_FALSE(step.failed) << method << ' ' << solver << ' ' << step.failure.what;
                contacts += step.contacts;
            }
            EXPECT_GT(contacts, 0) << method << ' ' << solver;
            return world.state_hash();
        };
        EXPECT_EQ(run(true), run(false)) << method << ' ' << solver;
    }
}

/// A pull by a hand's breadth moves and stretches a bar: its energy comes from the mouse.
TEST(Hand, that_pulls_brings_energy_that_is_no_gain) {
    for (const bool implicit : {true, false}) {
        const std::string text = scene_text("penalty", "corotational") + "[output]\nformats = []\n";
        const SceneDef scene = make_scene(parse_toml(text, "scene.toml"), "scene.toml");
        BuildReport built;
        auto model = std::make_unique<Model>(build_model(scene, built));
        model->gravity = {};
        auto stepper = make_stepper(scene, *model);
        auto owned =
            std::make_unique<Hand>(make_contact(scene, *model), model->obstacles, implicit);
        Hand& hand = *owned;
        const Index tip = model->bodies[0].node_end - 1;
        const Vec3d from = model->mesh.nodes[tip];
        World world(std::move(model), std::move(stepper), std::move(owned));
        hand.pull({ContactStencil::of_node(tip), from + Vec3d{0, 0.3, 0}, 100, 1, {}, {}});
        double most = 0;
        for (int k = 0; k < 40; ++k) {
            const StepReport step = world.step();
            ASSERT_FALSE(step.failed) << step.failure.what;
            EXPECT_LT(step.energy_gain, 0.05 * step.energy_scale) << "step " << step.step;
            most = std::max(most, step.kinetic + step.elastic);
        }
        EXPECT_GT(most, 0.1);
    }
}

}  // namespace
}  // namespace limber
