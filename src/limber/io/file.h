// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace limber {

/// The whole file. A folder, device or pipe is an InputError ("not a regular file") and is never
/// waited for; what the system refuses is a SystemError with its reason and the path as given.
std::string read_file(const std::string& path);

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
