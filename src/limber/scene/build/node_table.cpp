// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/node_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

#include "limber/io/file.h"
#include "limber/scene/format/error_list.h"

namespace limber {

namespace {

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
        s.remove_suffix(1);
    return s;
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return fields;
        line.remove_prefix(comma + 1);
    }
}

template <class T>
T parsed(std::string_view text, const SourcePlace& place, const std::string& wanted) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool good = error == std::errc() && end == text.data() + text.size() && !text.empty();
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
    if (!good) throw InputError(place, "found '" + printable(text) + "'; allowed: " + wanted);
    return value;
}

/// -1: the id; 0, 1, 2: x, y, z.
using Columns = std::vector<int>;

std::string header_text(const NodeColumns& columns) {
    std::string text(columns.id);
    for (const char axis : {'x', 'y', 'z'}) text += ',' + std::string(columns.letter) + axis;
    return text;
}

Columns columns_of(const std::vector<std::string_view>& header, const NodeColumns& columns,
                   const SourcePlace& place) {
    Columns out;
    const auto refuse = [&](const std::string& what) {
        throw InputError(place, what + "; allowed: the columns " + header_text(columns) +
                                    (columns.all ? "" : ", or node and some of the others") +
                                    " in any order");
    };
    for (const std::string_view name : header) {
        int column = -2;
        if (name == columns.id) column = -1;
        for (int axis = 0; axis < 3; ++axis)
            if (name == std::string(columns.letter) + "xyz"[axis]) column = axis;
        if (column == -2) refuse("found the column '" + printable(name) + "'");
        if (std::find(out.begin(), out.end(), column) != out.end())
            refuse("the column '" + std::string(name) + "' is given twice");
        out.push_back(column);
    }
    if (std::find(out.begin(), out.end(), -1) == out.end())
        refuse("there is no column '" + std::string(columns.id) + '\'');
    if (out.size() < (columns.all ? 4u : 2u))
        refuse("found " + std::to_string(out.size()) + " columns");
    return out;
}

NodeRow row_of(std::string_view line, const Columns& order, const NodeColumns& columns,
               const SourcePlace& place) {
    const auto fields = split(line);
    if (fields.size() != order.size())
        throw InputError(place, "found " + std::to_string(fields.size()) +
                                    " values; allowed: " + std::to_string(order.size()) +
                                    (order.size() == 4 ? ", " + header_text(columns) : ""));
    NodeRow row;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (order[i] < 0)
            row.id = parsed<FileId>(fields[i], place,
                                    "the whole number of a " + std::string(columns.id));
        else
            row.value[order[i]] = parsed<double>(
                fields[i], place,
                columns.unit.empty() ? "a finite number"
                                     : "a finite number [" + std::string(columns.unit) + ']');
    row.line = place.line;
    return row;
}

bool is_header(std::string_view first_field) {
    return !first_field.empty() && std::isalpha(static_cast<unsigned char>(first_field[0])) &&
           first_field != "nan" && first_field != "inf";
}

}  // namespace

NodeTable read_node_table(const std::string& path, const NodeColumns& columns) {
    std::string text = read_text_file(path);
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // UTF-8 byte order mark
    NodeTable table;
    Columns order{-1, 0, 1, 2};
    ErrorList errors;
    int line_number = 0;
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        at = end + 1;
        ++line_number;
        if (line.empty() || line[0] == '#') continue;
        const SourcePlace place{path, line_number, 1};
        if (first && is_header(split(line)[0]))
            order = columns_of(split(line), columns, place);
        else
            errors.run([&] { table.rows.push_back(row_of(line, order, columns, place)); });
        first = false;
    }
    errors.throw_if_any();
    if (table.rows.empty())
        throw InputError({path}, "the file has no " + std::string(columns.id) + 's');
    table.given = {false, false, false};
    for (const int column : order)
        if (column >= 0) table.given[static_cast<std::size_t>(column)] = true;
    return table;
}

std::vector<std::pair<Index, NodeRow>> rows_of_body(const NodeTable& table, const std::string& path,
                                                    const PlacedBody& body,
                                                    const std::string& key) {
    std::map<Index, NodeRow> by_node;
    ErrorList errors;
    for (const NodeRow& row : table.rows)
        errors.run([&] {
            const SourcePlace place{path, row.line, 1};
            const Index node = node_with_id(row.id, body, place, key);
            const auto [first, fresh] = by_node.emplace(node, row);
            if (!fresh)
                throw InputError(place, "node " + std::to_string(row.id) +
                                            " is given twice; first at line " +
                                            std::to_string(first->second.line));
        });
    errors.throw_if_any();
    return {by_node.begin(), by_node.end()};
}

}  // namespace limber
