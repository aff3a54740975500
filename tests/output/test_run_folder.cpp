// SPDX-License-Identifier: Apache-2.0
#include "limber/output/run_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/probes_csv.h"

namespace limber {
namespace {

namespace fs = std::filesystem;

template <class Error, class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(RunFolder, is_created_with_its_parents) {
    const TempFolder temp;
    const RunFolder folder(temp.path("a/b/c"), {});
    EXPECT_TRUE(fs::is_directory(temp.path("a/b/c")));
}

TEST(RunFolder, refuses_to_be_an_input) {
    const TempFolder temp;
    const std::vector<std::string> inputs = {temp.file("scene.toml", "x")};
    EXPECT_THROW(RunFolder(inputs[0], inputs), InputError);
    EXPECT_THROW(RunFolder(temp.path("./scene.toml"), inputs), InputError);
}

TEST(RunFolder, refuses_to_overwrite_an_input_by_one_of_its_files) {
    const TempFolder temp;
    const std::vector<std::string> inputs = {temp.file("scene.toml", "x")};
    const std::string what = message_of<InputError>([&] { RunFolder(temp.path("."), inputs); });
    EXPECT_NE(what.find("scene.toml"), std::string::npos) << what;
    EXPECT_EQ(read_file(inputs[0]), "x");
    fs::create_directory(temp.path("vtu"));
    const std::vector<std::string> frames = {temp.file("vtu/bar_000000.vtu", "x")};
    EXPECT_THROW(RunFolder(temp.path(""), frames), InputError);
}

TEST(RunFolder, a_link_to_an_input_is_seen_through) {
    const TempFolder temp;
    const std::vector<std::string> inputs = {temp.file("real.toml", "x")};
    fs::create_symlink(inputs[0], temp.path("link"));
    EXPECT_THROW(RunFolder(temp.path("link"), inputs), InputError);
}

TEST(RunFolder, inputs_elsewhere_are_no_hindrance) {
    const TempFolder temp;
    const std::vector<std::string> inputs = {temp.file("scene.toml", "x")};
    EXPECT_NO_THROW(RunFolder(temp.path("out"), inputs));
}

TEST(RunFolder, a_file_in_the_way_is_a_system_error) {
    const TempFolder temp;
    temp.file("out", "x");
    EXPECT_THROW(RunFolder(temp.path("out"), {}), SystemError);
    EXPECT_THROW(RunFolder(temp.path("out/deeper"), {}), SystemError);
}

TEST(RunFolder, a_second_run_is_told_who_holds_the_lock) {
    const TempFolder temp;
    const RunFolder first(temp.path("out"), {});
    const std::string what = message_of<InputError>([&] { RunFolder(temp.path("out"), {}); });
    EXPECT_NE(what.find("locked by process " + std::to_string(::getpid())), std::string::npos)
        << what;
}

TEST(RunFolder, is_free_again_when_its_run_is_over) {
    const TempFolder temp;
    { const RunFolder first(temp.path("out"), {}); }
    EXPECT_FALSE(fs::exists(temp.path("out/.lock")));
    EXPECT_NO_THROW(RunFolder(temp.path("out"), {}));
}

TEST(RunFolder, takes_over_the_lock_of_a_process_that_died) {
    const TempFolder temp;
    const pid_t child = ::fork();
    if (child == 0) {
        new RunFolder(temp.path("out"), {});
        ::_exit(0);  // without letting go of the lock file
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(fs::exists(temp.path("out/.lock")));
    EXPECT_NO_THROW(RunFolder(temp.path("out"), {}));
}

TEST(RunFolder, a_lock_file_with_nonsense_inside_is_taken_over) {
    const TempFolder temp;
    temp.file(".lock", "not a number");
    EXPECT_NO_THROW(RunFolder(temp.path(""), {}));
}

TEST(RunFolder, a_lock_that_is_a_link_is_refused) {
    const TempFolder temp;
    const std::string outside = temp.file("outside", "precious");
    fs::create_directory(temp.path("out"));
    fs::create_symlink(outside, temp.path("out/.lock"));
    EXPECT_THROW(RunFolder(temp.path("out"), {}), SystemError);
    EXPECT_EQ(read_file(outside), "precious");
}

TEST(Subfolder, that_is_a_link_is_refused) {
    const TempFolder temp;
    fs::create_directory(temp.path("elsewhere"));
    fs::create_directory_symlink(temp.path("elsewhere"), temp.path("vtu"));
    EXPECT_THROW(subfolder(temp.path(""), "vtu"), SystemError);
}

TEST(EarlierRun, only_files_of_limber_are_removed) {
    const TempFolder temp;
    for (const char* name : {"vtu", "probes", "checkpoint"}) fs::create_directory(temp.path(name));
    for (const char* name :
         {"steps.csv", "summary.json", "report.html", "vtu/series.pvd", "vtu/bar_000012.vtu"})
        temp.file(name, "x");
    temp.file("probes/tip.csv", probe_header() + "\n1,2\n");
    const std::vector<std::string> kept = {"notes.txt", "vtu/mine.vtu", "vtu/bar_12.vtu",
                                           "probes/mine.csv", "checkpoint/step.limber"};
    for (const std::string& name : kept) temp.file(name, "x");
    remove_earlier_run(temp.path(""));
    for (const std::string& name : kept) EXPECT_TRUE(fs::exists(temp.path(name))) << name;
    for (const char* name : {"steps.csv", "summary.json", "report.html", "vtu/series.pvd",
                             "vtu/bar_000012.vtu", "probes/tip.csv"})
        EXPECT_FALSE(fs::exists(temp.path(name))) << name;
}

TEST(FreeSpace, more_than_any_disk_has_is_refused) {
    const TempFolder temp;
    EXPECT_GT(free_space(temp.path("")), 0u);
    EXPECT_NO_THROW(require_free_space(temp.path(""), 1));
    EXPECT_THROW(require_free_space(temp.path(""), std::uint64_t(1) << 62), SystemError);
}

}  // namespace
}  // namespace limber
