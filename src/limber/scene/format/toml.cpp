// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include <toml++/toml.h>

#include "limber/scene/format/document.h"
#include "limber/scene/format/toml_hint.h"

// The compiled toml++: the header-only one asserts on some broken files instead of reporting them.
#if TOML_HEADER_ONLY
#error "limber links the compiled toml++ (TOML_HEADER_ONLY=0 comes with its CMake target)"
#endif

namespace limber {

namespace {

[[noreturn]] void fail_nesting(SourcePlace place) {
    throw InputError(place, "nesting deeper than " + std::to_string(max_nesting) +
                                "; allowed: at most " + std::to_string(max_nesting) +
                                " tables and arrays inside each other");
}

/// Finds brackets and dotted keys that nest too deep before the parser sees them: it recurses into
/// values, and the tables it makes of a dotted key are destroyed recursively. Knows strings and
/// comments as TOML does: up to the first error of the parser both see the same.
class NestingScan {
  public:
    NestingScan(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else if (c == '"' || c == '\'') {
                skip_string(c);
            } else {
                count(c);
                advance();
            }
        }
    }

  private:
    void advance() {
        if (text_[at_] == '\n') {
            ++line_;
            line_start_ = at_ + 1;
        }
        ++at_;
    }
    void count(char c) {
        if (c == '[' || c == '{') ++depth_;
        if ((c == ']' || c == '}') && depth_ > 0) --depth_;
        if (c == '.') ++dots_;
        if (c == '=' || c == ',' || c == '\n' || c == '[' || c == '{') dots_ = 0;
        if (depth_ > max_nesting || dots_ >= max_nesting)
            fail_nesting({file_, line_, static_cast<int>(at_ - line_start_) + 1});
    }
    std::size_t quotes_here(char quote, std::size_t at_most) const {
        const std::string_view rest = text_.substr(at_, at_most);
        return std::min(rest.find_first_not_of(quote), rest.size());
    }
    void skip_string(char quote) {
        const bool triple = quotes_here(quote, 3) == 3;
        at_ += triple ? 3 : 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '\\' && quote == '"') {
                ++at_;
                if (at_ == text_.size()) return;
            } else if (text_[at_] == quote) {
                // Three close it; one or two before them belong to the text.
                const std::size_t n = quotes_here(quote, triple ? 5 : 1);
                at_ += n;
                if (!triple || n >= 3) return;
                continue;
            } else if (!triple && text_[at_] == '\n') {
                return;  // an unclosed string: the parser reports it
            }
            advance();
        }
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0, line_start_ = 0;
    int line_ = 1, depth_ = 0, dots_ = 0;
};

SourcePlace place_of(const toml::source_region& source, const std::string& file) {
    return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

Value convert(const toml::node& node, const std::string& file, int depth) {
    const SourcePlace place = place_of(node.source(), file);
    if (depth > max_nesting) fail_nesting(place);
    Value out;
    if (const auto* b = node.as_boolean()) {
        out = Value::of(b->get());
    } else if (const auto* i = node.as_integer()) {
        out = Value::of(std::int64_t{i->get()});
    } else if (const auto* d = node.as_floating_point()) {
        out = Value::of(d->get());
    } else if (const auto* s = node.as_string()) {
        out = Value::of(s->get());
    } else if (const auto* a = node.as_array()) {
        out = Value::array();
        for (const toml::node& item : *a) out.items.push_back(convert(item, file, depth + 1));
    } else if (const auto* t = node.as_table()) {
        out = Value::table();
        if (t->size() > max_keys)
            throw InputError(place, "a table with more than " + std::to_string(max_keys) + " keys");
        for (const auto& [key, item] : *t) {
            out.keys.push_back({std::string(key.str()), place_of(key.source(), file)});
            out.items.push_back(convert(item, file, depth + 1));
        }
    } else {
        throw InputError(place, "dates and times are not used in scenes");
    }
    out.place = place;
    return out;
}

}  // namespace

Value parse_toml(std::string_view text, const std::string& file) {
    NestingScan(text, file).run();
    try {
        const toml::table table = toml::parse(text, file);
        Value root = convert(table, file, 0);
        root.place = {file, 1, 1};
        return root;
    } catch (const toml::parse_error& e) {
        const SourcePlace place = place_of(e.source(), file);
        throw InputError(place, "not valid TOML: " + printable(e.description(), 300) +
                                    toml_hint(text, place.line));
    }
}

namespace {

bool is_bare_key(std::string_view key) {
    for (const char c : key)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            return false;
    return !key.empty();
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string key_text(std::string_view key) {
    return is_bare_key(key) ? std::string(key) : in_quotes(key);
}

/// TOML keeps whole numbers and others apart: a double always shows a point or an exponent.
std::string toml_number(double d) {
    std::string text = number_text(d);
    if (std::isfinite(d) && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string inline_value(const Value& value) {
    switch (value.kind) {
        case ValueKind::number:
            return toml_number(value.number);
        case ValueKind::string:
            return in_quotes(value.text);
        case ValueKind::array: {
            std::string out = "[";
            for (std::size_t i = 0; i < value.items.size(); ++i)
                out += (i ? ", " : "") + inline_value(value.items[i]);
            return out + "]";
        }
        case ValueKind::table: {
            std::string out = "{ ";
            for (std::size_t i = 0; i < value.items.size(); ++i)
                out += (i ? ", " : "") + key_text(value.keys[i].name) + " = " +
                       inline_value(value.items[i]);
            return out + " }";
        }
        default:
            return shown(value);
    }
}

bool is_list_of_tables(const Value& value) {
    return value.is(ValueKind::array) && !value.items.empty() &&
           std::all_of(value.items.begin(), value.items.end(),
                       [](const Value& item) { return item.is(ValueKind::table); });
}
bool is_table_of_tables(const Value& value) {
    if (!value.is(ValueKind::table) || value.items.empty()) return false;
    for (const Value& item : value.items)
        if (!item.is(ValueKind::table)) return false;
    return true;
}

void write_body(const Value& table, std::string& out) {
    for (std::size_t i = 0; i < table.items.size(); ++i)
        out += key_text(table.keys[i].name) + " = " + inline_value(table.items[i]) + '\n';
}

}  // namespace

std::string to_inline_toml(const Value& value) {
    return inline_value(value);
}

std::string to_toml(const Value& table) {
    std::string out;
    const auto is_section = [](const Value& v) {
        return v.is(ValueKind::table) || is_list_of_tables(v);
    };
    for (std::size_t i = 0; i < table.items.size(); ++i)
        if (!is_section(table.items[i]))
            out += key_text(table.keys[i].name) + " = " + inline_value(table.items[i]) + '\n';
    for (std::size_t i = 0; i < table.items.size(); ++i) {
        const Value& section = table.items[i];
        const std::string key = key_text(table.keys[i].name);
        if (is_list_of_tables(section)) {
            for (const Value& entry : section.items) {
                out += "\n[[" + key + "]]\n";
                write_body(entry, out);
            }
        } else if (is_table_of_tables(section)) {
            for (std::size_t k = 0; k < section.items.size(); ++k) {
                out += "\n[" + key + '.' + key_text(section.keys[k].name) + "]\n";
                write_body(section.items[k], out);
            }
        } else if (section.is(ValueKind::table) && !section.items.empty()) {
            out += "\n[" + key + "]\n";
            write_body(section, out);
        }
    }
    return out;
}

}  // namespace limber
