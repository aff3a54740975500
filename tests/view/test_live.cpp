// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "limber/core/errors.h"
#include "limber/gpu/device.h"
#include "view/live_bar.h"
#include "view/socket_client.h"

namespace limber {
namespace {

using Json = nlohmann::json;
using test::farthest;
using test::free_end;
using test::Live;
using test::pick_json;

TEST(LiveSession, a_solver_has_the_name_of_the_scene_and_no_residual_it_did_not_measure) {
    Live live;
    live.tell(R"({"do":"set","path":"solver.kind","to":"stiffness_warping"})");
    EXPECT_EQ(Json::parse(live.session->status())["solver"], "stiffness_warping");
    live.tell(R"({"do":"set","path":"solver.kind","to":"xpbd"})");
    live.session->take_stats();
    live.advance(1);
    const Json stats = Json::parse(live.session->take_stats());
    for (std::size_t k = 0; k < stats["columns"].size(); ++k)
        if (stats["columns"][k] == "residual") {
            EXPECT_TRUE(stats["rows"].back()[k].is_null()) << stats["rows"].back()[k];
        }
}

TEST(LiveSession, another_solver_or_material_keeps_the_state) {
    Live live;
    live.tell(R"({"do":"pull",)" + pick_json(free_end(live)) +
              R"(,"point":[0.5,0.3,0],"value":1})");
    live.advance(20);
    const State before = live.state();
    live.tell(R"({"do":"set","path":"solver.kind","to":"warp_canceling"})");
    EXPECT_EQ(live.session->world().stepper().name(), "warp_canceling");
    EXPECT_EQ(live.state().x, before.x);
    EXPECT_EQ(live.state().v, before.v);
    EXPECT_EQ(live.state().step, before.step);
    live.tell(R"({"do":"set","path":"material.soft.young","to":"1 MPa"})");
    EXPECT_EQ(live.state().x, before.x);
    live.tell(R"({"do":"set","path":"solver.kind","to":"corotational"})");
    live.tell(R"({"do":"set","path":"solver.max_iterations","to":7})");
    EXPECT_EQ(live.state().x, before.x);
    // Ten times as stiff: the same bend pulls back about ten times as hard.
    const auto push_back = [](Live& l) {
        const State start = l.state();
        l.advance(1);
        Vec3d change{};
        for (std::size_t i = 0; i < start.v.size(); ++i) change += l.state().v[i] - start.v[i];
        return norm(change);
    };
    const double stiff = push_back(live);
    Live soft;
    soft.tell(R"({"do":"pull",)" + pick_json(free_end(soft)) +
              R"(,"point":[0.5,0.3,0],"value":1})");
    soft.advance(20);
    soft.tell(R"({"do":"release"})");
    EXPECT_GT(stiff, 3 * push_back(soft));
    EXPECT_NE(live.status()["command"].get<std::string>().find("--set solver.max_iterations=7"),
              std::string::npos);
}

TEST(LiveSession, time_goes_on_under_another_step) {
    Live live;
    live.advance(10);
    live.tell(R"({"do":"set","path":"time.step","to":0.004})");
    EXPECT_EQ(live.session->interval(), 0.004);
    EXPECT_NEAR(live.state().time, 0.1, 0.002);
    EXPECT_EQ(live.state().time, static_cast<double>(live.state().step) * 0.004);
}

TEST(LiveSession, what_is_not_allowed_changes_nothing) {
    Live live;
    live.advance(3);
    const std::uint64_t before = live.session->world().state_hash();
    const char* wrong[] = {
        R"({"do":"set","path":"material.soft.young","to":-5})",
        R"({"do":"set","path":"material.soft.poisson","to":0.5})",
        R"({"do":"set","path":"material.soft.yuong","to":5})",
        R"({"do":"set","path":"material.hard.young","to":5})",
        R"({"do":"set","path":"solver.kind","to":"magic"})",
        R"({"do":"set","path":"body.bar.mesh","to":"/etc/passwd"})",
        R"({"do":"set","path":"extends","to":"/etc/passwd"})",
        R"({"do":"set","path":"time.end","to":5})",
        R"({"do":"set","path":"time.step","to":0})",
        R"({"do":"set","path":"device","to":"abacus"})",
        R"({"do":"open","name":"../../etc/passwd"})",
        R"({"do":"open","name":"broken"})",
        R"({"do":"seek","value":1})",
        R"({"do":"speed","value":-1})",
        R"({"do":"pull","triangle":100000,"weight":[1,0,0],"point":[0,0,0],"value":1})",
        R"({"do":"pin","triangle":100000,"weight":[1,0,0]})",
        R"({"do":"record","on":true})",
    };
    for (const char* command : wrong) EXPECT_THROW(live.tell(command), InputError) << command;
    EXPECT_EQ(live.session->world().state_hash(), before);
    live.advance(1);
}

TEST(LiveSession, computes_on_a_card_from_here_on_or_says_why_not) {
    Live live;
    live.tell(R"({"do":"set","path":"solver.kind","to":"descent"})");
    live.advance(3);
    const std::uint64_t before = live.session->world().state_hash();
    const std::string wish = R"({"do":"set","path":"device","to":"cuda"})";
    if (gpu::has_kernels() && gpu::device().found) {
        live.tell(wish);
        EXPECT_EQ(live.session->world().state_hash(), before);
        live.advance(3);
        EXPECT_NE(live.session->world().state_hash(), before);
        return;
    }
    try {
        live.tell(wish);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("limber doctor"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(live.session->world().state_hash(), before);
    live.advance(1);
    // Without a form for a card: refused for that reason, and the choice stays what it was.
    live.tell(R"({"do":"set","path":"solver.kind","to":"cholesky"})");
    EXPECT_THROW(live.tell(wish), InputError);
    live.advance(1);
}

TEST(LiveSession, a_broken_scene_says_its_line_and_the_old_one_stays) {
    Live live;
    try {
        live.tell(R"({"do":"open","name":"broken"})");
        FAIL();
    } catch (const InputError& error) {
        const Json notice = Json::parse(error_notice(error));
        EXPECT_EQ(notice["line"], error.place().line);  // of the first; the others follow
        EXPECT_NE(notice["error"].get<std::string>().find("broken.toml:2"), std::string::npos);
    }
    live.tell(R"({"do":"open","name":"other"})");
    EXPECT_EQ(live.session->world().model().bodies.size(), 2u);
}

TEST(LiveSession, only_a_dynamic_analysis_is_shown) {
    for (const char* analysis : {"static", "quasi_static", "modal"}) {
        TempFolder folder;
        std::string text = read_file(test::bar_scene(folder));
        const auto replace = [&text](std::string_view what, const std::string& by) {
            text.replace(text.find(what), what.size(), by);
        };
        replace("[time]", "[time]\nanalysis = \"" + std::string(analysis) + "\"");
        replace("\"corotational\"", "\"newton\"");
        if (analysis == std::string("modal")) replace("end = 1", "modes = 3");
        LiveOptions o;
        o.scene = folder.file("other.toml", text);
        try {
            const LiveSession session(o);
            FAIL() << analysis;
        } catch (const InputError& error) {
            EXPECT_EQ(error.place().line, 5) << analysis;
            EXPECT_NE(error.message().find("limber run"), std::string::npos) << error.message();
        }
    }
}

/// Writes well until told otherwise.
class BrokenDisk final : public Observer {
  public:
    explicit BrokenDisk(const bool& full) : full_(full) {}
    void after_step(const World&, const StepReport&) override { write(); }
    void end(const World&) override { write(); }

  private:
    void write() const {
        if (full_) throw SystemError("steps.csv", "write", ENOSPC);
    }
    const bool& full_;
};

TEST(LiveSession, a_recording_that_cannot_be_ended_is_an_error_and_no_crash) {
    const TempFolder folder;
    bool full = false;
    LiveOptions o;
    o.scene = test::bar_scene(folder);
    o.record = [&](const World&, const SceneDef&) {
        Recording made;
        made.dir = "out";
        made.observers.push_back(std::make_unique<BrokenDisk>(full));
        return made;
    };
    ViewServer server({});
    const Command record = parse_command(R"({"do":"record","on":true})");
    {
        full = false;
        LiveSession session(o);
        session.handle(record, server);
        session.advance(server);
        full = true;
        EXPECT_THROW(session.finish(), SystemError);
        session.finish();  // it is over: nothing is left to end
        EXPECT_EQ(Json::parse(session.status())["recording"], "");
        full = false;
        session.handle(record, server);
        full = true;
        EXPECT_THROW(session.handle(parse_command(R"({"do":"reset"})"), server), SystemError);
        session.handle(parse_command(R"({"do":"reset"})"), server);
    }
    {
        full = false;
        LiveSession session(o);
        session.handle(record, server);
        full = true;
        test::WebSocketClient client(server);
        const auto recording = [&]() -> std::string {  // as the next status has it
            while (const auto got = client.receive())
                if (got->opcode == 1)
                    if (const Json told = Json::parse(got->payload); told["type"] == "status")
                        return told["recording"];
            return "the connection ended";
        };
        EXPECT_EQ(recording(), "out");
        EXPECT_THROW(session.handle(parse_command(R"({"do":"reset"})"), server), SystemError);
        EXPECT_EQ(recording(), "") << "what ended it is told, and that it ended";
    }
    full = false;
    auto session = std::make_unique<LiveSession>(o);
    session->handle(record, server);
    full = true;
    session.reset();  // must not throw: the test would end here
}

TEST(LiveSession, nothing_moves_before_somebody_has_shown_a_frame) {
    Live live;
    live.tell(R"({"do":"speed","value":0})");
    test::WebSocketClient client(live.server);
    std::string frame;
    ASSERT_TRUE(test::eventually([&] { return live.server.counts().clients == 1; }));
    serve(*live.session, live.server, {.seconds = 0.1});  // many steps, if it moved
    EXPECT_EQ(live.state().step, 0) << "the page has come and is still being made";
    while (frame.empty()) {
        const auto got = client.receive();
        ASSERT_TRUE(got);
        if (got->opcode == 2 && got->payload[0] == 1) frame = got->payload;
    }
    std::uint32_t number = 0;
    std::memcpy(&number, frame.data() + 8, sizeof number);
    client.acknowledge(number);
    EXPECT_TRUE(test::eventually([&] {
        serve(*live.session, live.server, {.seconds = 0.01});
        return live.state().step > 0;
    }));
}

TEST(LiveSession, a_command_starts_it_as_well) {
    Live live;
    live.tell(R"({"do":"speed","value":0})");
    test::WebSocketClient client(live.server);
    EXPECT_TRUE(test::eventually([&] {
        client.send_text(R"({"do":"play"})");
        serve(*live.session, live.server, {.seconds = 0.05});
        return live.state().step > 0;
    }));
}

TEST(LiveSession, a_refused_value_is_named_so_that_the_page_can_show_the_old_one) {
    const Command young = parse_command(R"({"do":"set","path":"material.soft.young","to":-5})");
    const Json notice = Json::parse(error_notice(InputError("no"), &young));
    EXPECT_EQ(notice["do"], "set");
    EXPECT_EQ(notice["path"], "material.soft.young");
    const Command speed = parse_command(R"({"do":"speed","value":-5})");
    EXPECT_EQ(Json::parse(error_notice(InputError("no"), &speed))["do"], "speed");
    EXPECT_FALSE(Json::parse(error_notice(InputError("no"))).contains("do"));
}

TEST(LiveSession, colours_cover_every_field_of_its_list) {
    Live live;
    live.tell(R"({"do":"set","path":"solver.kind","to":"warp_canceling"})");
    live.tell(R"({"do":"pull",)" + pick_json(free_end(live)) +
              R"(,"point":[0.5,0.3,0],"value":1})");
    live.advance(10);
    const auto fields = Colours::fields(live.session->world());
    EXPECT_GE(fields.size(), 8u);
    for (const ColourField& field : fields) {
        live.tell(R"({"do":"colour","name":")" + field.name + "\"}");
        const std::string frame = live.session->frame();
        std::array<std::uint32_t, 16> head{};
        std::memcpy(head.data(), frame.data(), sizeof head);
        EXPECT_EQ(head[8], head[3]) << field.name << ": a value a vertex";
    }
    live.tell(R"({"do":"colour","name":"nonsense"})");
    const std::string frame = live.session->frame();
    std::uint32_t values = 1;
    std::memcpy(&values, frame.data() + 32, sizeof values);
    EXPECT_EQ(values, 0u);
}

TEST(LiveSession, tells_the_page_what_it_needs) {
    Live live;
    test::WebSocketClient client(live.server);
    live.session->announce(live.server);
    const Json scene = Json::parse(client.receive()->payload);
    EXPECT_EQ(scene["type"], "scene");
    EXPECT_EQ(scene["protocol"], 1);
    EXPECT_EQ(scene["bodies"][0]["name"], "bar");
    EXPECT_EQ(scene["values"]["material"]["soft"]["young"], 100000);
    std::set<std::string> solvers;
    for (const Json& c : scene["panels"][0]["cases"]) solvers.insert(c["name"]);
    EXPECT_TRUE(solvers.count("warp_canceling"));
    EXPECT_EQ(scene.dump().find(live.folder.path("")), std::string::npos)
        << "where files lie is nobody's business";
    const auto geometry = client.receive();
    EXPECT_EQ(geometry->opcode, 2);
    EXPECT_EQ(Json::parse(client.receive()->payload)["type"], "status");
    EXPECT_EQ(Json::parse(client.receive()->payload)["type"], "verdict");
    live.advance(2);
    const Json stats = Json::parse(live.session->take_stats());
    EXPECT_EQ(stats["rows"].size(), 2u);
    EXPECT_EQ(stats["rows"][0].size(), stats["columns"].size());
}

}  // namespace
}  // namespace limber
