// SPDX-License-Identifier: Apache-2.0
#include "limber/io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <utility>

#include "limber/core/errors.h"
#include "limber/core/memory.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

/// A file descriptor that closes itself.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    /// close() reports what a network or full file system found out late.
    int close_checked() {
        const int rc = ::close(fd_);
        fd_ = -1;
        return rc;
    }

  private:
    int fd_;
};

/// Removes the temporary file unless it was renamed.
struct RemoveOnFailure {
    std::string path;
    bool armed = true;
    ~RemoveOnFailure() {
        if (armed) ::unlink(path.c_str());
    }
};

void check_path(const std::string& path) {
    if (path.empty()) throw InputError("empty file name");
    if (path.find('\0') != std::string::npos)
        throw InputError("file name with a NUL byte: " + printable(path));
}

[[noreturn]] void not_a_regular_file(const std::string& path) {
    throw InputError({printable(path, 500)}, "not a regular file");
}

int open_regular(const std::string& path, struct stat& info) {
    check_path(path);
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENXIO) not_a_regular_file(path);  // a socket
        throw SystemError(path, "read", errno);
    }
    Descriptor file(fd);
    if (::fstat(fd, &info) != 0) throw SystemError(path, "read", errno);
    if (!S_ISREG(info.st_mode)) not_a_regular_file(path);
    return file.release();
}

/// A machine that swaps serves nobody: a file larger than the memory is refused unread.
void refuse_beyond_memory(const std::string& path, std::int64_t size) {
    constexpr std::int64_t small = 1 << 20;  // not worth asking
    if (size <= small) return;
    const double available = available_memory();
    if (static_cast<double>(size) > available)
        throw InputError({printable(path, 500)},
                         "the file has " + bytes_text(static_cast<double>(size)) + "; " +
                             bytes_text(available) + " of memory are available");
}

/// 0 at the end of the file.
std::size_t read_some(int fd, char* to, std::size_t n, const std::string& path) {
    // Not all at once: between two pieces somebody may ask to stop.
    constexpr std::size_t piece = std::size_t{64} << 20;
    for (;;) {
        const ssize_t got = ::read(fd, to, std::min(n, piece));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw SystemError(path, "read", errno);
    }
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
    constexpr std::size_t largest = std::size_t{1} << 30;  // Linux writes at most 2 GiB a call
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), largest));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw SystemError(path, "write", errno);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

/// Makes the new name itself survive a power cut. Some file systems cannot sync a folder: then
/// there is nothing more to do.
void sync_folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const Descriptor d(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (d.open() && ::fsync(d.get()) != 0 && errno != EINVAL)
        throw SystemError(path, "write", errno);
}

}  // namespace

std::string read_file(const std::string& path) {
    struct stat info {};
    const Descriptor file(open_regular(path, info));
    refuse_beyond_memory(path, info.st_size);
    // One byte more than the size: the last read then finds the end. Files that grow, or that
    // report no size as under /proc, are read on.
    std::string text(static_cast<std::size_t>(info.st_size) + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        stop_if_requested();
        if (used == text.size()) text.resize(text.size() * 2 + 4096);
        const std::size_t n = read_some(file.get(), text.data() + used, text.size() - used, path);
        if (n == 0) break;
        used += n;
    }
    text.resize(used);
    return text;
}

std::string read_head(const std::string& path, std::size_t n) {
    struct stat info {};
    const Descriptor file(open_regular(path, info));
    std::string text(n, '\0');
    std::size_t used = 0;
    while (used < n) {
        const std::size_t more = read_some(file.get(), text.data() + used, n - used, path);
        if (more == 0) break;
        used += more;
    }
    text.resize(used);
    return text;
}

std::string read_text_file(const std::string& path) {
    const std::string head = read_head(path, 4096);
    if (const std::size_t at = head.find('\0'); at != std::string::npos)
        throw InputError({printable(path, 500), 0, 0, static_cast<std::int64_t>(at)},
                         "a NUL byte; expected text");
    return head.size() < 4096 ? head : read_file(path);
}

std::int64_t file_size(const std::string& path) {
    struct stat info {};
    const Descriptor file(open_regular(path, info));
    return info.st_size;
}

namespace {

/// False: nothing there.
bool look_up(const std::string& path, struct stat& info) {
    check_path(path);
    if (::stat(path.c_str(), &info) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw SystemError(path, "look it up", errno);
}

/// The process of <name>.part<pid>; 0: another name.
pid_t process_of_part(const std::string& name) {
    const std::size_t dot = name.rfind(".part");
    if (dot == std::string::npos || dot == 0) return 0;
    pid_t pid = 0;
    const char *begin = name.data() + dot + 5, *end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(begin, end, pid);
    return error == std::errc() && stop == end && pid > 0 ? pid : 0;
}

}  // namespace

bool exists(const std::string& path) {
    struct stat info {};
    return look_up(path, info);
}

bool is_folder(const std::string& path) {
    struct stat info {};
    return look_up(path, info) && S_ISDIR(info.st_mode);
}

bool is_regular_file(const std::string& path) {
    struct stat info {};
    return look_up(path, info) && S_ISREG(info.st_mode);
}

// By hand: the standard's iterator ends the program where memory runs out while it goes on.
std::vector<std::string> names_in(const std::string& folder) {
    check_path(folder);
    struct Close {
        void operator()(DIR* dir) const { ::closedir(dir); }
    };
    const std::unique_ptr<DIR, Close> dir(::opendir(folder.c_str()));
    if (!dir) throw SystemError(folder, "list the folder", errno);
    std::vector<std::string> names;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(dir.get());
        if (!entry && errno != 0) throw SystemError(folder, "list the folder", errno);
        if (!entry) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

void remove_stale_parts(const std::string& folder) {
    std::vector<std::string> names;
    try {
        if (!is_folder(folder)) return;
        names = names_in(folder);
    } catch (const SystemError&) {
        return;
    }
    for (const std::string& name : names) {
        const pid_t pid = process_of_part(name);
        const bool gone = pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
        const std::string path = folder + '/' + name;
        struct stat info {};
        if (gone && ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
            ::unlink(path.c_str());
    }
}

void write_file_atomic(const std::string& path, std::span<const std::byte> bytes, Flush flush) {
    check_path(path);
    struct stat info {};
    // Renaming onto a device would replace it.
    if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) not_a_regular_file(path);

    const std::string part = path + ".part" + std::to_string(::getpid());
    Descriptor file(
        ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file.open()) throw SystemError(path, "write", errno);
    RemoveOnFailure guard{part};
    write_all(file.get(), bytes, path);
    if (flush == Flush::to_disk && ::fsync(file.get()) != 0)
        throw SystemError(path, "write", errno);
    if (file.close_checked() != 0) throw SystemError(path, "write", errno);
    if (::rename(part.c_str(), path.c_str()) != 0) throw SystemError(path, "write", errno);
    guard.armed = false;
    if (flush == Flush::to_disk) sync_folder_of(path);
}

void write_file_atomic(const std::string& path, std::string_view text, Flush flush) {
    write_file_atomic(path, std::as_bytes(std::span(text.data(), text.size())), flush);
}

}  // namespace limber
