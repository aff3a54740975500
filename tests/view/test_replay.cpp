// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/output/registry.h"
#include "limber/scene/build_model.h"
#include "limber/sim/run.h"
#include "limber/view/replay.h"
#include "view/socket_client.h"
#include "view/view_scene.h"

namespace limber {
namespace {

using Json = nlohmann::json;

/// A run folder of 12 steps under gravity, a frame every third step.
std::string make_run(const TempFolder& folder, const std::string& name, const std::string& young,
                     const std::string& more = "") {
    const std::string file = test::bar_scene(folder, more);
    LoadOptions load;
    load.sets = {"material.soft.young=" + young, "gravity=[0, -9.81, 0]"};
    const SceneDef scene = load_scene(file, load);
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    World world(std::move(model), std::move(stepper), std::move(contact));
    RunOutputOptions o;
    o.dir = folder.path(name);
    std::filesystem::create_directory(o.dir);
    o.every = 3;
    o.formats.clear();
    for (const OutputFormat format : scene.output.formats)
        o.formats.emplace_back(enum_names(OutputFormat{})[static_cast<std::size_t>(format)]);
    o.scene_text = resolved_toml(scene);
    o.log = LogKind::none;
    add_observers(world, o);
    RunOptions options;
    options.last_step = 12;
    run(world, options);
    return o.dir;
}

struct FrameHead {
    explicit FrameHead(const std::string& bytes) { std::memcpy(word, bytes.data(), sizeof word); }
    std::uint32_t word[16];
    double step() const { return as<double>(4); }
    double time() const { return as<double>(6); }
    float hi() const { return as<float>(10); }
    template <class T>
    T as(int at) const {
        T out;
        std::memcpy(&out, word + at, sizeof out);
        return out;
    }
};

TEST(Replay, plays_the_frames_of_a_run_and_stops_at_its_end) {
    const TempFolder folder;
    const std::string dir = make_run(folder, "a", "1e5");
    ViewServer server({});
    ReplaySession session({dir});
    session.announce(server);
    EXPECT_NEAR(session.interval(), 0.03, 1e-12);
    std::vector<double> steps;
    for (int k = 0; k < 10 && session.playing(); ++k) {
        steps.push_back(FrameHead(session.frame()).step());
        session.advance(server);
    }
    EXPECT_EQ(steps, (std::vector<double>{0, 3, 6, 9, 12}));
    EXPECT_FALSE(session.playing());
    session.handle(parse_command(R"({"do":"seek","value":2})"), server);
    EXPECT_EQ(FrameHead(session.frame()).step(), 6);
    EXPECT_NEAR(FrameHead(session.frame()).time(), 0.06, 1e-12);
    for (const char* wrong : {R"({"do":"seek","value":5})", R"({"do":"seek","value":-1})",
                              R"({"do":"set","path":"solver.kind","to":"cholesky"})",
                              R"({"do":"pin","triangle":0,"weight":[1,0,0]})"})
        EXPECT_THROW(session.handle(parse_command(wrong), server), InputError) << wrong;
}

TEST(Replay, shows_the_contacts_that_a_run_has_written) {
    const TempFolder folder;
    const std::string floor = "[[obstacle]]\nshape = \"plane\"\nposition = [0, -0.1, 0]\n";
    ReplaySession without({make_run(folder, "without", "1e5", floor)});
    ViewServer server({});
    const Command on = parse_command(R"({"do":"contacts","on":true})");
    EXPECT_THROW(without.handle(on, server), InputError);
    ReplaySession session(
        {make_run(folder, "a", "1e5", floor + "[output]\nformats = [\"vtu\", \"contacts\"]\n")});
    session.handle(on, server);
    session.handle(parse_command(R"({"do":"seek","value":4})"), server);
    EXPECT_EQ(Json::parse(session.status())["contacts"], true);
    const std::string frame = session.frame();
    const std::uint32_t n = FrameHead(frame).word[12];
    ASSERT_GT(n, 0u);
    double up = 0;  // [N]
    for (std::uint32_t k = 0; k < n; ++k) {
        float arrow[6];
        std::memcpy(arrow, frame.data() + frame.size() - (n - k) * sizeof arrow, sizeof arrow);
        EXPECT_NEAR(arrow[1], -0.1, 2e-3) << "where the floor is";
        up += arrow[4];
    }
    EXPECT_GT(up, 10) << "the bar leans on the floor";
}

TEST(Replay, tells_how_far_two_runs_are_apart) {
    const TempFolder folder;
    const std::string a = make_run(folder, "a", "1e5"), b = make_run(folder, "b", "2e5");
    ViewServer server({});
    ReplaySession same({a, a}), other({a, b});
    for (ReplaySession* session : {&same, &other})
        session->handle(parse_command(R"({"do":"seek","value":4})"), server);
    const FrameHead nothing(same.frame()), something(other.frame());
    EXPECT_EQ(nothing.word[8], nothing.word[3]) << "a value a vertex";
    EXPECT_EQ(nothing.hi(), 0);
    EXPECT_GT(something.hi(), 1e-3);
    EXPECT_LT(something.hi(), 0.2);
    // The value is the distance of the two points.
    const std::string bytes = other.frame();
    const std::size_t n = something.word[3] / 2;
    std::vector<float> all((bytes.size() - 64) / 4);
    std::memcpy(all.data(), bytes.data() + 64, 4 * all.size());
    for (std::size_t i = 0; i < n; ++i) {
        const float distance =
            std::hypot(all[3 * i] - all[3 * (n + i)], all[3 * i + 1] - all[3 * (n + i) + 1],
                       all[3 * i + 2] - all[3 * (n + i) + 2]);
        EXPECT_FLOAT_EQ(all[6 * n + i], distance);
    }
}

TEST(Replay, the_table_of_a_run_becomes_its_history) {
    const TempFolder folder;
    const std::string dir = make_run(folder, "a", "1e5");
    const Json history = Json::parse(history_message(dir));
    EXPECT_EQ(history["rows"].size(), 12u);
    EXPECT_EQ(history["columns"][0], "step");
    EXPECT_EQ(history["rows"][11][0], 12);
    EXPECT_LE(Json::parse(history_message(dir, 5))["rows"].size(), 5u);
    EXPECT_EQ(history_message(folder.path("nothing")), "");
}

TEST(Replay, refuses_folders_without_a_run) {
    const TempFolder folder;
    EXPECT_ANY_THROW(ReplaySession({folder.path("")}));
}

}  // namespace
}  // namespace limber
