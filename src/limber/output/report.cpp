// SPDX-License-Identifier: Apache-2.0
#include "limber/output/report.h"
#include "limber/core/markup.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/chart.h"
#include "limber/output/report_style.h"
#include "limber/output/steps_csv.h"
#include "limber/output/text.h"

namespace limber {

namespace {

using Json = nlohmann::ordered_json;

// Stages in order; the two that are not computation are grey.
constexpr std::array<int, n_stages> stage_colour = {8, 0, 1, 2, 3, 4, 5, 6, 7, 9};

/// A number at a path such as {"wall_ms", "mean"}; NaN where it is missing or null.
double number_at(const Json& json, std::initializer_list<const char*> path) {
    const Json* here = &json;
    for (const char* key : path) {
        if (!here->is_object() || !here->contains(key)) return std::nan("");
        here = &(*here)[key];
    }
    return here->is_number() ? here->get<double>() : std::nan("");
}

std::string text_at(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

std::string shown(double value, std::string_view unit = "") {
    if (!std::isfinite(value)) return "-";
    const std::string text = fmt::format("{:.4g}", value);
    return unit.empty() ? text : text + ' ' + std::string(unit);
}

/// Milliseconds without noise digits: what is below a microsecond does not matter.
std::string shown_ms(double ms) {
    return ms < 0.001 ? "< 0.001 ms" : fmt::format("{:.3g} ms", ms);
}

/// The value of one row of the table: numbers as they are, lists and objects in short.
std::string cell_text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
    if (value.is_null()) return "-";
    if (value.is_object() || value.is_array()) {
        std::string out;
        for (const auto& [key, item] : value.items()) {
            if (!out.empty()) out += value.is_array() ? "; " : ", ";
            out += (value.is_array() ? "" : key + ' ') + cell_text(item);
        }
        return out.empty() ? "-" : out;
    }
    return value.dump();
}

std::string heading(const Json& summary) {
    const std::string scene = text_at(summary, "scene"), status = text_at(summary, "status");
    std::string bodies;
    double nodes = 0, tets = 0;
    if (summary.contains("bodies") && summary["bodies"].is_array())
        for (const Json& body : summary["bodies"]) {
            bodies += (bodies.empty() ? "" : ", ") + text_at(body, "name");
            nodes += number_at(body, {"nodes"});
            tets += number_at(body, {"tets"});
        }
    const std::string known = status == "done" || status == "failed" ? status : "interrupted";
    std::string out =
        fmt::format("<h1>{}<span class=\"chip {}\">{}</span></h1>\n",
                    markup_escaped(scene.empty() ? "limber run" : scene), known, known);
    out += fmt::format(
        "<p class=\"sub\">{} on {}, {} thread{} &middot; {} nodes, {} tets: {} &middot; limber {}"
        "</p>\n",
        markup_escaped(text_at(summary, "solver")), markup_escaped(text_at(summary, "device")),
        shown(number_at(summary, {"threads"})), number_at(summary, {"threads"}) == 1 ? "" : "s",
        shown(nodes), shown(tets), markup_escaped(bodies),
        markup_escaped(text_at(summary, "version")));
    return out;
}

std::string warnings(const Json& summary) {
    std::string out;
    const std::string failure = text_at(summary, "failure");
    if (!failure.empty())
        out += "<p class=\"note failed\"><b>Failed.</b> " + markup_escaped(failure) + "</p>\n";
    if (summary.contains("finite") && summary["finite"] == false)
        out += "<p class=\"note failed\">Some values were not finite and were left out.</p>\n";
    if (summary.contains("verdict") && summary["verdict"].is_array())
        for (const Json& fault : summary["verdict"])
            out += "<p class=\"note failed\"><b>Verdict.</b> " +
                   markup_escaped(text_at(fault, "text")) + "</p>\n";
    if (summary.contains("flags") && summary["flags"].is_object())
        for (const auto& [name, count] : summary["flags"].items())
            out +=
                fmt::format("<p class=\"note\"><b>{}</b> in {} step{}</p>\n", markup_escaped(name),
                            markup_escaped(cell_text(count)), count == 1 ? "" : "s");
    return out;
}

std::string tiles(const Json& summary) {
    const double mean = number_at(summary, {"wall_ms", "mean"}), h = number_at(summary, {"h"});
    const auto tile = [](const std::string& value, std::string_view what) {
        return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", value, what);
    };
    std::string out = "<div class=\"tiles\">";
    out += tile(std::isfinite(mean) ? shown_ms(mean) : "-", "mean step");
    out += tile(shown(number_at(summary, {"wall_ms", "p99"}), "ms"), "99 % of steps within");
    out += tile(mean > 0 ? fmt::format("{:.3g}x", 1000 * h / mean) : "-", "as fast as real time");
    out += tile(shown(number_at(summary, {"steps"})), "steps");
    out += tile(shown(number_at(summary, {"simulated_s"}), "s"), "simulated");
    out += tile(shown(number_at(summary, {"iterations", "mean"})), "iterations a step");
    out += tile(shown(1000 * number_at(summary, {"max_penetration"}), "mm"), "deepest penetration");
    return out + "</div>\n";
}

constexpr double bar_width = 1000, bar_margin = 20;  // of the stacked bar [px]

/// One stacked bar against the real-time line.
std::string stage_bar(const std::array<double, n_stages>& ms, double full, double h_ms) {
    const auto x = [&](double value) {
        return bar_margin + value / full * (bar_width - 2 * bar_margin);
    };
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {} 78\" role=\"img\" aria-label=\"Mean time of each stage\">",
        bar_width);
    for (double tick : nice_ticks(0, full, 8))
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"16\" y2=\"58\"/>"
            "<text class=\"tick\" x=\"{0:.1f}\" y=\"72\" text-anchor=\"middle\">{1} ms</text>",
            x(tick), axis_text(tick));
    double at = 0;
    for (int s = 0; s < n_stages; ++s) {
        if (ms[s] <= 0) continue;
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"24\" width=\"{:.2f}\" height=\"26\" "
            "style=\"fill:var(--c{})\"><title>{}: {}</title></rect>",
            x(at), x(at + ms[s]) - x(at), stage_colour[s], stage_names[s], shown_ms(ms[s]));
        at += ms[s];
    }
    if (std::isfinite(h_ms))
        svg += fmt::format(
            "<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"14\" y2=\"58\"/>"
            "<text class=\"limit-label\" x=\"{0:.1f}\" y=\"12\" text-anchor=\"{1}\">real time: {2}"
            "</text>",
            x(h_ms), h_ms > full / 2 ? "end" : "start", shown_ms(h_ms));
    return svg + "</svg>";
}

/// The stacked bar, then each stage by itself: a fast step is a sliver beside the real-time line.
std::string stage_figure(const Json& summary) {
    const double h_ms = 1000 * number_at(summary, {"h"});
    std::array<double, n_stages> ms{};
    double sum = 0, longest = 0;
    for (int s = 0; s < n_stages; ++s) {
        const double value = number_at(summary, {"stages_ms", stage_names[s].data()});
        ms[s] = std::isfinite(value) && value > 0 ? value : 0;
        sum += ms[s];
        longest = std::max(longest, ms[s]);
    }
    const double full = 1.05 * std::max({sum, std::isfinite(h_ms) ? h_ms : 0.0, 1e-9});
    std::string rows;
    for (int s = 0; s < n_stages; ++s)
        if (ms[s] > 0)
            rows += fmt::format(
                "<tr><td><i style=\"background:var(--c{0})\"></i>{1}</td><td>{2}</td>"
                "<td>{3:.1f} %</td><td><span class=\"bar\" "
                "style=\"width:{4:.2f}%;background:var(--c{0})\"></span></td></tr>",
                stage_colour[s], stage_names[s], shown_ms(ms[s]), 100 * ms[s] / sum,
                100 * ms[s] / longest);
    return "<figure class=\"card wide\"><figcaption>Where a step spends its time<small>mean of all "
           "steps; left of the dashed line is faster than real time</small></figcaption>" +
           stage_bar(ms, full, h_ms) + "<table class=\"stages\">" + rows + "</table></figure>\n";
}

template <class Get>
std::vector<double> column(const std::vector<StepRow>& rows, Get get) {
    std::vector<double> out;
    out.reserve(rows.size());
    for (const StepRow& row : rows) out.push_back(static_cast<double>(get(row)));
    return out;
}

Chart time_chart(const std::vector<StepRow>& rows, const std::vector<double>& x, double h) {
    Chart chart{.title = "Time of each step [ms]", .note = "", .x = x, .series = {}, .line = {}};
    chart.series.push_back({"wall", 0, column(rows, [](const StepRow& r) { return r.wall_ms; })});
    if (std::isfinite(h)) chart.line = ChartLine{1000 * h, "real time"};
    // Decades once one step or the real-time line would squeeze all the rest to the floor.
    std::vector<double> sorted = chart.series[0].y;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted.empty() ? 1 : sorted[sorted.size() / 2];
    const double most = std::max(sorted.empty() ? 1 : sorted.back(), 1000 * h);
    chart.log = median > 0 && most > 20 * median;
    chart.from_zero = !chart.log;
    return chart;
}

Chart energy_chart(const std::vector<StepRow>& rows, const std::vector<double>& x) {
    Chart chart{.title = "Energies [J]",
                .note = "gravity's potential is counted from the first step",
                .x = x,
                .series = {},
                .line = {}};
    const double base = rows.empty() ? 0 : rows.front().potential;
    chart.series = {
        {"kinetic", 0, column(rows, [](const StepRow& r) { return r.kinetic; })},
        {"elastic", 1, column(rows, [](const StepRow& r) { return r.elastic; })},
        {"potential", 2, column(rows, [&](const StepRow& r) { return r.potential - base; })},
        {"total", 8, column(rows, [&](const StepRow& r) {
             return r.kinetic + r.elastic + r.potential - base;
         })}};
    return chart;
}

std::string charts(const std::vector<StepRow>& rows, double h) {
    const std::vector<double> x = column(rows, [](const StepRow& r) { return r.time; });
    const auto single = [&](const char* title, const char* note, int colour, bool log, auto get) {
        Chart chart{.title = title, .note = note, .x = x, .series = {}, .line = {}};
        chart.series.push_back({title, colour, column(rows, get)});
        chart.log = log;
        chart.from_zero = !log;
        return chart_html(chart);
    };
    std::string out = "<div class=\"charts\">\n" + chart_html(time_chart(rows, x, h));
    const bool measured = std::any_of(rows.begin(), rows.end(),
                                      [](const StepRow& r) { return std::isfinite(r.residual); });
    out += single("Residual |r| / |b|",
                  measured ? "of the solve, at its end" : "this solver measures none", 4, true,
                  [](const StepRow& r) { return r.residual; });
    out += single("Iterations a step", "", 3, false, [](const StepRow& r) { return r.iterations; });
    out += chart_html(energy_chart(rows, x));
    out += single("Contacts", "nodes near an obstacle", 6, false,
                  [](const StepRow& r) { return r.contacts; });
    out += single("Deepest penetration [mm]", "", 5, false,
                  [](const StepRow& r) { return 1000 * r.max_penetration; });
    return out + "</div>\n";
}

std::string value_table(const Json& summary) {
    std::string out = "<h2>Summary</h2>\n<div class=\"card\"><table class=\"values\">\n";
    for (const auto& [key, value] : summary.items())
        out += "<tr><td>" + markup_escaped(key) + "</td><td>" + markup_escaped(cell_text(value)) +
               "</td></tr>\n";
    return out + "</table></div>\n";
}

Json read_summary(const std::string& path) {
    Json summary = Json::parse(read_text_file(path), nullptr, false);
    if (!summary.is_object()) throw InputError({path, 0, 0, -1}, "not a summary of a run");
    return summary;
}

}  // namespace

std::string report_html(const std::string& dir) {
    const Json summary = read_summary(dir + "/summary.json");
    const std::vector<StepRow> rows = read_steps(dir + "/steps.csv");
    std::string out =
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    out += markup_escaped(text_at(summary, "scene")) + " - limber run</title>\n<style>";
    out += report_style;
    out += "</style></head>\n<body>\n" + heading(summary) + warnings(summary) + tiles(summary);
    out += stage_figure(summary) + charts(rows, number_at(summary, {"h"})) + value_table(summary);
    return out + "</body>\n</html>\n";
}

void Report::end(const World&) {
    write_file_atomic(dir_ + "/report.html", report_html(dir_), Flush::to_system);
}

}  // namespace limber
