// SPDX-License-Identifier: Apache-2.0
#include "limber/output/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "limber/core/markup.h"
#include "limber/output/axis.h"
#include "limber/output/chart.h"
#include "limber/output/plot_labels.h"

namespace limber {

namespace {

constexpr double font = 11.5;  // of labels [px]
constexpr double panel_left = 74, panel_right = 18, panel_top = 34,
                 panel_bottom = 48;  // margins of a panel [px]
constexpr double head = 62;          // title and note [px]
constexpr double mark = 4.6;         // radius of a marker [px]

// Dark enough on white, apart from each other for the usual kinds of colour blindness, and of
// different lightness.
constexpr std::array<const char*, 8> colours = {"#1f5fa8", "#c8472f", "#1d7a4d", "#8a4fa3",
                                                "#b07400", "#0f7f8c", "#a3195b", "#4a4f57"};
constexpr std::array<const char*, 8> dark_colours = {"#6aa9f0", "#f08466", "#4cbf88", "#c08fdc",
                                                     "#dfa53a", "#43b9c6", "#ea6ba8", "#a9b1bb"};
// What is neither curve nor marker, and the page's variable for it.
struct Neutral {
    const char *colour, *variable;
};
constexpr std::array<Neutral, 8> neutrals = {{{"#fff", "card"},
                                              {"#e4e7eb", "rule"},
                                              {"#3a4048", "soft"},
                                              {"#5a626b", "soft"},
                                              {"#6d757d", "soft"},
                                              {"#8a9199", "soft"},
                                              {"#1c2126", "ink"},
                                              {"#2a2f35", "ink"}}};
constexpr std::array<const char*, 4> dashes = {"", "6 3", "2 3", "8 3 2 3"};

const char* colour_of(const PlotStyle& s) {
    return s.grey ? "#9aa1a9" : colours[static_cast<std::size_t>(s.number) % colours.size()];
}

std::string dash_of(const PlotStyle& s) {
    const std::string dash =
        s.grey ? "1.5 3"
               : dashes[static_cast<std::size_t>(s.dash >= 0 ? s.dash : s.number) % dashes.size()];
    return dash.empty() ? "" : " stroke-dasharray=\"" + dash + '"';
}

std::string marker(double x, double y, const PlotStyle& s, double r = mark) {
    const std::string look =
        fmt::format(" fill=\"{}\" stroke=\"#fff\" stroke-width=\"1\"/>", colour_of(s));
    const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
        std::string points;
        for (const auto& [dx, dy] : corners)
            points += fmt::format("{:.1f},{:.1f} ", x + dx * r, y + dy * r);
        return "<polygon points=\"" + points + '"' + look;
    };
    switch (s.number % 6) {
        case 0:
            return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", x, y, r) + look;
        case 1:
            return polygon({{-0.92, -0.92}, {0.92, -0.92}, {0.92, 0.92}, {-0.92, 0.92}});
        case 2:
            return polygon({{0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}});
        case 3:
            return polygon({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}});
        case 4:
            return polygon({{0, 1.25}, {1.15, -0.85}, {-1.15, -0.85}});
        default:
            return polygon({{0, -1.25}, {1.2, -0.4}, {0.75, 1}, {-0.75, 1}, {-1.2, -0.4}});
    }
}

/// A power of ten as one where some tick of the axis is too small or large to be read as a number.
std::string tick_text(double value, const std::vector<double>& ticks, bool log) {
    const double power = std::log10(value);
    const bool plain = !log || std::fabs(power - std::round(power)) > 1e-6 ||
                       (ticks.front() > 0.5e-2 && ticks.back() < 2e4);
    if (plain) return fmt::format("{:.6g}", std::fabs(value) < 1e-300 ? 0.0 : value);
    return fmt::format("10<tspan dy=\"-4.5\" font-size=\"8.5\">{}{}</tspan>",
                       power < -0.5 ? "−" : "", std::abs(static_cast<int>(std::lround(power))));
}

/// 2 ... 9 times the powers of ten of a logarithmic axis that is not too long for them.
std::vector<double> minor_ticks(const Axis& axis) {
    std::vector<double> out;
    if (!axis.log || std::log10(axis.hi) - std::log10(axis.lo) > 6) return out;
    const int last = static_cast<int>(std::floor(std::log10(axis.hi)));
    for (int k = static_cast<int>(std::floor(std::log10(axis.lo))); k <= last; ++k)
        for (int digit = 2; digit <= 9; ++digit)
            if (const double t = digit * std::pow(10, k); t > axis.lo && t < axis.hi)
                out.push_back(t);
    return out;
}

class PanelDrawing {
  public:
    PanelDrawing(const PlotPanel& panel, const PixelBox& frame) : panel_(panel), frame_(frame) {
        x_ = axis(true);
        y_ = axis(false);
    }
    std::string svg() {
        draw_grid();
        draw_lines();
        for (const PlotCurve& curve : panel_.curves) draw_curve(curve);
        draw_end_labels();
        draw_points();
        return svg_;
    }

  private:
    bool visible(double x, double y) const { return x_.shows(x) && y_.shows(y); }
    double room_for_names() const {
        double room = 0;
        for (const PlotCurve& c : panel_.curves)
            if (!c.label.empty()) room = std::max(room, text_width(c.label, font) + 16);
        return room;
    }

    Axis axis(bool horizontal) const {
        Axis a;
        a.log = horizontal ? panel_.log_x : panel_.log_y;
        double lo = std::numeric_limits<double>::infinity(), hi = -lo;
        const auto take = [&](double v) {
            if (!a.shows(v)) return;
            lo = std::min(lo, v);
            hi = std::max(hi, v);
        };
        for (const PlotCurve& c : panel_.curves)
            for (double v : horizontal ? c.x : c.y) take(v);
        for (const PlotPoint& p : panel_.points) {
            take(horizontal ? p.x : p.y);
            take(horizontal ? p.x_hi : p.y_hi);
        }
        if (!horizontal) take(panel_.y_lo), take(panel_.y_hi);
        if (!(lo <= hi)) lo = a.log ? 0.1 : 0, hi = 1;
        const bool points = !panel_.points.empty();
        if (a.log) {
            // Room for words beside the outermost points.
            const double least = points ? 0.35 : 0.02,
                         span = std::max(std::log10(hi) - std::log10(lo), 0.5);
            const double grow = std::pow(10, std::clamp((points ? 0.16 : 0.03) * span, least, 5.0));
            a.lo = lo / grow;
            a.hi = hi * grow;
        } else {
            const double room = hi > lo ? (horizontal && !points ? 0 : 0.06) * (hi - lo)
                                        : std::max(1e-12, std::fabs(hi) * 0.1);
            a.lo = lo - room;
            a.hi = hi + room;
            if (!(a.hi > a.lo)) a.hi = a.lo + 1;
        }
        a.from = horizontal ? frame_.x0 : frame_.y1;
        a.to = horizontal ? frame_.x1 - room_for_names() : frame_.y0;
        return a;
    }

    void line(double x0, double y0, double x1, double y1, const std::string& look) {
        svg_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                            x0, y0, x1, y1, look);
    }
    void text(double x, double y, const std::string& content, const std::string& look) {
        svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, look, content);
    }

    void draw_grid() {
        const auto ticks = [](const Axis& a, int wanted) {
            return a.log ? log_ticks(a.lo, a.hi, wanted) : nice_ticks(a.lo, a.hi, wanted);
        };
        const std::string grid = "stroke=\"#e4e7eb\" stroke-width=\"1\"";
        const std::string tick = "fill=\"#5a626b\" font-size=\"11\" text-anchor=";
        const std::vector<double> y_ticks = ticks(y_, 6), x_ticks = ticks(x_, 6);
        for (double t : y_ticks) {
            line(x_.from, y_(t), x_.to, y_(t), grid);
            text(x_.from - 8, y_(t) + 4, tick_text(t, y_ticks, y_.log), tick + "\"end\"");
        }
        for (double t : x_ticks) {
            line(x_(t), y_.from, x_(t), y_.to, grid);
            text(x_(t), y_.from + 17, tick_text(t, x_ticks, x_.log), tick + "\"middle\"");
        }
        for (const auto& [axis, vertical] : {std::pair{&x_, false}, {&y_, true}})
            for (double t : minor_ticks(*axis))
                if (vertical)
                    line(x_.from - 3, y_(t), x_.from, y_(t),
                         "stroke=\"#3a4048\" stroke-width=\"0.7\"");
                else
                    line(x_(t), y_.from, x_(t), y_.from + 3,
                         "stroke=\"#3a4048\" stroke-width=\"0.7\"");
        line(x_.from, y_.from, x_.to, y_.from, "stroke=\"#3a4048\" stroke-width=\"1\"");
        line(x_.from, y_.from, x_.from, y_.to, "stroke=\"#3a4048\" stroke-width=\"1\"");
        text((x_.from + x_.to) / 2, y_.from + 36, markup_escaped(panel_.x_label),
             "fill=\"#2a2f35\" font-size=\"12\" text-anchor=\"middle\"");
        double room = 26;  // for the words of the ticks
        for (double t : y_ticks)
            if (!y_.log) room = std::max(room, text_width(tick_text(t, y_ticks, false), 11));
        const double mid = (y_.from + y_.to) / 2, at = x_.from - room - 22;
        text(at, mid, markup_escaped(panel_.y_label),
             fmt::format("fill=\"#2a2f35\" font-size=\"12\" text-anchor=\"middle\" "
                         "transform=\"rotate(-90 {:.1f} {:.1f})\"",
                         at, mid));
        text(x_.from, y_.to - 14, markup_escaped(panel_.title),
             "fill=\"#1c2126\" font-size=\"13\" font-weight=\"600\"");
    }

    void draw_lines() {
        double foot = y_.from - 8;
        for (const PlotLine& l : panel_.lines) {
            if (!x_.shows(l.x) || l.x <= x_.lo || l.x >= x_.hi) continue;
            const double x = x_(l.x), w = text_width(l.label, 11);
            line(x, y_.from, x, y_.to,
                 "stroke=\"#8a9199\" stroke-width=\"1\" stroke-dasharray=\"4 3\"");
            const double at = x + 5 + w > frame_.x1 + 10 ? x - 5 - w : x + 5;
            text(at, foot, markup_escaped(l.label), "fill=\"#6d757d\" font-size=\"11\"");
            track_.push_back({at, foot - 10, at + w, foot + 4});
            foot -= 15;  // two words may be near each other
        }
    }

    void draw_curve(const PlotCurve& c) {
        std::vector<double> y(c.y);
        for (double& v : y)
            if (!y_.shows(v)) v = no_value;
        const int columns = static_cast<int>(2 * (x_.to - x_.from));
        std::string path;
        bool pen_down = false;
        double last_x = no_value, last_y = no_value;
        for (const auto& [px, py] : decimate(c.x, y, x_.lo, x_.hi, columns)) {
            if (!visible(px, py)) {
                pen_down = false;
                continue;
            }
            path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x_(px), y_(py));
            pen_down = true;
            if (c.marks) follow(last_x, last_y, x_(px), y_(py));
            last_x = x_(px);
            last_y = y_(py);
        }
        svg_ += fmt::format(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
            "stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>\n",
            path, colour_of(c.style), c.style.grey ? 1.4 : 1.8, dash_of(c.style));
        if (!c.marks) return;
        for (std::size_t i = 0; i < c.x.size(); ++i)
            if (visible(c.x[i], y[i])) svg_ += marker(x_(c.x[i]), y_(y[i]), c.style, 3.2) + '\n';
    }

    /// Small boxes along a line, for words to keep off it.
    void follow(double x0, double y0, double x1, double y1) {
        if (!std::isfinite(x0)) return;
        const int n = std::max(1, static_cast<int>(std::hypot(x1 - x0, y1 - y0) / 6));
        for (int k = 0; k <= n; ++k) {
            const double t = static_cast<double>(k) / n, x = x0 + t * (x1 - x0),
                         y = y0 + t * (y1 - y0);
            track_.push_back({x - 2, y - 2, x + 2, y + 2});
        }
    }

    void draw_end_labels() {
        struct End {
            const PlotCurve* curve;
            double x, y;
        };
        std::vector<End> ends;
        std::vector<double> wanted;
        for (const PlotCurve& c : panel_.curves)
            for (std::size_t i = c.x.size(); !c.label.empty() && i-- > 0;)
                if (visible(c.x[i], c.y[i])) {
                    ends.push_back({&c, x_(c.x[i]), y_(c.y[i])});
                    wanted.push_back(ends.back().y);
                    break;
                }
        const std::vector<double> at = spread_heights(wanted, font + 3, y_.to, y_.from);
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const std::string colour = colour_of(ends[i].curve->style);
            line(ends[i].x + 2, ends[i].y, x_.to + 8, at[i],
                 "stroke=\"" + colour + "\" stroke-width=\"0.6\" opacity=\"0.7\"");
            text(x_.to + 11, at[i] + 4, markup_escaped(ends[i].curve->label),
                 fmt::format("fill=\"{}\" font-size=\"{}\"",
                             ends[i].curve->style.grey ? "#6d757d" : colour, font));
        }
    }

    void draw_points() {
        std::vector<LabelRequest> requests;
        std::vector<const PlotPoint*> shown;
        std::vector<PixelBox> taken;
        // Words keep off lines where that is possible.
        taken = track_;
        for (const PlotPoint& p : panel_.points) {
            if (!visible(p.x, p.y)) continue;
            const double x = x_(p.x), y = y_(p.y);
            const std::string thin = fmt::format(
                "stroke=\"{}\" stroke-width=\"1\" opacity=\"0.55\"", colour_of(p.style));
            if (x_.shows(p.x_hi)) {
                line(x, y, x_(p.x_hi), y, thin);
                taken.push_back({x, y - 1.5, x_(p.x_hi), y + 1.5});
            }
            if (y_.shows(p.y_hi)) {
                line(x, y, x, y_(p.y_hi), thin);
                taken.push_back({x - 1.5, y_(p.y_hi), x + 1.5, y});
            }
            requests.push_back({x, y, mark + 1, p.label});
            shown.push_back(&p);
        }
        const PixelBox room{x_.from + 3, y_.to + 3, frame_.x1 + 8, y_.from - 3};
        const auto placed = place_labels(requests, taken, room, font);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const PlacedLabel& l = placed[i];
            const std::string colour = colour_of(shown[i]->style);
            if (l.leader) {
                const double lx = std::clamp(requests[i].x, l.box.x0, l.box.x1);
                const double ly = std::clamp(requests[i].y, l.box.y0, l.box.y1);
                line(requests[i].x, requests[i].y, lx, ly,
                     "stroke=\"" + colour + "\" stroke-width=\"0.7\" opacity=\"0.6\"");
            }
        }
        for (std::size_t i = 0; i < shown.size(); ++i)
            svg_ += marker(requests[i].x, requests[i].y, shown[i]->style) + '\n';
        for (std::size_t i = 0; i < shown.size(); ++i)
            text(placed[i].x, placed[i].y, markup_escaped(shown[i]->label),
                 fmt::format("fill=\"{}\" font-size=\"{}\" paint-order=\"stroke\" stroke=\"#fff\" "
                             "stroke-width=\"3\" stroke-linejoin=\"round\"",
                             colour_of(shown[i]->style), font));
    }

    const PlotPanel& panel_;
    PixelBox frame_;
    Axis x_, y_;
    std::vector<PixelBox> track_;
    std::string svg_;
};

}  // namespace

std::string plot_svg(const Plot& plot) {
    const int n = static_cast<int>(plot.panels.size());
    const int columns = std::max(1, std::min(plot.columns, n));
    const int rows = (n + columns - 1) / columns;
    const double width = columns * plot.panel_width, height = head + rows * plot.panel_height;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, "
        "'Liberation Sans', sans-serif\" role=\"img\" aria-label=\"{2}\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"22\" y=\"28\" font-size=\"17\" font-weight=\"600\" fill=\"#1c2126\">{2}</text>\n"
        "<text x=\"22\" y=\"47\" font-size=\"12\" fill=\"#5a626b\">{3}</text>\n",
        width, height, markup_escaped(plot.title), markup_escaped(plot.note));
    for (int i = 0; i < n; ++i) {
        const double x = (i % columns) * plot.panel_width,
                     y = head + (i / columns) * plot.panel_height;
        const PixelBox frame{x + panel_left, y + panel_top, x + plot.panel_width - panel_right,
                             y + plot.panel_height - panel_bottom};
        svg += PanelDrawing(plot.panels[static_cast<std::size_t>(i)], frame).svg();
    }
    return svg + "</svg>\n";
}

std::string plot_page_style() {
    const auto paint = [](const std::string& colour, const std::string& with) {
        return fmt::format(".plot [fill=\"{0}\"]{{fill:{1}}}.plot [stroke=\"{0}\"]{{stroke:{1}}}\n",
                           colour, with);
    };
    std::string out;
    for (const Neutral& n : neutrals) out += paint(n.colour, fmt::format("var(--{})", n.variable));
    out += "@media (prefers-color-scheme:dark){\n";
    for (std::size_t i = 0; i < colours.size(); ++i) out += paint(colours[i], dark_colours[i]);
    return out + "}\n";
}

}  // namespace limber
