// SPDX-License-Identifier: Apache-2.0
#include "limber/study/compare_text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "limber/study/converged_solver.h"
#include "limber/study/tables.h"

namespace limber {

namespace {

std::string percent(double value) {
    return std::isfinite(value) ? digits(100 * value) + " %" : "-";
}

std::string quoted(const std::string& name) {
    return '`' + name + '`';
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + quoted(name);
    return out;
}

std::string refusal_note(const ContestantResult& c) {
    return "Not run: " + quoted(c.spec.text) + ". " + c.refusal + '.';
}

/// Which solver each local error is measured by.
std::string local_note(const CompareResult& result) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> measured;
    for (const ContestantResult& c : result.contestants) {
        if (c.local_reference.empty()) continue;
        if (!measured.count(c.local_reference)) order.push_back(c.local_reference);
        measured[c.local_reference].push_back(c.spec.text);
    }
    std::string out;
    for (const std::string& name : order)
        out +=
            fmt::format("{} {} by {}", out.empty() ? "One step (local) is measured for" : "; for",
                        joined_names(measured[name]), quoted(name));
    return out.empty() ? out : out + ", from the same state and with the same contact.";
}

/// Two families solve two steps: what that alone makes of the run.
std::string model_note(const CompareResult& result, const ContestantResult& c) {
    const double difference = result.headline_error(c);
    const std::string size =
        !c.failure.empty() ? "it did not finish: " + c.failure
                           : fmt::format("it is {} of the body size from the reference (rms{})",
                                         digits(difference), result.windowed ? ", windows" : "");
    return fmt::format(
        "Two models. Linearly implicit solvers solve one linear system a step, with rotations "
        "frozen at its start; minimising solvers go to the minimum of the step. Converged, they "
        "still differ, and that is no error of either: {} is the {} step solved to the end, and "
        "{}. Solvers of that family have this difference in their global error whatever their "
        "settings, not in their local one.",
        quoted(c.spec.text), family_name(c.family), size);
}

std::string position_based_note(const CompareResult& result) {
    std::vector<std::string> names;
    for (const ContestantResult& c : result.contestants)
        if (c.ran() && c.family == SolverFamily::position_based) names.push_back(c.spec.text);
    if (names.empty()) return {};
    return joined_names(names) +
           ": position based dynamics cuts a step into small ones and iterates none of them to "
           "convergence. Its law is that of the other solvers, its step is not: the local error is "
           "against the minimum of the whole step with the same law, holds what small steps do "
           "differently (they damp less) besides what is left unsolved, and does not go to zero "
           "with more of them.";
}

std::string left_out_note(const ContestantResult& c) {
    const auto measured = static_cast<std::int64_t>(c.local.time.size());
    return fmt::format(
        "{}: the solver that measures one step did not converge at {} of {} steps, "
        "which are left out of the local error.",
        quoted(c.spec.text), c.local_left_out, c.local_left_out + measured);
}

std::string sensitivity_note(const CompareResult& r) {
    const std::string growth = fmt::format(
        "The reference moved by {:.0e} of the body size drifts apart by a factor of {}.", r.nudge,
        digits(r.growth));
    if (!r.windowed) return growth;
    return growth +
           fmt::format(
               " Errors of the whole run say little on such a scene: the window columns give "
               "the median and the largest error after {} steps over {} windows restarted "
               "from the reference.",
               r.window_steps, r.n_windows);
}

}  // namespace

std::string what_was_compared(const CompareResult& r) {
    std::string cells;
    if (r.n_tets > 0 || r.n_triangles == 0) cells += fmt::format(", {} tets", r.n_tets);
    if (r.n_triangles > 0) cells += fmt::format(", {} triangles", r.n_triangles);
    return fmt::format("{}: {} bod{}, {} nodes{}, {} steps of {:.4g} ms",
                       std::filesystem::path(r.scene).filename().string(), r.n_bodies,
                       r.n_bodies == 1 ? "y" : "ies", r.n_nodes, cells, r.steps, 1000 * r.h);
}

std::string contact_text(const CompareResult& r) {
    std::string options;
    for (const Setting& s : r.contact_settings) {
        if (s.by_default && s.key != "friction") continue;
        std::string value = s.value;
        std::erase(value, '"');
        options += (options.empty() ? "" : ", ") + s.key + " = " + value;
    }
    return r.contact + (options.empty() ? "" : " (" + options + ')');
}

std::string status_of(const CompareResult& result, const ContestantResult& r) {
    if (!r.ran()) return "not run";
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

double worst_energy(const ContestantResult& r) {
    double worst = r.energy.empty() ? std::nan("") : 0;
    for (double e : r.energy) worst = std::max(worst, e);
    return worst;
}

CompareTable table_of(const CompareResult& result) {
    CompareTable table;
    table.header = {"solver",     "family",    "ms/step p50", "p99",
                    "iterations", "local rms", "local max"};
    for (const char* column : {"global rms", "global max"})
        table.header.push_back(result.windowed ? std::string(column) + " (whole run)" : column);
    if (result.windowed) table.header.insert(table.header.end(), {"window rms", "window max"});
    table.header.insert(table.header.end(), {"energy", "penetration mm", "status"});
    const auto add = [&](const ContestantResult& c, const std::string& name) {
        const bool reference = &c == &result.reference_run;
        std::vector<std::string> row = {name, std::string(family_name(c.family)), digits(c.ms.p50),
                                        digits(c.ms.p99),
                                        c.ran() ? digits(c.mean_iterations) : "-"};
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
        row.push_back(c.ran() ? digits(1000 * c.max_penetration) : "-");
        row.push_back(status_of(result, c));
        table.rows.push_back(std::move(row));
    };
    for (const ContestantResult& c : result.contestants) add(c, c.spec.text);
    for (const ContestantResult& c : result.models)
        add(c, c.spec.kind + " (" + std::string(family_name(c.family)) + ", converged)");
    // Options of one that was chosen stand above the table, and would make it too wide.
    add(result.reference_run,
        (result.reference_chosen ? result.reference.kind : result.reference.text) + " (reference)");
    return table;
}

std::vector<CompareNote> notes_of(const CompareResult& result) {
    using Kind = CompareNote::Kind;
    std::vector<CompareNote> out;
    const auto add = [&](Kind kind, const std::string& text) {
        if (!text.empty()) out.push_back({kind, text});
    };
    for (const ContestantResult& c : result.contestants)
        if (!c.ran()) add(Kind::not_run, refusal_note(c));
    add(Kind::changed, result.contact_note);
    const auto add_verdict = [&](const ContestantResult& c, const std::string& name) {
        for (const std::string& line : c.verdict) add(Kind::verdict, '`' + name + "`: " + line);
    };
    for (const ContestantResult& c : result.contestants) add_verdict(c, c.spec.text);
    add_verdict(result.reference_run, result.reference.kind + " (reference)");
    for (const ContestantResult& c : result.models) add(Kind::reading, model_note(result, c));
    add(Kind::reading, local_note(result));
    add(Kind::reading, position_based_note(result));
    for (const ContestantResult& c : result.contestants)
        if (c.local_left_out > 0) add(Kind::reading, left_out_note(c));
    add(Kind::reading, sensitivity_note(result));
    return out;
}

std::string columns_text() {
    return "Position errors are parts of the body size: local of one step against the converged "
           "solver of the same family, global against the reference's trajectory; rms over nodes "
           "and steps. Energy: largest difference / energy in motion.";
}

}  // namespace limber
