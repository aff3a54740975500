// SPDX-License-Identifier: Apache-2.0
#include "limber/io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace limber {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

bool TextScanner::take_line() {
    if (position_ == text_.size()) return false;
    ++line_number_;
    const std::string_view rest = text_.substr(position_);
    const std::string_view window = rest.substr(0, max_line + 1);
    const std::size_t n = window.find_first_of("\n\r");
    if (n == window.npos && rest.size() > max_line) {
        throw InputError({file_, line_number_},
                         fmt::format("line longer than limit; allowed: {} bytes", max_line));
    }
    line_is_cut_ = n == window.npos;
    line_ = line_is_cut_ ? rest : rest.substr(0, n);
    position_ += line_.size();
    if (!line_is_cut_) position_ += rest.substr(n, 2) == "\r\n" ? 2 : 1;
    return true;
}

bool TextScanner::next_line() {
    while (take_line()) {
        fields_.clear();
        for (std::size_t i = 0; i < line_.size();) {
            if (is_blank(line_[i])) {
                ++i;
                continue;
            }
            const std::size_t begin = i;
            while (i < line_.size() && !is_blank(line_[i])) ++i;
            fields_.push_back(line_.substr(begin, i - begin));
        }
        if (!fields_.empty()) return true;
    }
    fields_.clear();
    line_ = {};
    line_is_cut_ = true;
    return false;
}

SourcePlace TextScanner::place(std::size_t field) const {
    if (field >= fields_.size()) return place();
    const auto column = fields_[field].data() - line_.data();
    return {file_, line_number_, static_cast<int>(column) + 1};
}

void TextScanner::fail_cut() const {
    throw InputError(place(), fmt::format("file ends inside {} after entry {}", context_, entry_));
}

void TextScanner::fail(const std::string& message) const {
    if (line_is_cut_ && !context_.empty()) fail_cut();
    throw InputError(place(), message);
}

void TextScanner::fail(std::size_t field, const std::string& message) const {
    if (line_is_cut_ && !context_.empty() && field + 1 >= fields_.size()) fail_cut();
    throw InputError(place(field), message);
}

void TextScanner::require_fields(std::size_t n, std::string_view what) const {
    if (n_fields() == n) return;
    fail(fmt::format("{} fields; expected {}: {}", n_fields(), n, what));
}

double TextScanner::number(std::size_t i) const {
    const std::optional<double> value = parse_finite(fields_[i]);
    if (!value)
        fail(i, fmt::format("'{}'; expected a finite decimal number", printable(fields_[i])));
    return *value;
}

std::int64_t TextScanner::whole(std::size_t i, std::string_view what) const {
    const std::optional<std::int64_t> value = parse_whole(fields_[i]);
    if (!value)
        fail(i, fmt::format("{} '{}'; expected a whole number", what, printable(fields_[i])));
    return *value;
}

std::size_t TextScanner::count(std::size_t i, std::string_view what, std::size_t bytes_each) const {
    std::string_view text = fields_[i];
    if (text.size() > 1 && text[0] == '+') text.remove_prefix(1);
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
        fail(i, fmt::format("number of {} '{}'; expected a whole number >= 1", what,
                            printable(fields_[i])));
    const std::optional<std::int64_t> value = parse_whole(text);
    constexpr std::int64_t absurd = std::int64_t{1} << 40;  // and sums of counts cannot overflow
    const bool too_many =
        !value || *value > absurd ||
        static_cast<std::size_t>(*value) > capacity(static_cast<std::size_t>(*value), bytes_each);
    const bool cut = !end_.empty() && text_.find(end_, position_) == text_.npos;
    if (too_many && (!cut || !value || *value > absurd))
        fail(i, fmt::format("number of {} {}: count exceeds what the file can hold ({} bytes left)",
                            what, printable(text), bytes_left()));
    return static_cast<std::size_t>(*value);
}

std::size_t TextScanner::capacity(std::size_t n, std::size_t bytes_each) const {
    return std::min(n, bytes_left() / bytes_each + 1);  // the last one may lack its line end
}

}  // namespace limber
