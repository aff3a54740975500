// SPDX-License-Identifier: Apache-2.0
#include "limber/io/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

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

}  // namespace
}  // namespace limber
