// SPDX-License-Identifier: Apache-2.0
#include "limber/core/errors.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "limber/core/check.h"

namespace limber {

namespace {

std::string with_place(const SourcePlace& place, const std::string& message) {
    std::string text;
    if (!place.file.empty()) {
        text += place.file;
        if (place.line > 0) text += ':' + std::to_string(place.line);
        if (place.line > 0 && place.column > 0) text += ':' + std::to_string(place.column);
        if (place.offset >= 0) text += ":byte " + std::to_string(place.offset);
        text += ": ";
    }
    return text + "error: " + message;
}

/// Length of the valid UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t n = lead < 0x80   ? 1
                          : lead < 0xC2 ? 0
                          : lead < 0xE0 ? 2
                          : lead < 0xF0 ? 3
                          : lead < 0xF5 ? 4
                                        : 0;
    if (n == 0 || n > text.size()) return 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    if (n == 3 && lead == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (n == 3 && lead == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    if (n == 4 && lead == 0xF0 && byte(1) < 0x90) return 0;
    if (n == 4 && lead == 0xF4 && byte(1) > 0x8F) return 0;
    return n;
}

/// Memory is told in the same words wherever it ends, in the system or in the program.
const char* reason_of(int error_number) {
    return error_number == ENOMEM ? "no more memory" : std::strerror(error_number);
}

}  // namespace

InputError::InputError(const SourcePlace& place, const std::string& message)
    : std::runtime_error(with_place(place, message)), place_(place), message_(message) {}

SystemError::SystemError(const std::string& path, const std::string& action, int error_number)
    : std::runtime_error(printable(path, 500) + ": error: cannot " + action + ": " +
                         reason_of(error_number)) {}

std::string printable(std::string_view text, std::size_t max_length) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= max_length) return out + "...";
        const std::size_t n = utf8_length(text);
        const auto c = static_cast<unsigned char>(text[0]);
        const bool c1_control = n == 2 && c == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (n == 0 || c < 0x20 || c == 0x7F || c1_control) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", c);
            out += escaped;
            text.remove_prefix(1);
        } else {
            out += text.substr(0, n);
            text.remove_prefix(n);
        }
    }
    return out;
}

void report_bug(const char* file, int line, const char* condition, const char* what) {
    throw Bug(std::string("limber bug at ") + file + ':' + std::to_string(line) + ": expected " +
              condition + (*what ? std::string("; ") + what : std::string()));
}

}  // namespace limber
