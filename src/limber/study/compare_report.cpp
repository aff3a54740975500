// SPDX-License-Identifier: Apache-2.0
#include "limber/study/compare_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/numbers.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"
#include "limber/io/file.h"
#include "limber/output/plot.h"
#include "limber/output/summary.h"
#include "limber/study/tables.h"

namespace limber {

namespace {

using Json = nlohmann::ordered_json;

std::string percent(double value) {
    return std::isfinite(value) ? digits(100 * value) + " %" : "-";
}

double worst_energy(const ContestantResult& r) {
    double worst = r.energy.empty() ? std::nan("") : 0;
    for (double e : r.energy) worst = std::max(worst, e);
    return worst;
}

std::string status_of(const CompareResult& result, const ContestantResult& r) {
    std::string out;
    if (!r.failure.empty()) out = "failed: " + r.failure;
    if (r.rejected > 0)
        out += fmt::format("{}{} step{} repeated in parts", out.empty() ? "" : "; ", r.rejected,
                           r.rejected == 1 ? "" : "s");
    if (r.windows.n_failed > 0)
        out += fmt::format("{}{} of {} windows failed", out.empty() ? "" : "; ", r.windows.n_failed,
                           result.n_windows);
    return out.empty() ? "done" : out;
}

std::string what_was_compared(const CompareResult& r) {
    return fmt::format("{}: {} bod{}, {} nodes, {} tets, {} steps of {:.4g} ms",
                       std::filesystem::path(r.scene).filename().string(), r.n_bodies,
                       r.n_bodies == 1 ? "y" : "ies", r.n_nodes, r.n_tets, r.steps, 1000 * r.h);
}

/// "5 it, jacobi": the options without their keys where the value says enough.
std::string option_words(const SolverSpec& spec) {
    std::string out;
    for (const SolverSpec::Option& o : spec.options) {
        std::string value = o.value;
        std::erase(value, '"');
        const bool word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
                          value != "true" && value != "false";
        out += (out.empty() ? "" : ", ") + (o.key == "max_iterations" ? value + " it"
                                            : word                    ? value
                                                                      : o.key + '=' + value);
    }
    return out;
}

/// Solvers with their looks: those that differ in max_iterations alone share one.
struct Group {
    PlotStyle style;
    std::vector<const ContestantResult*> members;
};
std::vector<Group> groups_of(const CompareResult& result) {
    std::vector<Group> out;
    std::map<std::string, std::size_t> at;
    for (const ContestantResult& c : result.contestants) {
        const auto [it, added] = at.emplace(c.spec.without("max_iterations"), out.size());
        if (added) out.push_back({{static_cast<int>(out.size())}, {}});
        out[it->second].members.push_back(&c);
    }
    // By iterations, whatever the order on the command line; without a cap comes last.
    const auto cap = [](const ContestantResult* c) {
        return parse_whole(c->spec.value_of("max_iterations"))
            .value_or(std::numeric_limits<std::int64_t>::max());
    };
    for (Group& group : out)
        std::stable_sort(group.members.begin(), group.members.end(),
                         [&](const auto* a, const auto* b) { return cap(a) < cap(b); });
    return out;
}

std::string label_of(const Group& group, std::size_t i) {
    const SolverSpec& spec = group.members[i]->spec;
    if (i > 0) {
        const std::string cap = spec.value_of("max_iterations");
        return cap.empty() ? "to tolerance" : cap + " it";
    }
    const std::string words = option_words(spec);
    return spec.kind + (words.empty() ? "" : ": " + words);
}

/// Below this two states are the same to rounding: not drawn.
constexpr double rounding = 1e-14;

std::vector<double> above_rounding(std::vector<double> values) {
    for (double& v : values)
        if (v < rounding) v = no_value;
    return values;
}

/// Adds one panel of error against time per step.
template <class Error, class Worst>
PlotPanel error_panel(const CompareResult& result, Error error, Worst worst) {
    PlotPanel panel;
    panel.log_x = panel.log_y = true;
    panel.x_label = "time per step [ms], median; whisker to p99";
    panel.y_label = "position error / body size, rms";
    panel.lines = {{1000 * result.h, "real time"},
                   {result.reference_run.ms.p50, "reference " + result.reference.kind}};
    for (const Group& group : groups_of(result)) {
        PlotCurve joint{{}, {}, "", group.style, true};
        for (std::size_t i = 0; i < group.members.size(); ++i) {
            const ContestantResult& c = *group.members[i];
            if (!c.failure.empty()) continue;
            panel.points.push_back(
                {c.ms.p50, error(c), c.ms.p99, worst(c), label_of(group, i), group.style});
            joint.x.push_back(c.ms.p50);
            joint.y.push_back(error(c));
        }
        if (joint.x.size() > 1) panel.curves.push_back(std::move(joint));
    }
    return panel;
}

Json numbers(const std::vector<double>& values) {
    Json out = Json::array();
    for (double v : values) out.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
    return out;
}
Json number(double v) {
    return std::isfinite(v) ? Json(v) : Json(nullptr);
}
Json curve_json(const ErrorCurve& c) {
    return {{"time", numbers(c.time)}, {"max", numbers(c.max)}, {"rms", numbers(c.rms)}};
}

Json contestant_json(const CompareResult& result, const ContestantResult& c) {
    Json out;
    out["solver"] = c.spec.text;
    out["kind"] = c.spec.kind;
    out["status"] = status_of(result, c);
    out["failed"] = !c.failure.empty();
    out["steps"] = c.steps;
    out["ms"] = {{"p50", number(c.ms.p50)},
                 {"p99", number(c.ms.p99)},
                 {"min", number(c.ms.min)},
                 {"mean", number(c.ms.mean)},
                 {"timed_steps", c.ms.n}};
    out["iterations"] = {{"mean", c.mean_iterations}, {"max", c.max_iterations}};
    out["max_penetration"] = number(c.max_penetration);
    if (&c == &result.reference_run) return out;
    out["headline_error"] = number(result.headline_error(c));
    out["local_rms"] = number(c.local.mean_square());
    out["local_max"] = number(c.local.worst());
    out["global_rms"] = number(c.global.mean_square());
    out["global_max"] = number(c.global.worst());
    out["energy_max"] = number(worst_energy(c));
    if (result.windowed)
        out["windows"] = {{"rms", numbers(c.windows.rms)},
                          {"max", numbers(c.windows.max)},
                          {"failed", c.windows.n_failed}};
    out["curves"] = {{"local", curve_json(c.local)},
                     {"global", curve_json(c.global)},
                     {"energy", numbers(c.energy)}};
    return out;
}

std::string sensitivity_text(const CompareResult& r) {
    const std::string growth = fmt::format(
        "The reference moved by {:.0e} of the body size drifts apart by a factor of {}.", r.nudge,
        digits(r.growth));
    if (!r.windowed) return growth;
    return growth +
           fmt::format(
               " Errors of the whole run say little on such a scene: `window` columns give "
               "the median and the largest error after {} steps over {} windows restarted "
               "from the reference.",
               r.window_steps, r.n_windows);
}

}  // namespace

std::string compare_markdown(const CompareResult& result) {
    std::vector<std::string> header = {"solver",     "ms/step p50", "p99",
                                       "iterations", "local rms",   "local max"};
    for (const char* column : {"global rms", "global max"})
        header.push_back(result.windowed ? std::string(column) + " (whole run)" : column);
    if (result.windowed) header.insert(header.end(), {"window rms", "window max"});
    header.insert(header.end(), {"energy", "penetration mm", "status"});
    MarkdownTable table(header);
    const auto add = [&](const ContestantResult& c, bool reference) {
        std::vector<std::string> row = {c.spec.text + (reference ? " (reference)" : ""),
                                        digits(c.ms.p50), digits(c.ms.p99),
                                        digits(c.mean_iterations)};
        const auto error = [&](double e) { row.push_back(reference ? "-" : digits(e)); };
        error(c.local.mean_square());
        error(c.local.worst());
        error(c.global.mean_square());
        error(c.global.worst());
        if (result.windowed) {
            error(spread_of(c.windows.rms).p50);
            error(spread_of(c.windows.max).max);
        }
        row.push_back(reference ? "-" : percent(worst_energy(c)));
        row.push_back(digits(1000 * c.max_penetration));
        row.push_back(status_of(result, c));
        table.add(row);
    };
    for (const ContestantResult& c : result.contestants) add(c, false);
    add(result.reference_run, true);
    return fmt::format(
        "# {}\n\nReference: `{}` ({}).\n{}\n\n{}\nPosition errors are parts of the body size: "
        "local "
        "of one step against the converged solver of the same family, global against the "
        "reference's trajectory; rms over nodes and steps. Energy: largest difference / energy in "
        "motion.\n{}\n",
        what_was_compared(result), result.reference.text, result.reference_why,
        sensitivity_text(result), table.text(), machine_line());
}

std::string compare_svg(const CompareResult& result) {
    Plot plot;
    plot.title = "Error against time: " + std::filesystem::path(result.scene).stem().string();
    plot.note = what_was_compared(result) + fmt::format("; reference {}; {} thread{}",
                                                        result.reference.kind, thread_count(),
                                                        thread_count() == 1 ? "" : "s");
    PlotPanel whole = error_panel(
        result, [&](const ContestantResult& c) { return result.headline_error(c); },
        [&](const ContestantResult& c) {
            return result.windowed ? spread_of(c.windows.rms).max : no_value;
        });
    whole.title = result.windowed
                      ? fmt::format("After {} steps from states of the reference ({} windows)",
                                    result.window_steps, result.n_windows)
                      : "Whole run, against the reference";
    PlotPanel local = error_panel(
        result, [](const ContestantResult& c) { return c.local.mean_square(); },
        [](const ContestantResult&) { return no_value; });
    local.title = "One step, against its family converged";
    plot.panels = {whole, local};
    plot.panel_width = 470;
    plot.panel_height = 380;
    return plot_svg(plot);
}

std::string error_over_time_svg(const CompareResult& result) {
    Plot plot;
    plot.title = "Error over time: " + std::filesystem::path(result.scene).stem().string();
    plot.note = what_was_compared(result) + "; reference " + result.reference.kind;
    PlotPanel global, local, energy;
    global.title = "Position, against the reference's trajectory";
    local.title = "Position, one step against its family converged";
    energy.title = "Energy, against the reference";
    global.y_label = local.y_label = "rms error / body size";
    energy.y_label = "error / energy in motion";
    for (const Group& group : groups_of(result))
        for (std::size_t i = 0; i < group.members.size(); ++i) {
            const ContestantResult* c = group.members[i];
            const std::string words = option_words(c->spec);
            const std::string name = c->spec.kind + (words.empty() ? "" : ": " + words);
            const PlotStyle look{group.style.number, false, static_cast<int>(i)};
            global.curves.push_back({c->global.time, above_rounding(c->global.rms), name, look});
            local.curves.push_back({c->local.time, above_rounding(c->local.rms), name, look});
            std::vector<double> time(
                c->global.time.begin(),
                c->global.time.begin() +
                    static_cast<std::ptrdiff_t>(std::min(c->energy.size(), c->global.time.size())));
            energy.curves.push_back(
                {time,
                 above_rounding({c->energy.begin(),
                                 c->energy.begin() + static_cast<std::ptrdiff_t>(time.size())}),
                 name, look});
        }
    global.curves.push_back({result.twin.time,
                             result.twin.rms,
                             fmt::format("reference moved by {:.0e}", result.nudge),
                             {0, true}});
    for (PlotPanel* panel : {&global, &local, &energy}) {
        panel->log_y = true;
        panel->x_label = "simulated time [s]";
    }
    plot.panels = {global, local, energy};
    plot.columns = 1;
    plot.panel_width = 860;
    plot.panel_height = 300;
    return plot_svg(plot);
}

std::string compare_json(const CompareResult& result) {
    Json out;
    out["limber"] = std::string(build_info().version);
    out["git"] = std::string(build_info().commit);
    out["build"] = std::string(build_info().flags);
    out["cpu"] = cpu_name();
    out["threads"] = thread_count();
    out["peak_rss_mb"] = peak_rss_mb();
    out["scene"] = result.scene;
    out["bodies"] = result.n_bodies;
    out["nodes"] = result.n_nodes;
    out["tets"] = result.n_tets;
    out["steps"] = result.steps;
    out["h"] = result.h;
    out["reference"] = contestant_json(result, result.reference_run);
    out["reference_why"] = result.reference_why;
    out["sensitivity"] = {{"nudge", result.nudge},
                          {"growth", number(result.growth)},
                          {"windowed", result.windowed},
                          {"windows", result.n_windows},
                          {"window_steps", result.window_steps},
                          {"curve", curve_json(result.twin)}};
    for (const ContestantResult& c : result.contestants)
        out["solvers"].push_back(contestant_json(result, c));
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void write_comparison(const CompareResult& result, const std::string& dir) {
    const auto write = [&](const char* name, const std::string& text) {
        write_file_atomic(dir + '/' + name, text, Flush::to_system);
    };
    write("compare.md", compare_markdown(result));
    write("compare.svg", compare_svg(result));
    write("error_over_time.svg", error_over_time_svg(result));
    write("compare.json", compare_json(result));
}

}  // namespace limber
