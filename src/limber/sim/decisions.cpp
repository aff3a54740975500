// SPDX-License-Identifier: Apache-2.0
#include "limber/sim/decisions.h"

#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/io/file.h"

namespace limber {

namespace {

int number(std::string_view text, int least, const SourcePlace& place) {
    const auto value = parse_whole(text);
    if (!value || *value < least || *value > std::numeric_limits<int>::max())
        throw InputError(place, "'" + printable(text) + "' found; a whole number of 32 bits" +
                                    (least == 0 ? " that is not negative" : "") + " is allowed");
    return static_cast<int>(*value);
}

std::map<std::int64_t, std::vector<int>> parse(const std::string& file) {
    std::map<std::int64_t, std::vector<int>> steps;
    const std::string text = read_text_file(file);
    std::string_view rest = text;
    for (int line = 1; !rest.empty(); ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view row = rest.substr(0, end);
        rest.remove_prefix(std::min(rest.size(), end + 1));
        const SourcePlace place{file, line, 1};
        std::vector<int> values;
        std::int64_t step = -1;
        while (!row.empty()) {
            const std::size_t comma = std::min(row.find(','), row.size());
            if (step < 0)
                step = number(row.substr(0, comma), 0, place);
            else
                values.push_back(
                    number(row.substr(0, comma), std::numeric_limits<int>::min(), place));
            row.remove_prefix(std::min(row.size(), comma + 1));
        }
        if (step >= 0) steps[step] = std::move(values);
    }
    return steps;
}

std::string row(std::int64_t step, std::span<const int> decisions) {
    std::string text = std::to_string(step);
    for (int value : decisions) text += ',' + std::to_string(value);
    return text + '\n';
}

}  // namespace

DecisionLog::DecisionLog(std::string file, std::int64_t last_kept) : file_(std::move(file)) {
    std::string kept;
    if (last_kept > 0 && exists(file_))
        for (const auto& [step, decisions] : parse(file_))
            if (step <= last_kept) kept += row(step, decisions);
    write_file_atomic(file_, kept);
}

void DecisionLog::record(std::int64_t step, std::span<const int> decisions) {
    const std::string text = row(step, decisions);
    std::FILE* out = std::fopen(file_.c_str(), "ab");
    if (!out) throw SystemError(file_, "open", errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    const int reason = errno;
    if (std::fclose(out) != 0 || !written) throw SystemError(file_, "write", reason);
}

DecisionReplay::DecisionReplay(const std::string& file) : file_(file), steps_(parse(file)) {}

std::span<const int> DecisionReplay::at(std::int64_t step) const {
    const auto it = steps_.find(step);
    if (it == steps_.end())
        throw InputError(SourcePlace{file_}, "step " + std::to_string(step) +
                                                 " was not recorded; it holds " +
                                                 std::to_string(steps_.size()) + " steps");
    return it->second;
}

}  // namespace limber
