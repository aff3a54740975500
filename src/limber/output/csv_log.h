// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace limber {

/// How many rows of one step a table may hold.
enum class RowsOfStep { one, many };

/// A table that grows a row at a time and starts each row with the step number. Every row goes to
/// the system at once: a killed run keeps its rows.
class CsvLog {
  public:
    CsvLog() = default;
    ~CsvLog();
    CsvLog(const CsvLog&) = delete;
    CsvLog& operator=(const CsvLog&) = delete;

    /// A new file with the header line.
    void create(const std::string& path, std::string_view header);
    /// Keeps the rows up to `last_step` and drops the rest, also a last line that was cut off. A
    /// missing file is created. An InputError when the header differs: rows would not match it.
    void resume(const std::string& path, std::string_view header, std::int64_t last_step,
                RowsOfStep rows = RowsOfStep::one);
    /// One row without its line end.
    void append(std::string_view row);

  private:
    void open(const std::string& path);

    std::string path_, line_;
    int fd_ = -1;
};

}  // namespace limber
