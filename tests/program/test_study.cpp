// SPDX-License-Identifier: Apache-2.0
// compare, bench and run --sweep as a user meets them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;

constexpr const char* study_bar = R"(
limber = 1
[time]
step = 0.01
steps = 12
[material.rubber]
young = "200 kPa"
poisson = 0.4
[[body]]
name = "bar"
shape = "beam"
cells = [6, 2, 2]
material = "rubber"
[[pin]]
body = "bar"
select = { side = "x-" }
[output]
formats = []
)";

struct Study : testing::Test {
    void SetUp() override { write_text(scene, study_bar); }
    TempFolder folder;
    fs::path scene = folder / "bar.toml";
    std::string out = (folder / "out").string();
};

TEST_F(Study, compare_prints_a_table_and_writes_the_plots) {
    const ProgramResult r = limber({"compare", scene.string(), "--solvers",
                                    "corotational:iterations=2,corotational:iterations=5,cholesky",
                                    "-o", out, "--json", (folder / "c.json").string()});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "| corotational:iterations=5"));
    EXPECT_TRUE(has(r.out, "Reference: `cholesky"));
    for (const char* file :
         {"compare.html", "compare.svg", "error_over_time.svg", "compare.md", "compare.json"})
        EXPECT_TRUE(fs::exists(fs::path(out) / file)) << file;
    EXPECT_EQ(json::parse(text_of(folder / "c.json"))["solvers"].size(), 3u);
}

TEST_F(Study, compare_refuses_unknown_solvers_and_options_in_one_line) {
    for (const auto& [solvers, hint] : {std::pair{"colesky", "did you mean 'cholesky'?"},
                                        {"corotational:iteratons=5", "did you mean 'iterations'?"},
                                        {"corotational:max_iterations=many", "max_iterations"}}) {
        const ProgramResult r =
            limber({"compare", scene.string(), "--solvers", solvers, "-o", out});
        EXPECT_EQ(r.code, 2);
        EXPECT_TRUE(has(r.err, hint)) << r.err;
        EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    }
    const ProgramResult r =
        limber({"compare", scene.string(), "--solvers", "cholesky", "--windows", "0x3", "-o", out});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, "COUNTxSTEPS")) << r.err;
}

TEST_F(Study, compare_leaves_out_who_cannot_take_the_scene_and_says_why) {
    const std::vector<std::string> rubber = {
        "--set", "material.rubber.kind=neo_hookean", "-o", out, "--steps", "4"};
    const auto compared = [&](const std::string& solvers, const std::string& reference) {
        std::vector<std::string> arguments = {"compare", scene.string(), "--solvers", solvers};
        if (!reference.empty()) arguments.insert(arguments.end(), {"--reference", reference});
        arguments.insert(arguments.end(), rubber.begin(), rubber.end());
        return limber(arguments);
    };
    const ProgramResult none = compared("cholesky,corotational", "");
    EXPECT_EQ(none.code, 2) << none.err;
    EXPECT_TRUE(has(none.err, "neo_hookean")) << none.err;
    EXPECT_EQ(std::count(none.err.begin(), none.err.end(), '\n'), 1) << none.err;
    EXPECT_FALSE(fs::exists(out)) << "refused before anything is written";
    const ProgramResult reference = compared("newton", "cholesky");
    EXPECT_EQ(reference.code, 2) << reference.err;
    EXPECT_TRUE(has(reference.err, "neo_hookean")) << reference.err;
    const ProgramResult some = compared("cholesky,newton,descent", "newton");
    EXPECT_EQ(some.code, 0) << some.err;
    EXPECT_TRUE(has(some.err, "warning: cholesky is not run: ")) << some.err;
    EXPECT_TRUE(has(some.out, "Not run: `cholesky`. material.rubber: kind = ")) << some.out;
    EXPECT_TRUE(has(some.out, "| descent ")) << some.out;
}

TEST_F(Study, compare_stops_with_code_1_when_the_reference_fails) {
    const ProgramResult r = limber({"compare", scene.string(), "--solvers", "corotational",
                                    "--reference", "corotational:guess=euler,iterations=1", "--set",
                                    "material.rubber.young=1e9", "--steps", "200", "-o", out});
    EXPECT_EQ(r.code, 1);
    EXPECT_TRUE(has(r.err, "error: the reference corotational")) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
}

TEST_F(Study, bench_knows_its_names) {
    const ProgramResult list = limber({"list", "benches"});
    for (const char* name :
         {"dahl2019-table1", "dahl2019-fig2", "dahl2019-fig3", "dahl2019-fig4", "beam-101k"})
        EXPECT_TRUE(has(list.out, name));
    const ProgramResult r = limber({"bench", "dahl2019-tabel1", "-o", out});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, "beam-101k")) << "the list";
    EXPECT_TRUE(has(r.err, "did you mean 'dahl2019-table1'?")) << r.err;
    EXPECT_EQ(limber({"bench", "beam-101k", "--quick", "--full", "-o", out}).code, 2);
}

TEST_F(Study, bench_prints_ours_beside_theirs_and_the_claims) {
    const ProgramResult r = limber(
        {"bench", "dahl2019-fig3", "--quick", "-o", out, "--json", (folder / "b.json").string()});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "Dahl & Bargteil 2019, Fig. 3"));
    EXPECT_TRUE(has(r.out, "- yes: ") || has(r.out, "- not reproduced: "));
    EXPECT_TRUE(fs::exists(fs::path(out) / "dahl2019-fig3.svg"));
    const json data = json::parse(text_of(folder / "b.json"));
    EXPECT_EQ(data["bench"], "dahl2019-fig3");
    EXPECT_EQ(data["data"]["solves"].size(), 6u);
    EXPECT_EQ(data["claims"].size(), 1u);
}

TEST_F(Study, sweep_runs_every_combination) {
    const ProgramResult r = limber({"run", scene.string(), "--sweep", "solver.max_iterations=1,4",
                                    "--sweep", "solver.guess=zero,velocity", "-o", out});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "| 4-4_velocity |"));
    const std::string csv = text_of(fs::path(out) / "sweep.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
    const json one = json::parse(text_of(fs::path(out) / "1-1_zero" / "summary.json"));
    EXPECT_EQ(one["iterations"]["max"], 1);
    EXPECT_EQ(limber({"run", scene.string(), "--sweep", "time.step=0.1", "-o", out}).code, 2)
        << "a sweep is never written over unasked";
    // It is a plan like any other.
    const ProgramResult again = limber({"sweep", "run", out, "--only", "1/1"});
    EXPECT_TRUE(has(again.out, "0 of 4 runs to do, 4 are there")) << again.out << again.err;
}

TEST_F(Study, sweep_goes_on_and_does_no_run_twice) {
    const auto sweep = [&](const std::string& values, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", scene.string(), "--sweep",
                                   "solver.max_iterations=" + values, "--time", "0.05"});
        return limber(more);
    };
    const auto written = [&](const char* name) {
        return fs::last_write_time(fs::path(out) / name / "summary.json");
    };
    ASSERT_EQ(sweep("1,2", {"-o", out}).code, 0);
    const auto before = written("1-1");
    // More values: those that are there stay, under the numbers that they have now.
    const ProgramResult more = sweep("3,1,2", {"--resume", out});
    EXPECT_EQ(more.code, 0) << more.err;
    EXPECT_TRUE(has(more.out, "1 of 3 runs to do, 2 are there")) << more.out;
    EXPECT_TRUE(has(more.out, "| 3-2 |")) << more.out;
    EXPECT_FALSE(fs::exists(fs::path(out) / "1-1"));
    EXPECT_EQ(written("2-1"), before);
    EXPECT_EQ(json::parse(text_of(fs::path(out) / "1-3" / "summary.json"))["steps"], 5);
    // Anew, or not at all.
    EXPECT_EQ(sweep("3,1,2", {"-o", out, "--overwrite"}).code, 0);
    EXPECT_NE(written("2-1"), before);
    EXPECT_TRUE(has(sweep("1", {"-o", out}).err, "--resume it"));
    EXPECT_EQ(sweep("1", {"--resume", (folder / "nothing").string()}).code, 2);
    EXPECT_EQ(sweep("1", {"--resume", out, "--overwrite"}).code, 2);
    EXPECT_EQ(sweep("1", {"--resume", out, "-o", out}).code, 2);
    // What was done by another sweep is not written into.
    fs::create_directories(folder / "old" / "1-1");
    EXPECT_TRUE(has(sweep("1", {"-o", (folder / "old").string()}).err, "is a folder already"));
}

TEST_F(Study, sweep_takes_values_that_mean_the_same_for_one_run) {
    const ProgramResult r =
        limber({"run", scene.string(), "--sweep", "material.rubber.young=1e5,100000", "--log",
                "json", "-o", out});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(r.out.starts_with("{")) << "nothing but the lines of the runs: " << r.out;
    EXPECT_EQ(fs::read_symlink(fs::path(out) / "1-1e5"),
              fs::read_symlink(fs::path(out) / "2-100000"));
}

TEST_F(Study, sweep_makes_a_failed_run_a_row) {
    const ProgramResult r = limber({"run", scene.string(), "--sweep", "solver.guess=euler,zero",
                                    "--set", "solver.max_iterations=1", "--set",
                                    "material.rubber.young=1e9", "--steps", "200", "-o", out});
    EXPECT_EQ(r.code, 1);
    const std::string csv = text_of(fs::path(out) / "sweep.csv");
    EXPECT_TRUE(has(csv, "failed: step ")) << csv;
    EXPECT_TRUE(has(csv, "2-zero,zero")) << "the others run all the same";
    EXPECT_TRUE(has(csv, ",yes,done")) << csv;
    // Gone on with, it is not tried again; it has failed all the same.
    EXPECT_EQ(limber({"run", scene.string(), "--sweep", "solver.guess=euler,zero", "--set",
                      "solver.max_iterations=1", "--set", "material.rubber.young=1e9", "--steps",
                      "200", "--resume", out})
                  .code,
              1);
}

TEST_F(Study, sweep_is_refused_before_its_first_run) {
    const ProgramResult r =
        limber({"run", scene.string(), "--sweep", "solver.max_iterations=1,-2", "-o", out});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, "max_iterations = -2")) << r.err;
    EXPECT_FALSE(fs::exists(out));
}

}  // namespace
}  // namespace limber::test
