// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"
#include "limber/output/registry.h"
#include "limber/render/tessellate.h"
#include "limber/scene/build/model.h"
#include "limber/sim/run.h"
#include "limber/sim/verdict_rules.h"
#include "limber/view/replay.h"
#include "view/socket_client.h"
#include "view/view_scene.h"

namespace limber {
namespace {

using Json = nlohmann::json;

/// A run folder of 12 steps under gravity, a frame every third step.
std::string make_run(const TempFolder& folder, const std::string& name, const std::string& young,
                     const std::string& more = "", const std::string& skin = "") {
    const std::string file = test::bar_scene(folder, more);
    LoadOptions load;
    load.sets = {"material.soft.young=" + young, "gravity=[0, -9.81, 0]"};
    if (!skin.empty()) load.sets.push_back("body.bar.skin=\"" + skin + '"');
    const SceneDef scene = load_scene(file, load);
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    World world(std::move(model), std::move(stepper), std::move(contact),
                {.verdict = verdict_rules(scene)});
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

/// The file of the bar's frame, cut in the middle.
void tear(const std::string& dir, const std::string& file) {
    const std::string path = dir + "/vtu/" + file;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

TEST(Replay, a_torn_frame_is_told_and_the_rest_plays_on) {
    const TempFolder folder;
    const std::string dir = make_run(folder, "a", "1e5");
    tear(dir, "bar_000006.vtu");
    ViewServer server({});
    test::WebSocketClient client(server);
    ASSERT_TRUE(test::eventually([&] { return server.counts().clients == 1; }));
    ReplaySession session({dir});
    std::vector<double> steps;
    std::vector<std::string> pictures;
    for (int k = 0; k < 10 && session.playing(); ++k) {
        const std::string frame = session.frame();
        steps.push_back(FrameHead(frame).step());
        pictures.push_back(frame.substr(64));
        session.advance(server);
    }
    EXPECT_EQ(steps, (std::vector<double>{0, 3, 6, 9, 12}));
    EXPECT_EQ(pictures[2], pictures[1]) << "the one before stands in";
    EXPECT_NE(pictures[3], pictures[2]);
    Json notice = Json::parse(client.receive()->payload);
    while (notice["type"] != "notice") notice = Json::parse(client.receive()->payload);
    for (const char* words : {"step 6", "step 3 is shown", "bar_000006.vtu"})
        EXPECT_NE(notice["error"].get<std::string>().find(words), std::string::npos) << notice;
    std::filesystem::remove_all(dir + "/vtu");  // the folder may go altogether
    session.handle(parse_command(R"({"do":"seek","value":1})"), server);
    EXPECT_EQ(session.frame().substr(64), pictures.back());
}

TEST(Replay, begins_with_the_first_frame_that_can_be_read) {
    const TempFolder folder;
    const std::string dir = make_run(folder, "a", "1e5");
    tear(dir, "bar_000000.vtu");
    ViewServer server({});
    test::WebSocketClient client(server);
    ReplaySession session({dir});
    EXPECT_EQ(FrameHead(session.frame()).step(), 3);
    session.announce(server);
    const Json scene = Json::parse(client.receive()->payload);
    EXPECT_NE(scene["warnings"][0].get<std::string>().find("bar_000000.vtu"), std::string::npos);
    for (const char* file :
         {"bar_000003.vtu", "bar_000006.vtu", "bar_000009.vtu", "bar_000012.vtu"})
        tear(dir, file);
    EXPECT_THROW(ReplaySession({dir}), InputError) << "nothing is left";
}

TEST(Replay, a_skin_shows_the_stress_of_its_body_and_the_size_that_was_computed) {
    const TempFolder folder;
    const TriangleSurface box = tessellate_box({0.5, 0.1, 0.1});
    write_surface(folder.path("skin.obj"), {box.points, box.triangles});
    const std::string plain = make_run(folder, "plain", "1e5"),
                      dir = make_run(folder, "skinned", "1e5", "", "skin.obj");
    ViewServer server({});
    test::WebSocketClient client(server);
    ReplaySession session({dir}), bare({plain});
    session.announce(server);
    const Json body = Json::parse(client.receive()->payload)["bodies"][0];
    EXPECT_EQ(body["skin"], true);
    EXPECT_EQ(body["nodes"], 99) << "11 x 3 x 3, not those of the skin";
    EXPECT_GT(body["tets"], 100);
    for (ReplaySession* each : {&session, &bare}) {
        each->handle(parse_command(R"({"do":"colour","name":"von_mises"})"), server);
        each->handle(parse_command(R"({"do":"seek","value":4})"), server);
    }
    const double at_skin = FrameHead(session.frame()).hi(), at_body = FrameHead(bare.frame()).hi();
    EXPECT_GT(at_body, 100) << "[Pa]";
    // The corners of the skin are nodes of the bar, and the largest stress is at the held end's.
    EXPECT_NEAR(at_skin, at_body, 0.2 * at_body);
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

/// The verdict that a client of these runs is told.
Json verdict_of(const std::vector<std::string>& dirs) {
    ViewServer server({});
    test::WebSocketClient client(server);
    EXPECT_TRUE(test::eventually([&] { return server.counts().clients == 1; }));
    ReplaySession session(dirs);
    session.announce(server);
    while (const auto got = client.receive()) {
        if (got->opcode != 1) continue;
        if (Json message = Json::parse(got->payload); message["type"] == "verdict") return message;
    }
    return {};
}
bool is_quiet(const Json& verdict) {
    return verdict["faults"].empty() && verdict["failed"].empty() && verdict["unknown"].empty();
}

TEST(Replay, tells_the_verdict_that_is_in_the_summary_of_each_run) {
    const TempFolder folder;
    const std::string good = make_run(folder, "good", "1e5");
    const std::string bad = make_run(folder, "bad", "1e5",
                                     "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\nposition "
                                     "= [0, -0.1, 0]\n[contact]\nmethod = \"penalty\"\n"
                                     "stiffness = 1e-3\n");
    EXPECT_TRUE(is_quiet(verdict_of({good}))) << verdict_of({good});
    const Json summary = Json::parse(read_file(bad + "/summary.json"))["verdict"];
    ASSERT_FALSE(summary.empty()) << "the bar sinks in";
    for (const std::size_t side : {0, 1}) {
        const Json told = verdict_of(side ? std::vector{good, bad} : std::vector{bad, good});
        ASSERT_EQ(told["faults"].size(), summary.size());
        for (std::size_t k = 0; k < summary.size(); ++k) {
            Json expected = summary[k];
            expected["side"] = side;
            EXPECT_EQ(told["faults"][k], expected);
        }
        EXPECT_EQ(told["since"], 0);
    }
}

TEST(Replay, tells_that_a_run_failed_and_where_nothing_is_known) {
    const TempFolder folder;
    const std::string dir = make_run(folder, "a", "1e5");
    const std::string path = dir + "/summary.json";
    Json summary = Json::parse(read_file(path));
    summary["failure"] = "step 13 failed in body 'bar'";
    write_file_atomic(path, summary.dump());
    EXPECT_EQ(verdict_of({dir})["failed"][0]["text"], "step 13 failed in body 'bar'");
    Json damaged = summary;
    damaged["verdict"] = {{{"kind", 3}}};
    Json older = summary;
    older.erase("verdict");
    for (const std::string& text :
         {damaged.dump(), older.dump(), std::string("{\"verdict\": ["), std::string("[]")}) {
        write_file_atomic(path, text);
        const Json verdict = verdict_of({dir});
        EXPECT_TRUE(verdict["faults"].empty()) << text.substr(0, 30);
        ASSERT_EQ(verdict["unknown"].size(), 1u) << text.substr(0, 30);
        EXPECT_NE(verdict["unknown"][0]["text"].get<std::string>().find("summary.json"),
                  std::string::npos);
    }
    std::filesystem::remove(path);
    EXPECT_EQ(verdict_of({dir})["unknown"].size(), 1u);
}

TEST(Replay, refuses_folders_without_a_run) {
    const TempFolder folder;
    EXPECT_ANY_THROW(ReplaySession({folder.path("")}));
}

}  // namespace
}  // namespace limber
