// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "limber/scene/format/units.h"
#include "limber/scene/scene.h"

namespace limber {

namespace {

constexpr std::string_view introduction =
    R"(# Scene files

Generated from the option descriptions (`fields()`) in the source, and tested to be up to date; do not edit.

A scene is a TOML 1.0 file (`.toml`), or JSON with the same keys (`.json`). Unknown keys are errors. Paths are
relative to the file that mentions them. Numbers are SI; where a unit is named below, a string may carry another
one: `young = "1 MPa"`, `step = "16 ms"`, `translate = ["2 cm", 0, 0]`. A plain angle is in degrees.

```toml
limber = 1
[time]
step = 0.0166667
end = 4
[material.rubber]
young = "1 MPa"
poisson = 0.4
density = 1000
[[body]]
name = "bar"
shape = "beam"
material = "rubber"
[[pin]]
body = "bar"
select = { side = "x-" }
```

**`extends = "base.toml"`** lays this file on another one. Tables merge key by key. In arrays of tables
(`[[body]]`, `[[pin]]`, ...) an entry with the `name` of an entry of the base changes that one; all others are
appended. Any other value is replaced. A key drops those it cannot stand beside (`steps` drops `end`), and a new
`kind`, `method` or `shape` drops the options of the old one. The chain may be 16 files long; a file that includes
itself is an error that shows the cycle.

**`[defaults.body]`**, `[defaults.material]`, ... give values to every entry of that section that has none of its
own. An entry's own `kind` or `shape` takes only the defaults it knows.

**`--set path=value`** changes a scene from the command line: `--set solver.max_iterations=5`,
`--set body.0.translate=[0,1,0]`, `--set body.bar.material=steel`. Entries of arrays are named by index or by
`name`. The value is TOML; a single word may stand without quotes.

)";

std::string escaped(std::string text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string default_text(const FieldInfo& field) {
    if (field.required) return "required";
    if (!field.default_value || field.default_value->is(ValueKind::table)) return "";
    Value one = Value::table();
    one.set("v", *field.default_value);
    std::string text = to_toml(one);  // "v = ...\n"
    if (text.size() < 5) return "";
    return '`' + text.substr(4, text.size() - 5) + '`';
}

class Documenter {
  public:
    std::string run(const TypeInfo& scene) {
        out_ = introduction;
        out_ += "## Top level\n\n";
        rows(scene.fields);
        for (const FieldInfo& field : scene.fields) count(field);
        for (const FieldInfo& field : scene.fields) section(field);
        while (!shared_.empty()) {  // a shared table may name further ones
            const auto [key, table] = shared_.front();
            shared_.erase(shared_.begin());
            out_ += "## `" + key + "`\n\n";
            table_text(table, key);
        }
        units();
        return std::move(out_);
    }

  private:
    void rows(const std::vector<FieldInfo>& fields) {
        out_ += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
        for (const FieldInfo& field : fields)
            out_ += "| `" + field.key + "` | " + escaped(without_int_limit(wanted(field.type))) +
                    " | " + default_text(field) + " | " + escaped(field.meaning) + " |\n";
        out_ += '\n';
    }

    void section(const FieldInfo& field) {
        if (field.key == "defaults") return;  // the introduction says it
        const TypeInfo& type = field.type;
        const bool many = type.kind == FieldKind::list || type.kind == FieldKind::map;
        const TypeInfo& table = many ? type.items[0] : type;
        if (table.kind != FieldKind::table) return;
        const std::string title = type.kind == FieldKind::list  ? "[[" + field.key + "]]"
                                  : type.kind == FieldKind::map ? "[" + field.key + ".NAME]"
                                                                : "[" + field.key + "]";
        out_ += "## `" + title + "`\n\n" + sentence(field.meaning) + "\n\n";
        table_text(table, field.key);
    }

    void table_text(const TypeInfo& table, const std::string& path) {
        rows(table.fields);
        for (const KeyGroup& group : table.groups)
            out_ += std::string(group.required ? "Exactly" : "At most") + " one of: `" +
                    ticked(group.keys) + "`.\n\n";
        std::map<std::vector<std::string>, std::string> needs;
        for (const KeyNeed& need : table.needs)
            needs[need.needs] += (needs[need.needs].empty() ? "`" : ", `") + need.key + '`';
        for (const auto& [keys, others] : needs) {
            std::vector<std::string> quoted;
            for (const std::string& key : keys) quoted.push_back('`' + key + '`');
            out_ += "Only beside " + joined_by_or(quoted) + ": " + others + ".\n\n";
        }
        for (const CaseInfo& c : table.cases) {
            out_ += "### `" + path + '.' + table.tag + " = \"" + c.name + "\"`\n\n" +
                    sentence(c.meaning) + "\n\n";
            if (!c.fields.empty()) rows(c.fields);
        }
        for (const FieldInfo& field : table.fields) nested(field, path);
    }

    /// The table inside a field: itself, of its items, or among its forms.
    static const TypeInfo* table_in(const FieldInfo& field) {
        const TypeInfo* type = &field.type;
        if (type->kind == FieldKind::list || type->kind == FieldKind::map) type = &type->items[0];
        if (type->kind == FieldKind::either)
            for (const TypeInfo& form : field.type.items)
                if (form.kind == FieldKind::table) type = &form;
        return type->kind == FieldKind::table ? type : nullptr;
    }

    void count(const FieldInfo& field) {
        const TypeInfo* table = table_in(field);
        if (!table || field.key == "defaults") return;
        ++uses_[field.key];
        for (const FieldInfo& inner : table->fields) count(inner);
    }

    /// Selections, motions and rotations look the same everywhere: described once, at the end.
    void nested(const FieldInfo& field, const std::string& path) {
        const TypeInfo* table = table_in(field);
        if (!table) return;
        if (uses_[field.key] > 1 && path != field.key) {
            out_ += "`" + field.key + "` has its own section below.\n\n";
            if (described_.insert(field.key).second) shared_.emplace_back(field.key, *table);
            return;
        }
        out_ += "### `" + path + '.' + field.key + "`\n\n";
        table_text(*table, path + '.' + field.key);
    }

    static std::string sentence(std::string text) {
        if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
        return text + '.';
    }
    static std::string without_int_limit(std::string text) {
        const std::string limit = " and <= 2147483647";
        const auto at = text.find(limit);
        return at == std::string::npos ? text : text.erase(at, limit.size());
    }

    static std::string ticked(const std::vector<std::string>& words) {
        std::string out;
        for (const std::string& word : words) out += (out.empty() ? "" : "`, `") + word;
        return out;
    }

    void units() {
        out_ += "## Units\n\n| plain number means | a string may say |\n| --- | --- |\n";
        for (int u = 1; u <= static_cast<int>(Unit::frequency); ++u) {
            const auto unit = static_cast<Unit>(u);
            std::vector<std::string> names;
            for (const UnitName& name : unit_names(unit)) names.emplace_back(name.name);
            out_ += "| " + std::string(plain_unit(unit)) + " | `" + ticked(names) + "` |\n";
        }
    }

    std::string out_;
    std::map<std::string, int> uses_;                       // of a nested table's key
    std::set<std::string> described_;                       // shared tables met so far
    std::vector<std::pair<std::string, TypeInfo>> shared_;  // still to be written
};

}  // namespace

std::string scene_format_markdown() {
    return Documenter().run(scene_type());
}

}  // namespace limber
