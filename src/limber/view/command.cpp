// SPDX-License-Identifier: Apache-2.0
#include "limber/view/command.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber {

namespace {

using Json = nlohmann::json;

struct VerbEntry {
    std::string_view name;
    Verb verb;
    std::string_view fields;  // blank-separated, all needed
};
constexpr VerbEntry verbs[] = {
    {"play", Verb::play, ""},
    {"pause", Verb::pause, ""},
    {"step", Verb::step, ""},
    {"reset", Verb::reset, ""},
    {"speed", Verb::speed, "value"},
    {"pull", Verb::pull, "triangle weight point value"},
    {"move", Verb::move, "point"},
    {"release", Verb::release, ""},
    {"pin", Verb::pin, "triangle weight"},
    {"unpin", Verb::unpin, ""},
    {"tool", Verb::tool, "point value"},
    {"tool_off", Verb::tool_off, ""},
    {"drive", Verb::drive, "name value"},
    {"colour", Verb::colour, "name"},
    {"contacts", Verb::contacts, "on"},
    {"set", Verb::set, "path to"},
    {"open", Verb::open, "name"},
    {"record", Verb::record, "on"},
    {"seek", Verb::seek, "value"},
    {"cancel", Verb::cancel, ""},
};

[[noreturn]] void fail(const std::string& what) {
    throw InputError("command: " + what);
}

double number(const Json& json, std::string_view field) {
    if (!json.is_number()) fail(std::string(field) + " is not a number");
    const double value = json.get<double>();
    if (!std::isfinite(value) || std::abs(value) > 1e15)
        fail(std::string(field) + " is out of range");
    return value;
}

Vec3d vector(const Json& json, std::string_view field) {
    if (!json.is_array() || json.size() != 3) fail(std::string(field) + " is not three numbers");
    Vec3d out;
    for (int k = 0; k < 3; ++k) out[k] = number(json[static_cast<std::size_t>(k)], field);
    return out;
}

std::string text(const Json& json, std::string_view field) {
    if (!json.is_string()) fail(std::string(field) + " is not text");
    auto out = json.get<std::string>();
    if (out.size() > 256 || printable(out, 4 * out.size() + 1) != out)
        fail(std::string(field) + " is too long or not plain text");
    return out;
}

/// A JSON value as --set would be given it: numbers, true, false, text in quotes, arrays of these.
std::string toml_literal(const Json& json, int depth = 0) {
    if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
    if (json.is_number_integer()) return std::to_string(json.get<std::int64_t>());
    if (json.is_number()) return number_text(number(json, "to"));
    if (json.is_string()) {
        std::string out = "\"";
        for (const char c : text(json, "to")) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        return out + '"';
    }
    if (!json.is_array() || json.size() > 16 || depth > 1) fail("to is no value of a scene");
    std::string out = "[";
    for (const Json& item : json)
        out += (out.size() > 1 ? ", " : "") + toml_literal(item, depth + 1);
    return out + ']';
}

void read_field(const Json& json, std::string_view field, Command& out) {
    if (field == "value")
        out.value = number(json, field);
    else if (field == "point")
        out.point = vector(json, field);
    else if (field == "name" || field == "path")
        out.text = text(json, field);
    else if (field == "to")
        out.literal = toml_literal(json);
    else if (field == "on") {
        if (!json.is_boolean()) fail("on is neither true nor false");
        out.on = json.get<bool>();
    } else if (field == "triangle") {
        const double k = number(json, field);
        if (k < 0 || k > 2e9 || k != std::floor(k)) fail("triangle is not a number of one");
        out.pick.triangle = static_cast<Index>(k);
    } else {
        const Vec3d w = vector(json, field);
        const double sum = w.x + w.y + w.z;
        if (w.x < -1e-3 || w.y < -1e-3 || w.z < -1e-3 || std::abs(sum - 1) > 1e-2)
            fail("weight is not inside a triangle");
        out.pick.weight = (1 / sum) * w;
    }
}

}  // namespace

std::string_view verb_name(Verb verb) {
    const auto* found = std::find_if(std::begin(verbs), std::end(verbs),
                                     [&](const VerbEntry& entry) { return entry.verb == verb; });
    return found->name;
}

Command parse_command(std::string_view json) {
    int depth = 0, deepest = 0;  // refused before anything recurses
    for (const char c : json) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        deepest = std::max(deepest, depth);
    }
    if (deepest > 8) fail("nested too deeply");
    const Json all = Json::parse(json, nullptr, false);
    if (!all.is_object()) fail("not a JSON object");
    if (!all.contains("do") || !all["do"].is_string()) fail("no 'do'");
    const auto name = all["do"].get<std::string>();
    for (const VerbEntry& entry : verbs) {
        if (entry.name != name) continue;
        Command out;
        out.verb = entry.verb;
        std::size_t n_fields = 1;
        std::string_view rest = entry.fields;
        while (!rest.empty()) {
            const std::string field(rest.substr(0, rest.find(' ')));
            rest.remove_prefix(std::min(rest.size(), field.size() + 1));
            if (!all.contains(field)) fail(name + " needs '" + field + "'");
            read_field(all[field], field, out);
            ++n_fields;
        }
        if (all.size() != n_fields) fail(name + " has fields it does not know");
        return out;
    }
    fail("there is no '" + printable(name) + "'");
}

}  // namespace limber
