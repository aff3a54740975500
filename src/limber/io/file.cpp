// SPDX-License-Identifier: Apache-2.0
#include "limber/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "limber/core/errors.h"

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
    check_path(path);
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file.open()) {
        if (errno == ENXIO) not_a_regular_file(path);  // a socket
        throw SystemError(path, "read", errno);
    }
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) throw SystemError(path, "read", errno);
    if (!S_ISREG(info.st_mode)) not_a_regular_file(path);

    // One byte more than the size: the last read then finds the end. Files that grow, or that
    // report no size as under /proc, are read on.
    std::string text(static_cast<std::size_t>(info.st_size) + 1, '\0');
    std::size_t used = 0;
    for (;;) {
        if (used == text.size()) text.resize(text.size() * 2 + 4096);
        const ssize_t n = ::read(file.get(), text.data() + used, text.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw SystemError(path, "read", errno);
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
    }
    text.resize(used);
    return text;
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
