// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/toml_hint.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber {

namespace {

std::string_view line_of(std::string_view text, int line) {
    for (; line > 1; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

std::string_view trimmed(std::string_view s) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && blank(s.back())) s.remove_suffix(1);
    return s;
}

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// What a unit or a name is written with.
bool is_word(std::string_view s) {
    return !s.empty() && is_letter(s[0]) && std::all_of(s.begin(), s.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_-./^*").find(c) != std::string_view::npos;
    });
}

/// Takes a number off the front; false where there is none.
bool take_number(std::string_view& s, double& value) {
    if (s.starts_with('+')) s.remove_prefix(1);
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc() || end == s.data()) return false;
    s.remove_prefix(static_cast<std::size_t>(end - s.data()));
    return true;
}

/// A value as it stands between `=` or `,` and the next `,`, `]`, `}` or comment.
std::string hint_for(std::string_view key, std::string_view value) {
    const std::string before = key.empty() ? "" : printable(key, 60) + " = ";
    std::string_view rest = value;
    double number = 0, below = 0;
    const bool starts_with_number = take_number(rest, number);
    rest = trimmed(rest);
    if (starts_with_number && is_word(rest))
        return "; a number with a unit stands in quotes: " + before + '"' + printable(value, 60) +
               '"';
    if (starts_with_number && rest.starts_with('/')) {
        rest = trimmed(rest.substr(1));
        if (take_number(rest, below) && trimmed(rest).empty() && below != 0)
            return "; TOML does not divide: " + before + number_text(number / below);
    }
    if (!starts_with_number && is_word(value) && value != "true" && value != "false")
        return "; text stands in quotes: " + before + '"' + printable(value, 60) + '"';
    return {};
}

}  // namespace

std::string toml_hint(std::string_view text, int line) {
    std::string_view rest = line_of(text, line), key;
    std::size_t begin = 0;
    bool in_array = false;
    for (std::size_t i = 0; i <= rest.size(); ++i) {
        const char c = i < rest.size() ? rest[i] : '#';
        if (c == '"' || c == '\'') {  // a string is no slip
            const std::size_t end = rest.find(c, i + 1);
            if (end == std::string_view::npos) return {};
            i = end;
            begin = end + 1;
        } else if (c == '=') {
            key = trimmed(rest.substr(begin, i - begin));
            begin = i + 1;
        } else if (c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '#') {
            const std::string hint =
                key.empty() ? ""
                            : hint_for(in_array ? "" : key, trimmed(rest.substr(begin, i - begin)));
            if (!hint.empty()) return hint;
            if (c == '#') return {};
            if (c == '[' || c == ']') in_array = c == '[';
            begin = i + 1;
        }
    }
    return {};
}

}  // namespace limber
