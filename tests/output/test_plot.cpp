// SPDX-License-Identifier: Apache-2.0
#include "limber/output/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <pugixml.hpp>

#include "limber/output/axis.h"
#include "limber/output/plot_labels.h"

namespace limber {
namespace {

bool overlap(const PixelBox& a, const PixelBox& b) {
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

TEST(Labels, keep_off_each_other_and_off_the_points) {
    // Twelve points, three of them nearly on one spot, on a panel of the usual size.
    std::mt19937 random(7);
    std::uniform_real_distribution<double> x(40, 360), y(20, 280);
    std::vector<LabelRequest> requests;
    for (int i = 0; i < 9; ++i) requests.push_back({x(random), y(random), 5, "corotational: 5 it"});
    for (int i = 0; i < 3; ++i) requests.push_back({200.0 + i, 150.0 + 2 * i, 5, "cholesky"});
    const PixelBox frame{0, 0, 420, 300};
    const auto placed = place_labels(requests, {}, frame, 11.5);
    ASSERT_EQ(placed.size(), requests.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
        EXPECT_GE(placed[i].box.x0, frame.x0);
        EXPECT_LE(placed[i].box.x1, frame.x1);
        for (std::size_t k = 0; k < placed.size(); ++k) {
            EXPECT_TRUE(k == i || !overlap(placed[i].box, placed[k].box)) << i << ' ' << k;
            const LabelRequest& r = requests[k];
            EXPECT_FALSE(overlap(placed[i].box, {r.x - 4, r.y - 4, r.x + 4, r.y + 4}));
        }
    }
}

TEST(Labels, at_the_ends_of_curves_keep_their_order_and_distance) {
    const std::vector<double> wanted = {100, 101, 99, 290, 295, 10};
    const auto at = spread_heights(wanted, 14, 0, 300);
    EXPECT_EQ(at[5], 10);
    EXPECT_LE(at[4], 300);
    const std::size_t order[] = {5, 2, 0, 1, 3, 4};
    for (std::size_t i = 1; i < 6; ++i) EXPECT_GE(at[order[i]], at[order[i - 1]] + 14 - 1e-9);
}

TEST(Ticks, are_powers_of_ten_where_there_are_several) {
    EXPECT_EQ(log_ticks(0.9e-3, 1.1, 6).size(), 4u);
    EXPECT_LE(log_ticks(1e-16, 1, 6).size(), 8u);
    EXPECT_EQ(log_ticks(0.15, 0.6, 6), (std::vector<double>{0.2, 0.5}));
    EXPECT_TRUE(log_ticks(0, 1, 6).empty());
}

TEST(Plot, is_well_formed_whatever_the_values_and_names) {
    Plot plot;
    plot.title = "<a & \"b\">";
    for (const bool log : {false, true}) {
        PlotPanel panel;
        panel.log_x = panel.log_y = log;
        panel.title = "x < y";
        panel.curves = {{{1, 2, 3}, {0, NAN, -1}, "none & such", {0}},
                        {{1, 2}, {1e-300, 1e300}, "far", {1}, true},
                        {{}, {}, "empty", {2}}};
        panel.points = {{1, 1, 2, INFINITY, "p<q>", {3}}, {NAN, 1, NAN, NAN, "lost", {4}}};
        plot.panels.push_back(panel);
        plot.panels.push_back({});
    }
    const std::string svg = plot_svg(plot);
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(svg.c_str()));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Plot, draws_a_mark_and_a_word_for_every_point) {
    Plot plot;
    PlotPanel panel;
    panel.log_x = panel.log_y = true;
    for (int i = 1; i <= 5; ++i)
        panel.points.push_back({1.0 * i, 1e-3 / i, NAN, NAN, "solver " + std::to_string(i), {i}});
    plot.panels = {panel};
    const std::string svg = plot_svg(plot);
    for (int i = 1; i <= 5; ++i)
        EXPECT_NE(svg.find(">solver " + std::to_string(i) + "<"), std::string::npos);
}

}  // namespace
}  // namespace limber
