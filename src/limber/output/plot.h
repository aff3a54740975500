// SPDX-License-Identifier: Apache-2.0
#pragma once

// Figures for papers and pages: SVG files that stand alone, light, labelled directly, and readable
// in greyscale (each style has its own marker and dash).

#include <limits>
#include <string>
#include <vector>

namespace limber {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Colour, marker and dash of one thing, the same wherever it is drawn; grey stands back.
struct PlotStyle {
    int number = 0;
    bool grey = false;
    int dash = -1;  // of several curves of one colour; -1: that of the number
};

/// A dashed vertical line with a word at its foot, drawn where the axis reaches it.
struct PlotLine {
    double x = 0;
    std::string label;
};

/// A mark with a word beside it.
struct PlotPoint {
    double x = 0, y = 0;
    double x_hi = no_value, y_hi = no_value;  // ends of thin whiskers; NaN: none
    std::string label;
    PlotStyle style;
};

/// A line; its name stands at its right end, or nowhere when it is empty.
struct PlotCurve {
    std::vector<double> x, y;  // gaps where not finite or not on the axis
    std::string label;
    PlotStyle style;
    bool marks = false;  // a marker at every point
};

struct PlotPanel {
    std::string title, x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<PlotCurve> curves;
    std::vector<PlotPoint> points;
    /// Limits of y that curves and points do not decide alone; NaN: they do.
    double y_lo = no_value, y_hi = no_value;
    std::vector<PlotLine> lines;
};

struct Plot {
    std::string title, note;
    std::vector<PlotPanel> panels;  // side by side, `columns` in a row
    int columns = 2;
    double panel_width = 430, panel_height = 320;  // [px]
};

std::string plot_svg(const Plot& plot);

/// CSS for figures inside an element of class `plot` of a page (report_style.h): paper, rules and
/// words take the page's colours, and curves lighter ones where the page is dark.
std::string plot_page_style();

}  // namespace limber
