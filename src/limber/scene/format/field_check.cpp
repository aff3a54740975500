// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "limber/scene/format/error_list.h"
#include "limber/scene/format/field_info.h"
#include "limber/scene/format/key_names.h"
#include "limber/scene/format/units.h"

namespace limber {

namespace {

namespace fs = std::filesystem;

class Checker {
  public:
    explicit Checker(const ReadContext& context) : context_(context) {}

    /// The whole value; throws all that is wrong with it.
    Value check_all(const Value& v, const TypeInfo& type, const std::string& path) {
        root_ = &type;
        Value out;
        errors_.run([&] { out = check(v, type, path); });
        errors_.throw_if_any();
        return out;
    }

  private:
    /// Throws where the value itself is wrong; what is wrong inside a table or an array goes to
    /// errors_.
    Value check(const Value& v, const TypeInfo& type, const std::string& path) {
        Value out;
        switch (type.kind) {
            case FieldKind::boolean:
                if (!v.is(ValueKind::boolean)) wrong_type(v, type, path);
                out = v;
                break;
            case FieldKind::integer:
                out = integer(v, type, path);
                break;
            case FieldKind::number:
                out = number(v, type, path);
                break;
            case FieldKind::text:
            case FieldKind::name:
            case FieldKind::path:
            case FieldKind::choice:
                out = text(v, type, path);
                break;
            case FieldKind::vec3:
            case FieldKind::list:
                out = list(v, type, path);
                break;
            case FieldKind::table:
                out = table(v, type, path);
                break;
            case FieldKind::map:
                out = map(v, type, path);
                break;
            case FieldKind::either:
                out = either(v, type, path);
                break;
        }
        out.place = v.place;
        return out;
    }

    [[noreturn]] static void wrong_type(const Value& v, const TypeInfo& type,
                                        const std::string& path) {
        std::string found(kind_name(v.kind));
        if (!v.is(ValueKind::array) && !v.is(ValueKind::table) && !v.is(ValueKind::null))
            found += ' ' + shown(v);
        else if (v.is(ValueKind::array))
            found = shown(v);
        throw InputError(v.place, path + ": found " + found + "; wanted " + wanted(type));
    }
    [[noreturn]] static void out_of_range(const Value& v, const TypeInfo& type,
                                          const std::string& path) {
        throw InputError(v.place, path + " = " + shown(v) + "; allowed: " + wanted(type));
    }
    static bool allowed(double d, const Rule& rule) {
        return std::isfinite(d) && (rule.open_lo ? d > rule.lo : d >= rule.lo) &&
               (rule.open_hi ? d < rule.hi : d <= rule.hi);
    }

    static Value integer(const Value& v, const TypeInfo& type, const std::string& path) {
        if (!v.is_number()) wrong_type(v, type, path);
        const double d = v.as_double();
        if (v.is(ValueKind::number) && (!std::isfinite(d) || d != std::floor(d)))
            wrong_type(v, type, path);
        constexpr double limit = 9223372036854775808.0;  // 2^63
        if (!allowed(d, type.rule) || d < -limit || (v.is(ValueKind::number) && d >= limit))
            out_of_range(v, type, path);
        return v.is(ValueKind::integer) ? v : Value::of(static_cast<std::int64_t>(d));
    }

    static Value number(const Value& v, const TypeInfo& type, const std::string& path) {
        double d = 0;
        if (v.is_number()) {
            d = plain_to_inside(v.as_double(), type.rule.unit);
        } else if (v.is(ValueKind::string) && type.rule.unit != Unit::none) {
            d = quantity(v, type, path);
        } else {
            wrong_type(v, type, path);
        }
        if (!std::isfinite(d)) {
            const std::string plain = wanted(type);  // "a number > 0 [Pa]"
            throw InputError(v.place, path + " = " + shown(v) + "; allowed: a finite" +
                                          plain.substr(plain.find(' ')));
        }
        if (!allowed(d, type.rule)) out_of_range(v, type, path);
        return Value::of(d);
    }

    static double quantity(const Value& v, const TypeInfo& type, const std::string& path) {
        const Quantity q = parse_quantity(v.text, type.rule.unit);
        if (q.no_number) wrong_type(v, type, path);
        if (q.unknown.empty()) return q.value;
        std::vector<std::string> names;
        for (const UnitName& u : unit_names(type.rule.unit)) names.emplace_back(u.name);
        throw InputError(v.place, path + " = " + shown(v) + ": unknown unit '" +
                                      printable(q.unknown) + "'; allowed: " + joined(names) +
                                      did_you_mean(q.unknown, names));
    }

    Value text(const Value& v, const TypeInfo& type, const std::string& path) const {
        if (!v.is(ValueKind::string)) wrong_type(v, type, path);
        if (type.kind == FieldKind::choice &&
            std::find(type.choices.begin(), type.choices.end(), v.text) == type.choices.end())
            throw InputError(v.place, path + " = " + shown(v) + "; allowed: " + wanted(type) +
                                          did_you_mean(v.text, type.choices));
        if (type.kind == FieldKind::name) check_name(v.text, v.place, path);
        return type.kind == FieldKind::path ? Value::of(resolved(v, path)) : v;
    }

    static void check_name(const std::string& name, const SourcePlace& place,
                           const std::string& path) {
        bool good = !name.empty() && name.size() <= 64;
        for (const char c : name)
            good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == '-');
        if (!good)
            throw InputError(place, path + " = \"" + printable(name) +
                                        "\"; allowed: " + wanted(type_of(FieldKind::name)));
    }

    std::string resolved(const Value& v, const std::string& path) const {
        const std::string& text = v.text;
        const auto refuse = [&](const std::string& why) {
            throw InputError(v.place, path + " = " + shown(v) + ": " + why);
        };
        if (text.empty()) refuse("the path is empty");
        if (text.find('\0') != std::string::npos) refuse("the path contains a NUL character");
        if (text.find("://") != std::string::npos)
            refuse("URLs are not read; allowed: the path of a file on this machine");
        if (text.size() > 4096) refuse("the path is longer than 4096 characters");
        const bool from_file = !v.place.file.empty() && v.place.line > 0;
        const fs::path folder =
            from_file ? fs::path(v.place.file).parent_path() : fs::path(context_.scene_folder);
        const fs::path full = (folder / text).lexically_normal();
        if (context_.sandbox && !inside_sandbox(text, full)) refuse("path outside scene folder");
        return full.string();
    }

    bool inside_sandbox(const std::string& text, const fs::path& full) const {
        if (fs::path(text).is_absolute()) return false;
        for (const fs::path& part : fs::path(text))
            if (part == "..") return false;
        std::error_code error;  // links are followed, whatever of the path exists
        const fs::path root = fs::weakly_canonical(
            context_.scene_folder.empty() ? "." : context_.scene_folder, error);
        if (error) return false;
        const fs::path real = fs::weakly_canonical(full, error);
        if (error) return false;
        return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first ==
               root.end();
    }

    Value list(const Value& v, const TypeInfo& type, const std::string& path) {
        const bool vec3 = type.kind == FieldKind::vec3;
        if (!v.is(ValueKind::array)) wrong_type(v, type, path);
        const int n = static_cast<int>(v.items.size());
        const int lo = vec3 ? 3 : type.size_lo, hi = vec3 ? 3 : type.size_hi;
        if (n < lo || (hi >= 0 && n > hi)) wrong_type(v, type, path);
        const TypeInfo component = type_of(FieldKind::number, type.rule);
        Value out = Value::array();
        for (int i = 0; i < n; ++i)
            errors_.run([&] {
                out.items.push_back(check(v.items[i], vec3 ? component : type.items[0],
                                          path + '[' + std::to_string(i) + ']'));
            });
        return out;
    }

    Value map(const Value& v, const TypeInfo& type, const std::string& path) {
        if (!v.is(ValueKind::table)) wrong_type(v, type, path);
        Value out = Value::table();
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            const Value::Key& key = v.keys[i];
            errors_.run([&] { check_name(key.name, key.place, path + ": name"); });
            errors_.run([&] {
                out.set(key.name, check(v.items[i], type.items[0], path + '.' + key.name),
                        key.place);
            });
        }
        return out;
    }

    Value table(const Value& v, const TypeInfo& type, const std::string& path) {
        if (!v.is(ValueKind::table)) wrong_type(v, type, path);
        const std::string prefix = path.empty() ? "" : path + '.';
        // Which keys belong to it is known only where the tag is good.
        const bool all_known = good_tag(v, type);
        const auto fields = fields_of(type, v);
        Value out = Value::table();
        std::vector<std::string> meant;  // a key that is only misspelt is not missing as well
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            const Value::Key& key = v.keys[i];
            const auto field = std::find_if(fields.begin(), fields.end(),
                                            [&](const FieldInfo* f) { return f->key == key.name; });
            if (field == fields.end()) meant.push_back(nearest_key(key.name, names_of(fields)));
            errors_.run([&] {
                if (field != fields.end())
                    out.set(key.name, check(v.items[i], (*field)->type, prefix + key.name),
                            key.place);
                else if (all_known || (meant.back() == type.tag && !v.find(type.tag)))
                    unknown_key(v, key, type, fields, path);
            });
        }
        const auto was_meant = [&](const std::string& key) {
            return std::find(meant.begin(), meant.end(), key) != meant.end();
        };
        for (const FieldInfo* field : fields)
            if (field->required && !v.find(field->key) && !was_meant(field->key))
                errors_.add({v.place, (path.empty() ? "scene" : path) + ": required key '" +
                                          field->key + "' is missing; wanted " +
                                          wanted(field->type) + ": " + field->meaning});
        check_groups(v, type, path, was_meant);
        return out;
    }

    /// Whether the tag of a table, where it has one, names a case; the field of that name complains
    /// where it does not.
    static bool good_tag(const Value& v, const TypeInfo& type) {
        if (type.tag.empty()) return true;
        const Value* tag = v.find(type.tag);
        if (!tag) return !type.default_case.empty();
        return tag->is(ValueKind::string) &&
               std::any_of(type.cases.begin(), type.cases.end(),
                           [&](const CaseInfo& c) { return c.name == tag->text; });
    }

    static std::vector<std::string> names_of(const std::vector<const FieldInfo*>& fields) {
        std::vector<std::string> names;
        for (const FieldInfo* field : fields) names.push_back(field->key);
        std::sort(names.begin(), names.end());
        return names;
    }
    static std::string nearest_key(const std::string& name, const std::vector<std::string>& names) {
        const std::string meant = key_meant(name, names);
        return meant.empty() ? nearest(name, names) : meant;
    }

    /// The key that was meant: by another name of it, by a slip of the finger, or by another place.
    std::string key_hint(const std::string& name, const std::vector<std::string>& names,
                         const std::string& path) const {
        if (const std::string meant = key_meant(name, names); !meant.empty())
            return "; did you mean '" + meant + "'?";
        std::vector<std::string> sections;
        for (const FieldInfo& field : root_->fields) {
            const bool plain = field.type.kind != FieldKind::table &&
                               field.type.kind != FieldKind::list &&
                               field.type.kind != FieldKind::map;
            if (!path.empty() && plain && field.key == name)
                return "; '" + name + "' stands at the top of the file, before the first [table]";
            if (path.empty() && field.type.kind == FieldKind::table && field.key != "defaults")
                for (const FieldInfo& inner : field.type.fields)
                    if (inner.key == name) sections.push_back('[' + field.key + ']');
        }
        if (sections.size() == 1) return "; '" + name + "' belongs to " + sections[0];
        return did_you_mean(name, names);
    }

    [[noreturn]] void unknown_key(const Value& v, const Value::Key& key, const TypeInfo& type,
                                  const std::vector<const FieldInfo*>& fields,
                                  const std::string& path) const {
        const std::vector<std::string> names = names_of(fields);
        std::string where = path.empty() ? "scene" : path;
        if (!type.tag.empty()) {
            const Value* tag = v.find(type.tag);
            const std::string chosen = tag ? tag->text : type.default_case;
            if (!chosen.empty()) where += " (" + type.tag + " = \"" + chosen + "\")";
        }
        throw InputError(key.place, where + ": unknown key '" + printable(key.name) +
                                        "'; allowed: " + joined(names) +
                                        key_hint(key.name, names, path));
    }

    template <class WasMeant>
    void check_groups(const Value& v, const TypeInfo& type, const std::string& path,
                      const WasMeant& was_meant) {
        for (const KeyGroup& group : type.groups) {
            std::vector<std::string> given;
            for (const std::string& key : group.keys)
                if (v.find(key)) given.push_back(key);
            if (given.size() > 1)
                errors_.add({v.key_place(given[1]), path + ": " + joined(given) +
                                                        " are given together; allowed: " +
                                                        (group.required ? "exactly" : "at most") +
                                                        " one of: " + joined(group.keys)});
            if (given.empty() && group.required &&
                std::none_of(group.keys.begin(), group.keys.end(), was_meant))
                errors_.add({v.place, path +
                                          ": required key is missing; allowed: exactly one of: " +
                                          joined(group.keys)});
        }
        for (const KeyNeed& need : type.needs)
            if (v.find(need.key) && std::none_of(need.needs.begin(), need.needs.end(),
                                                 [&](const auto& key) { return v.find(key); }))
                errors_.add({v.key_place(need.key), path + ": key '" + need.key +
                                                        "' needs the key '" +
                                                        joined_by_or(need.needs) + "' beside it"});
    }

    Value either(const Value& v, const TypeInfo& type, const std::string& path) {
        for (const TypeInfo& form : type.items)
            if (has_form(v, form)) return check(v, form, path);
        wrong_type(v, type, path);
    }
    /// Whether the value looks like that form, so that its errors are the ones to report.
    static bool has_form(const Value& v, const TypeInfo& form) {
        switch (form.kind) {
            case FieldKind::number:
            case FieldKind::integer:
                return v.is_number() || v.is(ValueKind::string);
            case FieldKind::vec3:
                return v.is(ValueKind::array) &&
                       (v.items.empty() || !v.items[0].is(ValueKind::array));
            case FieldKind::list:
                return v.is(ValueKind::array);
            case FieldKind::table:
            case FieldKind::map:
                return v.is(ValueKind::table);
            case FieldKind::boolean:
                return v.is(ValueKind::boolean);
            default:
                return v.is(ValueKind::string);
        }
    }

    ReadContext context_;
    const TypeInfo* root_ = nullptr;
    ErrorList errors_;
};

}  // namespace

Value checked(const Value& value, const TypeInfo& type, const std::string& path,
              const ReadContext& context) {
    return Checker(context).check_all(value, type, path);
}

}  // namespace limber
