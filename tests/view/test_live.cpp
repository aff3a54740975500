// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "limber/contact/joint.h"
#include "limber/core/errors.h"
#include "limber/view/live.h"
#include "view/socket_client.h"
#include "view/view_scene.h"

namespace limber {
namespace {

using Json = nlohmann::json;

struct Live {
    explicit Live(const std::string& more = "", std::vector<std::string> sets = {})
        : file(test::bar_scene(folder, more)) {
        LiveOptions o;
        o.scene = file;
        o.load.sets = std::move(sets);
        o.gallery = {{"other", "another bar",
                      test::bar_scene(folder,
                                      "[[body]]\nname = \"two\"\nshape = \"box\"\n"
                                      "translate = [0, 2, 0]\n",
                                      "other.toml")},
                     {"pneunet", "", LIMBER_SOURCE_DIR "/scenes/pneunet.toml"},
                     {"broken", "", folder.file("broken.toml", "limber = 1\nyoung = 3\n")}};
        session = std::make_unique<LiveSession>(o);
    }
    void tell(const std::string& json) { session->handle(parse_command(json), server); }
    void advance(int n) {
        for (int k = 0; k < n; ++k) session->advance(server);
    }
    const State& state() const { return session->world().state(); }
    Json status() const { return Json::parse(session->status()); }

    TempFolder folder;
    std::string file;
    ViewServer server{{}};
    std::unique_ptr<LiveSession> session;
};

/// A surface triangle at the free end of the bar.
SurfacePick free_end(const Live& live) {
    const DisplaySurface surface(live.session->world().model());
    for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
        const SurfacePick pick{static_cast<Index>(t), {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        if (surface.stencil(pick).gather(live.session->world().model().mesh.nodes).x > 0.49)
            return pick;
    }
    throw std::runtime_error("no free end");
}
std::string pick_json(const SurfacePick& pick) {
    return "\"triangle\":" + std::to_string(pick.triangle) + ",\"weight\":[0.3333,0.3333,0.3334]";
}
double farthest(const Live& live) {
    double out = 0;
    for (std::size_t i = 0; i < live.state().x.size(); ++i)
        out = std::max(out, norm(live.state().x[i] - live.session->world().model().mesh.nodes[i]));
    return out;
}

TEST(LiveSession, a_pull_moves_the_body_and_letting_go_brings_it_back) {
    const std::pair<const char*, const char*> cases[] = {
        {"corotational", "penalty"},    {"cholesky", "penalty"},
        {"warp_canceling", "penalty"},  {"stiffness_warping", "penalty"},
        {"newton", "penalty"},          {"descent", "penalty"},
        {"cholesky", "lagrange"},       {"async", "lagrange"},
        {"warp_canceling", "lagrange"}, {"newton", "lagrange"}};
    for (const auto& [solver, contact] : cases) {
        Live live("", {std::string("solver.kind=\"") + solver + '"',
                       std::string("contact.method=\"") + contact + '"'});
        live.advance(5);
        EXPECT_LT(farthest(live), 1e-7) << solver << " (descent computes in single precision)";
        live.tell(R"({"do":"pull",)" + pick_json(free_end(live)) +
                  R"(,"point":[0.5,0.3,0],"value":1})");
        live.advance(30);
        EXPECT_GT(farthest(live), 0.05) << solver << live.status()["failure"];
        live.tell(R"({"do":"move","point":[0.5,-0.3,0]})");
        live.advance(60);
        const DisplaySurface surface(live.session->world().model());
        EXPECT_LT(surface.stencil(free_end(live)).gather(live.state().x).y, -0.02) << solver;
        live.tell(R"({"do":"release"})");
        live.advance(400);
        EXPECT_LT(farthest(live), 0.01) << solver;
    }
}

TEST(LiveSession, the_force_of_a_pull_is_that_of_its_spring) {
    Live live;
    live.tell(R"({"do":"pull",)" + pick_json(free_end(live)) +
              R"(,"point":[0.5,0.3,0],"value":1})");
    live.advance(400);  // at rest: f = k (target - p), with k = m (2 pi 2 Hz)^2
    const std::string frame = live.session->frame();
    std::array<std::uint32_t, 16> head{};
    std::memcpy(head.data(), frame.data(), sizeof head);
    ASSERT_EQ(head[13], 1u);
    std::array<float, 6> hand{};
    std::memcpy(hand.data(), frame.data() + frame.size() - sizeof hand, sizeof hand);
    const double k = 40 * std::pow(2 * 3.14159265358979 * 2, 2);  // the bar weighs 40 kg
    EXPECT_NEAR(hand[4], k * (0.3 - hand[1]), 2e-3 * std::abs(hand[4]));
    EXPECT_GT(hand[4], 1);
}

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

TEST(LiveSession, pins_hold_where_they_were_set_and_let_go) {
    Live live;
    const std::string pull =
        R"({"do":"pull",)" + pick_json(free_end(live)) + R"(,"point":[0.5,0.3,0],"value":1})";
    live.tell(pull);
    live.advance(40);
    const DisplaySurface surface(live.session->world().model());
    const SurfacePick pick{free_end(live).triangle, {0.3333, 0.3333, 0.3334}};
    const Index node = surface.node(pick);
    const Vec3d held = live.state().x[node];
    live.tell(R"({"do":"pin",)" + pick_json(free_end(live)) + "}");
    live.advance(50);
    EXPECT_LT(norm(live.state().x[node] - held), 1e-12);
    EXPECT_EQ(live.status()["pins"].size(), 1u);
    live.tell(R"({"do":"set","path":"solver.kind","to":"cholesky"})");
    live.tell(R"({"do":"set","path":"material.soft.young","to":"50 kPa"})");
    live.advance(5);
    EXPECT_LT(norm(live.state().x[node] - held), 1e-12) << "pins outlive a change";
    live.tell(R"({"do":"unpin"})");
    live.advance(50);
    EXPECT_GT(norm(live.state().x[node] - held), 1e-3);
}

TEST(LiveSession, the_tool_pushes) {
    Live live;
    live.tell(R"({"do":"tool","point":[0.4,0.5,0],"value":0.1})");
    live.advance(5);
    EXPECT_LT(farthest(live), 1e-9) << "not yet there";
    for (int k = 0; k < 40; ++k) {
        live.tell(R"({"do":"tool","point":[0.4,)" + std::to_string(0.5 - 0.01 * k) +
                  R"(,0],"value":0.1})");
        live.advance(2);
    }
    EXPECT_GT(farthest(live), 0.02);
    live.tell(R"({"do":"tool_off"})");
    live.advance(400);
    EXPECT_LT(farthest(live), 0.01);
}

TEST(LiveSession, a_cable_is_drawn_and_driven_by_hand) {
    Live live(
        "[contact]\nmethod = \"lagrange\"\n[[cable]]\nname = \"tendon\"\nbody = \"bar\"\n"
        "path = [[-0.5, 0.1, 0], [0, 0.1, 0], [0.5, 0.1, 0]]\ntimes = [0, 1]\npull = [0, 0.02]\n",
        {"solver.kind=\"cholesky\""});
    const auto length = [&] {
        return live.session->world().contact().joints()[0]->readings()[0].value;
    };
    live.advance(51);
    EXPECT_NEAR(length(), 1 - 0.01, 1e-5) << "the key frames";
    const Index nodes = live.session->world().model().n_nodes();
    live.tell(R"({"do":"drive","name":"tendon","value":0.03})");
    live.advance(40);
    EXPECT_NEAR(length(), 1 - 0.03, 1e-4);
    live.tell(R"({"do":"set","path":"material.soft.young","to":"200 kPa"})");
    live.advance(2);
    EXPECT_NEAR(length(), 1 - 0.03, 1e-3) << "no jolt";
    live.advance(40);
    EXPECT_EQ(live.session->world().model().n_nodes(), nodes);
    EXPECT_NEAR(length(), 1 - 0.03, 1e-4) << "another material, the same hand";

    const std::string frame = live.session->frame();
    std::array<std::uint32_t, 16> head{};
    std::memcpy(head.data(), frame.data(), sizeof head);
    ASSERT_EQ(head[14], 2u) << "pieces";
    std::array<float, 12> ends{};
    std::memcpy(ends.data(), frame.data() + frame.size() - sizeof ends, sizeof ends);
    double drawn = 0;
    for (int k = 0; k < 2; ++k)
        drawn += std::hypot(ends[6 * k + 3] - ends[6 * k], ends[6 * k + 4] - ends[6 * k + 1],
                            ends[6 * k + 5] - ends[6 * k + 2]);
    EXPECT_NEAR(drawn, 1 - 0.03, 1e-4);
    const Json stats = Json::parse(live.session->take_stats());
    EXPECT_GT(stats["readings"]["tendon force"].get<double>(), 0);
    EXPECT_DOUBLE_EQ(stats["drives"]["tendon"].get<double>(), 0.03);

    EXPECT_THROW(live.tell(R"({"do":"drive","name":"tendon","value":0.031})"), InputError);
    EXPECT_THROW(live.tell(R"({"do":"drive","name":"chamber","value":0})"), InputError);
    live.tell(R"({"do":"reset"})");
    live.advance(51);
    EXPECT_NEAR(length(), 1 - 0.01, 1e-5) << "the key frames again";
}

TEST(LiveSession, a_cavity_is_driven_by_hand) {
    Live live;
    live.tell(R"({"do":"open","name":"pneunet"})");
    const CavityWall wall = live.session->world().model().pressures.at(0).wall;
    const double at_rest = wall.volume(live.state().x);
    live.tell(R"({"do":"drive","name":"chamber","value":20000})");
    live.advance(60);
    EXPECT_GT(wall.volume(live.state().x), 1.02 * at_rest);
    live.tell(R"({"do":"drive","name":"chamber","value":0})");
    live.advance(120);
    EXPECT_NEAR(wall.volume(live.state().x), at_rest, 0.005 * at_rest);
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
    live.advance(2);
    const Json stats = Json::parse(live.session->take_stats());
    EXPECT_EQ(stats["rows"].size(), 2u);
    EXPECT_EQ(stats["rows"][0].size(), stats["columns"].size());
}

}  // namespace
}  // namespace limber
