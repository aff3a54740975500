// SPDX-License-Identifier: Apache-2.0
// The figures of a comparison.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "limber/core/numbers.h"
#include "limber/core/parallel.h"
#include "limber/output/plot.h"
#include "limber/study/compare_report.h"
#include "limber/study/compare_text.h"
#include "limber/study/converged_solver.h"

namespace limber {

namespace {

/// Options that say how long a solver works on a step. Solvers that differ there alone are points
/// of one curve.
constexpr std::array<const char*, 3> effort_keys = {"max_iterations", "iterations", "substeps"};

bool is_effort(const std::string& key) {
    return std::find(effort_keys.begin(), effort_keys.end(), key) != effort_keys.end();
}

std::string effort_of(const SolverSpec& spec) {
    for (const SolverSpec::Option& o : spec.options)
        if (is_effort(o.key)) return o.value;
    return {};
}

/// "5 it, jacobi": the options without their keys where the value says enough.
std::string option_words(const SolverSpec& spec) {
    std::string out;
    for (const SolverSpec::Option& o : spec.options) {
        std::string value = o.value;
        std::erase(value, '"');
        const bool word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
                          value != "true" && value != "false";
        out += (out.empty() ? "" : ", ") + (o.key == "substeps" ? value + " sub-steps"
                                            : is_effort(o.key)  ? value + " it"
                                            : word              ? value
                                                                : o.key + '=' + value);
    }
    return out;
}

std::string name_of(const SolverSpec& spec) {
    const std::string words = option_words(spec);
    return spec.kind + (words.empty() ? "" : ": " + words);
}

/// Solvers with their looks: those of one curve share one.
struct Group {
    PlotStyle style;
    std::vector<const ContestantResult*> members;
};
std::vector<Group> groups_of(const CompareResult& result) {
    std::vector<Group> out;
    std::map<std::string, std::size_t> at;
    for (const ContestantResult& c : result.contestants) {
        if (!c.ran()) continue;
        SolverSpec curve = c.spec;
        std::erase_if(curve.options, [](const SolverSpec::Option& o) { return is_effort(o.key); });
        const auto [it, added] = at.emplace(curve.without(""), out.size());
        if (added) out.push_back({{static_cast<int>(out.size())}, {}});
        out[it->second].members.push_back(&c);
    }
    // By iterations, whatever the order on the command line; without a cap comes last.
    const auto cap = [](const ContestantResult* c) {
        return parse_whole(effort_of(c->spec)).value_or(std::numeric_limits<std::int64_t>::max());
    };
    for (Group& group : out)
        std::stable_sort(group.members.begin(), group.members.end(),
                         [&](const auto* a, const auto* b) { return cap(a) < cap(b); });
    return out;
}

std::string label_of(const Group& group, std::size_t i) {
    const SolverSpec& spec = group.members[i]->spec;
    if (i == 0) return name_of(spec);
    for (const SolverSpec::Option& o : spec.options)
        if (is_effort(o.key)) return o.value + (o.key == "substeps" ? " sub-steps" : " it");
    return "its default";
}

/// Below this two states are the same to rounding: not drawn.
constexpr double rounding = 1e-14;

std::vector<double> above_rounding(std::vector<double> values) {
    for (double& v : values)
        if (v < rounding) v = no_value;
    return values;
}

/// What is left of a family's error when its steps are solved to the end.
std::string model_name(const ContestantResult& c) {
    return fmt::format("{}, converged ({})", c.spec.kind, family_name(c.family));
}

/// One panel of error against time per step.
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
    for (const ContestantResult& c : result.models)
        if (c.failure.empty())
            panel.points.push_back(
                {c.ms.p50, error(c), c.ms.p99, worst(c), model_name(c), {0, true}});
    return panel;
}

}  // namespace

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
    local.title = "One step, against its family's converged step";
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
    local.title = "Position, one step against its family's converged step";
    energy.title = "Energy, against the reference";
    global.y_label = local.y_label = "rms error / body size";
    energy.y_label = "error / energy in motion";
    for (const Group& group : groups_of(result))
        for (std::size_t i = 0; i < group.members.size(); ++i) {
            const ContestantResult* c = group.members[i];
            const std::string name = name_of(c->spec);
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
    for (const ContestantResult& c : result.models)
        global.curves.push_back(
            {c.global.time, above_rounding(c.global.rms), model_name(c), {0, true, 1}});
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

}  // namespace limber
