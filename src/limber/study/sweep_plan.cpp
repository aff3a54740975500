// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sweep_plan.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/core/hash.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

using PlanJson = nlohmann::ordered_json;

std::string plan_file(const std::string& dir) {
    return dir + "/sweep.json";
}

std::int64_t last_step(const SceneDef& scene, const SweepEnd& end) {
    if (end.steps) return *end.steps;
    if (end.time) return static_cast<std::int64_t>(std::ceil(*end.time / scene.time.step - 1e-9));
    return scene.time.n_steps();
}

std::string folder_of_run(const SceneDef& scene, const SweepEnd& end) {
    const Value all = to_value(scene);
    const Value* output = all.find("output");
    const std::string text = hex64(scene_hash(scene)) + '\n' +
                             std::to_string(last_step(scene, end)) + '\n' +
                             (output ? to_toml(*output) : "");
    return hex64(hash64(text.data(), text.size()));
}

/// The list of texts at a key; InputError where there is none.
std::vector<std::string> texts(const PlanJson& json, const char* key, const std::string& file) {
    std::vector<std::string> out;
    if (!json.is_object() || !json.contains(key) || !json[key].is_array())
        throw InputError(SourcePlace{file},
                         std::string("not a plan of a sweep: no list '") + key + "'");
    for (const PlanJson& item : json[key]) {
        if (!item.is_string())
            throw InputError(SourcePlace{file},
                             std::string("not a plan of a sweep: '") + key + "' holds no texts");
        out.push_back(item.get<std::string>());
    }
    return out;
}

}  // namespace

bool is_run_name(const std::string& folder) {
    return folder.size() == 16 && folder.find_first_not_of("0123456789abcdef") == std::string::npos;
}

SweepPlan plan_sweep(SweepPlan plan) {
    const std::string scene = plan.scene;
    plan.scene = std::filesystem::absolute(scene).lexically_normal().string();
    plan.points = sweep_points(plan.axes);
    for (SweepPoint& point : plan.points) {
        LoadOptions load{plan.sets, plan.sandbox};
        load.sets.insert(load.sets.end(), point.sets.begin(), point.sets.end());
        const SceneDef def = load_scene(scene, load);
        require_device(def);
        point.folder = folder_of_run(def, plan.end);
    }
    return plan;
}

void write_plan(const std::string& dir, const SweepPlan& plan) {
    PlanJson out = PlanJson::object();
    out["sweep"] = 1;
    out["scene"] = plan.scene;
    out["sets"] = plan.sets;
    if (plan.end.steps) out["steps"] = *plan.end.steps;
    if (plan.end.time) out["time"] = *plan.end.time;
    if (plan.sandbox) out["sandbox"] = true;
    out["axes"] = PlanJson::array();
    for (const SweepAxis& axis : plan.axes)
        out["axes"].push_back({{"path", axis.path}, {"values", axis.values}});
    out["runs"] = PlanJson::array();
    for (const SweepPoint& point : plan.points)
        out["runs"].push_back(
            {{"folder", point.folder}, {"values", point.values}, {"sets", point.sets}});
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) throw SystemError(dir, "create", error.value());
    write_file_atomic(plan_file(dir), out.dump(1) + '\n', Flush::to_system);
}

SweepPlan read_plan(const std::string& dir) {
    const std::string file = plan_file(dir);
    const PlanJson json = PlanJson::parse(read_text_file(file), nullptr, false);
    const auto refuse = [&](const std::string& why) {
        throw InputError(SourcePlace{file}, "not a plan of a sweep: " + why);
    };
    if (!json.is_object() || !json.contains("sweep") || json["sweep"] != 1)
        refuse("it does not begin with \"sweep\": 1");
    if (!json.contains("scene") || !json["scene"].is_string()) refuse("no text 'scene'");
    SweepPlan plan;
    plan.scene = json["scene"].get<std::string>();
    plan.sets = texts(json, "sets", file);
    if (json.contains("steps")) {
        if (!json["steps"].is_number_unsigned()) refuse("'steps' is no number of steps");
        plan.end.steps = json["steps"].get<std::int64_t>();
    }
    if (json.contains("time")) {
        if (!json["time"].is_number() || !(json["time"].get<double>() >= 0))
            refuse("'time' is no time");
        plan.end.time = json["time"].get<double>();
    }
    if (json.contains("sandbox")) {
        if (!json["sandbox"].is_boolean()) refuse("'sandbox' is neither true nor false");
        plan.sandbox = json["sandbox"].get<bool>();
    }
    for (const char* key : {"axes", "runs"})
        if (!json.contains(key) || !json[key].is_array())
            refuse(std::string("no list '") + key + "'");
    for (const PlanJson& axis : json["axes"]) {
        if (!axis.is_object() || !axis.contains("path") || !axis["path"].is_string())
            refuse("an axis has no path");
        plan.axes.push_back({axis["path"].get<std::string>(), texts(axis, "values", file)});
    }
    for (const PlanJson& run : json["runs"]) {
        if (!run.is_object() || !run.contains("folder") || !run["folder"].is_string() ||
            !is_run_name(run["folder"].get<std::string>()))
            refuse("a run has no folder of 16 hexadecimal digits");
        plan.points.push_back({texts(run, "values", file), texts(run, "sets", file),
                               run["folder"].get<std::string>()});
        if (plan.points.back().values.size() != plan.axes.size())
            refuse("a run has not one value an axis");
    }
    return plan;
}

SweepShare parse_share(const std::string& text) {
    const std::size_t slash = text.find('/');
    const auto number = parse_whole(text.substr(0, slash));
    const auto of = slash == std::string::npos ? std::nullopt : parse_whole(text.substr(slash + 1));
    if (!number || !of || *number < 1 || *of < 1 || *number > *of)
        throw InputError("--only " + printable(text) +
                         ": wanted K/N, the K-th of N shares, such as 2/8");
    return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

std::string run_outcome(const std::string& folder) {
    const std::string file = folder + "/summary.json";
    if (!is_regular_file(file)) return "";
    const PlanJson summary = PlanJson::parse(read_text_file(file), nullptr, false);
    const std::string status = summary.is_object() ? summary.value("status", "") : "";
    return status == "done" || status == "failed" ? status : "";
}

}  // namespace limber
