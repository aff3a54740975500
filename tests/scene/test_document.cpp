// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/document.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "limber/scene/format/field_visitors.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::input_error;

constexpr const char* toml_text = R"(a = 1
b = -2.5
c = "text"   # comment
d = [true, 3]
[t]
k = { x = 1.0 }
[[list]]
name = "first"
[[list]]
name = "second"
)";
constexpr const char* json_text = R"({
 "a": 1,
 "b": -2.5,
 "c": "te\u0078t",
 "d": [true, 3],
 "t": {"k": {"x": 1.0}},
 "list": [{"name": "first"},
          {"name": "second"}]
})";

TEST(Document, toml_and_json_give_the_same_tree) {
    Value toml = parse_toml(toml_text, "f.toml"), json = parse_json(json_text, "f.json");
    const auto sorted = [](const Value& v, const char* key) { return *v.find(key); };
    for (const char* key : {"a", "b", "c", "d", "t", "list"})
        EXPECT_TRUE(same(sorted(toml, key), sorted(json, key))) << key;
}

TEST(Document, values_know_their_place_in_both_formats) {
    const Value toml = parse_toml(toml_text, "f.toml"), json = parse_json(json_text, "f.json");
    EXPECT_EQ(toml.find("c")->place.line, 3);
    EXPECT_EQ(toml.find("c")->place.column, 5);
    EXPECT_EQ(toml.find("list")->items[1].find("name")->place.line, 10);
    EXPECT_EQ(json.find("c")->place.line, 4);
    EXPECT_EQ(json.find("c")->place.column, 7);
    EXPECT_EQ(json.find("d")->items[1].place.line, 5);
    EXPECT_EQ(json.find("d")->items[1].place.column, 14);
    EXPECT_EQ(json.key_place("t").line, 6);
    EXPECT_EQ(json.key_place("t").column, 2);
    EXPECT_EQ(json.find("list")->items[1].find("name")->place.line, 8);
    EXPECT_EQ(json.find("list")->place.file, "f.json");
}

struct Broken {
    const char* name;
    const char* text;
    int line;
    bool json;
};
class BrokenDocument : public testing::TestWithParam<Broken> {};

TEST_P(BrokenDocument, is_refused_with_line_and_column) {  // S01
    const Broken& p = GetParam();
    const std::string file = p.json ? "s.json" : "s.toml";
    const std::string error =
        input_error([&] { p.json ? parse_json(p.text, file) : parse_toml(p.text, file); });
    EXPECT_EQ(error.rfind(file + ':' + std::to_string(p.line) + ':', 0), 0u) << error;
}
INSTANTIATE_TEST_SUITE_P(
    S01, BrokenDocument,
    testing::Values(Broken{"toml_no_value", "a = 1\nb =\n", 2, false},
                    Broken{"toml_two_bytes", "[$", 1, false},
                    Broken{"toml_duplicate_key", "a = 1\nb = 2\na = 3\n", 3, false},
                    Broken{"toml_duplicate_table", "[t]\nx = 1\n[t]\ny = 1\n", 3, false},
                    Broken{"toml_open_string", "a = \"abc\n", 1, false},
                    Broken{"toml_date", "a = 1979-05-27\n", 1, false},
                    Broken{"toml_huge_integer", "a = 9223372036854775808\n", 1, false},
                    Broken{"toml_bad_utf8", "a = \"\xff\"\n", 1, false},
                    Broken{"json_trailing_comma", "{\n \"a\": 1,\n}", 3, true},
                    Broken{"json_duplicate_key", "{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", 3, true},
                    Broken{"json_cut", "{\n\"a\": [1, 2", 2, true},
                    Broken{"json_text_after", "{}\n{}", 2, true},
                    Broken{"json_overflow", "{\n\"a\": 1e400}", 2, true},
                    Broken{"json_nan", "{\"a\": NaN}", 1, true},
                    Broken{"json_array", "[]", 1, true}, Broken{"json_empty", "", 1, true}),
    [](const auto& p) { return p.param.name; });

TEST(Document, deep_nesting_is_refused_before_anything_recurses) {  // S02
    const std::string want = "nesting deeper than 64";
    std::string dots = "a", header = "[a", brackets(10000, '[');
    for (int i = 0; i < 100000; ++i) dots += ".a", header += ".a";
    const std::string deep[] = {"x = " + brackets, dots + " = 1\n", header + "]\n",
                                "x = " + std::string(10000, '{')};
    for (const std::string& text : deep) {
        const std::string error = input_error([&] { parse_toml(text, "s.toml"); });
        EXPECT_NE(error.find(want), std::string::npos) << error;
        EXPECT_EQ(error.rfind("s.toml:1:", 0), 0u) << error;
    }
    const std::string objects = [] {
        std::string s;
        for (int i = 0; i < 10000; ++i) s += "{\"a\":";
        return s;
    }();
    for (const std::string& text : {"{\"x\": " + brackets, objects}) {
        const std::string error = input_error([&] { parse_json(text, "s.json"); });
        EXPECT_NE(error.find(want), std::string::npos) << error;
    }
}

/// Quotes at the end of a multi-line string belong to it: what comes behind them is no string.
TEST(Document, no_kind_of_string_hides_nesting_from_the_scan) {  // S02
    const std::string want = "nesting deeper than 64";
    std::string key = "a";
    for (int i = 0; i < 120'000; ++i) key += ".a";
    const std::vector<std::string> values = {
        R"("""a""")",
        R"("""a"""")",
        R"("""a""""")",
        R"("""""")",
        R"("""""""")",
        R"("""\"""")",
        R"("""a\""" """)",
        R"("""a"b""c\"""""")",
        "'''a'''",
        "'''a''''",
        "'''a'''''",
        "''''''",
        R"('''\''')",
        "'\"'",
        R"("'")",
        R"("\\")",
        R"("a\"")",
        "'''\n\"'''''",
        "\"\"\"\n#\"\"\"\"",
        "\"\"",
        "''",
        "\"\"\"\\\n  \"\"\"",
    };
    for (const std::string& value : values)
        for (const std::string& text :
             {"x = " + value + "\n" + key + " = 1\n", "x = { y = " + value + ", " + key + " = 1 }",
              "x = [" + value + ", { " + key + " = 1 }]\n", "x = " + value + "\n[" + key + "]\n",
              "x = " + value + " # '\n[[" + key + "]]\n"}) {
            const std::string message = input_error([&] { parse_toml(text, "s.toml"); });
            EXPECT_NE(message.find(want), std::string::npos) << value << "\n" << message;
        }
}

TEST(Document, what_stands_in_strings_and_comments_is_not_nesting) {
    const std::string dots(200, '.'), brackets(200, '[');
    for (const std::string& hidden : {dots, brackets})
        for (const std::string& value :
             {"\"" + hidden + "\"", "'" + hidden + "'", "\"\"\"\n" + hidden + "\"\"\"\"\"",
              "'''\"" + hidden + "''''", "\"\\\"" + hidden + "\"", "1 # " + hidden})
            EXPECT_NO_THROW(parse_toml("x = " + value + "\ny = 2\n", "s.toml")) << value;
}

TEST(Document, nesting_within_the_limit_is_read) {
    const std::string toml = "x = " + std::string(60, '[') + std::string(60, ']');
    EXPECT_NO_THROW(parse_toml(toml, "s.toml"));
    EXPECT_NO_THROW(
        parse_json("{\"x\": " + std::string(60, '[') + std::string(60, ']') + "}", "s.json"));
    // Brackets inside strings and comments do not nest.
    const std::string inside = "a = \"" + std::string(100, '[') + "\" # " + std::string(100, '[') +
                               "\nb = '" + std::string(100, '{') + "'\nc = '''\n" +
                               std::string(100, '[') + "'''\nd = \"\\\"[\"\n";
    EXPECT_NO_THROW(parse_toml(inside, "s.toml"));
}

TEST(Document, tables_with_very_many_keys_are_refused) {
    std::string toml, json = "{";
    for (std::size_t i = 0; i <= max_keys; ++i) {
        const std::string key = std::to_string(i);
        toml.append("k").append(key).append(" = 1\n");
        json.append(i ? ",\"k" : "\"k").append(key).append("\": 1");
    }
    json += '}';
    EXPECT_NE(input_error([&] { parse_toml(toml, "t"); }).find("more than 10000"),
              std::string::npos);
    EXPECT_NE(input_error([&] { parse_json(json, "t"); }).find("more than 10000"),
              std::string::npos);
}

TEST(Document, nan_and_infinity_of_toml_are_values_for_the_rules_to_judge) {
    const Value v = parse_toml("a = nan\nb = -inf\n", "s.toml");
    EXPECT_TRUE(std::isnan(v.find("a")->number));
    EXPECT_EQ(v.find("b")->number, -std::numeric_limits<double>::infinity());
}

RC_GTEST_PROP(Document, written_numbers_read_back_exactly, (std::uint64_t bits)) {
    double d;
    std::memcpy(&d, &bits, sizeof d);
    RC_PRE(std::isfinite(d));
    Value table = Value::table();
    table.set("x", Value::of(d));
    const Value back = parse_toml(to_toml(table), "t");
    RC_ASSERT(back.find("x")->number == d);
}

RC_GTEST_PROP(Document, written_strings_read_back_exactly, (std::vector<unsigned char> bytes)) {
    std::string text;
    for (const unsigned char b : bytes) text += static_cast<char>(b & 0x7F);
    Value table = Value::table();
    table.set("x", Value::of(text));
    RC_ASSERT(parse_toml(to_toml(table), "t").find("x")->text == text);
}

RC_GTEST_PROP(Document, broken_text_never_does_worse_than_an_input_error, (std::string text)) {
    for (const std::string& t : {text, "a = " + text, "[" + text, "{\"a\": " + text}) {
        try {
            parse_toml(t, "t");
        } catch (const InputError&) {
        }
        try {
            parse_json(t, "t");
        } catch (const InputError&) {
        }
    }
}

TEST(Document, a_scene_file_must_be_a_small_regular_file_with_a_known_ending) {
    test::Folder folder;
    EXPECT_NE(
        input_error([&] { read_document(folder.write("a.yaml", "")); }).find(".toml or .json"),
        std::string::npos);
    const std::string big = folder.write("big.toml", std::string(max_scene_bytes + 1, '#'));
    EXPECT_NE(input_error([&] { read_document(big); }).find("at most"), std::string::npos);
    std::filesystem::create_directory(folder.path("dir.toml"));
    EXPECT_NE(input_error([&] { read_document(folder.path("dir.toml")); }).find("regular"),
              std::string::npos);
    EXPECT_THROW(read_document(folder.path("absent.toml")), SystemError);
}

}  // namespace
}  // namespace limber
