// SPDX-License-Identifier: Apache-2.0
#pragma once

// Visitors over fields(): describe() turns a struct into a TypeInfo tree, assign() fills a struct
// from a checked Value, to_value() writes it back. Everything else works on those two trees.

#include <any>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/core/check.h"
#include "limber/core/count_or_auto.h"
#include "limber/core/fields.h"
#include "limber/core/math.h"
#include "limber/scene/format/field_info.h"
#include "limber/scene/format/units.h"

namespace limber {

/// Where a struct came from, for messages that come later. A struct that has a member `origin` gets
/// it filled by assign().
struct Origin {
    std::string path;   // "body[0]"
    SourcePlace place;  // of the table
    std::vector<Value::Key> keys;

    const SourcePlace& at(std::string_view key) const {
        for (const Value::Key& k : keys)
            if (k.name == key) return k.place;
        return place;
    }
    bool has(std::string_view key) const {
        for (const Value::Key& k : keys)
            if (k.name == key) return true;
        return false;
    }
};

/// One of several options structs, chosen by name: what a registry's entry makes.
struct AnyOptions {
    std::string name;
    std::any value;
    template <class O>
    const O& as() const {
        const O* options = std::any_cast<O>(&value);
        LIMBER_CHECK(options, "options of another kind");
        return *options;
    }
    template <class O>
    O& as() {
        return const_cast<O&>(std::as_const(*this).as<O>());
    }
};
struct OptionCase {
    std::string_view name, meaning;
    std::any (*defaults)();
    TypeInfo (*describe)();
    void (*assign)(const Value& value, std::any& options);
    Value (*to_value)(const std::any& options);
};
const OptionCase* find_case(std::span<const OptionCase> cases, std::string_view name);
AnyOptions default_options(std::span<const OptionCase> cases, std::string_view name);

/// How a member type is described, filled and written. Structs with fields() are the general case.
template <class T>
struct FieldTraits;

template <class T>
concept HasOrigin = requires(T t) {
    t.origin;
};
template <class T>
concept NamedEnum = requires(T t) {
    enum_names(t);
};

class Describe {
  public:
    explicit Describe(TypeInfo& out) : out_(out) {}
    template <class T>
    void operator()(std::string_view key, T& member, Rule rule, std::string_view meaning) {
        FieldInfo field{std::string(key), FieldTraits<T>::describe(rule), rule.required,
                        std::string(meaning), std::nullopt};
        if (!rule.required) field.default_value = FieldTraits<T>::to_value(member, rule);
        if (field.default_value && field.default_value->is(ValueKind::null))
            field.default_value.reset();
        out_.fields.push_back(std::move(field));
    }
    template <class T>
    void operator()(std::string_view key, T& member, std::string_view meaning) {
        (*this)(key, member, Rule{}, meaning);
    }
    void exactly_one(std::vector<std::string> keys) { out_.groups.push_back({keys, true}); }
    void at_most_one(std::vector<std::string> keys) { out_.groups.push_back({keys, false}); }
    void needs(std::string key, std::string other) { out_.needs.push_back({key, {other}}); }
    /// `tag` chooses one of the cases, whose fields stand beside it. An empty `default_name` means
    /// that the tag is required.
    void one_of(std::string_view tag, AnyOptions&, std::span<const OptionCase> cases,
                std::string_view default_name, std::string_view meaning);
    /// The fields of S stand in this table; S is there when the key `tag`, one of its own, is.
    template <class S>
    void flat(std::string_view tag, std::optional<S>&) {
        S defaults;
        const std::size_t first = out_.fields.size();
        fields(*this, defaults);
        for (std::size_t i = first; i < out_.fields.size(); ++i)
            if (out_.fields[i].key == tag)
                out_.fields[i].default_value.reset();
            else
                out_.needs.push_back({out_.fields[i].key, {std::string(tag)}});
    }
    /// The fields of S, which stand in this table for a flat() part already, are read beside the
    /// key `tag` too.
    template <class S>
    void also(std::string_view tag, std::optional<S>&) {
        TypeInfo part;
        Describe visitor(part);
        S defaults;
        fields(visitor, defaults);
        for (const FieldInfo& field : part.fields)
            for (KeyNeed& need : out_.needs)
                if (need.key == field.key) need.needs.emplace_back(tag);
    }

  private:
    TypeInfo& out_;
};

class Assign {
  public:
    Assign(const Value& table, std::string path) : table_(table), path_(std::move(path)) {}
    template <class T>
    void operator()(std::string_view key, T& member, Rule, std::string_view) {
        if (const Value* v = table_.find(key))
            FieldTraits<T>::assign(*v, (path_.empty() ? "" : path_ + '.') + std::string(key),
                                   member);
    }
    template <class T>
    void operator()(std::string_view key, T& member, std::string_view meaning) {
        (*this)(key, member, Rule{}, meaning);
    }
    void exactly_one(const std::vector<std::string>&) {}
    void at_most_one(const std::vector<std::string>&) {}
    void needs(const std::string&, const std::string&) {}
    void one_of(std::string_view tag, AnyOptions& options, std::span<const OptionCase> cases,
                std::string_view default_name, std::string_view meaning);
    template <class S>
    void flat(std::string_view tag, std::optional<S>& part) {
        if (table_.find(tag)) fields(*this, part.emplace());
    }
    /// S is there when the tag and one of its own keys are.
    template <class S>
    void also(std::string_view tag, std::optional<S>& part);

  private:
    const Value& table_;
    std::string path_;
};

class ToValue {
  public:
    explicit ToValue(Value& table) : table_(table) {}
    template <class T>
    void operator()(std::string_view key, T& member, Rule rule, std::string_view) {
        Value v = FieldTraits<T>::to_value(member, rule);
        if (!v.is(ValueKind::null)) table_.set(std::string(key), std::move(v));
    }
    template <class T>
    void operator()(std::string_view key, T& member, std::string_view meaning) {
        (*this)(key, member, Rule{}, meaning);
    }
    void exactly_one(const std::vector<std::string>&) {}
    void at_most_one(const std::vector<std::string>&) {}
    void needs(const std::string&, const std::string&) {}
    void one_of(std::string_view tag, AnyOptions& options, std::span<const OptionCase> cases,
                std::string_view default_name, std::string_view meaning);
    /// Only what differs from the defaults: a box has no radius to write.
    template <class S>
    void flat(std::string_view tag, std::optional<S>& part);
    template <class S>
    void also(std::string_view tag, std::optional<S>& part) {
        flat(tag, part);
    }

  private:
    Value& table_;
};

/// Deep equality of what two values say; places do not count.
bool same(const Value& a, const Value& b);

template <class T>
TypeInfo describe() {
    return FieldTraits<T>::describe({});
}
template <class T>
Value to_value(const T& t) {
    return FieldTraits<T>::to_value(t, {});
}

template <class T>
struct FieldTraits {
    static TypeInfo describe([[maybe_unused]] Rule rule) {
        TypeInfo type;
        if constexpr (NamedEnum<T>) {
            type.kind = FieldKind::choice;
            for (const std::string_view name : enum_names(T{})) type.choices.emplace_back(name);
        } else {
            // Not T{}: where memory runs out within an aggregate's initialisers GCC 12 destroys
            // twice what it had made.
            T defaults = T();
            Describe visitor(type);
            fields(visitor, defaults);
        }
        return type;
    }
    static void assign(const Value& v, const std::string& path, T& out) {
        if constexpr (NamedEnum<T>) {
            const auto names = enum_names(T{});
            for (std::size_t i = 0; i < names.size(); ++i)
                if (names[i] == v.text) out = static_cast<T>(i);
        } else {
            if constexpr (HasOrigin<T>) out.origin = {path, v.place, v.keys};
            Assign visitor(v, path);
            fields(visitor, out);
        }
    }
    static Value to_value(const T& t, Rule) {
        if constexpr (NamedEnum<T>) {
            return Value::of(std::string(enum_names(T{})[static_cast<std::size_t>(t)]));
        } else {
            Value table = Value::table();
            ToValue visitor(table);
            T copy = t;  // fields() takes what it may fill
            fields(visitor, copy);
            return table;
        }
    }
};

template <>
struct FieldTraits<bool> {
    static TypeInfo describe(Rule) { return type_of(FieldKind::boolean); }
    static void assign(const Value& v, const std::string&, bool& out) { out = v.boolean; }
    static Value to_value(bool b, Rule) { return Value::of(b); }
};

template <class I>
struct IntegerTraits {
    static TypeInfo describe(Rule rule) {
        constexpr auto lo = static_cast<double>(std::numeric_limits<I>::min());
        constexpr auto hi = static_cast<double>(std::numeric_limits<I>::max());
        if (sizeof(I) < 8 && rule.hi > hi) rule.hi = hi;
        if (sizeof(I) < 8 && rule.lo < lo) rule.lo = lo;
        return type_of(FieldKind::integer, rule);
    }
    static void assign(const Value& v, const std::string&, I& out) {
        out = static_cast<I>(v.integer);
    }
    static Value to_value(I i, Rule) { return Value::of(std::int64_t{i}); }
};
template <>
struct FieldTraits<int> : IntegerTraits<int> {};
template <>
struct FieldTraits<std::int64_t> : IntegerTraits<std::int64_t> {};

template <>
struct FieldTraits<CountOrAuto> {
    static TypeInfo describe(Rule rule) {
        TypeInfo word = type_of(FieldKind::choice);
        word.choices = {"auto"};
        return type_of(FieldKind::either, {}, {word, FieldTraits<int>::describe(rule)});
    }
    static void assign(const Value& v, const std::string& path, CountOrAuto& out) {
        out.automatic = v.is(ValueKind::string);
        if (!out.automatic) FieldTraits<int>::assign(v, path, out.count);
    }
    static Value to_value(const CountOrAuto& c, Rule rule) {
        return c.automatic ? Value::of(std::string("auto"))
                           : FieldTraits<int>::to_value(c.count, rule);
    }
};

template <>
struct FieldTraits<double> {
    static TypeInfo describe(Rule rule) { return type_of(FieldKind::number, rule); }
    static void assign(const Value& v, const std::string&, double& out) { out = v.number; }
    static Value to_value(double d, Rule rule) {
        if (const auto plain = inside_to_plain(d, rule.unit)) return Value::of(*plain);
        return Value::of(number_text(d) + " rad");
    }
};

template <>
struct FieldTraits<std::string> {
    static TypeInfo describe(Rule) { return type_of(FieldKind::text); }
    static void assign(const Value& v, const std::string&, std::string& out) { out = v.text; }
    static Value to_value(const std::string& s, Rule) { return Value::of(s); }
};

template <>
struct FieldTraits<Vec3d> {
    static TypeInfo describe(Rule rule) { return type_of(FieldKind::vec3, rule); }
    static void assign(const Value& v, const std::string&, Vec3d& out) {
        for (int i = 0; i < 3; ++i) out[i] = v.items[i].number;
    }
    static Value to_value(const Vec3d& v, Rule rule) {
        Value out = Value::array();
        for (int i = 0; i < 3; ++i) out.items.push_back(FieldTraits<double>::to_value(v[i], rule));
        return out;
    }
};

template <class T>
struct FieldTraits<std::vector<T>> {
    static TypeInfo describe(Rule rule) {
        return type_of(FieldKind::list, {}, {FieldTraits<T>::describe(rule)});
    }
    static void assign(const Value& v, const std::string& path, std::vector<T>& out) {
        out.assign(v.items.size(), T());
        for (std::size_t i = 0; i < out.size(); ++i)
            FieldTraits<T>::assign(v.items[i], path + '[' + std::to_string(i) + ']', out[i]);
    }
    static Value to_value(const std::vector<T>& list, Rule rule) {
        Value out = Value::array();
        for (const T& item : list) out.items.push_back(FieldTraits<T>::to_value(item, rule));
        return out;
    }
};

template <class T, std::size_t N>
struct FieldTraits<std::array<T, N>> {
    static TypeInfo describe(Rule rule) {
        TypeInfo type = type_of(FieldKind::list, {}, {FieldTraits<T>::describe(rule)});
        type.size_lo = type.size_hi = int{N};
        return type;
    }
    static void assign(const Value& v, const std::string& path, std::array<T, N>& out) {
        for (std::size_t i = 0; i < N; ++i) FieldTraits<T>::assign(v.items[i], path, out[i]);
    }
    static Value to_value(const std::array<T, N>& list, Rule rule) {
        Value out = Value::array();
        for (const T& item : list) out.items.push_back(FieldTraits<T>::to_value(item, rule));
        return out;
    }
};

template <class T>
struct FieldTraits<std::optional<T>> {
    static TypeInfo describe(Rule rule) { return FieldTraits<T>::describe(rule); }
    static void assign(const Value& v, const std::string& path, std::optional<T>& out) {
        FieldTraits<T>::assign(v, path, out.emplace());
    }
    static Value to_value(const std::optional<T>& t, Rule rule) {
        return t ? FieldTraits<T>::to_value(*t, rule) : Value{};
    }
};

template <class T>
struct FieldTraits<std::map<std::string, T>> {
    static TypeInfo describe(Rule rule) {
        return type_of(FieldKind::map, {}, {FieldTraits<T>::describe(rule)});
    }
    static void assign(const Value& v, const std::string& path, std::map<std::string, T>& out) {
        for (std::size_t i = 0; i < v.items.size(); ++i)
            FieldTraits<T>::assign(v.items[i], path + '.' + v.keys[i].name, out[v.keys[i].name]);
    }
    static Value to_value(const std::map<std::string, T>& map, Rule rule) {
        Value out = Value::table();
        for (const auto& [name, t] : map) out.set(name, FieldTraits<T>::to_value(t, rule));
        return out;
    }
};

template <class S>
void Assign::also(std::string_view tag, std::optional<S>& part) {
    if (!table_.find(tag)) return;
    for (const FieldInfo& field : limber::describe<S>().fields)
        if (table_.find(field.key)) {
            fields(*this, part.emplace());
            return;
        }
}

template <class S>
void ToValue::flat(std::string_view tag, std::optional<S>& part) {
    if (!part) return;
    const Value given = limber::to_value(*part), defaults = limber::to_value(S());
    for (std::size_t i = 0; i < given.items.size(); ++i) {
        const Value* plain = defaults.find(given.keys[i].name);
        if (given.keys[i].name == tag || !plain || !same(given.items[i], *plain))
            table_.set(given.keys[i].name, given.items[i]);
    }
}

template <class O>
O plain_defaults() {
    return O();
}
/// An entry of a registry: O with the defaults that `make` gives it.
template <class O, O (*make)() = plain_defaults<O>>
constexpr OptionCase option_case(std::string_view name, std::string_view meaning) {
    return {name,
            meaning,
            [] { return std::any(make()); },
            [] {
                TypeInfo type;
                Describe visitor(type);
                O defaults = make();
                fields(visitor, defaults);
                return type;
            },
            [](const Value& value, std::any& options) {
                FieldTraits<O>::assign(value, "", *std::any_cast<O>(&options));
            },
            [](const std::any& options) { return limber::to_value(*std::any_cast<O>(&options)); }};
}

}  // namespace limber
