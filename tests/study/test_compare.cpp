// SPDX-License-Identifier: Apache-2.0
#include "limber/study/compare.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "limber/study/compare_report.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct Compare : testing::Test {
    Folder folder;
    CompareOptions options(const std::string& solvers, const std::string& scene = test::bar_scene) {
        CompareOptions out;
        out.scene = test::study_scene(folder, scene);
        out.solvers = parse_solvers(solvers, "--solvers");
        out.steps = 20;
        return out;
    }
};

TEST_F(Compare, finds_smaller_errors_with_more_iterations) {
    const CompareResult r =
        compare(options("corotational:iterations=2,corotational:iterations=8,corotational"));
    ASSERT_EQ(r.contestants.size(), 3u);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_LT(r.contestants[i].local.mean_square(), r.contestants[i - 1].local.mean_square());
        EXPECT_LT(r.contestants[i].global.mean_square(), r.contestants[i - 1].global.mean_square());
    }
    EXPECT_EQ(r.contestants[0].max_iterations, 2);
    EXPECT_EQ(r.contestants[0].global.rms.size(), 20u);
    EXPECT_FALSE(r.windowed) << "a bar that falls is not sensitive";
    EXPECT_GT(r.contestants[0].ms.n, 0u);
}

TEST_F(Compare, tells_what_went_wrong_in_each_run) {
    // A floor so soft that the bar sinks into it, under every solver.
    const std::string sinking =
        test::bar_scene +
        "[[obstacle]]\nname = \"mud\"\nshape = \"plane\"\nposition = [0, -0.15, 0]\n"
        "[contact]\nmethod = \"penalty\"\nstiffness = 1e-3\n";
    CompareOptions o = options("cholesky,newton", sinking);
    o.steps = 40;
    const CompareResult r = compare(o);
    for (const ContestantResult& c : r.contestants) {
        ASSERT_EQ(c.verdict.size(), 1u) << c.spec.text;
        EXPECT_TRUE(has(c.verdict[0], "penetration left at the end of a step")) << c.verdict[0];
        EXPECT_TRUE(has(c.verdict[0], "in 'mud'")) << c.verdict[0];
        EXPECT_TRUE(has(compare_markdown(r), '`' + c.spec.text + "`: penetration left"));
    }
    EXPECT_TRUE(compare(options("cholesky")).contestants[0].verdict.empty());
}

TEST_F(Compare, finds_no_error_in_the_reference_itself) {
    CompareOptions o = options("cholesky:rotation_iterations=100");
    o.reference = test::spec_of("cholesky:rotation_iterations=100");
    const CompareResult r = compare(o);
    EXPECT_EQ(r.contestants[0].global.worst(), 0);
    EXPECT_EQ(r.contestants[0].energy.back(), 0);
    // The local one restarts a world of the same kind from the same state: the same bits.
    EXPECT_EQ(r.contestants[0].local.worst(), 0);
}

TEST_F(Compare, chooses_the_direct_reference_for_a_small_scene) {
    const CompareResult r = compare(options("corotational"));
    EXPECT_EQ(r.reference.kind, "cholesky");
    EXPECT_TRUE(has(r.reference_why, "predicted"));
}

TEST_F(Compare, restarts_windows_from_the_reference) {
    CompareOptions o = options("corotational:iterations=3");
    o.windows = WindowMode::always;
    o.n_windows = 3;
    o.window_steps = 4;
    const CompareResult r = compare(o);
    EXPECT_TRUE(r.windowed);
    EXPECT_EQ(r.n_windows, 3);
    ASSERT_EQ(r.contestants[0].windows.rms.size(), 3u);
    // Four steps from the reference's own state end nearer to it than twenty.
    EXPECT_LT(r.headline_error(r.contestants[0]), r.contestants[0].global.rms.back());
    EXPECT_TRUE(has(compare_markdown(r), "3 windows restarted"));
}

// A guess of v + h M⁻¹ f with one iteration blows up on a stiff bar: energy grows until numbers
// end.
const std::string stiff_scene = test::replaced(test::bar_scene, "young = 2e5", "young = 1e9");

TEST_F(Compare, marks_a_solver_that_fails_and_goes_on) {
    CompareOptions o = options("corotational:guess=euler,iterations=1,corotational", stiff_scene);
    o.steps = 100;
    const CompareResult r = compare(o);
    const ContestantResult &bad = r.contestants[0], &good = r.contestants[1];
    EXPECT_TRUE(has(bad.failure, "unstable")) << bad.failure;
    EXPECT_LT(bad.steps, 100);
    EXPECT_TRUE(good.failure.empty());
    EXPECT_EQ(good.steps, 100);
    EXPECT_TRUE(has(compare_markdown(r), "failed: step "));
    EXPECT_NO_THROW(nlohmann::json::parse(compare_json(r)));
}

TEST_F(Compare, stops_when_the_reference_fails) {
    CompareOptions o = options("corotational", stiff_scene);
    o.steps = 100;
    o.reference = test::spec_of("corotational:guess=euler,iterations=1");
    try {
        compare(o);
        FAIL() << "the reference cannot finish";
    } catch (const ReferenceFailed& e) {
        EXPECT_TRUE(has(e.what(), "the reference corotational:guess=euler,iterations=1"));
        EXPECT_TRUE(has(e.what(), "nothing to compare with")) << e.what();
    }
}

TEST_F(Compare, writes_tables_plots_and_json) {
    const CompareResult r = compare(options(
        "corotational:iterations=2,corotational:iterations=8,cholesky,corotational:guess=zero"));
    write_comparison(r, folder.path());
    for (const char* name : {"compare.svg", "error_over_time.svg"}) {
        pugi::xml_document svg;
        EXPECT_TRUE(svg.load_file(folder.path(name).c_str())) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path("compare.html")));
    std::ifstream file(folder.path("compare.json"));
    const auto json = nlohmann::json::parse(file);
    ASSERT_EQ(json["solvers"].size(), 4u);
    EXPECT_EQ(json["solvers"][0]["solver"], "corotational:iterations=2");
    EXPECT_EQ(json["solvers"][0]["curves"]["global"]["rms"].size(), 20u);
    EXPECT_GT(json["solvers"][0]["local_rms"].get<double>(), 0);
    const std::string text = compare_markdown(r);
    EXPECT_TRUE(has(text, "| corotational:iterations=2"));
    EXPECT_TRUE(has(text, "(reference)"));
}

}  // namespace
}  // namespace limber
