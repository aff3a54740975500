// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The whole file. A folder, device or pipe is an InputError ("not a regular file") and is never
/// waited for; what the system refuses is a SystemError with its reason and the path as given.
std::string read_file(const std::string& path);

/// The same for a text: a file that begins with something else is refused before it is read.
std::string read_text_file(const std::string& path);
/// The first bytes of a file, at most n; refused as by read_file.
std::string read_head(const std::string& path, std::size_t n);
/// The size in bytes of a regular file; refused as by read_file.
std::int64_t file_size(const std::string& path);

// What is there under a name, links followed. Nothing there is an answer; a name that the system
// refuses (too long, a loop of links, a folder that may not be searched) is a SystemError.
bool exists(const std::string& path);
bool is_folder(const std::string& path);
bool is_regular_file(const std::string& path);

/// The names in a folder, sorted, without "." and "..".
std::vector<std::string> names_in(const std::string& folder);

/// Removes what write_file_atomic left in `folder` when its process was killed: regular files
/// <name>.part<pid> of processes that are gone. Failures are passed over: they are only in the way.
void remove_stale_parts(const std::string& folder);

/// Whether a file that must survive a power cut is forced to the disk before it gets its name.
enum class Flush { to_disk, to_system };

/// Writes a temporary file beside `path`, checks every write, then renames it: a reader sees the
/// old file or the whole new one, and a failed write leaves the old file alone. Failures are
/// SystemErrors; a `path` that names a folder, device or pipe is an InputError.
void write_file_atomic(const std::string& path, std::span<const std::byte> bytes,
                       Flush flush = Flush::to_disk);
void write_file_atomic(const std::string& path, std::string_view text,
                       Flush flush = Flush::to_disk);

}  // namespace limber
