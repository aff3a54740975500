// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/field_visitors.h"

namespace limber {

const OptionCase* find_case(std::span<const OptionCase> cases, std::string_view name) {
    for (const OptionCase& c : cases)
        if (c.name == name) return &c;
    return nullptr;
}

AnyOptions default_options(std::span<const OptionCase> cases, std::string_view name) {
    const OptionCase* chosen = find_case(cases, name);
    LIMBER_CHECK(chosen, "the default is one of the cases");
    return {std::string(name), chosen->defaults()};
}

bool same(const Value& a, const Value& b) {
    if (a.kind != b.kind || a.boolean != b.boolean || a.integer != b.integer ||
        a.number != b.number || a.text != b.text || a.items.size() != b.items.size())
        return false;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (a.is(ValueKind::table) && a.keys[i].name != b.keys[i].name) return false;
        if (!same(a.items[i], b.items[i])) return false;
    }
    return true;
}

void Describe::one_of(std::string_view tag, AnyOptions&, std::span<const OptionCase> cases,
                      std::string_view default_name, std::string_view meaning) {
    FieldInfo choice{std::string(tag), type_of(FieldKind::choice), default_name.empty(),
                     std::string(meaning), std::nullopt};
    if (!default_name.empty()) choice.default_value = Value::of(std::string(default_name));
    out_.tag = tag;
    out_.default_case = default_name;
    for (const OptionCase& c : cases) {
        choice.type.choices.emplace_back(c.name);
        out_.cases.push_back({std::string(c.name), std::string(c.meaning), c.describe().fields});
    }
    out_.fields.push_back(std::move(choice));
}

void Assign::one_of(std::string_view tag, AnyOptions& options, std::span<const OptionCase> cases,
                    std::string_view default_name, std::string_view) {
    const Value* name = table_.find(tag);
    options.name = name ? name->text : std::string(default_name);
    const OptionCase* chosen = find_case(cases, options.name);
    LIMBER_CHECK(chosen, "checked() has refused unknown names");
    options.value = chosen->defaults();
    chosen->assign(table_, options.value);
}

void ToValue::one_of(std::string_view tag, AnyOptions& options, std::span<const OptionCase> cases,
                     std::string_view default_name, std::string_view) {
    const std::string name = options.name.empty() ? std::string(default_name) : options.name;
    const OptionCase* chosen = find_case(cases, name);
    if (!chosen) return;  // the default-constructed struct of a required choice
    table_.set(std::string(tag), Value::of(name));
    const Value written =
        chosen->to_value(options.value.has_value() ? options.value : chosen->defaults());
    for (std::size_t i = 0; i < written.items.size(); ++i)
        table_.set(written.keys[i].name, written.items[i]);
}

}  // namespace limber
