// SPDX-License-Identifier: Apache-2.0
#include "limber/io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace limber {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

TextScanner::TextScanner(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
    for (char c : {' ', '\t', '\v', '\f'}) kind_[static_cast<unsigned char>(c)] = Kind::blank;
    for (char c : {'\n', '\r'}) kind_[static_cast<unsigned char>(c)] = Kind::line_end;
}

/// One pass: the end of the line is found while its fields are.
bool TextScanner::take_line() {
    fields_.clear();
    word_ = 0;
    if (position_ == text_.size()) return false;
    ++line_number_;
    const char* const begin = text_.data() + position_;
    const std::size_t left = text_.size() - position_;
    const char* const limit = begin + std::min(left, max_line + 1);
    const char* p = begin;
    while (p != limit) {
        const Kind k = kind(*p);
        if (k == Kind::blank) {
            ++p;
        } else if (k == Kind::other) {
            const char* const first = p;
            while (p != limit && kind(*p) == Kind::other) ++p;
            fields_.emplace_back(first, static_cast<std::size_t>(p - first));
        } else {
            if (k == Kind::comment)
                p = std::find_if(p, limit, [](char c) { return c == '\n' || c == '\r'; });
            break;
        }
    }
    if (p == limit && left > max_line)
        throw InputError(place(),
                         fmt::format("line longer than limit; allowed: {} bytes", max_line));
    line_is_cut_ = p == limit;
    line_ = {begin, static_cast<std::size_t>(p - begin)};
    position_ += line_.size();
    if (!line_is_cut_) position_ += text_.substr(position_, 2) == "\r\n" ? 2 : 1;
    return true;
}

bool TextScanner::at_end() {
    fields_.clear();
    line_ = {};
    line_is_cut_ = true;
    return false;
}

bool TextScanner::next_line() {
    while (take_line())
        if (!fields_.empty()) return true;
    return at_end();
}

bool TextScanner::next_raw_line() {
    return take_line() || at_end();
}

bool TextScanner::next_word() {
    if (word_ == fields_.size() && !next_line()) return false;
    ++word_;
    return true;
}

void TextScanner::need_word() {
    if (!next_word()) fail_cut();
}

double TextScanner::take_number() {
    need_word();
    return number(word_ - 1);
}

std::int64_t TextScanner::take_whole(std::string_view what) {
    need_word();
    return whole(word_ - 1, what);
}

std::size_t TextScanner::take_count(std::string_view what, std::size_t bytes_each) {
    need_word();
    return count(word_ - 1, what, bytes_each);
}

void TextScanner::seek(std::size_t position) {
    position_ = std::min(position, text_.size());
    fields_.clear();
    word_ = 0;
    offsets_ = true;
}

std::int64_t TextScanner::where() const {
    if (!offsets_) return line_number_;
    return static_cast<std::int64_t>(line_.data() ? line_.data() - text_.data() : position_);
}

SourcePlace TextScanner::place() const {
    if (offsets_) return {file_, 0, 0, where()};
    return {file_, line_number_};
}

SourcePlace TextScanner::place(std::size_t field) const {
    if (field >= fields_.size()) return place();
    if (offsets_) return {file_, 0, 0, fields_[field].data() - text_.data()};
    const auto column = fields_[field].data() - line_.data();
    return {file_, line_number_, static_cast<int>(column) + 1};
}

void TextScanner::fail_cut() const {
    const std::string inside = context_.empty() ? "what it announces" : context_;
    throw InputError(place(), fmt::format("file ends inside {} after entry {}", inside, entry_));
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
