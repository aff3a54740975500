// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sweep.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/text.h"
#include "limber/study/tables.h"

namespace limber {

namespace {

constexpr std::size_t max_points = 10000;

std::string without_blanks(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

using Json = nlohmann::ordered_json;

/// The number at a path such as {"wall_ms", "p50"}; NaN where there is none.
double number_at(const Json& json, std::initializer_list<const char*> path) {
    const Json* here = &json;
    for (const char* key : path) {
        if (!here->is_object() || !here->contains(key)) return std::nan("");
        here = &(*here)[key];
    }
    return here->is_number() ? here->get<double>() : std::nan("");
}

/// In double quotes where a comma or a quote would end the cell.
std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

struct Column {
    const char* title;  // of the Markdown table
    const char* key;    // of sweep.csv
    std::initializer_list<const char*> path;
};
const Column sweep_columns[] = {
    {"ms/step p50", "ms_p50", {"wall_ms", "p50"}},
    {"p99", "ms_p99", {"wall_ms", "p99"}},
    {"iterations", "iterations_mean", {"iterations", "mean"}},
    {"max", "iterations_max", {"iterations", "max"}},
    {"energy first", "energy_first", {"energy", "first"}},
    {"last", "energy_last", {"energy", "last"}},
    {"largest", "energy_max", {"energy", "max"}},
    {"penetration m", "max_penetration", {"max_penetration"}},
    {"steps", "steps", {"steps"}},
};

Json summary_in(const std::string& folder) {
    const std::string path = folder + "/summary.json";
    if (!exists(path)) return nullptr;
    return Json::parse(read_text_file(path), nullptr, false);
}

}  // namespace

std::vector<std::string> split_list(const std::string& list, const std::string& place) {
    std::vector<std::string> out(1);
    std::string open;  // brackets that wait for their partner
    char quote = 0;
    for (const char c : list) {
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{') {
            open += c;
        } else if (c == ']' || c == '}') {
            if (open.empty() || (open.back() == '[') != (c == ']'))
                throw InputError(SourcePlace{place}, std::string("'") + c + "' closes nothing");
            open.pop_back();
        } else if (c == ',' && open.empty()) {
            out.emplace_back();
            continue;
        }
        out.back() += c;
    }
    if (quote || !open.empty())
        throw InputError(SourcePlace{place}, "a quote or bracket is left open");
    for (std::string& piece : out) piece = without_blanks(piece);
    return out;
}

SweepAxis parse_sweep(const std::string& argument) {
    const std::string place = "--sweep " + printable(argument, 200);
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(SourcePlace{place},
                         "wanted path=value,value,... such as solver.max_iterations=1,2,5");
    SweepAxis out{without_blanks(argument.substr(0, equals)),
                  split_list(argument.substr(equals + 1), place)};
    for (const std::string& value : out.values)
        if (value.empty()) throw InputError(SourcePlace{place}, "a value is missing");
    return out;
}

std::vector<SweepPoint> sweep_points(const std::vector<SweepAxis>& axes) {
    std::size_t n = 1;
    for (const SweepAxis& axis : axes) {
        n *= axis.values.size();
        if (n > max_points)
            throw InputError("the sweep has more than " + std::to_string(max_points) + " runs");
    }
    const std::size_t width = std::to_string(n).size();
    std::vector<SweepPoint> out(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t rest = i;
        std::string name;
        for (std::size_t a = axes.size(); a-- > 0;) {
            const std::string& value = axes[a].values[rest % axes[a].values.size()];
            rest /= axes[a].values.size();
            out[i].values.insert(out[i].values.begin(), value);
            out[i].sets.insert(out[i].sets.begin(), axes[a].path + '=' + value);
            std::string bare = value;
            std::erase(bare, '"');
            name = bare + (name.empty() ? "" : "_" + name);
        }
        const std::string number = std::to_string(i + 1);
        out[i].folder = std::string(width - number.size(), '0') + number + '-' + file_stem(name);
    }
    return out;
}

SweepTable sweep_table(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                       const std::string& dir) {
    std::vector<std::string> header = {"run"};
    std::string csv = "run";
    for (const SweepAxis& axis : axes) {
        header.push_back(axis.path);
        csv += ',' + csv_cell(axis.path);
    }
    for (const Column& column : sweep_columns) {
        header.emplace_back(column.title);
        csv += ',' + std::string(column.key);
    }
    header.insert(header.end(), {"finite", "status"});
    csv += ",finite,status\n";
    MarkdownTable table(header);
    for (const SweepPoint& point : points) {
        const Json summary = summary_in(dir + '/' + point.folder);
        std::vector<std::string> row = {point.folder};
        csv += csv_cell(point.folder);
        for (const std::string& value : point.values) {
            std::string bare = value;
            std::erase(bare, '"');
            row.push_back(bare);
            csv += ',' + csv_cell(bare);
        }
        for (const Column& column : sweep_columns) {
            const double value = number_at(summary, column.path);
            row.push_back(digits(value));
            csv += ',';
            append_number(csv, value);
        }
        const bool whole = summary.is_object();
        const std::string finite = whole && summary.value("finite", false) ? "yes" : "no";
        std::string status = whole ? summary.value("status", "") : "no summary";
        if (whole && summary.contains("failure") && summary["failure"].is_string())
            status += ": " + summary["failure"].get<std::string>();
        row.insert(row.end(), {finite, status});
        csv += ',' + finite + ',' + csv_cell(status) + '\n';
        table.add(row);
    }
    return {table.text(), csv};
}

}  // namespace limber
