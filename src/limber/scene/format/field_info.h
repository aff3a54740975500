// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fields() says of a struct, as data: the checker, the JSON Schema and the format document
// read this tree, and only this tree.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/core/fields.h"
#include "limber/scene/format/document.h"

namespace limber {

enum class FieldKind {
    boolean,
    integer,
    number,
    text,
    name,  // letters, digits, _ and -: names become file names
    path,  // of a file, relative to the file that mentions it
    choice,
    vec3,
    list,
    table,
    map,     // a table with keys of the user's choice
    either,  // one of several forms
};

struct FieldInfo;

/// Keys of one table of which only one may stand (or exactly one must).
struct KeyGroup {
    std::vector<std::string> keys;
    bool required = false;
};
/// `key` makes sense only beside one of `needs`.
struct KeyNeed {
    std::string key;
    std::vector<std::string> needs;
};

struct CaseInfo;

struct TypeInfo {
    FieldKind kind = FieldKind::table;
    Rule rule;                         // numbers: range and unit
    std::vector<std::string> choices;  // choice
    std::vector<TypeInfo> items;       // list, map: the item; either: the forms
    int size_lo = 0, size_hi = -1;     // list; -1: no limit
    std::vector<FieldInfo> fields;     // table
    std::vector<KeyGroup> groups;
    std::vector<KeyNeed> needs;
    std::string tag;              // table: this key chooses the case that adds further fields
    std::string default_case;     // where the tag is absent; empty: none
    std::vector<CaseInfo> cases;  // by the tag's value
};

struct FieldInfo {
    std::string key;
    TypeInfo type;
    bool required = false;
    std::string meaning;
    std::optional<Value> default_value;
};

struct CaseInfo {
    std::string name, meaning;
    std::vector<FieldInfo> fields;
};

inline TypeInfo type_of(FieldKind kind, const Rule& rule = {}, std::vector<TypeInfo> items = {}) {
    TypeInfo type;
    type.kind = kind;
    type.rule = rule;
    type.items = std::move(items);
    return type;
}

/// The fields a table may have, given what it says for its tag.
std::vector<const FieldInfo*> fields_of(const TypeInfo& table, const Value& value);
/// The same table with nothing required and the fields of every case: for [defaults.*].
TypeInfo partial(const TypeInfo& table);

/// "a number > 0 [Pa]", "an array of 3 numbers [m]", "one of: x, y": what is wanted, in words.
std::string wanted(const TypeInfo& type);
/// "> 0 and <= 1e+15", empty without bounds. Angles in degrees.
std::string range_text(const Rule& rule);

/// The candidate nearest to `word` by edit distance, empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "; did you mean 'young'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);
std::string joined(const std::vector<std::string>& words);
/// The same words with the last behind an "or": "mesh or shape".
std::string joined_by_or(const std::vector<std::string>& words);

struct ReadContext {
    std::string scene_folder;  // what paths given on the command line are relative to
    bool sandbox = false;      // refuse paths that leave the scene folder
};

/// The value as its type wants it: numbers in SI units, every key known, every range kept, paths
/// resolved. Anything else is an InputError at its place, with a line for each mistake of the whole
/// value; `path` names the value in messages.
Value checked(const Value& value, const TypeInfo& type, const std::string& path,
              const ReadContext& context);

}  // namespace limber
