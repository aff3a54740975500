// SPDX-License-Identifier: Apache-2.0
// compare.html: a comparison as one page that opens offline.

#include <filesystem>

#include <fmt/format.h>

#include "limber/core/markup.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"
#include "limber/output/plot.h"
#include "limber/output/report_style.h"
#include "limber/output/summary.h"
#include "limber/study/compare_report.h"
#include "limber/study/compare_text.h"
#include "limber/study/converged_solver.h"

namespace limber {

namespace {

constexpr std::string_view compare_style = R"css(
code{font:.92em ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.scroll{overflow-x:auto;padding-bottom:12px}
.table{border-collapse:collapse;width:100%;font-size:.88rem}
.table th,.table td{padding:5px 12px 5px 0;text-align:right;white-space:nowrap;vertical-align:top;
font-variant-numeric:tabular-nums}
.table th{color:var(--soft);font-weight:600;border-bottom:1px solid var(--rule)}
.table td{border-top:1px solid var(--rule)}
.table .words{text-align:left}
.table td:first-child{white-space:normal;min-width:15em}
.table .status{padding-right:0}
.table td.status{white-space:normal;min-width:7em;max-width:26em}
.table .aside td{color:var(--soft)}
.table .bad .status{color:var(--limit)}
.plot svg{min-width:760px;max-width:1100px;margin:0 auto}
.settings{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:14px}
.settings details{padding-bottom:10px}
summary{cursor:pointer;overflow-wrap:anywhere}
summary small{display:block;color:var(--soft);font-size:.82rem;padding-left:1.1em}
.chosen td{font-weight:600}
.note.bad{border-color:var(--limit)}
.notes{margin:0 0 6px;padding-left:20px;max-width:105ch}.notes li{margin:4px 0}
)css";

/// Text whose `names` become code.
std::string prose(const std::string& text) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('`', at), text.size());
        out += markup_escaped(text.substr(at, end - at));
        if (end < text.size()) out += inside ? "</code>" : "<code>";
        inside = !inside && end < text.size();
        at = end + 1;
    }
    return out;
}

std::string heading(const CompareResult& result) {
    return fmt::format(
        "<h1>{}</h1>\n<p class=\"sub\">Solvers compared: error against time &middot; {}<br>"
        "Reference {} ({}) &middot; contact of all solvers: {}</p>\n",
        markup_escaped(std::filesystem::path(result.scene).filename().string()),
        markup_escaped(what_was_compared(result)), prose('`' + result.reference.text + '`'),
        markup_escaped(result.reference_why), markup_escaped(contact_text(result)));
}

/// Who did not run, and what is not as the scene has it.
std::string warnings(const CompareResult& result) {
    std::string out;
    for (const CompareNote& note : notes_of(result))
        if (note.kind != CompareNote::Kind::reading)
            out += fmt::format("<p class=\"note{}\">{}</p>\n",
                               note.kind == CompareNote::Kind::not_run ? " bad" : "",
                               prose(note.text));
    for (const std::string& warning : result.warnings)
        out += "<p class=\"note\">" + markup_escaped(warning) + "</p>\n";
    return out;
}

std::string how_to_read(const CompareResult& result) {
    std::string out = "<h2>How to read this</h2>\n<div class=\"card\"><ul class=\"notes\">\n<li>" +
                      markup_escaped(columns_text()) + "</li>\n";
    for (const CompareNote& note : notes_of(result))
        if (note.kind == CompareNote::Kind::reading) out += "<li>" + prose(note.text) + "</li>\n";
    return out + "</ul></div>\n";
}

std::string table(const CompareResult& result) {
    const CompareTable rows = table_of(result);
    const std::size_t last = rows.header.size() - 1, n = result.contestants.size();
    const auto look = [&](std::size_t column) {
        return column < 2 ? " class=\"words\"" : column == last ? " class=\"words status\"" : "";
    };
    std::string out = "<div class=\"card scroll\"><table class=\"table\" id=\"results\">\n<tr>";
    for (std::size_t c = 0; c <= last; ++c)
        out += fmt::format("<th{}>{}</th>", look(c), markup_escaped(rows.header[c]));
    out += "</tr>\n";
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const std::vector<std::string>& row = rows.rows[r];
        const bool bad = row[last].starts_with("failed") || row[last].starts_with("not run");
        out += r >= n ? "<tr class=\"aside\">" : bad ? "<tr class=\"bad\">" : "<tr>";
        for (std::size_t c = 0; c <= last; ++c)
            out += fmt::format(
                "<td{}>{}</td>", look(c),
                c == 0 ? "<code>" + markup_escaped(row[c]) + "</code>" : markup_escaped(row[c]));
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
}

std::string figure(const std::string& svg) {
    return "<div class=\"card wide scroll plot\">" + svg + "</div>\n";
}

std::string settings_card(const std::string& name, std::string_view what,
                          const std::vector<Setting>& settings) {
    std::string out = fmt::format(
        "<details class=\"card\"><summary><code>{}</code><small>{}</small></summary>"
        "<table class=\"values\">\n",
        markup_escaped(name), markup_escaped(what));
    for (const Setting& s : settings)
        out += fmt::format("<tr{}><td>{}</td><td>{}</td></tr>\n",
                           s.by_default ? "" : " class=\"chosen\"", markup_escaped(s.key),
                           markup_escaped(s.value));
    return out + "</table></details>\n";
}

/// Every option of everybody; those that are not by default stand out.
std::string settings(const CompareResult& result) {
    std::string out =
        "<h2>Settings</h2>\n<p class=\"sub\">Every option as it ran; bold: not the default of that "
        "name. A solver of the scene's own kind keeps the scene's options, another starts from its "
        "defaults.</p>\n<div class=\"settings\">\n";
    for (const ContestantResult& c : result.contestants)
        if (c.ran()) out += settings_card(c.spec.text, family_name(c.family), c.settings);
    for (const ContestantResult& c : result.models)
        out += settings_card(c.spec.kind, "converged solver of another family than the reference's",
                             c.settings);
    out += settings_card(result.reference.kind, "reference", result.reference_run.settings);
    out += settings_card("contact.method = \"" + result.contact + '"', "contact of all solvers",
                         result.contact_settings);
    return out + "</div>\n";
}

std::string machine(const CompareResult& result) {
    std::string out = "<h2>Made by</h2>\n<div class=\"card\"><table class=\"values\">\n";
    const auto row = [&](std::string_view key, const std::string& value) {
        out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", key, markup_escaped(value));
    };
    row("processor", cpu_name());
    row("threads", std::to_string(thread_count()));
    row("limber", std::string(build_info().version));
    row("commit", std::string(build_info().commit));
    row("build", std::string(build_info().flags));
    row("scene", result.scene);
    row("data", "compare.json beside this page has every curve");
    return out + "</table></div>\n";
}

}  // namespace

std::string compare_html(const CompareResult& result) {
    std::string out =
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    out += markup_escaped(std::filesystem::path(result.scene).filename().string()) +
           " - limber compare</title>\n<style>";
    out += report_style;
    out += compare_style;
    out += plot_page_style();
    out += "</style></head>\n<body>\n" + heading(result) + warnings(result) + table(result);
    out += "<h2>Figures</h2>\n" + figure(compare_svg(result)) + figure(error_over_time_svg(result));
    out += how_to_read(result);
    out += settings(result) + machine(result);
    return out + "</body>\n</html>\n";
}

}  // namespace limber
