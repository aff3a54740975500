// SPDX-License-Identifier: Apache-2.0
#include "limber/output/csv_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/text.h"

namespace limber {

CsvLog::~CsvLog() {
    if (fd_ >= 0) ::close(fd_);
}

void CsvLog::create(const std::string& path, std::string_view header) {
    write_file_atomic(path, std::string(header) + '\n', Flush::to_system);
    open(path);
}

void CsvLog::resume(const std::string& path, std::string_view header, std::int64_t last_step,
                    RowsOfStep rows) {
    if (!exists(path)) return create(path, header);
    const std::string text = read_text_file(path);
    std::string kept = std::string(header) + '\n';
    std::string_view rest = text;
    std::int64_t previous = -1;
    for (bool first = true; !rest.empty(); first = false) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) break;  // cut off while it was written
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (first) {
            if (line != header)
                throw InputError({path, 1, 1, -1},
                                 "other columns than this version writes; resume with the version "
                                 "that wrote them, or remove the file");
            continue;
        }
        const auto step = parse_whole(line.substr(0, line.find(',')));
        const bool again = step && *step == previous && rows == RowsOfStep::one;
        if (!step || *step < previous || again || *step > last_step) break;
        previous = *step;
        kept.append(line).append("\n");
    }
    write_file_atomic(path, kept, Flush::to_system);
    open(path);
}

void CsvLog::open(const std::string& path) {
    path_ = path;
    if (fd_ >= 0) ::close(fd_);
    fd_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd_ < 0) throw SystemError(path, "write", errno);
}

void CsvLog::append(std::string_view row) {
    LIMBER_CHECK(fd_ >= 0, "a table is created before rows are added");
    line_.assign(row).push_back('\n');
    for (std::string_view left = line_; !left.empty();) {
        const ssize_t n = ::write(fd_, left.data(), left.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw SystemError(path_, "write", n < 0 ? errno : ENOSPC);
        left.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace limber
