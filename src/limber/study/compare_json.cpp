// SPDX-License-Identifier: Apache-2.0
// A comparison as data.

#include <cmath>

#include <nlohmann/json.hpp>

#include "limber/core/parallel.h"
#include "limber/core/version.h"
#include "limber/output/summary.h"
#include "limber/study/compare_report.h"
#include "limber/study/compare_text.h"
#include "limber/study/converged_solver.h"

namespace limber {

namespace {

using Json = nlohmann::ordered_json;

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

/// Values as a scene file has them.
Json settings_json(const std::vector<Setting>& settings) {
    Json out = Json::object();
    for (const Setting& s : settings) out[s.key] = s.value;
    return out;
}

Json contestant_json(const CompareResult& result, const ContestantResult& c) {
    Json out = Json::object();
    out["solver"] = c.spec.text;
    out["kind"] = c.spec.kind;
    out["family"] = std::string(family_name(c.family));
    out["status"] = status_of(result, c);
    out["refused"] = !c.ran();
    if (!c.ran()) {
        out["refusal"] = c.refusal;
        return out;
    }
    out["failed"] = !c.failure.empty();
    out["verdict"] = c.verdict;
    out["steps"] = c.steps;
    out["ms"] = {{"p50", number(c.ms.p50)},
                 {"p99", number(c.ms.p99)},
                 {"min", number(c.ms.min)},
                 {"mean", number(c.ms.mean)},
                 {"timed_steps", c.ms.n}};
    out["iterations"] = {{"mean", c.mean_iterations}, {"max", c.max_iterations}};
    out["max_penetration"] = number(c.max_penetration);
    out["options"] = settings_json(c.settings);
    if (&c == &result.reference_run) return out;
    out["headline_error"] = number(result.headline_error(c));
    out["local_reference"] = c.local_reference.empty() ? Json(nullptr) : Json(c.local_reference);
    out["local_left_out"] = c.local_left_out;
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

}  // namespace

std::string compare_json(const CompareResult& result) {
    Json out = Json::object();
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
    out["triangles"] = result.n_triangles;
    out["steps"] = result.steps;
    out["h"] = result.h;
    out["reference"] = contestant_json(result, result.reference_run);
    out["reference_why"] = result.reference_why;
    out["contact"] = {{"method", result.contact},
                      {"options", settings_json(result.contact_settings)},
                      {"note", result.contact_note}};
    out["notes"] = Json::array();
    for (const CompareNote& note : notes_of(result)) out["notes"].push_back(note.text);
    out["sensitivity"] = {{"nudge", result.nudge},
                          {"growth", number(result.growth)},
                          {"windowed", result.windowed},
                          {"windows", result.n_windows},
                          {"window_steps", result.window_steps},
                          {"curve", curve_json(result.twin)}};
    out["solvers"] = Json::array();
    for (const ContestantResult& c : result.contestants)
        out["solvers"].push_back(contestant_json(result, c));
    out["models"] = Json::array();
    for (const ContestantResult& c : result.models)
        out["models"].push_back(contestant_json(result, c));
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace limber
