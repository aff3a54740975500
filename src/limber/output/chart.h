// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/output/axis.h"

namespace limber {

/// One curve; `colour` is the number of a CSS variable --c0 ... --c9 of the page.
struct ChartSeries {
    std::string name;
    int colour = 0;
    std::vector<double> y;  // one per x; gaps where not finite
};

/// A horizontal line with a word on it.
struct ChartLine {
    double y = 0;
    std::string label;
};

struct Chart {
    std::string title;
    std::string note;  // one sentence under the title; may be empty
    std::string x_label = "simulated time [s]";
    std::vector<double> x;  // ascending
    std::vector<ChartSeries> series;
    std::optional<ChartLine> line;
    bool log = false;        // decades; values that are not positive leave gaps
    bool from_zero = false;  // the axis starts at 0 (not with log)
};

/// An HTML figure with inline SVG; any number of points becomes at most a few thousand, keeping
/// the lowest and highest of every pixel column.
std::string chart_html(const Chart& chart);

/// The points of a curve at `columns` pixel columns between x_lo and x_hi: at most two a column, in
/// order. A pair (NaN, NaN) is a gap.
std::vector<std::pair<double, double>> decimate(const std::vector<double>& x,
                                                const std::vector<double>& y, double x_lo,
                                                double x_hi, int columns);

}  // namespace limber
