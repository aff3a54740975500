// SPDX-License-Identifier: Apache-2.0
#include "limber/study/tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/version.h"
#include "limber/output/summary.h"

namespace limber {

namespace {

/// Columns on a screen: bytes that continue a UTF-8 character do not count.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// "12", "-0.5", "1.9x", "3 %", "4.5 (6.7)", "-": a number, with at most a unit or a remark after
/// it.
bool is_numeric(const std::string& text) {
    if (text == "-") return true;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && (end == text.data() + text.size() || *end == ' ' || *end == 'x');
}

/// A bar would end the cell.
std::string cell(const std::string& text) {
    std::string out;
    for (char c : text) out += c == '|' ? std::string("\\|") : c == '\n' ? " " : std::string(1, c);
    return out;
}

}  // namespace

void MarkdownTable::add(std::vector<std::string> row) {
    LIMBER_CHECK(row.size() == header_.size(), "one cell a column");
    for (std::string& text : row) text = cell(text);
    rows_.push_back(std::move(row));
}

std::string MarkdownTable::text() const {
    const std::size_t n = header_.size();
    std::vector<std::size_t> width(n, 3);
    std::vector<bool> right(n, !rows_.empty());
    for (std::size_t c = 0; c < n; ++c) {
        width[c] = std::max(width[c], width_of(header_[c]));
        std::size_t n_numbers = 0;
        for (const auto& row : rows_) {
            width[c] = std::max(width[c], width_of(row[c]));
            n_numbers += is_numeric(row[c]) ? 1 : 0;
        }
        right[c] = 2 * n_numbers > rows_.size();
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        out += '|';
        for (std::size_t c = 0; c < n; ++c) {
            const std::string room(width[c] - width_of(cells[c]), ' ');
            out += ' ' + (right[c] ? room + cells[c] : cells[c] + room) + " |";
        }
        out += '\n';
    };
    line(header_);
    out += '|';
    for (std::size_t c = 0; c < n; ++c)
        out += ' ' + std::string(width[c] - 1, '-') + (right[c] ? ":" : "-") + " |";
    out += '\n';
    for (const auto& row : rows_) line(row);
    return out;
}

std::string digits(double value) {
    if (!std::isfinite(value)) return "-";
    const double size = std::fabs(value);
    if (size == 0) return "0";
    if (size < 1e-3 || size >= 1e6) return fmt::format("{:.1e}", value);
    return size >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string times(double ratio) {
    return std::isfinite(ratio) ? digits(ratio) + 'x' : "-";
}

std::string claim_lines(const std::vector<Claim>& claims) {
    std::string out;
    for (const Claim& claim : claims)
        out += fmt::format("- {}: {} ({})\n", claim.holds ? "yes" : "not reproduced", claim.text,
                           claim.figure);
    return out;
}

std::string machine_line() {
    const std::string cpu = cpu_name();
    return fmt::format("{}, {} thread{}; {}; limber {} ({})",
                       cpu.empty() ? "unknown processor" : cpu, thread_count(),
                       thread_count() == 1 ? "" : "s", build_info().flags, build_info().version,
                       build_info().commit);
}

}  // namespace limber
