// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "limber/core/check.h"
#include "limber/io/file.h"

namespace limber {

Value Value::of(bool b) {
    Value v;
    v.kind = ValueKind::boolean;
    v.boolean = b;
    return v;
}
Value Value::of(std::int64_t i) {
    Value v;
    v.kind = ValueKind::integer;
    v.integer = i;
    return v;
}
Value Value::of(double d) {
    Value v;
    v.kind = ValueKind::number;
    v.number = d;
    return v;
}
Value Value::of(std::string s) {
    Value v;
    v.kind = ValueKind::string;
    v.text = std::move(s);
    return v;
}
Value Value::array() {
    Value v;
    v.kind = ValueKind::array;
    return v;
}
Value Value::table() {
    Value v;
    v.kind = ValueKind::table;
    return v;
}

const Value* Value::find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i].name == key) return &items[i];
    return nullptr;
}
Value* Value::find(std::string_view key) {
    return const_cast<Value*>(std::as_const(*this).find(key));
}

const SourcePlace& Value::key_place(std::string_view key) const {
    for (const Key& k : keys)
        if (k.name == key) return k.place;
    return place;
}

Value& Value::set(const std::string& key, Value value, const SourcePlace& at) {
    LIMBER_CHECK(kind == ValueKind::table, "keys belong to tables");
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i].name == key) {
            keys[i].place = at;
            return items[i] = std::move(value);
        }
    keys.push_back({key, at});
    items.push_back(std::move(value));
    return items.back();
}

void Value::remove(std::string_view key) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i].name == key) {
            keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(i));
            items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
}

std::string_view kind_name(ValueKind kind) {
    switch (kind) {
        case ValueKind::null:
            return "null";
        case ValueKind::boolean:
            return "a boolean";
        case ValueKind::integer:
            return "a whole number";
        case ValueKind::number:
            return "a number";
        case ValueKind::string:
            return "a string";
        case ValueKind::array:
            return "an array";
        case ValueKind::table:
            return "a table";
    }
    return "nothing";
}

std::string shown(const Value& value) {
    switch (value.kind) {
        case ValueKind::null:
            return "null";
        case ValueKind::boolean:
            return value.boolean ? "true" : "false";
        case ValueKind::integer:
            return std::to_string(value.integer);
        case ValueKind::number:
            return number_text(value.number);
        case ValueKind::string:
            return '"' + printable(value.text) + '"';
        case ValueKind::array:
            return "an array of " + std::to_string(value.items.size());
        case ValueKind::table:
            return "a table with " + std::to_string(value.items.size()) + " keys";
    }
    return {};
}

Value read_document(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".toml" && extension != ".json")
        throw InputError({path}, "a scene file ends in .toml or .json");
    std::error_code unreadable;  // read_file says why
    const auto size = std::filesystem::file_size(path, unreadable);
    if (!unreadable && size > static_cast<std::uintmax_t>(max_scene_bytes))
        throw InputError({path}, "the file has " + std::to_string(size) +
                                     " bytes; allowed for a scene: at most " +
                                     std::to_string(max_scene_bytes));
    const std::string text = read_file(path);
    return extension == ".json" ? parse_json(text, path) : parse_toml(text, path);
}

}  // namespace limber
