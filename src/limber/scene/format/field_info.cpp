// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/field_info.h"

#include <algorithm>
#include <cmath>

#include "limber/scene/format/units.h"

namespace limber {

std::vector<const FieldInfo*> fields_of(const TypeInfo& table, const Value& value) {
    std::vector<const FieldInfo*> out;
    for (const FieldInfo& field : table.fields) out.push_back(&field);
    if (table.tag.empty()) return out;
    const Value* tag = value.find(table.tag);
    const std::string name = tag ? tag->text : table.default_case;
    for (const CaseInfo& c : table.cases)
        if (c.name == name)
            for (const FieldInfo& field : c.fields) out.push_back(&field);
    return out;
}

TypeInfo partial(const TypeInfo& table) {
    TypeInfo out = table;
    out.groups.clear();
    out.needs.clear();
    out.tag.clear();
    out.cases.clear();
    for (const CaseInfo& c : table.cases)
        for (const FieldInfo& field : c.fields) {
            const auto same = std::find_if(out.fields.begin(), out.fields.end(),
                                           [&](const FieldInfo& f) { return f.key == field.key; });
            if (same == out.fields.end()) out.fields.push_back(field);
        }
    for (FieldInfo& field : out.fields) {
        field.required = false;
        field.default_value.reset();
    }
    return out;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

std::string joined_by_or(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return out;
}

std::string range_text(const Rule& rule) {
    const auto shown_bound = [&](double bound) {
        return number_text(inside_to_plain(bound, rule.unit).value_or(bound));
    };
    std::string out;
    if (std::isfinite(rule.lo)) out += (rule.open_lo ? "> " : ">= ") + shown_bound(rule.lo);
    if (std::isfinite(rule.hi))
        out += (out.empty() ? "" : " and ") + std::string(rule.open_hi ? "< " : "<= ") +
               shown_bound(rule.hi);
    return out;
}

namespace {

std::string with_range(std::string what, const Rule& rule) {
    if (const std::string range = range_text(rule); !range.empty()) what += ' ' + range;
    if (const auto unit = plain_unit(rule.unit); !unit.empty())
        what += " [" + std::string(unit) + "]";
    return what;
}

std::string plural(const TypeInfo& type) {
    switch (type.kind) {
        case FieldKind::integer:
            return with_range("whole numbers", type.rule);
        case FieldKind::number:
            return with_range("numbers", type.rule);
        case FieldKind::text:
        case FieldKind::name:
        case FieldKind::path:
            return "strings";
        case FieldKind::vec3:
            return with_range("[x, y, z]", type.rule);
        case FieldKind::table:
            return "tables";
        case FieldKind::choice:
            return "strings, each one of: " + joined(type.choices);
        default:
            return "values";
    }
}

}  // namespace

std::string wanted(const TypeInfo& type) {
    switch (type.kind) {
        case FieldKind::boolean:
            return "true or false";
        case FieldKind::integer:
            return with_range("a whole number", type.rule);
        case FieldKind::number:
            return with_range("a number", type.rule);
        case FieldKind::text:
            return "a string";
        case FieldKind::name:
            return "a name of at most 64 letters, digits, '_' and '-'";
        case FieldKind::path:
            return "the path of a file";
        case FieldKind::choice:
            return "one of: " + joined(type.choices);
        case FieldKind::vec3:
            return with_range("an array of 3 numbers", type.rule);
        case FieldKind::list: {
            std::string count;
            if (type.size_lo == type.size_hi)
                count = std::to_string(type.size_lo) + ' ';
            else if (type.size_lo > 0)
                count = "at least " + std::to_string(type.size_lo) + ' ';
            return "an array of " + count + plural(type.items[0]);
        }
        case FieldKind::table:
            return "a table";
        case FieldKind::map:
            return "a table of named " + plural(type.items[0]);
        case FieldKind::either: {
            std::string out;
            for (const TypeInfo& form : type.items)
                out += (out.empty() ? "" : ", or ") + wanted(form);
            return out;
        }
    }
    return {};
}

namespace {

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int change = std::tolower(a[i - 1]) != std::tolower(b[j - 1]);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() > 64) return {};
    std::string best;
    int best_distance = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    for (const std::string& candidate : candidates) {
        const int distance = edit_distance(word, candidate);
        // A word of which no letter is left is another word: E is not f.
        const auto longer = static_cast<int>(std::max(word.size(), candidate.size()));
        if (distance < best_distance && distance < longer) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string near = nearest(word, candidates);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace limber
