// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include "limber/scene/automatic.h"
#include "limber/scene/format/units.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const TypeInfo& type);

Json json_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::boolean:
            return value.boolean;
        case ValueKind::integer:
            return value.integer;
        case ValueKind::number:
            return value.number;
        case ValueKind::string:
            return value.text;
        case ValueKind::array: {
            Json out = Json::array();
            for (const Value& item : value.items) out.push_back(json_of(item));
            return out;
        }
        case ValueKind::table: {
            Json out = Json::object();
            for (std::size_t i = 0; i < value.items.size(); ++i)
                out[value.keys[i].name] = json_of(value.items[i]);
            return out;
        }
        case ValueKind::null:
            break;
    }
    return nullptr;
}

void add_range(const Rule& rule, Json& out) {
    const auto plain = [&](double bound) {
        return inside_to_plain(bound, rule.unit).value_or(bound);
    };
    if (std::isfinite(rule.lo)) out[rule.open_lo ? "exclusiveMinimum" : "minimum"] = plain(rule.lo);
    if (std::isfinite(rule.hi)) out[rule.open_hi ? "exclusiveMaximum" : "maximum"] = plain(rule.hi);
}

/// A string with a unit; its range is checked by limber alone.
std::string quantity_pattern(Unit unit) {
    std::string names;
    for (const UnitName& u : unit_names(unit)) {
        if (!names.empty()) names += '|';
        for (const char c : u.name) {
            if (c == '^' || c == '/') names += '\\';
            names += c;
        }
    }
    return "^ *[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *(" + names + ")? *$";
}

Json number_schema(const Rule& rule) {
    Json number{{"type", "number"}};
    add_range(rule, number);
    if (rule.unit == Unit::none) return number;
    return {{"anyOf", {number, {{"type", "string"}, {"pattern", quantity_pattern(rule.unit)}}}}};
}

Json object_of(const std::vector<const FieldInfo*>& fields) {
    Json properties = Json::object(), required = Json::array();
    for (const FieldInfo* field : fields) {
        Json& property = properties[field->key] = schema_of(field->type);
        property["description"] = field->meaning;
        if (field->default_value && field->type.kind != FieldKind::table)
            property["default"] = json_of(*field->default_value);
        if (field->required) required.push_back(field->key);
    }
    Json out{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) out["required"] = required;
    return out;
}

void add_groups(const TypeInfo& type, Json& out) {
    for (const KeyGroup& group : type.groups) {
        Json choices = Json::array(), given = Json::array();
        for (const std::string& key : group.keys) {
            choices.push_back({{"required", {key}}});
            given.push_back({{"required", {key}}});
        }
        if (!group.required) choices.push_back({{"not", {{"anyOf", given}}}});
        out["allOf"].push_back({{"oneOf", choices}});
    }
    for (const KeyNeed& need : type.needs) {
        if (need.needs.size() > 1) {
            Json one = Json::array();
            for (const std::string& key : need.needs) one.push_back({{"required", {key}}});
            out["allOf"].push_back(
                {{"if", {{"required", {need.key}}}}, {"then", {{"anyOf", one}}}});
            continue;
        }
        Json& needs = out["dependencies"][need.key];
        if (needs.is_null()) needs = Json::array();
        needs.push_back(need.needs[0]);
    }
}

/// The tag picks the object: if kind = "a" then the whole object of "a".
Json table_schema(const TypeInfo& type) {
    if (type.tag.empty()) {
        std::vector<const FieldInfo*> fields;
        for (const FieldInfo& field : type.fields) fields.push_back(&field);
        Json out = object_of(fields);
        add_groups(type, out);
        return out;
    }
    Json out{{"type", "object"}, {"properties", Json::object()}};
    for (const FieldInfo& field : type.fields)
        if (field.key == type.tag) {
            out["properties"][type.tag] = schema_of(field.type);
            if (field.required) out["required"] = {type.tag};
        }
    for (const CaseInfo& c : type.cases) {
        Value named = Value::table();
        named.set(type.tag, Value::of(c.name));
        Json condition{{"properties", {{type.tag, {{"const", c.name}}}}}};
        const std::string old = std::string(old_default(type.tag, type.default_case));
        if (c.name != type.default_case || !old.empty()) condition["required"] = {type.tag};
        out["allOf"].push_back({{"if", condition}, {"then", object_of(fields_of(type, named))}});
        if (c.name != type.default_case || old.empty()) continue;
        // Without a name: the default's options, or those of what version 0.1 took.
        Value before = Value::table();
        before.set(type.tag, Value::of(old));
        out["allOf"].push_back(
            {{"if", {{"not", {{"required", {type.tag}}}}}},
             {"then",
              {{"anyOf",
                {object_of(fields_of(type, named)), object_of(fields_of(type, before))}}}}});
    }
    add_groups(type, out);
    return out;
}

Json schema_of(const TypeInfo& type) {
    switch (type.kind) {
        case FieldKind::boolean:
            return {{"type", "boolean"}};
        case FieldKind::integer: {
            Json out{{"type", "integer"}};
            add_range(type.rule, out);
            return out;
        }
        case FieldKind::number:
            return number_schema(type.rule);
        case FieldKind::text:
            return {{"type", "string"}};
        case FieldKind::name:
            return {{"type", "string"}, {"pattern", "^[A-Za-z0-9_-]{1,64}$"}};
        case FieldKind::path:
            return {{"type", "string"}, {"minLength", 1}, {"maxLength", 4096}};
        case FieldKind::choice:
            return {{"type", "string"}, {"enum", type.choices}};
        case FieldKind::vec3:
            return {{"type", "array"},
                    {"items", number_schema(type.rule)},
                    {"minItems", 3},
                    {"maxItems", 3}};
        case FieldKind::list: {
            Json out{{"type", "array"}, {"items", schema_of(type.items[0])}};
            if (type.size_lo > 0) out["minItems"] = type.size_lo;
            if (type.size_hi >= 0) out["maxItems"] = type.size_hi;
            return out;
        }
        case FieldKind::table:
            return table_schema(type);
        case FieldKind::map:
            return {{"type", "object"},
                    {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]{1,64}$"}}},
                    {"additionalProperties", schema_of(type.items[0])}};
        case FieldKind::either: {
            Json forms = Json::array();
            for (const TypeInfo& form : type.items) forms.push_back(schema_of(form));
            return {{"anyOf", forms}};
        }
    }
    return {};
}

}  // namespace

std::string schema_json() {
    Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
             {"title", "limber scene, version 1"}};
    out.update(schema_of(scene_type()));
    // A file that extends another may leave to it what is required.
    Json whole = out["required"];
    out.erase("required");
    out["anyOf"] = {{{"required", {"extends"}}}, {{"required", whole}}};
    return out.dump(2) + '\n';
}

}  // namespace limber
