// SPDX-License-Identifier: Apache-2.0
#include "limber/core/numbers.h"

#include <charconv>
#include <cmath>

#include "limber/core/check.h"

namespace limber {

namespace {

/// from_chars takes no plus sign; "+-1" must stay wrong.
std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+')
        text.remove_prefix(1);
    return text;
}

}  // namespace

std::optional<double> parse_finite(std::string_view text) {
    text = without_plus(text);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || text.empty()) return std::nullopt;
    if (error == std::errc::result_out_of_range && text.find_first_of("eE") != text.npos &&
        text[text.find_first_of("eE") + 1] == '-')
        return text[0] == '-' ? -0.0 : 0.0;
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    text = without_plus(text);
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || error != std::errc()) return std::nullopt;
    return value;
}

std::string number_text(double d) {
    if (std::isnan(d)) return "nan";
    if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, d);
    LIMBER_CHECK(error == std::errc(), "a double fits 32 characters");
    return std::string(buffer, end);
}

}  // namespace limber
