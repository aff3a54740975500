// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/errors.h"
#include "limber/core/export.h"
#include "limber/core/numbers.h"

namespace limber {

enum class ValueKind { null, boolean, integer, number, string, array, table };

/// What a TOML or JSON file says, without its syntax: every value knows its place in the file.
struct LIMBER_API Value {
    struct Key {
        std::string name;
        SourcePlace place;
    };

    ValueKind kind = ValueKind::null;
    bool boolean = false;
    std::int64_t integer = 0;
    double number = 0;
    std::string text;
    std::vector<Value> items;  // of an array or a table
    std::vector<Key> keys;     // of a table: one per item, in the order of the file
    SourcePlace place;

    static Value of(bool b);
    static Value of(std::int64_t i);
    static Value of(double d);
    static Value of(std::string s);
    static Value array();
    static Value table();

    bool is(ValueKind k) const { return kind == k; }
    bool is_number() const { return kind == ValueKind::integer || kind == ValueKind::number; }
    double as_double() const {
        return kind == ValueKind::integer ? static_cast<double>(integer) : number;
    }
    /// The value of a table's key, nullptr where there is none.
    const Value* find(std::string_view key) const;
    Value* find(std::string_view key);
    const SourcePlace& key_place(std::string_view key) const;  // the table's own where absent
    /// Replaces or appends.
    Value& set(const std::string& key, Value value, const SourcePlace& key_place = {});
    void remove(std::string_view key);
};

/// "a string", "a table", ... for messages.
LIMBER_API std::string_view kind_name(ValueKind kind);
/// The value itself, short and safe for a terminal: `"abc"`, `-5`, `an array of 3`.
LIMBER_API std::string shown(const Value& value);

/// Tables and arrays inside each other; a deeper file is refused before anything recurses.
inline constexpr int max_nesting = 64;
/// Keys of one table: looking for a key walks through them.
inline constexpr std::size_t max_keys = 10000;
/// A scene is written by hand; meshes and loads have their own files.
inline constexpr std::int64_t max_scene_bytes = 16 << 20;

LIMBER_API Value parse_toml(std::string_view text, const std::string& file);
LIMBER_API Value parse_json(std::string_view text, const std::string& file);
/// Reads `path`, as JSON where it ends in .json and as TOML where it ends in .toml.
LIMBER_API Value read_document(const std::string& path);

/// TOML text of a table: plain keys, then [tables] and [[arrays of tables]], deeper ones inline.
LIMBER_API std::string to_toml(const Value& table);
/// TOML text of any value, on one line.
LIMBER_API std::string to_inline_toml(const Value& value);

}  // namespace limber
