// SPDX-License-Identifier: Apache-2.0
// The live page of a world that a program steps.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/scene/registry.h"
#include "limber/view/program_view.h"
#include "view/socket_client.h"
#include "view/view_scene.h"

namespace limber {
namespace {

using test::WebSocketClient;

/// The bar of bar.toml under some solver, with a page or without.
struct Program {
    explicit Program(const std::vector<std::string>& sets, bool with_page = true) {
        def = load_scene(test::bar_scene(folder, ""), {sets, false});
        BuildReport built;
        auto model = std::make_unique<const Model>(build_model(def, built));
        auto stepper = make_stepper(def, *model);
        auto contact = make_contact(def, *model);
        world = std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
        if (!with_page) return;
        auto made = std::make_unique<ProgramView>(*world, def, std::vector<std::string>{});
        view = made.get();
        world->add(std::move(made));
        view->open({});
    }
    TempFolder folder;
    SceneDef def;
    std::unique_ptr<World> world;
    ProgramView* view = nullptr;
};

TEST(ProgramView, every_solver_takes_its_steps_with_and_without_the_same_bits) {
    for (const char* solver : {"corotational", "newton", "xpbd", "cholesky", "descent"}) {
        const std::vector<std::string> sets = {std::string("solver.kind=\"") + solver + '"'};
        Program alone(sets, false), seen(sets);
        for (int k = 0; k < 5; ++k) {
            ASSERT_FALSE(alone.world->step().failed);
            ASSERT_FALSE(seen.world->step().failed);
        }
        EXPECT_EQ(alone.world->state_hash(), seen.world->state_hash()) << solver;
    }
}

TEST(ProgramView, a_page_that_is_closed_lets_go_of_what_it_held) {
    Program with({}), without({}, false);
    ByteWriter start;
    with.world->save(start);
    with.view->close();
    EXPECT_EQ(with.view->url(), "");
    EXPECT_THROW(with.view->update(), InputError);
    with.view->open({});
    EXPECT_THROW(with.view->open({}), InputError);
    EXPECT_NE(with.view->port(), 0);
    with.view->close();
    for (int k = 0; k < 3; ++k) {
        with.world->step();
        without.world->step();
    }
    EXPECT_EQ(with.world->state_hash(), without.world->state_hash());
    EXPECT_EQ(with.view->clients(), 0);
}

}  // namespace
}  // namespace limber
