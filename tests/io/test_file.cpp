// SPDX-License-Identifier: Apache-2.0
#include "limber/io/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/temp_folder.h"
#include "limber/core/errors.h"

namespace limber {
namespace {

template <class Error, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

TEST(ReadFile, gives_back_every_byte) {
    const TempFolder folder;
    std::string bytes;
    for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i * 31);
    const std::string path = folder.file("bytes", bytes);
    EXPECT_EQ(read_file(path), bytes);
    EXPECT_EQ(read_file(folder.file("empty", "")), "");
}

TEST(ReadFile, refuses_folders_devices_and_pipes_without_waiting) {
    const TempFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {folder.path(""), std::string("/dev/null"), pipe})
        EXPECT_NE(message_of<InputError>([&] { read_file(path); }).find("not a regular file"),
                  std::string::npos)
            << path;
}

TEST(ReadFile, gives_the_reason_of_the_system_and_the_path_as_given) {
    const std::string text = message_of<SystemError>([] { read_file("no/such/../mesh.msh"); });
    EXPECT_EQ(text, "no/such/../mesh.msh: error: cannot read: No such file or directory");
}

TEST(ReadFile, refuses_names_no_file_can_have) {
    EXPECT_THROW(read_file(""), InputError);
    EXPECT_THROW(read_file(std::string("a\0b", 3)), InputError);
}

TEST(WriteFile, replaces_the_old_file_and_leaves_no_other) {
    const TempFolder folder;
    const std::string path = folder.file("a.txt", "old and longer");
    write_file_atomic(path, "new");
    EXPECT_EQ(read_file(path), "new");
    write_file_atomic(path, "newer", Flush::to_system);
    EXPECT_EQ(read_file(path), "newer");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

TEST(WriteFile, reports_a_missing_folder_with_the_path) {
    const TempFolder folder;
    const std::string path = folder.path("missing/a.txt");
    const std::string text = message_of<SystemError>([&] { write_file_atomic(path, "x"); });
    EXPECT_EQ(text, path + ": error: cannot write: No such file or directory");
}

TEST(WriteFile, never_replaces_a_folder_or_device) {
    const TempFolder folder;
    EXPECT_THROW(write_file_atomic(folder.path(""), "x"), InputError);
    EXPECT_THROW(write_file_atomic("/dev/null", "x"), InputError);
}

TEST(WriteFile, leaves_the_old_file_alone_when_the_disk_is_full) {
    // A limit on the file size stands for a full disk: write() then fails half way.
    const TempFolder folder;
    const std::string path = folder.file("a.txt", "old");
    std::string text;
    {
        const FileSizeLimit limit(4096);
        text = message_of<SystemError>([&] { write_file_atomic(path, std::string(100000, 'x')); });
    }
    EXPECT_EQ(text, path + ": error: cannot write: File too large");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

TEST(LookUp, nothing_there_is_an_answer_and_a_refusal_an_error) {
    const TempFolder folder;
    const std::string file = folder.file("a.txt", "x");
    EXPECT_TRUE(exists(file) && is_regular_file(file) && !is_folder(file));
    EXPECT_TRUE(exists(folder.path("")) && is_folder(folder.path("")));
    EXPECT_FALSE(exists(folder.path("none")) || exists(file + "/below"));
    EXPECT_EQ(file_size(file), 1);
    EXPECT_THROW(file_size(folder.path("")), InputError);
    EXPECT_THROW(exists(folder.path(std::string(300, 'a'))), SystemError);
    std::filesystem::create_symlink("loop", folder.path("loop"));
    EXPECT_THROW(is_folder(folder.path("loop")), SystemError);
    EXPECT_THROW(names_in(folder.path("none")), SystemError);
    EXPECT_EQ(names_in(folder.path("")), (std::vector<std::string>{"a.txt", "loop"}));
}

TEST(ReadFile, gives_the_first_bytes_and_refuses_text_that_is_none) {
    const TempFolder folder;
    EXPECT_EQ(read_head(folder.file("a", "abcdef"), 3), "abc");
    EXPECT_EQ(read_head(folder.file("b", "ab"), 3), "ab");
    const std::string long_text(10'000, 'x');
    EXPECT_EQ(read_text_file(folder.file("c", long_text)), long_text);
    const std::string path = folder.file("d", std::string("ab\0c", 4));
    EXPECT_EQ(message_of<InputError>([&] { read_text_file(path); }),
              path + ":byte 2: error: a NUL byte; expected text");
}

TEST(ReadFile, refuses_a_file_beyond_the_memory_unread) {
    const TempFolder folder;
    const std::string path = folder.file("a", "");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 42);
    EXPECT_NE(message_of<InputError>([&] { read_file(path); }).find("of memory are available"),
              std::string::npos);
}

TEST(StaleParts, of_processes_that_are_gone_are_removed_and_nothing_else) {
    const TempFolder folder;
    const pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, nullptr, 0);
    const std::string dead = std::to_string(gone), alive = std::to_string(getpid());
    folder.file("a.vtu.part" + dead, "half");
    std::filesystem::create_directory(folder.path("folder.part" + dead));
    std::filesystem::create_symlink("elsewhere", folder.path("link.part" + dead));
    for (const std::string& name :
         {"a.vtu.part" + alive, ".part" + dead, "a.part" + dead + "x", std::string("a.part"),
          std::string("a.part-1"), std::string("a.part0")})
        folder.file(name, "kept");
    remove_stale_parts(folder.path(""));
    EXPECT_FALSE(exists(folder.path("a.vtu.part" + dead)));
    EXPECT_EQ(names_in(folder.path("")).size(), 8u);
    EXPECT_NO_THROW(remove_stale_parts(folder.path("missing")));
}

}  // namespace
}  // namespace limber
