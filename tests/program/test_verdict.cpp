// SPDX-License-Identifier: Apache-2.0
// A run ends with what went wrong. Each kind is provoked by a scene in tests/program/verdict.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"

namespace limber::test {
namespace {

struct Provoked {
    const char* kind;
    const char* body;
    const char* words;  // of its line
};
constexpr Provoked provoked[] = {
    {"inverted", "pressed", "inverted tets"},       {"iteration_cap", "bar", "cap of iterations"},
    {"line_search", "bar", "search direction"},     {"contact_cap", "box", "contact stopped"},
    {"penetration", "sinking", "penetration left"}, {"energy_gained", "box", "energy gained"},
    {"rejected", "box", "steps rejected"},          {"stuck", "pressed", "elements stuck"},
};

std::string scene(const std::string& kind) {
    return (fs::path(LIMBER_SOURCE_DIR) / "tests/program/verdict" / (kind + ".toml")).string();
}

/// The lines of standard error that are a verdict.
std::vector<std::string> verdict_of(const ProgramResult& result) {
    std::vector<std::string> lines;
    std::istringstream text(result.err);
    for (std::string line; std::getline(text, line);)
        if (line.starts_with("verdict: ")) lines.push_back(line);
    return lines;
}

class EveryKind : public testing::TestWithParam<Provoked> {};

TEST_P(EveryKind, ends_in_a_line_in_data_and_strictly_in_exit_1) {
    const Provoked& wanted = GetParam();
    const TempFolder folder;
    const ProgramResult run = limber({"run", scene(wanted.kind), "-o", (folder / "run").string()});
    EXPECT_EQ(run.code, 0) << run.err;
    const std::vector<std::string> lines = verdict_of(run);
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& text) {
        return text.find(wanted.words) != std::string::npos;
    });
    ASSERT_NE(line, lines.end()) << run.err;
    EXPECT_NE(line->find("body '" + std::string(wanted.body) + "'"), std::string::npos) << *line;
    EXPECT_NE(line->find("step"), std::string::npos) << *line;

    const auto summary = nlohmann::json::parse(text_of(folder / "run/summary.json"));
    EXPECT_EQ(summary["verdict"].size(), lines.size());
    const auto& all = summary["verdict"];
    const auto fault = std::find_if(all.begin(), all.end(), [&](const nlohmann::json& entry) {
        return entry["kind"] == wanted.kind;
    });
    ASSERT_NE(fault, all.end()) << all;
    EXPECT_EQ((*fault)["body"], wanted.body);
    EXPECT_GE((*fault)["first_step"].get<int>(), 1);
    EXPECT_GE((*fault)["count"].get<int>(), 1);
    EXPECT_EQ("verdict: " + (*fault)["text"].get<std::string>(), *line);
    EXPECT_NE(text_of(folder / "run/report.html").find(wanted.words), std::string::npos);

    const ProgramResult strict =
        limber({"run", scene(wanted.kind), "-o", (folder / "strict").string(), "--strict"});
    EXPECT_EQ(strict.code, 1);
    EXPECT_EQ(verdict_of(strict), lines);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryKind, testing::ValuesIn(provoked),
                         [](const auto& test) { return std::string(test.param.kind); });

TEST(Verdict, of_a_good_run_is_nothing_and_strict_is_content) {
    for (const char* name : {"sphere_drop", "twisted_beam", "bar_gravity", "static_beam"}) {
        const TempFolder folder;
        const std::string file =
            (fs::path(LIMBER_SOURCE_DIR) / "scenes" / (std::string(name) + ".toml")).string();
        const ProgramResult run = limber({"run", file, "-o", (folder / "run").string(), "--strict",
                                          "--steps", "60", "--set", "output.formats=[]"});
        EXPECT_EQ(run.code, 0) << name << run.err;
        EXPECT_TRUE(verdict_of(run).empty()) << name << run.err;
        const auto summary = nlohmann::json::parse(text_of(folder / "run/summary.json"));
        EXPECT_TRUE(summary["verdict"].is_array() && summary["verdict"].empty());
    }
}

TEST(Verdict, of_a_run_that_ends_early_by_choice_has_no_line_for_the_cap) {
    const TempFolder folder;
    const ProgramResult run =
        limber({"run", scene("iteration_cap"), "-o", (folder / "run").string(), "--strict", "--set",
                "solver.iterations=20"});
    EXPECT_EQ(run.code, 0) << run.err;
    const auto summary = nlohmann::json::parse(text_of(folder / "run/summary.json"));
    EXPECT_EQ(summary["flags"]["iteration_cap"], 5);  // it is told all the same
}

TEST(Verdict, goes_on_counting_when_a_run_is_resumed) {
    const TempFolder folder;
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"run", scene("iteration_cap")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(limber(arguments).code, 0);
    };
    const auto verdict = [&](const char* name) {
        return nlohmann::json::parse(text_of(folder / name / "summary.json"))["verdict"];
    };
    run({"-o", (folder / "through").string()});
    run({"-o", (folder / "parts").string(), "--steps", "2"});
    EXPECT_EQ(verdict("parts")[0]["count"], 2);
    run({"--resume", (folder / "parts").string()});
    EXPECT_EQ(verdict("parts"), verdict("through"));
    EXPECT_EQ(verdict("parts")[0]["count"], 5);
    EXPECT_EQ(verdict("parts")[0]["first_step"], 1);
}

TEST(Verdict, ends_the_json_log) {
    const TempFolder folder;
    const ProgramResult run =
        limber({"run", scene("penetration"), "-o", (folder / "run").string(), "--log", "json"});
    const std::size_t last = run.out.rfind('\n', run.out.size() - 2);
    const auto end = nlohmann::json::parse(run.out.substr(last + 1));
    EXPECT_EQ(end["event"], "end");
    EXPECT_EQ(end["verdict"][0]["kind"], "penetration") << end;
}

/// Exit 1, with the body, an element and the likely cause; the state before is kept.
TEST(RunningAway, is_a_failure_by_name) {
    for (const auto& [kind, cause] : {std::pair{"explicit_sheet", "explicit contact too stiff"},
                                      std::pair{"descent_bar", "too few iterations"}}) {
        const TempFolder folder;
        const ProgramResult run = limber(
            {"run", scene(std::string("runs_away_") + kind), "-o", (folder / "run").string()});
        EXPECT_EQ(run.code, 1) << kind << run.err;
        for (const char* word : {"runs away", "body '", "tet ", cause, "is kept in"})
            EXPECT_NE(run.err.find(word), std::string::npos) << word << " in " << run.err;
        const auto summary = nlohmann::json::parse(text_of(folder / "run/summary.json"));
        EXPECT_EQ(summary["status"], "failed");
        EXPECT_LT(summary["energy"]["max"].get<double>(), 1e9);
    }
}

}  // namespace
}  // namespace limber::test
