// SPDX-License-Identifier: Apache-2.0
#include "limber/output/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/text.h"

namespace limber {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 9> written_files = {
    "scene.toml",   "steps.csv",  "summary.json", "report.html", "decisions.csv",
    "contacts.csv", "joints.csv", "modes.csv",    "async.csv"};
/// Of every version.
constexpr std::string_view probe_header_start = "step,time,displacement_x,";
constexpr std::array<std::string_view, 4> written_folders = {"vtu", "contacts", "probes",
                                                             "checkpoint"};

bool same_place(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    const fs::path full_a = fs::weakly_canonical(a, error);
    const fs::path full_b = fs::weakly_canonical(b, error);
    return !full_a.empty() && full_a == full_b;
}

void refuse_inputs(const std::string& dir, std::span<const std::string> inputs) {
    for (const std::string& input : inputs) {
        const auto refuse = [&](const std::string& target) {
            throw InputError({dir, 0, 0, -1}, "the output would overwrite the input '" +
                                                  printable(input, 500) + "' (" + target +
                                                  "); choose another folder");
        };
        if (same_place(dir, input)) refuse("same path");
        for (std::string_view name : written_files)
            if (same_place(fs::path(dir) / name, input)) refuse(std::string(name));
        const fs::path parent =
            fs::path(input).has_parent_path() ? fs::path(input).parent_path() : fs::path(".");
        for (std::string_view name : written_folders)
            if (same_place(fs::path(dir) / name, parent)) refuse(std::string(name) + "/");
    }
}

void create_folders(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw SystemError(path, "create the folder", error.value());
    if (!fs::is_directory(path, error)) throw SystemError(path, "write into it", ENOTDIR);
}

std::int64_t stored_pid(int fd) {
    char text[32];
    const ssize_t n = ::pread(fd, text, sizeof text, 0);
    std::string_view digits(text, n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!digits.empty() && digits.back() == '\n') digits.remove_suffix(1);
    return parse_whole(digits).value_or(0);
}

}  // namespace

RunFolder::RunFolder(const std::string& path, std::span<const std::string> inputs) : path_(path) {
    if (path.empty()) throw InputError("the output folder has no name");
    refuse_inputs(path, inputs);
    create_folders(path);
    lock();
    remove_stale_parts(path);
    for (std::string_view folder : written_folders)
        remove_stale_parts(path + '/' + std::string(folder));
}

// The lock is the system's (flock): it ends with the process, however that dies, so a lock file
// left behind is never in the way. The number inside is for the message only.
void RunFolder::lock() {
    lock_path_ = path_ + "/.lock";
    for (;;) {
        const int fd = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0) throw SystemError(path_, "write into it", errno);
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int reason = errno;
            const std::int64_t pid = stored_pid(fd);
            ::close(fd);
            if (reason == EINTR) continue;
            if (reason != EWOULDBLOCK) throw SystemError(path_, "lock it", reason);
            throw InputError(SourcePlace{path_}, "locked by process " + std::to_string(pid) +
                                                     "; wait for it or choose another folder");
        }
        // Its last owner may have removed the file between open and flock: then start over.
        struct stat mine {
        }, there{};
        if (::fstat(fd, &mine) == 0 && ::stat(lock_path_.c_str(), &there) == 0 &&
            mine.st_ino == there.st_ino && mine.st_dev == there.st_dev) {
            lock_ = fd;
            break;
        }
        ::close(fd);
    }
    const std::string pid = std::to_string(::getpid()) + '\n';
    if (::ftruncate(lock_, 0) != 0 ||
        ::pwrite(lock_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        const int reason = errno;
        ::unlink(lock_path_.c_str());
        ::close(lock_);
        throw SystemError(path_, "write into it", reason);
    }
}

RunFolder::~RunFolder() {
    ::unlink(lock_path_.c_str());
    ::close(lock_);
}

namespace {

/// <stem>_<six or more digits>.vtu
bool is_frame(const std::string& name) {
    const std::size_t dot = name.rfind(".vtu"), bar = name.rfind('_');
    if (dot == std::string::npos || dot + 4 != name.size() || bar == std::string::npos)
        return false;
    const std::string_view digits = std::string_view(name).substr(bar + 1, dot - bar - 1);
    return digits.size() >= 6 && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

void remove_file(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    if (error) throw SystemError(path.string(), "remove the earlier run's file", error.value());
}

template <class Wanted>
void remove_inside(const std::string& folder, Wanted wanted) {
    std::error_code error;
    if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return;
    for (const std::string& name : names_in(folder)) {
        const std::string path = folder + '/' + name;
        if (fs::symlink_status(path, error).type() == fs::file_type::regular && wanted(name))
            remove_file(path);
    }
}

}  // namespace

void remove_earlier_run(const std::string& dir) {
    for (std::string_view name : written_files) {
        std::error_code error;
        const fs::path path = fs::path(dir) / name;
        if (fs::symlink_status(path, error).type() == fs::file_type::regular) remove_file(path);
    }
    for (const char* folder : {"vtu", "contacts"})
        remove_inside(dir + '/' + folder, [](const std::string& name) {
            return name == "series.pvd" || is_frame(name);
        });
    // A probe may have any name: its table is known by its first line.
    remove_inside(dir + "/probes", [&](const std::string& name) {
        std::ifstream file(fs::path(dir) / "probes" / name);
        std::string line;
        return fs::path(name).extension() == ".csv" && std::getline(file, line) &&
               line.starts_with(probe_header_start);
    });
    remove_inside(dir + "/checkpoint", [](const std::string& name) {
        return name.starts_with("step_") && name.ends_with(".limber");
    });
}

std::string subfolder(const std::string& dir, std::string_view name) {
    const std::string path = dir + '/' + std::string(name);
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) {
        if (errno != ENOENT) throw SystemError(path, "create the folder", errno);
        if (::mkdir(path.c_str(), 0755) != 0) throw SystemError(path, "create the folder", errno);
    } else if (!S_ISDIR(there.st_mode)) {
        throw SystemError(path, "write into it (a link or a file)", ENOTDIR);
    }
    return path;
}

std::uint64_t free_space(const std::string& dir) {
    std::error_code error;
    const fs::space_info space = fs::space(dir, error);
    if (error) throw SystemError(dir, "ask for its free space", error.value());
    return space.available;
}

void require_free_space(const std::string& dir, std::uint64_t bytes) {
    const std::uint64_t left = free_space(dir);
    if (left >= bytes) return;
    const auto megabytes = [](std::uint64_t n) { return std::to_string(n / 1000000) + " MB"; };
    throw SystemError(printable(dir, 500) + ": error: the disk has " + megabytes(left) +
                      " free; this run needs about " + megabytes(bytes));
}

}  // namespace limber
