// SPDX-License-Identifier: Apache-2.0
// limber doctor: what this machine and build can do, and whether a small simulation gives what it
// should.

#include <sys/sysinfo.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"
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

ordered_json examine() {
    const BuildInfo& info = build_info();
    struct sysinfo system {};
    sysinfo(&system);
    ordered_json report;
    report["version"] = info.version;
    report["git"] = info.commit;
    report["build"] = info.flags;
    report["cpu"] = cpu_name();
    report["cores"] = std::thread::hardware_concurrency();
    report["threads"] = thread_count();
    report["vector_instructions"] = vector_instructions();
    report["memory_gib"] = static_cast<double>(system.totalram) * system.mem_unit / (1u << 30);
    report["gpu"] = nullptr;
    report["gpu_note"] = "this build computes on the CPU";
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
