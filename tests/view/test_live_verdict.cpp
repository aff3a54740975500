// SPDX-License-Identifier: Apache-2.0
// What a running simulation tells of what went wrong.
#include <gtest/gtest.h>

#include "view/live_bar.h"
#include "view/socket_client.h"

namespace limber {
namespace {

using Json = nlohmann::json;
using test::Live;

/// A bar whose solver does not reach its tolerance in any step.
std::vector<std::string> capped() {
    return {"solver.kind=\"descent\"", "solver.direction=\"jacobi\"", "solver.rel_tolerance=1e-6",
            "material.soft.young=1e8", "gravity=[0, -9.81, 0]"};
}
Json verdict_of(LiveSession& session) {
    const std::string message = session.take_verdict();
    return message.empty() ? Json() : Json::parse(message);
}

TEST(LiveSession, tells_what_went_wrong_with_kind_first_step_body_and_count) {
    Live live("", capped());
    const Json none = verdict_of(*live.session);
    EXPECT_EQ(none["type"], "verdict");
    EXPECT_TRUE(none["faults"].empty() && none["failed"].empty() && none["unknown"].empty());
    live.advance(3);
    const Json verdict = verdict_of(*live.session);
    ASSERT_EQ(verdict["faults"].size(), 1u) << verdict;
    const Json& fault = verdict["faults"][0];
    EXPECT_EQ(fault["kind"], "iteration_cap");
    EXPECT_EQ(fault["first_step"], 1);
    EXPECT_EQ(fault["count"], 3);
    EXPECT_EQ(fault["body"], "bar");
    EXPECT_EQ(fault["side"], 0);
    EXPECT_EQ(fault["text"], live.session->world().verdict().text(FaultKind::iteration_cap,
                                                                  live.session->world().model()));
    EXPECT_TRUE(verdict_of(*live.session).is_null()) << "it was told";
    live.advance(1);
    EXPECT_EQ(verdict_of(*live.session)["faults"][0]["count"], 4);
}

TEST(LiveSession, a_good_run_and_a_cap_that_was_lowered_by_choice_have_no_verdict) {
    Live good("", {"gravity=[0, -9.81, 0]"});
    good.session->take_verdict();
    good.advance(30);
    EXPECT_EQ(good.session->take_verdict(), "") << "nothing new to tell";
    std::vector<std::string> sets = capped();
    sets.push_back("solver.iterations=20");
    Live early("", sets);
    early.session->take_verdict();
    early.advance(3);
    EXPECT_EQ(early.session->take_verdict(), "");
}

TEST(LiveSession, a_verdict_counts_from_the_settings_that_hold) {
    Live live("", capped());
    test::WebSocketClient client(live.server);
    const auto told = [&] {
        live.server.publish(Slot::stats, R"({"type":"stats"})");  // comes after it
        Json verdict;
        while (const auto got = client.receive()) {
            if (got->opcode != 1) continue;
            Json message = Json::parse(got->payload);
            if (message["type"] == "stats") break;
            if (message["type"] == "verdict") verdict = std::move(message);
        }
        return verdict;
    };
    ASSERT_TRUE(test::eventually([&] { return live.server.counts().clients == 1; }));
    live.advance(3);
    live.session->announce(live.server);
    EXPECT_EQ(told()["faults"][0]["count"], 3) << "to whoever comes";
    live.tell(R"({"do":"set","path":"solver.kind","to":"cholesky"})");
    Json verdict = told();
    EXPECT_TRUE(verdict["faults"].empty()) << verdict;
    EXPECT_EQ(verdict["since"], 3);
    live.advance(5);
    EXPECT_EQ(live.session->take_verdict(), "");
    live.tell(R"({"do":"reset"})");
    verdict = told();
    EXPECT_EQ(verdict["since"], 0);
}

TEST(LiveSession, serves_what_went_wrong_to_clients_that_come_later_too) {
    Live live("", capped());
    live.tell(R"({"do":"speed","value":0})");
    serve(*live.session, live.server, {.seconds = 0.3, .wait_for_client = false});
    ASSERT_GT(live.state().step, 0);
    test::WebSocketClient late(live.server);
    Json verdict;
    while (verdict.is_null()) {
        const auto got = late.receive();
        ASSERT_TRUE(got);
        if (got->opcode != 1) continue;
        if (Json message = Json::parse(got->payload); message["type"] == "verdict")
            verdict = std::move(message);
    }
    ASSERT_FALSE(verdict["faults"].empty());
    EXPECT_EQ(verdict["faults"][0]["kind"], "iteration_cap");
}

TEST(LiveSession, a_simulation_that_failed_says_so_beside_its_verdict) {
    LiveOptions o;
    o.scene = LIMBER_SOURCE_DIR "/tests/program/verdict/runs_away_explicit_sheet.toml";
    LiveSession session(o);
    ViewServer server({});
    for (int k = 0; k < 500 && session.playing(); ++k) session.advance(server);
    ASSERT_FALSE(session.playing()) << "this scene fails";
    const Json verdict = verdict_of(session);
    ASSERT_EQ(verdict["failed"].size(), 1u);
    const auto text = verdict["failed"][0]["text"].get<std::string>();
    const Json status = Json::parse(session.status());
    EXPECT_EQ(text, status["failure"]);
    EXPECT_EQ(status["playing"], false) << "nothing moves";
    EXPECT_EQ(text.find("step "), text.rfind("step ", text.find(" failed"))) << "once: " << text;
}

}  // namespace
}  // namespace limber
