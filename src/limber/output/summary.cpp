// SPDX-License-Identifier: Apache-2.0
#include "limber/output/summary.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "limber/contact/contact_read_back.h"
#include "limber/core/check.h"
#include "limber/core/hash.h"
#include "limber/core/version.h"
#include "limber/gpu/device.h"
#include "limber/io/file.h"
#include "limber/output/verdict_output.h"
#include "limber/sim/world.h"

namespace limber {

using Json = nlohmann::ordered_json;

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
    return {};
}

double peak_rss_mb() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in kB
}

float percentile(std::vector<float>& values, double percent) {
    LIMBER_CHECK(!values.empty(), "a percentile of nothing");
    const auto n = static_cast<double>(values.size());
    const double rank = std::clamp(std::ceil(percent / 100 * n), 1.0, n);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

void RunTotals::add(const StepRow& row) {
    const auto fine = [&](double value) {
        if (!std::isfinite(value)) finite = false;
        return std::isfinite(value) ? value : 0.0;
    };
    wall_ms.push_back(static_cast<float>(fine(row.wall_ms)));
    wall_sum += fine(row.wall_ms);
    for (int s = 0; s < n_stages; ++s) stage_sum[s] += fine(row.stage_ms[s]);
    iterations += row.iterations;
    max_iterations = std::max(max_iterations, row.iterations);
    if (std::isinf(row.residual)) finite = false;  // NaN: the solver measures none
    const double energy = fine(row.kinetic + row.elastic + row.potential);
    if (steps() == 1) energy_first = energy_max = energy;
    energy_last = energy;
    energy_max = std::max(energy_max, energy);
    max_penetration = std::max(max_penetration, fine(row.max_penetration));
    for (std::size_t begin = 0; begin < row.flags.size();) {
        const std::size_t end = std::min(row.flags.find('|', begin), row.flags.size());
        ++flags[row.flags.substr(begin, end - begin)];
        begin = end + 1;
    }
}

namespace {

StepRow row_of(const StepReport& report) {
    StepRow row;
    row.step = report.step;
    row.time = report.time;
    row.wall_ms = report.wall_ms;
    row.stage_ms = report.stage_ms;
    row.iterations = report.solve.iterations;
    row.residual = report.solve.residual;
    row.kinetic = report.kinetic;
    row.elastic = report.elastic;
    row.potential = report.potential;
    row.contacts = report.contacts;
    row.max_penetration = report.max_penetration;
    row.flags = flag_names(report.flags);
    return row;
}

bool state_is_finite(const State& state) {
    const auto fine = [](const Vec3d& v) { return is_finite(v); };
    return std::all_of(state.x.begin(), state.x.end(), fine) &&
           std::all_of(state.v.begin(), state.v.end(), fine);
}

Json wall_json(const RunTotals& totals) {
    Json out = {
        {"mean", nullptr}, {"p50", nullptr}, {"p95", nullptr}, {"p99", nullptr}, {"max", nullptr}};
    if (totals.wall_ms.empty()) return out;
    std::vector<float> sorted = totals.wall_ms;
    out["mean"] = totals.wall_sum / static_cast<double>(totals.steps());
    out["p50"] = percentile(sorted, 50);
    out["p95"] = percentile(sorted, 95);
    out["p99"] = percentile(sorted, 99);
    out["max"] = percentile(sorted, 100);
    return out;
}

Json gpu_json() {
    const gpu::Device device = gpu::device();
    Json out = Json::object();
    out["name"] = device.name;
    out["architecture"] = device.architecture;
    out["memory"] = device.memory;
    out["driver"] = device.driver;
    out["runtime"] = device.runtime;
    return out;
}

Json bodies_json(const Model& model) {
    Json out = Json::array();
    for (const Body& body : model.bodies) {
        out.push_back({{"name", body.name},
                       {"nodes", body.node_end - body.node_begin},
                       {"tets", body.tet_end - body.tet_begin}});
        if (!body.triangles().empty()) out.back()["triangles"] = body.triangles().size();
        if (body.rigid) out.back()["rigid"] = true;
    }
    return out;
}

/// Of the last step.
Json contacts_json(const World& world) {
    const Model& model = world.model();
    Json out = Json::array();
    for (const ContactPair& pair : contact_pairs(world.contacts().contacts)) {
        Json entry = {{"body", model.bodies[pair.body].name}};
        if (pair.obstacle >= 0)
            entry["obstacle"] = pair.obstacle;
        else
            entry["other"] = model.bodies[pair.other].name;
        entry["contacts"] = pair.contacts;
        entry["sticking"] = pair.sticking;
        entry["slipping"] = pair.slipping;
        entry["normal_force"] = pair.normal_force;
        entry["force"] = {pair.force.x, pair.force.y, pair.force.z};
        out.push_back(std::move(entry));
    }
    return out;
}

void add_totals(const RunTotals& totals, Json& out) {
    const double n = std::max<double>(1, static_cast<double>(totals.steps()));
    out["wall_ms"] = wall_json(totals);
    Json& stages = out["stages_ms"] = Json::object();
    for (int s = 0; s < n_stages; ++s)
        stages[std::string(stage_names[s])] = totals.stage_sum[s] / n;
    out["iterations"] = {{"mean", static_cast<double>(totals.iterations) / n},
                         {"max", totals.max_iterations}};
    out["energy"] = {
        {"first", totals.energy_first}, {"last", totals.energy_last}, {"max", totals.energy_max}};
    out["max_penetration"] = totals.max_penetration;
    out["flags"] = Json::object();
    for (const auto& [name, count] : totals.flags) out["flags"][name] = count;
}

}  // namespace

void Summary::begin(const World& world) {
    totals_ = {};
    // Room for every step at once, so that a step never waits for memory.
    constexpr std::int64_t most = 1 << 22;
    totals_.wall_ms.reserve(
        static_cast<std::size_t>(std::clamp<std::int64_t>(options_.total_steps, 0, most)));
    if (world.state().step > 0)
        for (const StepRow& row : read_steps(options_.dir + "/steps.csv")) totals_.add(row);
    write(world, "interrupted");
}

void Summary::after_step(const World& world, const StepReport& report) {
    if (report.failed) {
        failure_ = report.failure.what;
        return;
    }
    totals_.add(row_of(report));
    if (since_write_.ms() >= options_.summary_every_ms) write(world, "interrupted");
}

void Summary::end(const World& world) {
    const bool done = world.state().step >= options_.total_steps;
    write(world, !failure_.empty() ? "failed" : done ? "done" : "interrupted");
}

void Summary::write(const World& world, const std::string& status) {
    const Model& model = world.model();
    const std::string cpu = cpu_name();
    // Not null: where memory is short, the object that the first key makes of it is left half made.
    Json out = Json::object();
    out["version"] = std::string(build_info().version);
    out["git"] = std::string(build_info().commit);
    out["build"] = std::string(build_info().flags);
    out["scene"] = options_.scene;
    out["solver"] = options_.solver;
    out["contact"] = std::string(world.contact().name());
    out["device"] = options_.device;
    if (!options_.chosen.empty()) out["auto"] = options_.chosen;
    out["threads"] = options_.threads;
    out["cpu"] = cpu.empty() ? Json(nullptr) : Json(cpu);
    out["gpu"] = options_.device == "cuda" ? gpu_json() : Json(nullptr);
    out["bodies"] = bodies_json(model);
    out["status"] = status;
    out["failure"] = failure_.empty() ? Json(nullptr) : Json(failure_);
    out["h"] = model.h;
    out["steps"] = world.state().step;
    out["total_steps"] = options_.total_steps;
    out["simulated_s"] = world.state().time;
    add_totals(totals_, out);
    out["verdict"] = Json::parse(verdict_json(world));
    out["contact_pairs"] = contacts_json(world);
    out["finite"] = totals_.finite && state_is_finite(world.state());
    out["state_hash"] = hex64(world.state_hash());
    out["peak_rss_mb"] = peak_rss_mb();
    out["clocked"] = world.clocked();
    // Names come from files: bytes that are not UTF-8 are replaced, not refused.
    const std::string text = out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    write_file_atomic(options_.dir + "/summary.json", text, Flush::to_system);
    since_write_.restart();
}

}  // namespace limber
