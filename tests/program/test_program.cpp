// SPDX-License-Identifier: Apache-2.0
// The command line as a user meets it: exit codes, one-line errors, run folders, signals.
// Letters and numbers in brackets name the entry of the catalogue of bad inputs.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "limber/core/hash.h"
#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;

int n_lines(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

struct Program : testing::Test {
    void SetUp() override { write_text(scene, bar_scene); }
    TempFolder folder;
    fs::path scene = folder / "bar.toml";
    std::string out = (folder / "run").string();
    ProgramResult run(std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {"run", scene.string(), "-o", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return limber(arguments);
    }
};

TEST_F(Program, run_leaves_the_whole_run_folder) {
    const ProgramResult result = run();
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* name :
         {"scene.toml", "steps.csv", "summary.json", "report.html", "vtu/series.pvd",
          "vtu/bar_000000.vtu", "vtu/bar_000020.vtu", "checkpoint/step_000000020.limber"})
        EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
    const json summary = json::parse(text_of(fs::path(out) / "summary.json"));
    for (const char* key : {"version",         "git",     "scene",      "solver",      "device",
                            "threads",         "cpu",     "gpu",        "bodies",      "steps",
                            "simulated_s",     "wall_ms", "stages_ms",  "iterations",  "energy",
                            "max_penetration", "finite",  "state_hash", "peak_rss_mb", "clocked"})
        EXPECT_TRUE(summary.contains(key)) << key;
    EXPECT_EQ(summary["steps"], 20);
    EXPECT_EQ(summary["solver"], "corotational");
    EXPECT_EQ(summary["bodies"][0]["tets"], 6 * 2 * 2 * 6);
    EXPECT_TRUE(summary["finite"].get<bool>());
    EXPECT_EQ(n_lines(text_of(fs::path(out) / "steps.csv")), 21);
}

TEST_F(Program, the_resolved_scene_runs_to_the_same_bits) {
    ASSERT_EQ(run({"--set", "solver.max_iterations=7"}).code, 0);
    const std::string again = (folder / "again").string();
    const ProgramResult second = limber({"run", out + "/scene.toml", "-o", again});
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"],
              json::parse(text_of(again + "/summary.json"))["state_hash"]);
}

TEST_F(Program, one_word_changes_the_solver) {
    ASSERT_EQ(run({"--solver", "cholesky"}).code, 0);
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["solver"], "cholesky");
}

TEST_F(Program, a_solver_is_called_what_the_user_called_it) {
    for (const char* name : {"stiffness_warping", "warp_canceling", "async", "xpbd"}) {
        const ProgramResult result = run({"--solver", name, "--overwrite", "--steps", "2"});
        ASSERT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["solver"], name);
        if (std::string(name) == "stiffness_warping") {
            EXPECT_TRUE(has(result.out, "stiffness_warping: factor")) << result.out;
        }
    }
}

TEST_F(Program, xpbd_leaves_its_residual_empty_and_the_run_finite) {
    ASSERT_EQ(run({"--solver", "xpbd"}).code, 0);
    EXPECT_TRUE(json::parse(text_of(out + "/summary.json"))["finite"].get<bool>());
    EXPECT_FALSE(has(text_of(out + "/steps.csv"), "not_finite"));
    EXPECT_TRUE(has(text_of(out + "/report.html"), "this solver measures none"));
}

TEST_F(Program, same_bits_for_every_thread_count) {
    std::string hash;
    for (const char* threads : {"1", "2", "3", "4"}) {
        const std::string dir = (folder / threads).string();
        ASSERT_EQ(limber({"run", scene.string(), "-o", dir, "--threads", threads}).code, 0);
        const std::string found = json::parse(text_of(dir + "/summary.json"))["state_hash"];
        if (hash.empty()) hash = found;
        EXPECT_EQ(found, hash) << threads << " threads";
    }
}

TEST_F(Program, stop_and_resume_equals_running_through) {
    ASSERT_EQ(run().code, 0);
    const std::string split = (folder / "split").string();
    ASSERT_EQ(limber({"run", scene.string(), "-o", split, "--steps", "7"}).code, 0);
    const ProgramResult resumed =
        limber({"run", scene.string(), "--resume", split, "--steps", "20", "--threads", "2"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"],
              json::parse(text_of(split + "/summary.json"))["state_hash"]);
    EXPECT_EQ(n_lines(text_of(split + "/steps.csv")), 21);
}

TEST_F(Program, an_interrupt_saves_and_a_resume_finishes_with_the_same_bits) {
    const std::string dir = (folder / "interrupted").string();
    for (int signal : {SIGINT, SIGTERM}) {
        fs::remove_all(dir);
        // More steps than any machine makes before the signal comes.
        const pid_t pid = start({"run", scene.string(), "-o", dir, "--steps", "100000000", "--set",
                                 "output.formats=[]"},
                                folder / "o", folder / "e");
        while (!fs::exists(dir + "/steps.csv") || n_lines(text_of(dir + "/steps.csv")) < 5)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        kill(pid, signal);
        EXPECT_EQ(wait_for(pid), 128 + signal);
        EXPECT_TRUE(has(text_of(folder / "e"), "resume")) << text_of(folder / "e");
        const std::string last = std::to_string(n_lines(text_of(dir + "/steps.csv")) + 50);
        const ProgramResult resumed =
            limber({"run", scene.string(), "--resume", dir, "--steps", last});
        ASSERT_EQ(resumed.code, 0) << resumed.err;
        ASSERT_EQ(run({"--overwrite", "--steps", last, "--set", "output.formats=[]"}).code, 0);
        EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"],
                  json::parse(text_of(dir + "/summary.json"))["state_hash"]);
    }
}

TEST_F(Program, a_failed_simulation_exits_with_1_and_keeps_its_files_finite) {
    write_text(
        scene,
        std::string(bar_scene) +
            "[[force]]\nbody = \"bar\"\nselect = { side = \"x+\" }\ntotal = [0, 1e300, 0]\n");
    const ProgramResult result = run();
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_TRUE(has(result.err, "step 1")) << result.err;
    EXPECT_TRUE(has(result.err, "body 'bar'")) << result.err;
    const std::string csv = text_of(out + "/steps.csv");
    EXPECT_FALSE(has(csv, "nan") || has(csv, "inf")) << csv;
    EXPECT_FALSE(json::parse(text_of(out + "/summary.json"))["status"] == "done");
}

TEST_F(Program, recorded_decisions_can_be_replayed) {
    ASSERT_EQ(run({"--set", "solver.deadline_ms=0.2", "--set", "solver.rel_tolerance=1e-14"}).code,
              0);
    EXPECT_TRUE(json::parse(text_of(out + "/summary.json"))["clocked"].get<bool>());
    const std::string again = (folder / "again").string();
    const ProgramResult replayed =
        limber({"run", scene.string(), "-o", again, "--set", "solver.deadline_ms=0.2", "--set",
                "solver.rel_tolerance=1e-14", "--replay-decisions", out + "/decisions.csv"});
    ASSERT_EQ(replayed.code, 0) << replayed.err;
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"],
              json::parse(text_of(again + "/summary.json"))["state_hash"]);
}

TEST_F(Program, recorded_updates_of_a_factor_can_be_replayed) {
    std::vector<std::string> solver = {"--solver", "warp_canceling"};
    for (const char* set : {"schedule=\"time\"", "costs=\"clock\"", "budget_share=0.5", "refine=0",
                            "threshold_relative=1e-6"})
        solver.insert(solver.end(), {"--set", std::string("solver.") + set});
    const ProgramResult recorded = run(solver);
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    EXPECT_TRUE(has(text_of(out + "/decisions.csv"), ",-"));  // supernodes, as -1 - s
    const std::string again = (folder / "again").string();
    std::vector<std::string> arguments = {"run", scene.string(),       "-o",
                                          again, "--replay-decisions", out + "/decisions.csv"};
    arguments.insert(arguments.end(), solver.begin(), solver.end());
    const ProgramResult replayed = limber(arguments);
    ASSERT_EQ(replayed.code, 0) << replayed.err;
    EXPECT_EQ(text_of(out + "/decisions.csv"), text_of(again + "/decisions.csv"));
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"],
              json::parse(text_of(again + "/summary.json"))["state_hash"]);
}

TEST_F(Program, every_subcommand_has_help_with_an_example) {
    for (const char* name :
         {"run", "sweep", "check", "list", "schema", "doctor", "mesh", "render"}) {
        const ProgramResult help = limber({name, "--help"});
        EXPECT_EQ(help.code, 0) << name;
        EXPECT_TRUE(has(help.out, "Example")) << name;
    }
    EXPECT_TRUE(has(limber({"--version"}).out, "limber 0."));
}

TEST_F(Program, lists_what_there_is) {
    EXPECT_TRUE(has(limber({"list", "solvers"}).out, "corotational"));
    EXPECT_TRUE(has(limber({"list", "materials"}).out, "corotated"));
    EXPECT_TRUE(has(limber({"list", "shapes"}).out, "sphere"));
    EXPECT_TRUE(has(limber({"list", "formats"}).out, "Gmsh"));
    EXPECT_EQ(limber({"list", "nonsense"}).code, 2);
}

TEST_F(Program, without_more_words_it_says_what_there_is) {
    const ProgramResult help = limber({});
    EXPECT_EQ(help.code, 0) << help.err;
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(help.out, limber({"--help"}).out);
    const ProgramResult list = limber({"list"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_EQ(list.err, "");
    for (const char* what : {"solvers", "materials", "shapes", "contacts", "obstacles", "formats",
                             "scenes", "benches", "support"}) {
        EXPECT_TRUE(has(list.out, std::string("\n") + what)) << list.out;
        EXPECT_EQ(limber({"list", what}).code, 0) << what;
    }
}

TEST_F(Program, doctor_says_what_is_there_and_what_that_is_for) {
    const auto bin = folder / "bin";
    fs::create_directory(bin);
    const auto here = [&] { setenv("PATH", bin.c_str(), 1); };
    json none = json::parse(limber({"doctor", "--json"}, here).out);
    for (const char* part : {"page", "browser", "tetgen", "gmsh", "cuda"}) {
        EXPECT_TRUE(none[part]["there"].is_boolean()) << part;
        EXPECT_NE(none[part]["what"], "") << part;
    }
    EXPECT_FALSE(none["tetgen"]["there"].get<bool>());
    EXPECT_TRUE(has(none["tetgen"]["what"], "apt-get install tetgen"));
    EXPECT_FALSE(none["browser"]["there"].get<bool>());
    for (const char* program : {"tetgen", "chromium"}) {
        write_text(bin / program, "#!/bin/sh\n");
        fs::permissions(bin / program, fs::perms::owner_all);
    }
    const json some = json::parse(limber({"doctor", "--json"}, here).out);
    EXPECT_EQ(some["tetgen"]["what"], (bin / "tetgen").string());
    EXPECT_TRUE(some["browser"]["there"].get<bool>());
    EXPECT_FALSE(some["gmsh"]["there"].get<bool>());
    const std::string text = limber({"doctor"}, here).out;
    EXPECT_TRUE(has(text, "yes, " + (bin / "tetgen").string())) << text;
    EXPECT_TRUE(has(text, "no, not on the PATH; only limber mesh --with gmsh")) << text;
}

TEST_F(Program, schema_and_doctor_print_json) {
    EXPECT_TRUE(json::parse(limber({"schema"}).out).contains("properties"));
    const json doctor = json::parse(limber({"doctor", "--json"}).out);
    EXPECT_TRUE(doctor.contains("cpu"));
}

TEST_F(Program, check_reports_without_running) {
    const ProgramResult text = limber({"check", scene.string()});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_TRUE(has(text.out, "144 tets")) << text.out;
    const json report = json::parse(limber({"check", scene.string(), "--json"}).out);
    EXPECT_EQ(report[0]["bodies"][0]["tets"], 144);
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(Program, meshes_a_shape_and_runs_it_from_the_file) {
    const std::string mesh = (folder / "bar.msh").string();
    ASSERT_EQ(limber({"mesh", "--shape", "beam", "--tets", "500", "-o", mesh}).code, 0);
    write_text(scene,
               "limber = 1\n[time]\nsteps = 2\n[material.m]\nkind = \"corotated\"\n[[body]]\nname "
               "= \"b\"\n"
               "mesh = \"bar.msh\"\nmaterial = \"m\"\n");
    EXPECT_EQ(run().code, 0);
}

TEST_F(Program, renders_a_frame_to_png) {
    ASSERT_EQ(run().code, 0);
    const std::string png = (folder / "frame.png").string();
    const ProgramResult result =
        limber({"render", out, "--frame", "20", "-o", png, "--width", "160", "--height", "120"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(text_of(png).substr(1, 3), "PNG");
    EXPECT_EQ(limber({"render", out, "--frame", "999", "-o", png}).code, 2);
}

// ---- bad usage and input: exit code 2, one line ----

void expect_refused(const ProgramResult& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(n_lines(result.err), 1) << result.err;
    for (const std::string& part : parts)
        EXPECT_TRUE(has(result.err, part)) << part << " in: " << result.err;
}

TEST_F(Program, C01_bad_options_name_the_option_and_the_usage) {
    expect_refused(run({"--frobnicate"}), {"--frobnicate", "limber run --help"});
    expect_refused(run({"--steps"}), {"--steps", "limber run --help"});
    expect_refused(run({"--steps=abc"}), {"abc", "limber run --help"});
    expect_refused(run({"--steps", "3", "--steps", "4"}), {"--steps", "limber run --help"});
    expect_refused(limber({"rnu"}), {"rnu", "did you mean 'run'", "limber --help"});
}

TEST_F(Program, C02_huge_and_binary_arguments_are_refused_and_escaped) {
    expect_refused(limber({"run", std::string(100'000, 'x')}), {"argument 2", "65536"});
    expect_refused(limber({"run", "bad\xff\x1b[31mname"}), {"argument 2", "\\xff", "\\x1b"});
}

TEST_F(Program, C04_nonsense_in_an_environment_variable_is_named) {
    for (const char* value : {"many", "0", "-1", "1000000", ""}) {
        const ProgramResult result =
            limber({"run", scene.string(), "-o", out}, [&] { setenv("LIMBER_THREADS", value, 1); });
        expect_refused(result, {"LIMBER_THREADS"});
    }
}

TEST_F(Program, C05_closed_or_full_standard_output_exits_with_4) {
    const auto closed = [] { close(1); };
    const auto full = [] { dup2(open("/dev/full", O_WRONLY), 1); };
    EXPECT_EQ(limber({"schema"}, closed).code, 4);
    EXPECT_EQ(limber({"schema"}, full).code, 4);
    EXPECT_EQ(limber({"run", scene.string(), "-o", out}, full).code, 4);
    EXPECT_EQ(limber({"run", scene.string(), "-o", (folder / "b").string()}, [] { close(0); }).code,
              0);
}

TEST_F(Program, S29_thread_counts_outside_the_range_are_refused) {
    for (const char* threads : {"0", "-1", "1000000", "two"})
        expect_refused(run({"--threads", threads}), {"threads"});
}

TEST_F(Program, S11_step_counts_outside_the_range_are_refused) {
    for (const char* steps : {"-1", "9223372036854775808", "1e400"})
        expect_refused(run({"--steps", steps}), {"steps"});
}

TEST_F(Program, S12_an_unknown_solver_lists_the_known_ones) {
    expect_refused(run({"--solver", "corotatonal"}), {"corotatonal", "corotational", "cholesky"});
}

TEST_F(Program, a_missing_scene_gives_the_reason_and_the_path) {
    const ProgramResult result = limber({"run", "no/such/scene.toml"});
    EXPECT_EQ(result.code, 4);
    EXPECT_TRUE(has(result.err, "no/such/scene.toml"));
}

TEST_F(Program, M22_a_body_that_does_not_fit_is_refused_with_both_numbers) {
    const auto small_machine = [] { setenv("LIMBER_MEMORY_LIMIT", "1000000000", 1); };
    const ProgramResult result =
        limber({"check", scene.string(), "--json"}, small_machine);  // 144 tets fit
    EXPECT_EQ(result.code, 0) << result.err;
    write_text(scene, std::string(bar_scene).replace(std::string(bar_scene).find("[6, 2, 2]"), 9,
                                                     "[500, 130, 130]"));
    expect_refused(limber({"run", scene.string(), "-o", out}, small_machine),
                   {"50700000 tets", "50.7 GB", "1 GB"});
    EXPECT_FALSE(fs::exists(out));
}

// ---- the run folder and its checkpoints ----

TEST_F(Program, X01_a_checkpoint_of_another_scene_shows_both_hashes) {
    ASSERT_EQ(run({"--steps", "5"}).code, 0);
    const ProgramResult other =
        limber({"run", scene.string(), "--resume", out, "--set", "material.rubber.young=1e6"});
    expect_refused(other, {"another scene", "hash"});
}

TEST_F(Program, X02_to_X06_damaged_checkpoints_are_refused_by_name) {
    ASSERT_EQ(run({"--set", "output.checkpoint_every=10"}).code, 0);
    const fs::path newest = fs::path(out) / "checkpoint/step_000000020.limber";
    const std::string good = text_of(newest);
    const auto resume = [&](const std::string& bytes) {
        write_text(newest, bytes);
        return limber({"run", scene.string(), "--resume", out, "--steps", "30"});
    };
    std::string bad = good;
    bad[8] = 9;  // version
    expect_refused(resume(bad), {"version 9", "version 5"});
    bad = good;
    bad[good.size() / 2] ^= 1;
    expect_refused(resume(bad), {"damaged", "step_000000010.limber"});
    expect_refused(resume(good.substr(0, good.size() - 5)),
                   {"truncated", std::to_string(good.size() - 5)});
    expect_refused(resume(good.substr(0, 20)), {"truncated"});
    expect_refused(resume("not a checkpoint, but long enough to hold a whole header of one"),
                   {"not a limber checkpoint"});
    const ProgramResult older =
        limber({"run", scene.string(), "--resume",
                (fs::path(out) / "checkpoint/step_000000010.limber").string(), "--steps", "20"});
    EXPECT_EQ(older.code, 0) << older.err;
}

TEST_F(Program, resume_goes_on_in_the_run_folder_from_wherever_its_checkpoint_is_named) {
    ASSERT_EQ(run({"--steps", "10"}).code, 0);
    const fs::path inside = fs::path(out) / "checkpoint";
    const ProgramResult resumed =
        limber({"run", "--resume", "step_000000010.limber", "--steps", "20"},
               [&] { (void)!chdir(inside.c_str()); });
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["steps"], 20);
    for (const auto& entry : fs::directory_iterator(inside))
        EXPECT_TRUE(has(entry.path().filename().string(), "step_")) << entry.path();
    fs::copy_file(inside / "step_000000020.limber", folder / "lost.limber");
    expect_refused(limber({"run", scene.string(), "--resume", (folder / "lost.limber").string()}),
                   {"in no run folder", "allowed: a run folder"});
}

TEST_F(Program, a_checkpoint_with_a_position_beyond_all_measure_is_refused_with_its_place) {
    ASSERT_EQ(run({"--steps", "5"}).code, 0);
    const fs::path file = fs::path(out) / "checkpoint/step_000000005.limber";
    std::string bytes = text_of(file);
    // Header of 56 bytes; "step": length, name, size, count, value; "x": length, name, size, count.
    const std::size_t header = 56, x = header + (8 + 4 + 8 + 8 + 8) + (8 + 1 + 8 + 8);
    const double far = 1.7e307;
    std::memcpy(bytes.data() + x + 3 * 24, &far, sizeof far);
    const std::uint64_t payload = hash64(bytes.data() + header, bytes.size() - header);
    std::memcpy(bytes.data() + 40, &payload, sizeof payload);
    const std::uint64_t all = hash64(bytes.data(), 48);
    std::memcpy(bytes.data() + 48, &all, sizeof all);
    write_text(file, bytes);
    expect_refused(limber({"run", scene.string(), "--resume", out}),
                   {"'x'", "1.7e+307", "index 3", "below 1e+75"});
}

TEST_F(Program, X07_a_zero_length_checkpoint_falls_back_to_the_previous_one) {
    ASSERT_EQ(run({"--set", "output.checkpoint_every=10"}).code, 0);
    const std::string hash = json::parse(text_of(out + "/summary.json"))["state_hash"];
    write_text(fs::path(out) / "checkpoint/step_000000020.limber", "");
    const ProgramResult result = limber({"run", scene.string(), "--resume", out});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.err, "zero-length")) << result.err;
    EXPECT_EQ(json::parse(text_of(out + "/summary.json"))["state_hash"], hash);
}

TEST_F(Program, X08_an_output_folder_that_cannot_be_made_or_filled_exits_with_4) {
    write_text(folder / "file", "");
    const ProgramResult blocked =
        limber({"run", scene.string(), "-o", (folder / "file").string() + "/run"});
    EXPECT_EQ(blocked.code, 4) << blocked.err;
    EXPECT_TRUE(has(blocked.err, "Not a directory")) << blocked.err;
    const auto small_files = [] {
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
    };
    const ProgramResult full = limber({"run", scene.string(), "-o", out}, small_files);
    EXPECT_EQ(full.code, 4) << full.err;
    EXPECT_TRUE(has(full.err, "File too large")) << full.err;
}

TEST_F(Program, X09_output_over_an_input_is_refused) {
    expect_refused(limber({"run", scene.string(), "-o", scene.string()}), {"bar.toml"});
    EXPECT_EQ(text_of(scene), bar_scene);
    const fs::path inside = folder / "inside";
    fs::create_directory(inside);
    write_text(inside / "scene.toml", bar_scene);
    expect_refused(limber({"run", (inside / "scene.toml").string(), "-o", inside.string()}),
                   {"scene.toml"});
    EXPECT_EQ(text_of(inside / "scene.toml"), bar_scene);
}

TEST_F(Program, X10_two_runs_on_one_folder_name_the_process) {
    const pid_t pid =
        start({"run", scene.string(), "-o", out, "--steps", "100000", "--set", "output.formats=[]"},
              folder / "o", folder / "e");
    while (!fs::exists(out + "/steps.csv"))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const ProgramResult second = run({"--overwrite"});
    kill(pid, SIGKILL);
    wait_for(pid);
    expect_refused(second, {"locked by process " + std::to_string(pid)});
    EXPECT_EQ(run({"--overwrite"}).code, 0);  // a dead process holds no lock
}

TEST_F(Program, a_finished_run_is_not_overwritten_unasked) {
    ASSERT_EQ(run().code, 0);
    expect_refused(run(), {"--overwrite"});
    EXPECT_EQ(run({"--overwrite", "--steps", "3"}).code, 0);
    EXPECT_FALSE(fs::exists(out + "/vtu/bar_000020.vtu"));
}

}  // namespace
}  // namespace limber::test
