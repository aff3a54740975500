// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the limber program as a user would, and returns what it said.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace limber::test {

namespace fs = std::filesystem;

struct ProgramResult {
    int code = -1;  // exit code, or 128 + signal
    std::string out, err;
};

inline std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void write_text(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// A bar held at one end, 20 steps.
inline constexpr const char* bar_scene = R"(
limber = 1
[time]
step = 0.01
steps = 20
[solver]
kind = "corotational"
[material.rubber]
kind = "corotated"
young = "200 kPa"
poisson = 0.4
density = 1000
[[body]]
name = "bar"
shape = "beam"
cells = [6, 2, 2]
material = "rubber"
[[pin]]
body = "bar"
select = { side = "x-" }
)";

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A folder of its own for each test, removed at the end.
class TempFolder {
  public:
    TempFolder() {
        std::string name = (fs::temp_directory_path() / "limber_test_XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TempFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    fs::path operator/(const std::string& name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Starts the program; `in_child` runs between fork and exec (close a stream, set a limit, ...).
inline pid_t start(const std::vector<std::string>& arguments, const fs::path& out,
                   const fs::path& err, const std::function<void()>& in_child = {}) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out_fd, 1);
    dup2(err_fd, 2);
    close(out_fd);
    close(err_fd);
    if (in_child) in_child();
    std::vector<char*> argv = {const_cast<char*>("limber")};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(LIMBER_PROGRAM, argv.data());
    _exit(127);
}

/// Waits at most so long, then kills: a program that hangs fails its test, one on a busy machine
/// does not.
inline int wait_for(pid_t pid, int seconds = 200) {
    for (int k = 0; k < 100 * seconds; ++k) {
        int status = 0;
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return -1;
}

inline ProgramResult limber(const std::vector<std::string>& arguments,
                            const std::function<void()>& in_child = {}, int seconds = 200) {
    const TempFolder folder;
    const pid_t pid = start(arguments, folder / "out", folder / "err", in_child);
    ProgramResult result;
    result.code = wait_for(pid, seconds);
    result.out = text_of(folder / "out");
    result.err = text_of(folder / "err");
    return result;
}

}  // namespace limber::test
