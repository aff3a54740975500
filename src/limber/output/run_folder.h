// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace limber {

/// The folder a run writes to, held by this process alone while the object lives.
class RunFolder {
  public:
    /// Creates the folder and its parents, checks that it can be written, and locks it. `inputs`
    /// are the files the run reads: nothing the run writes may be one of them.
    RunFolder(const std::string& path, std::span<const std::string> inputs);
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    const std::string& path() const { return path_; }

  private:
    void lock();

    std::string path_;
    std::string lock_path_;
    int lock_ = -1;  // file descriptor
};

/// Removes what an earlier run left in the folder under the names limber uses (frames, tables,
/// summary, report, not checkpoints), and nothing else.
void remove_earlier_run(const std::string& dir);

/// dir/name, created where missing. A link is refused: it could lead outside the folder.
std::string subfolder(const std::string& dir, std::string_view name);

/// Bytes this process may still write there.
std::uint64_t free_space(const std::string& dir);
/// SystemError with both numbers when less is left.
void require_free_space(const std::string& dir, std::uint64_t bytes);

}  // namespace limber
