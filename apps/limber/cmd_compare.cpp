// SPDX-License-Identifier: Apache-2.0
// limber compare: error against time for several solvers on one scene.

#include <unistd.h>

#include <filesystem>
#include <optional>

#include "commands.h"
#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/core/parallel.h"
#include "limber/io/file.h"
#include "limber/output/run_folder.h"
#include "limber/study/compare_report.h"
#include "options.h"

namespace limber::app {

namespace {

struct Arguments {
    std::string scene, out, reference, windows = "auto", json, threads, device;
    std::vector<std::string> solvers, sets;
    std::optional<std::int64_t> steps;
    bool sandbox = false;
};

void read_windows(const std::string& text, CompareOptions& options) {
    if (text == "auto") return;
    options.windows = text == "never" ? WindowMode::never : WindowMode::always;
    if (text == "never") return;
    const std::size_t x = text.find('x');
    const auto count = parse_whole(text.substr(0, x));
    const auto steps =
        x == std::string::npos ? std::optional<std::int64_t>(20) : parse_whole(text.substr(x + 1));
    if (!count || !steps || *count < 1 || *count > 1000 || *steps < 1 || *steps > 100000)
        throw InputError(
            "--windows '" + printable(text) +
            "'; allowed: auto, never, a number of windows, or COUNTxSTEPS such as 8x20");
    options.n_windows = static_cast<int>(*count);
    options.window_steps = static_cast<int>(*steps);
}

/// A line that is written over on a terminal; nothing elsewhere.
void show_progress(std::int64_t step, std::int64_t steps, const std::string& phase) {
    if (!isatty(STDERR_FILENO)) return;
    std::fprintf(stderr, "\r%s: step %lld of %lld ", phase.c_str(), static_cast<long long>(step),
                 static_cast<long long>(steps));
    if (step >= steps) std::fputs("\r\033[K", stderr);
}

/// Before the first step: who is left out, and contact that is not the scene's.
void tell_who_runs(const LineUp& line) {
    for (const LinedUp& solver : line.solvers)
        if (solver.refusal)
            std::fprintf(stderr, "warning: %s is not run: %s\n", solver.spec.text.c_str(),
                         solver.refusal->what());
    if (!line.contact_note.empty())
        std::fprintf(stderr, "warning: %s\n", line.contact_note.c_str());
}

int run_compare(const Arguments& a) {
    const ThreadLimit limit(thread_limit(a.threads));
    CompareOptions options;
    options.scene = {a.scene, {device_sets(a.device), a.sandbox}};
    std::vector<std::string>& sets = options.scene.load.sets;
    sets.insert(sets.end(), a.sets.begin(), a.sets.end());
    for (const std::string& list : a.solvers)
        for (SolverSpec& spec : parse_solvers(list, "--solvers"))
            options.solvers.push_back(std::move(spec));
    if (!a.reference.empty()) {
        const std::vector<SolverSpec> specs = parse_solvers(a.reference, "--reference");
        if (specs.size() != 1)
            throw InputError("--reference '" + printable(a.reference) + "'; allowed: one solver");
        options.reference = specs[0];
    }
    read_windows(a.windows, options);
    const LineUp line = line_up(options.scene, options.solvers, options.reference);
    options.steps = a.steps ? *a.steps : line.first_scene().time.n_steps();
    if (options.steps < 1) throw InputError("a comparison needs at least one step");
    tell_who_runs(line);
    options.progress = [&](std::int64_t step, const std::string& phase) {
        show_progress(step, options.steps, phase);
    };
    const std::string dir =
        a.out.empty() ? "out/compare-" + std::filesystem::path(a.scene).stem().string() : a.out;
    const RunFolder folder(dir, std::vector<std::string>{a.scene});
    try {
        const CompareResult result = compare(line, options);
        show_progress(options.steps, options.steps, "done");
        for (const std::string& warning : result.warnings)
            std::fprintf(stderr, "warning: %s\n", warning.c_str());
        write_comparison(result, dir);
        if (!a.json.empty()) write_file_atomic(a.json, compare_json(result), Flush::to_system);
        std::printf(
            "%s\nresults: %s (compare.html; compare.svg, error_over_time.svg, compare.md, "
            "compare.json)\n",
            compare_markdown(result).c_str(), dir.c_str());
    } catch (const ReferenceFailed& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    return 0;
}

}  // namespace

void add_compare(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    CLI::App* command =
        program.add_subcommand("compare", "error against time for several solvers on one scene");
    command->add_option("scene", a->scene, "scene file, TOML or JSON")
        ->required()
        ->type_name("SCENE");
    command
        ->add_option(
            "--solvers", a->solvers,
            "solvers, each with options: corotational:iterations=5,guess=zero,cholesky; may "
            "be given several times")
        ->required()
        ->type_name("LIST")
        ->allow_extra_args(false);
    command
        ->add_option("--reference", a->reference,
                     "what trajectories are measured from; default: the solvers' family converged "
                     "(linearly implicit: cholesky; minimising, or both: newton to 1e-10)")
        ->type_name("SOLVER");
    command->add_option("--steps", a->steps, "steps to compare instead of the scene's")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->type_name("N");
    command->add_option("--set", a->sets, "override one value of the scene for all solvers")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--windows", a->windows,
            "short runs restarted from the reference: auto (on sensitive scenes), never, or "
            "COUNTxSTEPS")
        ->type_name("auto|never|NxM");
    command->add_option("-o,--out", a->out, "folder for page, table, plots and JSON")
        ->type_name("DIR");
    command->add_option("--json", a->json, "write the JSON there too")->type_name("FILE");
    command->add_flag("--sandbox", a->sandbox, "refuse files outside the scene's folder");
    add_threads(*command, a->threads);
    add_device(*command, a->device);
    command->footer(
        "Example: limber compare scenes/twisted_beam.toml --solvers "
        "\"corotational:iterations=5,corotational:iterations=10,corotational\"\n"
        "The option device is for one solver alone, descent,descent:device=cuda; the reference "
        "computes on the CPU.\n"
        "A solver that cannot take the scene is a row with the reason; where none can, exit code "
        "2.");
    command->callback([a, &action] { action = [a] { return run_compare(*a); }; });
}

}  // namespace limber::app
