// SPDX-License-Identifier: Apache-2.0
// limber bench: one table or figure of a source, ours beside the paper's.

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "bench_program.h"
#include "commands.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/core/timer.h"
#include "limber/core/version.h"
#include "limber/io/file.h"
#include "limber/output/run_folder.h"
#include "limber/output/summary.h"
#include "limber/study/tables.h"
#include "options.h"
#include "scene_folder.h"

namespace limber::app {

namespace {

struct BenchArguments {
    std::string name, out, json, threads;
    bool quick = false, full = false;
    int tets = 0;
};

std::string json_of(const bench::BenchEntry& entry, const bench::BenchOptions& options,
                    const bench::BenchResult& result, double seconds) {
    using Json = nlohmann::ordered_json;
    Json out = Json::object();
    out["bench"] = std::string(entry.name);
    out["source"] = std::string(entry.source);
    out["size"] = options.pick("quick", "usual", "full");
    out["limber"] = std::string(build_info().version);
    out["git"] = std::string(build_info().commit);
    out["build"] = std::string(build_info().flags);
    out["cpu"] = cpu_name();
    out["threads"] = thread_count();
    out["seconds"] = seconds;
    out["claims"] = Json::array();
    for (const Claim& claim : result.claims)
        out["claims"].push_back(
            {{"claim", claim.text}, {"holds", claim.holds}, {"figure", claim.figure}});
    out["data"] = Json::parse(result.json);
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string markdown_of(const bench::BenchEntry& entry, const bench::BenchResult& result) {
    return "# " + std::string(entry.name) + ": " + std::string(entry.what) + "\n\n" +
           std::string(entry.source) + ", " + machine_line() + "\n\n" + result.markdown + '\n' +
           claim_lines(result.claims);
}

int run_bench(const BenchArguments& a) {
    if (a.quick && a.full) throw InputError("--quick and --full cannot be given together");
    const bench::BenchEntry& entry = find_bench(a.name);
    if (a.tets > 0 && !entry.any_tets)
        throw InputError("--tets: the meshes of " + a.name + " have sizes of their own");
    const ThreadLimit limit(thread_limit(a.threads));
    bench::BenchOptions options;
    options.tets = a.tets;
    options.size = a.quick  ? bench::BenchSize::quick
                   : a.full ? bench::BenchSize::full
                            : bench::BenchSize::usual;
    options.out = a.out.empty() ? "out/bench/" + a.name : a.out;
    options.scenes = scene_folder().string();
    if (isatty(STDERR_FILENO))
        options.progress = [](const std::string& what) {
            std::fprintf(stderr, "\r\033[K%s ", what.c_str());
        };
    const RunFolder folder(options.out, {});
    const Timer clock;
    const bench::BenchResult result = entry.run(options);
    if (options.progress) std::fputs("\r\033[K", stderr);
    const std::string text = markdown_of(entry, result);
    const std::string json = json_of(entry, options, result, clock.ms() / 1000);
    write_file_atomic(options.out + '/' + a.name + ".md", text, Flush::to_system);
    write_file_atomic(options.out + '/' + a.name + ".json", json, Flush::to_system);
    if (!a.json.empty()) write_file_atomic(a.json, json, Flush::to_system);
    std::string files;
    for (const std::string& file : result.files) files += ", " + file;
    std::printf("%s\nresults: %s (%s.md, %s.json%s)\n", text.c_str(), options.out.c_str(),
                a.name.c_str(), a.name.c_str(), files.c_str());
    return 0;
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
    auto a = std::make_shared<BenchArguments>();
    CLI::App* command =
        program.add_subcommand("bench", "one table or figure of a source, ours beside the paper's");
    command->add_option("name", a->name, "which; see limber list benches")
        ->required()
        ->type_name("NAME");
    command->add_flag("--quick", a->quick, "under a minute: that it runs, and the trend");
    command->add_flag("--full", a->full, "whole runs instead of windows; may take hours");
    command
        ->add_option("--tets", a->tets,
                     "size of the mesh, for descent-today and wang2016-fig2; default: the source's")
        ->check(CLI::Range(1000, 5000000))
        ->type_name("N");
    command->add_option("--json", a->json, "write the figures there too")->type_name("FILE");
    command
        ->add_option("-o,--out", a->out,
                     "folder for tables, plots and kept states; default: out/bench/NAME")
        ->type_name("DIR");
    add_threads(*command, a->threads);
    command->footer("Example: limber bench dahl2019-table1 --quick");
    command->callback([a, &action] { action = [a] { return run_bench(*a); }; });
}

}  // namespace limber::app
