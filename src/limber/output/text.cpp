// SPDX-License-Identifier: Apache-2.0
#include "limber/output/text.h"

#include <charconv>
#include <cmath>
#include <set>

namespace limber {

bool append_number(std::string& out, double value) {
    if (!std::isfinite(value)) return false;
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    out.append(text, end);
    return true;
}

void append_number(std::string& out, std::int64_t value) {
    char text[24];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    out.append(text, end);
}

namespace {

bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

}  // namespace

std::string file_stem(std::string_view name) {
    constexpr std::size_t longest = 64;
    std::string out;
    for (char c : name.substr(0, longest)) out += plain(c) ? c : '_';
    if (out.empty()) return "unnamed";
    if (out[0] == '.') out[0] = '_';
    return out;
}

std::vector<std::string> file_stems(std::span<const std::string> names) {
    std::vector<std::string> out;
    std::set<std::string> taken;
    for (const std::string& name : names) {
        const std::string stem = file_stem(name);
        std::string unique = stem;
        for (int k = 2; !taken.insert(lower(unique)).second; ++k)
            unique = stem + '-' + std::to_string(k);
        out.push_back(unique);
    }
    return out;
}

std::string numbered_file(std::string_view stem, std::int64_t number, std::string_view extension) {
    std::string digits;
    append_number(digits, number);
    if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
    return std::string(stem) + '_' + digits + '.' + std::string(extension);
}

}  // namespace limber
