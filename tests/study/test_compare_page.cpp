// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "limber/output/plot.h"
#include "limber/study/compare_report.h"
#include "limber/study/tables.h"
#include "study/study_scene.h"

namespace limber {
namespace {

using nlohmann::json;
using test::Folder;
using test::has;

/// Families, a solver that is refused and one that fails, all in one.
const CompareResult& sample() {
    static const Folder folder;
    static const CompareResult result = [] {
        CompareOptions options;
        options.scene = test::study_scene(folder);
        options.solvers = parse_solvers(
            "corotational:iterations=3,newton,descent:iterations=8,descent,xpbd,projective_"
            "dynamics",
            "--solvers");
        options.steps = 8;
        return compare(options);
    }();
    return result;
}

/// Cells of the page's table, header first.
std::vector<std::vector<std::string>> cells_of(const std::string& page) {
    const std::size_t id = page.find("id=\"results\"");
    const std::size_t begin = page.rfind("<table", id), end = page.find("</table>", id) + 8;
    pugi::xml_document xml;
    EXPECT_TRUE(xml.load_string(page.substr(begin, end - begin).c_str()));
    std::vector<std::vector<std::string>> out;
    for (const pugi::xml_node row : xml.child("table").children("tr")) {
        out.emplace_back();
        for (const pugi::xml_node cell : row.children()) {
            const pugi::xml_node code = cell.child("code");
            out.back().emplace_back(code ? code.text().get() : cell.text().get());
        }
    }
    return out;
}

TEST(ComparePage, has_the_numbers_of_the_json) {
    const auto rows = cells_of(compare_html(sample()));
    const json data = json::parse(compare_json(sample()));
    const auto column = [&](const std::string& name) {
        const auto at = std::find(rows[0].begin(), rows[0].end(), name);
        EXPECT_NE(at, rows[0].end()) << name;
        return static_cast<std::size_t>(at - rows[0].begin());
    };
    ASSERT_EQ(data["solvers"].size(), 6u);
    ASSERT_EQ(data["models"].size(), 1u);
    ASSERT_EQ(rows.size(), 1u + 6 + 1 + 1) << "header, solvers, the other family, the reference";
    std::vector<json> all(data["solvers"].begin(), data["solvers"].end());
    all.push_back(data["models"][0]);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const json& solver = all[i];
        const std::vector<std::string>& row = rows[i + 1];
        EXPECT_EQ(row[0], i < 6 ? solver["solver"].get<std::string>()
                                : "cholesky (linearly implicit, converged)");
        EXPECT_EQ(row[1], solver["family"]);
        EXPECT_EQ(row.back(), solver["status"]);
        if (solver["refused"]) {
            EXPECT_EQ(row[column("global rms")], "-");
            continue;
        }
        const auto shown = [](const json& v) {
            return v.is_null() ? "-" : digits(v.get<double>());
        };
        EXPECT_EQ(row[column("ms/step p50")], shown(solver["ms"]["p50"]));
        EXPECT_EQ(row[column("iterations")], shown(solver["iterations"]["mean"]));
        EXPECT_EQ(row[column("local rms")], shown(solver["local_rms"]));
        EXPECT_EQ(row[column("local max")], shown(solver["local_max"]));
        EXPECT_EQ(row[column("global rms")], shown(solver["global_rms"]));
        EXPECT_EQ(row[column("global max")], shown(solver["global_max"]));
    }
    EXPECT_TRUE(all[5]["refused"]) << "of another law";
    EXPECT_TRUE(all[6]["local_rms"].is_null()) << "nothing measures a converged solver";
    EXPECT_TRUE(rows.back()[0].ends_with("(reference)"));
}

TEST(ComparePage, needs_nothing_else) {
    const std::string page = compare_html(sample());
    for (const char* outside : {"<script", "<link", "<img", "src=", "@import", "url("})
        EXPECT_FALSE(has(page, outside)) << outside;
    std::size_t n = 0;
    for (std::size_t at = page.find("<svg"); at != std::string::npos;
         at = page.find("<svg", at + 1))
        ++n;
    EXPECT_EQ(n, 2u) << "both figures";
}

TEST(ComparePage, shows_settings_machine_commit_and_notes) {
    const std::string page = compare_html(sample());
    const json data = json::parse(compare_json(sample()));
    for (const json& solver : data["solvers"]) {
        if (solver["refused"]) continue;
        for (const auto& [key, value] : solver["options"].items())
            EXPECT_TRUE(has(page, "<td>" + key + "</td>")) << key;
    }
    EXPECT_TRUE(has(page, "<tr class=\"chosen\"><td>max_iterations</td><td>3</td>"));
    EXPECT_TRUE(has(page, data["git"].get<std::string>()));
    EXPECT_TRUE(has(page, "<td>processor</td>"));
    EXPECT_TRUE(has(page, "Two models"));
    EXPECT_TRUE(has(page, "Not run: <code>projective_dynamics</code>"));
    EXPECT_TRUE(has(page, "position based dynamics"));
    EXPECT_EQ(data["contact"]["method"], "penalty");
    EXPECT_EQ(data["contact"]["options"]["form"], "\"implicit\"");
    EXPECT_GE(data["notes"].size(), 4u);
}

TEST(ComparePage, escapes_what_users_write) {
    CompareResult result = sample();
    result.contestants[0].failure = "a < b & \"c\"";
    result.scene = "<b>.toml";
    const std::string page = compare_html(result);
    EXPECT_TRUE(has(page, "a &lt; b &amp; "));
    EXPECT_FALSE(has(page, "<b>.toml"));
}

TEST(ComparePage, has_a_dark_colour_for_every_colour_of_the_figures) {
    const std::string style = plot_page_style();
    std::set<std::string> colours;
    for (const std::string& svg : {compare_svg(sample()), error_over_time_svg(sample())})
        for (std::size_t at = svg.find("=\"#"); at != std::string::npos;
             at = svg.find("=\"#", at + 1))
            colours.insert(svg.substr(at + 2, svg.find('"', at + 2) - at - 2));
    EXPECT_GT(colours.size(), 8u);
    colours.erase("#9aa1a9");  // of what stands back: the same on light and dark paper
    for (const std::string& colour : colours)
        EXPECT_TRUE(has(style, "[fill=\"" + colour + "\"]")) << colour;
}

}  // namespace
}  // namespace limber
