// SPDX-License-Identifier: Apache-2.0
// What the system does to a program: limits, signals within a step, strange paths, huge files.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;

struct Trouble : testing::Test {
    void SetUp() override { write_text(scene, bar_scene); }
    TempFolder folder;
    fs::path scene = folder / "bar.toml";
    std::string out = (folder / "run").string();
    ProgramResult run(std::vector<std::string> more = {},
                      const std::function<void()>& in_child = {}) {
        std::vector<std::string> arguments = {"run", scene.string(), "-o", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return limber(arguments, in_child);
    }
    void expect_refused(const ProgramResult& result, int code, const std::string& reason) {
        EXPECT_EQ(result.code, code) << result.err;
        EXPECT_TRUE(has(result.err, reason)) << result.err;
        EXPECT_FALSE(has(result.err, "bug")) << result.err;
    }
};

TEST_F(Trouble, a_limit_on_file_sizes_ends_a_run_with_its_reason_and_older_files_stay_whole) {
    ASSERT_EQ(run({"--steps", "5"}).code, 0);
    const std::string checkpoint = text_of(out + "/checkpoint/step_000000005.limber");
    const auto limited = [&] {
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
    };
    const ProgramResult result = limber({"run", "--resume", out, "--steps", "200"}, limited);
    expect_refused(result, 4, "File too large");
    EXPECT_EQ(text_of(out + "/checkpoint/step_000000005.limber"), checkpoint);
    const ProgramResult resumed = limber({"run", "--resume", out, "--steps", "8"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
}

/// Processor time of a process, in the system's ticks.
long ticks_of(pid_t pid) {
    std::istringstream words(text_of("/proc/" + std::to_string(pid) + "/stat"));
    std::string word;
    long ticks = 0;
    for (int k = 1; k <= 15 && words >> word; ++k)
        if (k >= 14) ticks += std::stol(word);
    return ticks;
}

/// The step would take until the test gives up on it.
TEST_F(Trouble, a_signal_is_answered_within_a_step) {
    for (int signal : {SIGINT, SIGTERM}) {
        fs::remove_all(out);
        const pid_t pid = start({"run", scene.string(), "-o", out, "--solver",
                                 "vertex_block_descent", "--set", "solver.iterations=2000000000"},
                                folder / "o", folder / "e");
        while (!fs::exists(out + "/steps.csv"))
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        // The table is there before the first step begins.
        for (const long first = ticks_of(pid); ticks_of(pid) < first + 10;)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        kill(pid, signal);
        EXPECT_EQ(wait_for(pid), 128 + signal) << text_of(folder / "e");
        EXPECT_TRUE(has(text_of(folder / "e"), "interrupted after step 0"))
            << text_of(folder / "e");
        EXPECT_TRUE(fs::exists(out + "/checkpoint/step_000000000.limber"));
    }
}

TEST_F(Trouble, a_second_signal_does_not_wait) {
    const pid_t pid = start(
        {"run", scene.string(), "-o", out, "--steps", "1000000000", "--set", "output.formats=[]"},
        folder / "o", folder / "e");
    while (!fs::exists(out + "/steps.csv"))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(pid, SIGINT);
    kill(pid, SIGTERM);
    const int code = wait_for(pid);
    EXPECT_TRUE(code == 128 + SIGINT || code == 128 + SIGTERM) << code;
}

TEST_F(Trouble, names_that_the_system_refuses_are_told_with_its_reason) {
    const std::string name(300, 'a');
    expect_refused(limber({"run", scene.string(), "-o", (folder / name).string()}), 4,
                   "File name too long");
    expect_refused(limber({"run", "--resume", (folder / name).string()}), 4, "File name too long");
    expect_refused(limber({"run", (folder / (name + ".toml")).string()}), 4, "File name too long");
    expect_refused(limber({"check", (folder / (name + ".toml")).string()}), 4,
                   "File name too long");
    expect_refused(limber({"render", (folder / name).string(), "--frame", "0", "-o",
                           (folder / "p.png").string()}),
                   4, "File name too long");
    expect_refused(limber({"export", (folder / name).string(), "--to", "obj"}), 4,
                   "File name too long");
    fs::create_symlink(folder / "b", folder / "a");
    fs::create_symlink(folder / "a", folder / "b");
    const std::string loop = (folder / "a").string();
    expect_refused(limber({"run", scene.string(), "-o", loop}), 4, "symbolic links");
    expect_refused(limber({"run", "--resume", loop}), 4, "symbolic links");
    expect_refused(limber({"check", loop}), 4, "symbolic links");
    expect_refused(limber({"render", loop, "--frame", "0", "-o", (folder / "p.png").string()}), 4,
                   "symbolic links");
    expect_refused(limber({"run", scene.string(), "-o", out, "--set",
                           "body.bar.mesh=\"" + loop + "\"", "--set", "body.bar.shape=0"}),
                   2, "");
}

TEST_F(Trouble, a_folder_named_like_a_checkpoint_is_none) {
    ASSERT_EQ(run({"--steps", "5"}).code, 0);
    fs::create_directories(out + "/checkpoint/step_000000009.limber");
    const ProgramResult resumed = limber({"run", "--resume", out, "--steps", "8"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    expect_refused(limber({"run", "--resume", out, "--steps", "9"}), 2, "not a regular file");
    expect_refused(
        limber({"run", scene.string(), "--resume", out + "/checkpoint/step_000000009.limber"}), 2,
        "checkpoint");
}

TEST_F(Trouble, what_a_killed_run_left_half_written_is_gone_with_the_next_one) {
    ASSERT_EQ(run({"--steps", "5"}).code, 0);
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, nullptr, 0);
    const std::string dead = ".part" + std::to_string(gone),
                      alive = ".part" + std::to_string(getpid());
    const std::vector<std::string> stale = {out + "/summary.json" + dead,
                                            out + "/vtu/bar_000003.vtu" + dead,
                                            out + "/checkpoint/step_000000003.limber" + dead};
    const std::vector<std::string> kept = {out + "/summary.json" + alive, out + "/notes.part2x",
                                           out + "/my.party", out + "/.part"};
    for (const auto& name : stale) write_text(name, "half");
    for (const auto& name : kept) write_text(name, "mine");
    ASSERT_EQ(limber({"run", "--resume", out, "--steps", "8"}).code, 0);
    for (const auto& name : stale) EXPECT_FALSE(fs::exists(name)) << name;
    for (const auto& name : kept) EXPECT_TRUE(fs::exists(name)) << name;
}

TEST_F(Trouble, cloth_that_does_not_fit_is_refused_before_it_is_made) {
    write_text(scene, R"(
limber = 1
[time]
step = 0.01
steps = 1
[solver]
kind = "newton"
[material.cotton]
kind = "corotated"
young = "200 kPa"
poisson = 0.3
density = 300
[[body]]
name = "sheet"
shape = "cloth_sheet"
cells = [1000000, 4]
material = "cotton"
cloth = { thickness = 0.001 }
)");
    const auto limited = [] { setenv("LIMBER_MEMORY_LIMIT", "60000000", 1); };
    expect_refused(run({}, limited), 2, "triangles need about");
}

/// Sparse: they take no room on the disk.
TEST_F(Trouble, huge_files_that_are_none_of_ours_are_refused_by_their_first_bytes) {
    const fs::path zeros = folder / "zeros.msh", csv = folder / "zeros.csv";
    for (const fs::path& path : {zeros, csv}) {
        write_text(path, "");
        fs::resize_file(path, std::uintmax_t{1} << 40);  // a terabyte: reading it would not end
    }
    expect_refused(limber({"check", zeros.string()}), 2, "NUL bytes");
    const fs::path obj = folder / "zeros.obj";
    write_text(obj, "what is this?\n");
    fs::resize_file(obj, std::uintmax_t{1} << 40);
    expect_refused(limber({"mesh", obj.string(), "-o", (folder / "m.msh").string()}), 2,
                   "unknown format");
    expect_refused(run({"--set", "force=[{ body = \"bar\", file = \"zeros.csv\" }]"}), 2, "NUL");
    fs::create_directories(folder / "other/checkpoint");
    const fs::path cut = folder / "other/checkpoint/step_1.limber";
    write_text(cut, "");
    fs::resize_file(cut, std::uintmax_t{1} << 40);
    expect_refused(limber({"run", scene.string(), "--resume", cut.string()}), 2,
                   "not a limber checkpoint");
    // Larger than any memory, and it does begin like a mesh.
    const fs::path mesh = folder / "large.msh";
    write_text(mesh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    fs::resize_file(mesh, std::uintmax_t{1} << 42);
    expect_refused(limber({"check", mesh.string()}), 2, "of memory are available");
}

TEST_F(Trouble, surfaces_beyond_the_range_of_numbers_are_refused_wherever_they_come_in) {
    const std::string far =
        "v 1e308 0 0\nv 0 1e308 0\nv 0 0 1e308\nv 0 0 0\n"
        "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n";
    const std::string near =
        "v 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\n"
        "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n";
    write_text(folder / "far.obj", far);
    write_text(folder / "near.obj", near);
    const std::string reason = "not representable";
    expect_refused(limber({"check", (folder / "far.obj").string()}), 2, reason);
    expect_refused(
        limber({"mesh", (folder / "far.obj").string(), "-o", (folder / "m.msh").string()}), 2,
        reason);
    expect_refused(run({"--set", "body.bar.skin=\"far.obj\""}), 2, reason);
    expect_refused(run({"--set", "obstacle=[{ shape = \"mesh\", file = \"far.obj\" }]"}), 2,
                   reason);
    expect_refused(run({"--set",
                        "obstacle=[{ shape = \"mesh\", file = \"near.obj\", "
                        "scale = [1e110, 1e90, 1e90] }]"}),
                   2, reason);
    expect_refused(run({"--set", "body.bar.translate=[1e300, 0, 0]"}), 2, "leave the range");
}

}  // namespace
}  // namespace limber::test
