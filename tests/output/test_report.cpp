// SPDX-License-Identifier: Apache-2.0
#include "limber/output/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/core/errors.h"
#include "limber/output/chart.h"
#include "limber/output/registry.h"
#include "limber/output/steps_csv.h"
#include "output/output_samples.h"

namespace limber {
namespace {

using test::drifting;
using test::run_to;

TEST(Decimate, keeps_the_extremes_of_every_column) {
    std::vector<double> x, y;
    for (int i = 0; i < 100000; ++i) {
        x.push_back(i);
        y.push_back(std::sin(0.01 * i));
    }
    y[54321] = 17;  // one spike
    y[77777] = -9;
    const auto points = decimate(x, y, 0, 99999, 500);
    EXPECT_LE(points.size(), 1002u);
    double lo = 0, hi = 0, last = -1;
    for (const auto& [px, py] : points) {
        EXPECT_GT(px, last) << "in order";
        last = px;
        lo = std::min(lo, py);
        hi = std::max(hi, py);
    }
    EXPECT_EQ(hi, 17);
    EXPECT_EQ(lo, -9);
}

TEST(Decimate, leaves_short_curves_alone_and_gaps_open) {
    const double nan = std::nan("");
    const auto few = decimate({0, 1, 2}, {5, nan, 7}, 0, 2, 10);
    ASSERT_EQ(few.size(), 3u);
    EXPECT_TRUE(std::isnan(few[1].second));
    std::vector<double> x(1000), y(1000, nan);
    for (int i = 0; i < 1000; ++i) x[i] = i;
    for (const auto& [px, py] : decimate(x, y, 0, 999, 10)) EXPECT_TRUE(std::isnan(py));
}

TEST(Ticks, are_round_and_inside) {
    EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    for (double tick : nice_ticks(-0.37, 0.91, 5)) EXPECT_TRUE(tick >= -0.37 && tick <= 0.91);
    EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
    EXPECT_TRUE(nice_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
}

TEST(Chart, holds_no_coordinate_that_is_not_a_number) {
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    for (bool log : {false, true}) {
        Chart chart;
        chart.title = "t";
        chart.x = {0, 1, 2, 3, 4};
        chart.series = {{"a", 0, {nan, 1, -2, inf, 0}}};
        chart.line = ChartLine{0, "zero"};
        chart.log = log;
        const std::string html = chart_html(chart);
        EXPECT_EQ(html.find("nan"), std::string::npos) << html;
        EXPECT_EQ(html.find("inf"), std::string::npos) << html;
    }
    Chart empty;
    EXPECT_EQ(chart_html(empty).find("nan"), std::string::npos);
}

RunOutputOptions quiet(const TempFolder& temp, std::int64_t steps) {
    RunOutputOptions options;
    options.dir = temp.path("");
    options.scene = "<b>&\"two\".toml";
    options.solver = "drift";
    options.total_steps = steps;
    options.log = LogKind::none;
    return options;
}

TEST(Report, is_one_page_that_needs_nothing_else) {
    const TempFolder temp;
    auto world = drifting();
    add_observers(*world, quiet(temp, 20));
    run_to(*world, 20);
    const std::string html = read_file(temp.path("report.html"));
    for (const char* word : {"http://", "https://", "src=", "@import", "url("})
        EXPECT_EQ(html.find(word), std::string::npos) << word;
    for (const char* word : {"<!doctype html>", "real time", "Residual", "Iterations", "Energies",
                             "Contacts", "penetration", "iteration_cap", "state_hash"})
        EXPECT_NE(html.find(word), std::string::npos) << word;
}

TEST(Report, names_from_the_scene_are_escaped) {
    const TempFolder temp;
    auto world = drifting();
    add_observers(*world, quiet(temp, 3));
    run_to(*world, 3);
    const std::string html = read_file(temp.path("report.html"));
    EXPECT_EQ(html.find("<b>&\"two"), std::string::npos);
    EXPECT_NE(html.find("&lt;b&gt;&amp;&quot;two&quot;.toml"), std::string::npos);
}

TEST(Report, can_be_made_again_from_the_folder) {
    const TempFolder temp;
    auto world = drifting();
    add_observers(*world, quiet(temp, 5));
    run_to(*world, 5);
    EXPECT_EQ(report_html(temp.path("")), read_file(temp.path("report.html")));
}

TEST(Report, of_a_run_without_steps_is_still_a_page) {
    const TempFolder temp;
    auto world = drifting();
    add_observers(*world, quiet(temp, 0));
    run_to(*world, 0);
    EXPECT_NE(read_file(temp.path("report.html")).find("</html>"), std::string::npos);
}

TEST(Report, stays_small_for_a_long_run) {
    const TempFolder temp;
    {
        auto world = drifting();
        add_observers(*world, quiet(temp, 3));
        run_to(*world, 3);
    }
    std::string rows = steps_header() + '\n';
    StepReport report;
    for (int k = 1; k <= 100000; ++k) {
        report.step = k;
        report.time = 0.01 * k;
        report.wall_ms = 3 + k % 17;
        report.solve.residual = 1e-5;
        append_step_row(rows, report);
        rows += '\n';
    }
    temp.file("steps.csv", rows);
    EXPECT_LT(report_html(temp.path("")).size(), 400000u);
}

TEST(Report, without_a_summary_is_refused) {
    const TempFolder temp;
    EXPECT_THROW(report_html(temp.path("")), std::runtime_error);
    temp.file("summary.json", "[1");
    EXPECT_THROW(report_html(temp.path("")), InputError);
}

TEST(Registry, a_run_leaves_the_folder_of_the_contract) {
    const TempFolder temp;
    RunOutputOptions options = quiet(temp, 4);
    options.every = 2;
    options.scene_text = "limber = 1\n";
    auto world = drifting();
    add_observers(*world, options);
    run_to(*world, 4);
    for (const char* name : {"scene.toml", "steps.csv", "summary.json", "report.html",
                             "vtu/series.pvd", "vtu/left_000004.vtu", "probes/tip.csv"})
        EXPECT_TRUE(std::filesystem::exists(temp.path(name))) << name;
    EXPECT_EQ(read_file(temp.path("scene.toml")), "limber = 1\n");
}

TEST(Registry, without_the_format_there_are_no_frames) {
    const TempFolder temp;
    RunOutputOptions options = quiet(temp, 2);
    options.formats.clear();
    auto world = drifting();
    add_observers(*world, options);
    run_to(*world, 2);
    EXPECT_FALSE(std::filesystem::exists(temp.path("vtu")));
    EXPECT_TRUE(std::filesystem::exists(temp.path("steps.csv")));
}

TEST(Registry, an_unknown_format_is_refused_with_the_known_ones) {
    const TempFolder temp;
    RunOutputOptions options = quiet(temp, 2);
    options.formats = {"vtk"};
    auto world = drifting();
    try {
        add_observers(*world, options);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("vtu"), std::string::npos);
    }
}

TEST(Registry, a_new_run_leaves_no_frames_of_a_longer_one) {
    const TempFolder temp;
    for (std::int64_t steps : {6, 3}) {
        auto world = drifting();
        add_observers(*world, quiet(temp, steps));
        run_to(*world, steps);
    }
    EXPECT_TRUE(std::filesystem::exists(temp.path("vtu/left_000003.vtu")));
    EXPECT_FALSE(std::filesystem::exists(temp.path("vtu/left_000006.vtu")));
}

}  // namespace
}  // namespace limber
