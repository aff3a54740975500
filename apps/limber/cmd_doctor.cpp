// SPDX-License-Identifier: Apache-2.0
// limber doctor: what this machine and build can do, and whether a small simulation gives what it
// should.

#include <sys/sysinfo.h>
#include <unistd.h>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"
#include "limber/gpu/device.h"
#include "limber/mesh/shapes.h"
#include "limber/output/summary.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

namespace limber::app {

namespace {

using nlohmann::ordered_json;

std::string vector_instructions() {
#if defined(__AVX512F__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#else
    return "baseline";
#endif
}

/// A pinned bar, five steps.
std::unique_ptr<World> small_bar() {
    auto model = std::make_unique<Model>(one_body("bar", make_box({1, 0.2, 0.2}, {12, 3, 3}),
                                                  corotated_material("rubber", 2e5, 0.4)));
    model->pins.push_back({"end", model->mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(*model);
    CorotationalOptions options;
    options.pcg.rel_tolerance = 1e-8;
    auto stepper = std::make_unique<CorotationalStepper>(*model, options);
    return std::make_unique<World>(std::move(model), std::move(stepper),
                                   std::make_unique<NoContact>());
}

/// Converges, bends downwards, and gives the same bits on one thread and on all.
std::string self_test() {
    std::uint64_t hash[2];
    const int counts[2] = {1, 0};
    for (int k = 0; k < 2; ++k) {
        const ThreadLimit limit(counts[k]);
        const auto world = small_bar();
        for (int step = 0; step < 5; ++step) {
            const StepReport report = world->step();
            if (report.failed) return report.failure.what;
            if (report.solve.status != SolveStatus::converged) return "the solver did not converge";
        }
        if (!(world->state().v.back().y < 0)) return "a pinned bar does not fall";
        hash[k] = world->state_hash();
    }
    return hash[0] == hash[1] ? "ok" : "one thread and all threads give different bits";
}

/// Something limber can use where it is there.
struct Part {
    bool there = false;
    std::string what;  // where it is, or what it is for and how to get it
};

/// The first of these programs on the PATH; empty: none.
std::string on_the_path(std::initializer_list<const char*> programs) {
    const char* path = std::getenv("PATH");
    const std::string folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (const char* program : programs)
        for (std::size_t begin = 0; begin <= folders.size();) {
            const std::size_t end = std::min(folders.find(':', begin), folders.size());
            const std::string folder = folders.substr(begin, end - begin);
            const std::string file = (folder.empty() ? "." : folder) + '/' + program;
            std::error_code ignored;
            if (std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0)
                return file;
            begin = end + 1;
        }
    return {};
}

Part page() {
#if LIMBER_HAS_VIEW
    return {true, "built in: limber view"};
#else
    return {false,
            "not built in, so that limber view refuses; tools/packages.sh build && tools/npm.sh, "
            "then build again"};
#endif
}

Part mesher(const char* program) {
    const std::string found = on_the_path({program});
    if (!found.empty()) return {true, found};
    return {false, "not on the PATH; only limber mesh --with " + std::string(program) +
                       " needs it (apt-get install " + program + ")"};
}

Part browser() {
    const std::string found =
        on_the_path({"firefox", "firefox-esr", "chromium", "chromium-browser", "google-chrome"});
    if (found.empty())
        return {false,
                "none found; limber view prints an address that any browser on this machine opens "
                "(apt-get install chromium)"};
    const bool desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    return {true, found + (desktop ? "" : "; no desktop here: limber view only prints an address")};
}

/// Whether this program computes with it; where it does not, what is missing.
Part cuda(const gpu::Device& device, double bandwidth) {
    if (device.found) {
        const auto gib = [](double bytes) { return fmt::format("{:.1f}", bytes / (1u << 30)); };
        return {true, device.name + " (" + device.architecture + ", " +
                          std::to_string(device.processors) + " processors, " +
                          gib(static_cast<double>(device.memory)) + " GiB, " +
                          gib(static_cast<double>(device.free)) + " free, copies " +
                          fmt::format("{:.0f}", bandwidth * 1e-9) + " GB/s), driver for CUDA " +
                          device.driver + ", built with " + device.runtime};
    }
    return {false, device.missing + "; limber computes on the CPU (device = \"cpu\")"};
}

ordered_json examine() {
    const BuildInfo& info = build_info();
    struct sysinfo system {};
    sysinfo(&system);
    ordered_json report = ordered_json::object();
    report["version"] = info.version;
    report["git"] = info.commit;
    report["build"] = info.flags;
    report["cpu"] = cpu_name();
    report["cores"] = std::thread::hardware_concurrency();
    report["threads"] = thread_count();
    report["vector_instructions"] = vector_instructions();
    report["memory_gib"] = static_cast<double>(system.totalram) * system.mem_unit / (1u << 30);
    const gpu::Device device = gpu::device();
    report["gpu"] = nullptr;  // as in summary.json: what a run can compute on
    double bandwidth = 0;
    if (device.found) {
        bandwidth = gpu::copy_bandwidth();
        report["gpu"] = device.name;
    }
    const std::pair<const char*, Part> parts[] = {{"page", page()},
                                                  {"browser", browser()},
                                                  {"tetgen", mesher("tetgen")},
                                                  {"gmsh", mesher("gmsh")},
                                                  {"cuda", cuda(device, bandwidth)}};
    for (const auto& [name, part] : parts)
        report[name] = {{"there", part.there}, {"what", part.what}};
    report["folder_is_writable"] = access(".", W_OK) == 0;
    report["self_test"] = self_test();
    return report;
}

int doctor(bool json) {
    const ordered_json report = examine();
    if (json) {
        std::printf("%s\n", report.dump(2).c_str());
    } else {
        for (const auto& [key, value] : report.items()) {
            std::string text = value.is_string() ? value.get<std::string>() : value.dump();
            if (value.is_object())
                text = (value["there"].get<bool>() ? "yes, " : "no, ") +
                       value["what"].get<std::string>();
            if (value.is_null()) text = "none";
            if (value.is_boolean()) text = value.get<bool>() ? "yes" : "no";
            if (key == "memory_gib")
                text = std::to_string(static_cast<int>(value.get<double>() + 0.5));
            std::printf("%-20s %s\n", key.c_str(), text.c_str());
        }
    }
    return report["self_test"] == "ok" ? 0 : 3;
}

}  // namespace

void add_doctor(CLI::App& program, Action& action) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command =
        program.add_subcommand("doctor", "examine this machine and build, and run a self-test");
    command->add_flag("--json", *json, "as JSON");
    command->footer("Example: limber doctor --json");
    command->callback([json, &action] { action = [json] { return doctor(*json); }; });
}

}  // namespace limber::app
