// SPDX-License-Identifier: Apache-2.0
// What a user does to a running simulation by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "limber/contact/joint.h"
#include "limber/core/errors.h"
#include "view/live_bar.h"
#include "view/socket_client.h"

namespace limber {
namespace {

using Json = nlohmann::json;
using test::farthest;
using test::free_end;
using test::Live;
using test::pick_json;

TEST(LiveSession, a_ball_that_stays_deep_in_a_body_is_told_without_a_name) {
    for (const char* method : {"penalty", "lagrange"}) {
        Live live("",
                  {std::string("contact.method=\"") + method + '"', "solver.kind=\"cholesky\""});
        const Vec3d inside = live.state().x[live.state().x.size() / 2];
        live.tell(R"({"do":"tool","point":[)" + std::to_string(inside.x) + ',' +
                  std::to_string(inside.y) + ',' + std::to_string(inside.z) + R"(],"value":0.3})");
        live.advance(3);
        EXPECT_FALSE(live.session->take_verdict().empty()) << method;
    }
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

/// A client of a live session, and what it is told in answer to commands.
struct Listening {
    explicit Listening(Live& l) : live(l), client(l.server) {
        live.session->announce(live.server);
        EXPECT_TRUE(test::eventually([&] { return live.server.counts().clients == 1; }));
        until_notice();
    }
    /// The last status before a notice, which comes after it.
    std::optional<Json> until_notice() {
        live.server.publish(Slot::notice, R"({"type":"notice"})");
        std::optional<Json> status;
        for (;;) {
            const auto got = client.receive();
            if (!got) throw std::runtime_error("the connection ended");
            if (got->opcode != 1) continue;
            Json message = Json::parse(got->payload);
            if (message["type"] == "notice") return status;
            if (message["type"] == "status") status = std::move(message);
        }
    }
    /// Nothing: no status came.
    std::optional<bool> by_hand_after(const std::string& command) {
        live.tell(command);
        const auto status = until_notice();
        return status ? std::optional((*status)["by_hand"].get<bool>()) : std::nullopt;
    }
    Live& live;
    test::WebSocketClient client;
};

TEST(LiveSession, what_was_done_by_hand_is_told_in_the_answer_to_it) {
    Live live;
    live.tell(R"({"do":"open","name":"pneunet"})");
    Listening page(live);
    const std::string pick = pick_json({0, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
    const std::string drive = R"({"do":"drive","name":"chamber","value":)";
    const std::string ball = R"({"do":"tool","point":[0,9,0],"value":)";
    const std::string pull = R"({"do":"pull",)" + pick + R"(,"point":[0,0,0],"value":1})";
    const auto set = [](const char* path, const char* to) {
        return R"({"do":"set","path":")" + std::string(path) + R"(","to":)" + to + "}";
    };
    const std::string start = R"({"do":"reset"})";
    EXPECT_EQ(page.by_hand_after(start), false);
    EXPECT_EQ(page.by_hand_after(drive + "100}"), true);
    EXPECT_EQ(page.by_hand_after(drive + "200}"), std::nullopt) << "too many for a status each";
    EXPECT_EQ(page.by_hand_after(R"({"do":"pause"})"), true);
    EXPECT_EQ(page.by_hand_after(start), false);
    EXPECT_EQ(page.by_hand_after(ball + "0.1}"), true);
    EXPECT_EQ(page.by_hand_after(ball + "0.2}"), std::nullopt);
    EXPECT_EQ(page.by_hand_after(R"({"do":"tool_off"})"), true) << "it has pushed before";
    EXPECT_EQ(page.by_hand_after(start), false);
    EXPECT_EQ(page.by_hand_after(pull), true);
    EXPECT_EQ(page.by_hand_after(R"({"do":"release"})"), true);
    EXPECT_EQ(page.by_hand_after(start), false);
    EXPECT_EQ(page.by_hand_after(set("gravity", "[0,-5,0]")), false) << "the command has it";
    live.advance(1);
    EXPECT_EQ(page.by_hand_after(set("gravity", "[0,-4,0]")), true) << "only from the start on";
    EXPECT_EQ(page.by_hand_after(start), false);
}

TEST(LiveSession, a_pin_is_by_hand_even_after_it_has_let_go) {
    Live live;
    Listening page(live);
    EXPECT_EQ(page.by_hand_after(R"({"do":"pin",)" + pick_json(free_end(live)) + "}"), true);
    live.advance(2);
    EXPECT_EQ(page.by_hand_after(R"({"do":"unpin"})"), true);
    EXPECT_EQ(page.by_hand_after(R"({"do":"open","name":"other"})"), false);
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

}  // namespace
}  // namespace limber
