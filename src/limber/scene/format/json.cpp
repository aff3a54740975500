// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "limber/scene/format/document.h"

namespace limber {

namespace {

/// Lines and columns of byte offsets.
class LineTable {
  public:
    LineTable(std::string_view text, std::string file) : file_(std::move(file)) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n') starts_.push_back(i + 1);
    }
    SourcePlace place(std::size_t offset) const {
        const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
        const auto line = next - starts_.begin();
        return {file_, static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
    }

  private:
    std::string file_;
    std::vector<std::size_t> starts_{0};
};

/// Walks the text and tells how far the parser has read.
struct CountingIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at = nullptr;
    const char** read = nullptr;

    reference operator*() const { return *at; }
    CountingIterator& operator++() {
        *read = ++at;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
        return a.at == b.at;
    }
    friend bool operator!=(const CountingIterator& a, const CountingIterator& b) {
        return a.at != b.at;
    }
};

/// Builds the value tree. The parser calls right after it has read a token, so a token begins at
/// the first character after the last one that is neither blank nor a separator.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
  public:
    TreeBuilder(std::string_view text, const std::string& file)
        : text_(text), lines_(text, file), read_(text.data()) {}

    CountingIterator begin() { return {text_.data(), &read_}; }
    CountingIterator end() { return {text_.data() + text_.size(), &read_}; }
    Value take() { return std::move(root_); }

    bool null() override { return put({}), true; }
    bool boolean(bool b) override { return put(Value::of(b)), true; }
    bool number_integer(number_integer_t i) override {
        return put(Value::of(std::int64_t{i})), true;
    }
    bool number_unsigned(number_unsigned_t u) override {
        if (u > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
            return put(Value::of(static_cast<double>(u))), true;
        return put(Value::of(static_cast<std::int64_t>(u))), true;
    }
    bool number_float(number_float_t d, const string_t&) override {
        return put(Value::of(d)), true;
    }
    bool string(string_t& s) override { return put(Value::of(s)), true; }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Value::table()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Value::array()); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        const SourcePlace place = next_place();
        Value& table = *open_.back();
        if (table.find(name))
            throw InputError(place, "key '" + printable(name) + "' is given twice; first at line " +
                                        std::to_string(table.key_place(name).line));
        if (table.keys.size() >= max_keys)
            throw InputError(place, "a table with more than " + std::to_string(max_keys) + " keys");
        table.keys.push_back({name, place});
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& e) override {
        std::string what = e.what();
        // Drop the library's own "[json.exception...] parse error at line 1, column 2: ".
        if (const auto end = what.find("column "); end != std::string::npos)
            if (const auto colon = what.find(": ", end); colon != std::string::npos)
                what.erase(0, colon + 2);
        const std::size_t offset = std::min(text_.size(), position ? position - 1 : 0);
        throw InputError(lines_.place(offset), "not valid JSON: " + printable(what, 300));
    }

  private:
    SourcePlace next_place() {
        std::size_t start = last_;
        while (start < text_.size() &&
               std::string_view(" \t\r\n,:").find(text_[start]) != std::string_view::npos)
            ++start;
        last_ = static_cast<std::size_t>(read_ - text_.data());
        return lines_.place(start);
    }
    Value& put(Value value) {
        value.place = next_place();
        if (open_.empty()) return root_ = std::move(value);
        open_.back()->items.push_back(std::move(value));
        return open_.back()->items.back();
    }
    bool open(Value value) {
        Value& placed = put(std::move(value));
        if (open_.size() >= static_cast<std::size_t>(max_nesting))
            throw InputError(placed.place, "nesting deeper than " + std::to_string(max_nesting) +
                                               "; allowed: at most " + std::to_string(max_nesting) +
                                               " tables and arrays inside each other");
        open_.push_back(&placed);  // stays valid: nothing is added beside it while it is open
        return true;
    }
    bool close() {
        open_.pop_back();
        last_ = static_cast<std::size_t>(read_ - text_.data());
        return true;
    }

    std::string_view text_;
    LineTable lines_;
    const char* read_;
    std::size_t last_ = 0;
    Value root_;
    std::vector<Value*> open_;
};

}  // namespace

Value parse_json(std::string_view text, const std::string& file) {
    TreeBuilder builder(text, file);
    nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder);
    Value root = builder.take();
    if (!root.is(ValueKind::table))
        throw InputError({file, 1, 1},
                         "a scene is one JSON object; found " + std::string(kind_name(root.kind)));
    root.place = {file, 1, 1};
    return root;
}

}  // namespace limber
