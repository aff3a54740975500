// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>

#include "limber/scene/automatic.h"
#include "limber/scene/format/error_list.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_extends = 16;

const FieldInfo* find_field(const std::vector<FieldInfo>& fields, std::string_view key) {
    for (const FieldInfo& field : fields)
        if (field.key == key) return &field;
    return nullptr;
}

/// The type of a key of a table, whatever its case; nullptr where it is unknown.
const TypeInfo* type_of_key(const TypeInfo* table, std::string_view key, const Value& value) {
    if (!table) return nullptr;
    if (table->kind == FieldKind::map) return &table->items[0];
    if (table->kind != FieldKind::table) return nullptr;
    for (const FieldInfo* field : fields_of(*table, value))
        if (field->key == key) return &field->type;
    return nullptr;
}

bool is_array_of_tables(const Value& v) {
    return v.is(ValueKind::array) && !v.items.empty() &&
           std::all_of(v.items.begin(), v.items.end(),
                       [](const Value& item) { return item.is(ValueKind::table); });
}

Value* find_named(Value& array, std::string_view name) {
    for (Value& item : array.items)
        if (const Value* n = item.find("name"); n && n->is(ValueKind::string) && n->text == name)
            return &item;
    return nullptr;
}

/// Takes away what cannot stand beside the keys of `over`.
void make_room(Value& base, const Value& over, const TypeInfo& type) {
    for (const KeyGroup& group : type.groups)
        for (const std::string& given : group.keys)
            if (over.find(given))
                for (const std::string& other : group.keys)
                    if (other != given && !over.find(other)) base.remove(other);
    if (type.tag.empty()) return;
    const Value* now = over.find(type.tag);
    const Value* before = base.find(type.tag);
    const std::string old_case = before ? before->text : type.default_case;
    if (!now || old_case.empty() || now->text == old_case) return;
    const std::vector<Value::Key> keys = base.keys;
    // Options that were given to nothing in particular stay with what has them too.
    const std::vector<const FieldInfo*> kept = fields_of(type, before ? Value::table() : over);
    for (const Value::Key& key : keys) {
        const bool known =
            find_field(type.fields, key.name) ||
            (!before && std::any_of(kept.begin(), kept.end(),
                                    [&](const FieldInfo* f) { return f->key == key.name; }));
        if (!known) base.remove(key.name);
    }
}

Value merged_arrays(Value base, const Value& over, const TypeInfo* type) {
    const TypeInfo* item_type = type && type->kind == FieldKind::list ? &type->items[0] : nullptr;
    for (const Value& item : over.items) {
        const Value* name = item.find("name");
        Value* same_name =
            name && name->is(ValueKind::string) ? find_named(base, name->text) : nullptr;
        if (same_name)
            *same_name = merged(std::move(*same_name), item, item_type);
        else
            base.items.push_back(item);
    }
    return base;
}

/// Base first, then what extends it. `chain` holds the files being read, outermost first.
Value read_extended(const std::string& path, const LoadOptions& options,
                    const std::string& scene_folder, std::vector<std::string> chain);

Value with_base(Value document, const LoadOptions& options, const std::string& scene_folder,
                const std::vector<std::string>& chain) {
    const Value* extends = document.find("extends");
    if (!extends) return document;
    const Value base_path =
        checked(*extends, type_of(FieldKind::path), "extends", {scene_folder, options.sandbox});
    std::error_code unreadable;
    if (!fs::exists(base_path.text, unreadable))
        throw InputError(extends->place, "extends = " + shown(*extends) + ": there is no file '" +
                                             printable(base_path.text, 300) + "'");
    for (std::size_t i = 0; i < chain.size(); ++i)
        if (fs::equivalent(chain[i], base_path.text, unreadable)) {
            std::string cycle;
            for (std::size_t k = i; k < chain.size(); ++k)
                cycle += printable(chain[k], 300) + " -> ";
            throw InputError(extends->place, "extends = " + shown(*extends) +
                                                 ": the file includes itself: " + cycle +
                                                 printable(base_path.text, 300));
        }
    if (chain.size() >= max_extends)
        throw InputError(extends->place,
                         "extends goes deeper than " + std::to_string(max_extends) + " files");
    Value base = read_extended(base_path.text, options, scene_folder, chain);
    document.remove("extends");
    Value out = merged(std::move(base), document, &scene_type());
    out.place = document.place;
    return out;
}

Value read_extended(const std::string& path, const LoadOptions& options,
                    const std::string& scene_folder, std::vector<std::string> chain) {
    chain.push_back(path);
    return with_base(read_document(path), options, scene_folder, chain);
}

/// One entry with the defaults of its section under it; defaults that its case does not know are
/// for other entries.
void apply_defaults(Value& entry, const Value& defaults, const TypeInfo& type) {
    if (!entry.is(ValueKind::table)) return;  // checked() complains
    Value base = defaults;
    make_room(base, entry, type);
    Value out = merged(base, entry, &type);
    const auto known = fields_of(type, out);
    for (const Value::Key& key : base.keys)
        if (!entry.find(key.name) &&
            std::none_of(known.begin(), known.end(),
                         [&](const FieldInfo* f) { return f->key == key.name; }))
            out.remove(key.name);
    // A key that needs another is for the entries that have it.
    for (const KeyNeed& need : type.needs)
        if (out.find(need.key) && !entry.find(need.key) &&
            std::none_of(need.needs.begin(), need.needs.end(),
                         [&](const std::string& key) { return out.find(key); }))
            out.remove(need.key);
    out.place = entry.place;
    entry = std::move(out);
}

void apply_all_defaults(Value& document, const ReadContext& context) {
    const Value* found = document.find("defaults");
    if (!found) return;
    const FieldInfo* field = find_field(scene_type().fields, "defaults");
    checked(*found, field->type, "defaults", context);
    const Value defaults = *found;
    for (std::size_t i = 0; i < defaults.items.size(); ++i) {
        const std::string& section = defaults.keys[i].name;
        Value* entries = document.find(section);
        const FieldInfo* entry_field = find_field(scene_type().fields, section);
        if (!entries) continue;
        for (Value& entry : entries->items)
            apply_defaults(entry, defaults.items[i], entry_field->type.items[0]);
    }
}

TypeInfo whole_scene_type() {
    TypeInfo scene = describe<SceneDef>();
    TypeInfo defaults;
    for (const FieldInfo& field : scene.fields) {
        const bool entries =
            field.type.kind == FieldKind::list || field.type.kind == FieldKind::map;
        if (entries && field.type.items[0].kind == FieldKind::table)
            defaults.fields.push_back({field.key, partial(field.type.items[0]), false,
                                       "for every " + field.key + " that says nothing else",
                                       std::nullopt});
    }
    scene.fields.push_back({"defaults", defaults, false,
                            "values for entries that do not give their own", std::nullopt});
    scene.fields.push_back(
        {"extends", type_of(FieldKind::path), false, "scene file this one changes", std::nullopt});
    return scene;
}

}  // namespace

const TypeInfo& scene_type() {
    // Programs may add names: there is a description for each number of them, and whoever holds an
    // older one keeps it.
    static std::mutex guard;
    static std::map<std::size_t, TypeInfo> types;
    const std::lock_guard lock(guard);
    const std::size_t names = stepper_cases().size() + contact_cases().size();
    const auto [type, fresh] = types.try_emplace(names);
    if (fresh) type->second = whole_scene_type();
    return type->second;
}

Value merged(Value base, const Value& over, const TypeInfo* type) {
    if (is_array_of_tables(base) && is_array_of_tables(over))
        return merged_arrays(std::move(base), over, type);
    if (!base.is(ValueKind::table) || !over.is(ValueKind::table)) return over;
    if (type && type->kind == FieldKind::either) {
        // The forms of a value do not mix: the new one stands alone.
        return over;
    }
    if (type && type->kind == FieldKind::table) make_room(base, over, *type);
    for (std::size_t i = 0; i < over.items.size(); ++i) {
        const std::string& key = over.keys[i].name;
        Value* old = base.find(key);
        Value value = old ? merged(std::move(*old), over.items[i], type_of_key(type, key, over))
                          : over.items[i];
        base.set(key, std::move(value), over.keys[i].place);
    }
    return base;
}

namespace {

struct SetArgument {
    std::vector<std::string> path;
    Value value;
    SourcePlace place;  // the argument itself stands for the file
};

void place_at(Value& value, const SourcePlace& place) {
    value.place = place;
    for (Value::Key& key : value.keys) key.place = place;
    for (Value& item : value.items) place_at(item, place);
}

bool is_bare_word(std::string_view text) {
    if (text.empty() || text.size() > 64 || text == "nan" || text == "inf") return false;
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; }) &&
           !std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '-';
}

SetArgument parse_set(const std::string& argument) {
    SetArgument out;
    out.place = {"--set " + printable(argument, 200), 0, 0};
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(out.place, "wanted path=value, such as solver.max_iterations=5");
    const std::string text = argument.substr(equals + 1);
    for (std::size_t begin = 0; begin <= equals;) {
        const std::size_t end = std::min(argument.find('.', begin), equals);
        out.path.push_back(argument.substr(begin, end - begin));
        if (out.path.back().empty() || out.path.size() > static_cast<std::size_t>(max_nesting))
            throw InputError(out.place, "wanted a path of keys joined by dots before '='");
        begin = end + 1;
    }
    try {
        const Value parsed = parse_toml("value = " + text, "");
        if (parsed.keys.size() != 1) throw InputError("more than one value");
        out.value = *parsed.find("value");
    } catch (const InputError& e) {
        // A shell eats quotes: a bare word is the string it looks like.
        if (!is_bare_word(text))
            throw InputError(out.place, "the value is " + e.message() +
                                            "; wanted a TOML value: 5, 0.5, true, \"text\", "
                                            "[1, 2, 3]");
        out.value = Value::of(text);
    }
    place_at(out.value, out.place);
    return out;
}

/// The entry of an array that a path's word names: an index, or the value of `name`.
Value& array_entry(Value& array, const std::string& word, const SetArgument& set) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error == std::errc() && end == word.data() + word.size() && index < array.items.size())
        return array.items[index];
    if (Value* named = find_named(array, word)) return *named;
    std::vector<std::string> names;
    for (const Value& item : array.items)
        if (const Value* name = item.find("name")) names.push_back(name->text);
    throw InputError(set.place, "there is no entry '" + printable(word) + "'; allowed: 0 to " +
                                    std::to_string(static_cast<long>(array.items.size()) - 1) +
                                    (names.empty() ? "" : ", or a name: " + joined(names)) +
                                    did_you_mean(word, names));
}

void set_at(Value& at, std::size_t depth, const SetArgument& set, const TypeInfo* type) {
    const std::string& word = set.path[depth];
    const bool last = depth + 1 == set.path.size();
    if (at.is(ValueKind::array)) {
        Value& entry = array_entry(at, word, set);
        if (last)
            entry = set.value;
        else
            set_at(entry, depth + 1, set,
                   type && type->kind == FieldKind::list ? &type->items[0] : nullptr);
        return;
    }
    if (!at.is(ValueKind::table))
        throw InputError(set.place, "'" + printable(word) + "' is no key of " +
                                        std::string(kind_name(at.kind)) + ' ' + shown(at));
    if (last) {
        Value over = Value::table();
        over.set(word, set.value, set.place);
        if (type && type->kind == FieldKind::table) make_room(at, over, *type);
        at.set(word, set.value, set.place);
        return;
    }
    Value* next = at.find(word);
    if (!next) {
        Value empty = Value::table();
        empty.place = set.place;
        next = &at.set(word, std::move(empty), set.place);
    }
    set_at(*next, depth + 1, set, type_of_key(type, word, at));
}

}  // namespace

void apply_set(Value& document, const std::string& argument, const TypeInfo& type) {
    set_at(document, 0, parse_set(argument), &type);
}

SceneDef load_scene(const std::string& path, const LoadOptions& options) {
    return make_scene(read_document(path), path, options);
}

SceneDef make_scene(Value document, const std::string& path, const LoadOptions& options) {
    const std::string folder = fs::path(path).parent_path().string();
    document = with_base(std::move(document), options, folder, {path});
    document.remove("extends");
    ErrorList errors;
    for (const std::string& argument : options.sets)
        errors.run([&] { apply_set(document, argument, scene_type()); });
    errors.throw_if_any();
    std::vector<std::string> told = name_old_defaults(document);
    const ReadContext context{folder, options.sandbox};
    apply_all_defaults(document, context);
    const Value value = checked(document, scene_type(), "", context);
    SceneDef scene;
    FieldTraits<SceneDef>::assign(value, "", scene);
    scene.file = path;
    scene.chosen = std::move(told);
    if (!scene.gravity)
        scene.gravity = scene.up == UpAxis::y ? Vec3d{0, -9.81, 0} : Vec3d{0, 0, -9.81};
    choose_automatically(scene);
    check_scene(scene);
    return scene;
}

}  // namespace limber
