// SPDX-License-Identifier: Apache-2.0
#include "limber/output/chart.h"
#include "limber/core/markup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "limber/core/check.h"
#include "limber/output/text.h"

namespace limber {

namespace {

constexpr double width = 640, height = 240;  // of the drawing [px]
constexpr double left = 58, right = 12, top = 10, bottom = 36;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Axis make_y_axis(const Chart& chart) {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    const auto take = [&](double value) {
        if (!std::isfinite(value) || (chart.log && value <= 0)) return;
        lo = std::min(lo, value);
        hi = std::max(hi, value);
    };
    for (const ChartSeries& series : chart.series)
        for (double y : series.y) take(y);
    if (chart.line) take(chart.line->y);
    if (chart.from_zero && !chart.log) take(0);
    if (!(lo <= hi)) lo = chart.log ? 0.1 : 0, hi = 1;
    Axis axis{lo, hi, height - bottom, top, chart.log};
    if (chart.log) {
        axis.lo = std::pow(10, std::floor(std::log10(lo) - 0.05));
        axis.hi = std::pow(10, std::ceil(std::log10(hi) + 0.05));
    } else {
        const double room = hi > lo ? 0.06 * (hi - lo) : std::max(1.0, std::fabs(hi) * 0.1);
        axis.hi = hi + room;
        axis.lo = chart.from_zero && lo >= 0 ? 0 : lo - room;
    }
    return axis;
}

std::vector<double> ticks_of(const Axis& axis) {
    return axis.log ? log_ticks(axis.lo, axis.hi, 5) : nice_ticks(axis.lo, axis.hi, 5);
}

void draw_axes(const Chart& chart, const Axis& x, const Axis& y, std::string& svg) {
    for (double tick : ticks_of(y)) {
        svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                           left, width - right, y(tick), y(tick));
        svg +=
            fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                        left - 6, y(tick) + 4, axis_text(tick));
    }
    for (double tick : ticks_of(x))
        svg += fmt::format(
            "<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x(tick),
            height - bottom + 16, axis_text(tick));
    svg += fmt::format("<line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", left,
                       width - right, height - bottom, height - bottom);
    svg += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                       width - right, height - 4, markup_escaped(chart.x_label));
}

using Points = std::vector<std::pair<double, double>>;

std::string path_of(const Points& points, const Axis& x, const Axis& y) {
    std::string path;
    bool pen_down = false;
    int n_points = 0;
    for (const auto& [px, py] : points) {
        if (!std::isfinite(py)) {
            pen_down = false;
            continue;
        }
        path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x(px), y(py));
        pen_down = true;
        ++n_points;
    }
    // A single point has no length: a round cap makes it a dot.
    if (n_points == 1) path += "h0.01";
    return path;
}

/// Means over blocks of `size` points: the trend inside a band of noise. Of the logarithm where the
/// axis is one.
Points block_means(const std::vector<double>& x, const std::vector<double>& y, std::size_t size,
                   bool log) {
    Points out;
    for (std::size_t begin = 0; begin < x.size(); begin += size) {
        const std::size_t end = std::min(x.size(), begin + size);
        double sum = 0, n = 0;
        for (std::size_t i = begin; i < end; ++i)
            if (std::isfinite(y[i])) {
                sum += log ? std::log10(y[i]) : y[i];
                ++n;
            }
        const double mean = n > 0 ? sum / n : nan;
        out.emplace_back(x[(begin + end - 1) / 2], log ? std::pow(10, mean) : mean);
    }
    return out;
}

void draw_series(const Chart& chart, const ChartSeries& series, const Axis& x, const Axis& y,
                 std::string& svg) {
    std::vector<double> visible(series.y);
    for (double& value : visible)
        if (!y.shows(value)) value = nan;
    const int columns = static_cast<int>(width - left - right);
    const auto draw = [&](const char* look, const Points& points) {
        svg += fmt::format("<path class=\"{}\" style=\"stroke:var(--c{})\" d=\"{}\"/>", look,
                           series.colour, path_of(points, x, y));
    };
    const Points extremes = decimate(chart.x, visible, x.lo, x.hi, columns);
    // Many steps a column: the extremes become a pale band and the means the curve.
    const std::size_t crowded = 4 * static_cast<std::size_t>(columns);
    if (chart.x.size() <= crowded) return draw("curve", extremes);
    draw("curve band", extremes);
    draw("curve", block_means(chart.x, visible, chart.x.size() / (columns / 2), chart.log));
}

std::string legend_of(const Chart& chart) {
    if (chart.series.size() < 2) return {};
    std::string out = "<div class=\"legend\">";
    for (const ChartSeries& series : chart.series)
        out += fmt::format("<span><i style=\"background:var(--c{})\"></i>{}</span>", series.colour,
                           markup_escaped(series.name));
    return out + "</div>";
}

}  // namespace

std::vector<std::pair<double, double>> decimate(const std::vector<double>& x,
                                                const std::vector<double>& y, double x_lo,
                                                double x_hi, int columns) {
    LIMBER_CHECK(x.size() == y.size(), "one y an x");
    std::vector<std::pair<double, double>> out;
    const std::size_t n = x.size();
    if (n <= 2 * static_cast<std::size_t>(columns)) {
        for (std::size_t i = 0; i < n; ++i) out.emplace_back(x[i], y[i]);
        return out;
    }
    const auto column = [&](double value) {
        return static_cast<int>(std::clamp((value - x_lo) / (x_hi - x_lo), 0.0, 1.0) * columns);
    };
    for (std::size_t i = 0; i < n;) {
        const int here = column(x[i]);
        std::size_t lowest = n, highest = n;
        for (; i < n && column(x[i]) == here; ++i) {
            if (!std::isfinite(y[i])) continue;
            if (lowest == n || y[i] < y[lowest]) lowest = i;
            if (highest == n || y[i] > y[highest]) highest = i;
        }
        if (lowest == n) {
            out.emplace_back(nan, nan);
            continue;
        }
        const auto [first, second] = std::minmax(lowest, highest);
        out.emplace_back(x[first], y[first]);
        if (second != first) out.emplace_back(x[second], y[second]);
    }
    return out;
}

std::string chart_html(const Chart& chart) {
    double x_lo = 0, x_hi = 1;
    if (!chart.x.empty()) {
        x_lo = std::min(0.0, chart.x.front());
        x_hi = chart.x.back() > x_lo ? chart.x.back() : x_lo + 1;
    }
    const Axis x{x_lo, x_hi, left, width - right, false};
    const Axis y = make_y_axis(chart);
    std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                                  width, height, markup_escaped(chart.title));
    draw_axes(chart, x, y, svg);
    for (const ChartSeries& series : chart.series) draw_series(chart, series, x, y, svg);
    if (chart.line && y.shows(chart.line->y)) {
        const double at = y(chart.line->y);
        svg +=
            fmt::format("<line class=\"limit\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                        left, width - right, at, at);
        svg += fmt::format(
            "<text class=\"limit-label\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
            width - right - 2, at < top + 16 ? at + 14 : at - 5, markup_escaped(chart.line->label));
    }
    svg += "</svg>";
    std::string out = "<figure class=\"card\"><figcaption>" + markup_escaped(chart.title);
    if (!chart.note.empty()) out += "<small>" + markup_escaped(chart.note) + "</small>";
    return out + "</figcaption>" + legend_of(chart) + svg + "</figure>\n";
}

}  // namespace limber
