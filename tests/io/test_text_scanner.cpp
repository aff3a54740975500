// SPDX-License-Identifier: Apache-2.0
#include "limber/io/text_scanner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace limber {
namespace {

TEST(ParseFinite, takes_finite_decimal_numbers_only) {
    EXPECT_EQ(parse_finite("1.5"), 1.5);
    EXPECT_EQ(parse_finite("+.5"), 0.5);
    EXPECT_EQ(parse_finite("-2e3"), -2000);
    EXPECT_EQ(parse_finite("1E-2"), 0.01);
    EXPECT_EQ(parse_finite("1e-400"), 0);
    EXPECT_EQ(parse_finite("5e-324"), 5e-324);
    for (const char* text : {"", "+", "-", "abc", "1,5", "0x1p3", "1e400", "-1e400", "nan", "inf",
                             "-inf", "1.0.0", "--1", "+-1", "++1", "1d3", "1e", " 1", "1 "})
        EXPECT_FALSE(parse_finite(text)) << text;
    EXPECT_FALSE(parse_finite(std::string_view("1\0", 2)));
}

TEST(ParseWhole, takes_decimal_whole_numbers_of_64_bits) {
    EXPECT_EQ(parse_whole("-7"), -7);
    EXPECT_EQ(parse_whole("+7"), 7);
    EXPECT_EQ(parse_whole("9223372036854775807"), INT64_MAX);
    for (const char* text : {"", "9223372036854775808", "1.0", "1e3", "0x10", "+-1", "abc"})
        EXPECT_FALSE(parse_whole(text)) << text;
}

TEST(TextScanner, splits_lines_of_every_kind_and_counts_them) {
    TextScanner scan("a b\r\n\n \t\nc\rd  e", "f");
    ASSERT_TRUE(scan.next_line());
    EXPECT_EQ(scan.n_fields(), 2u);
    EXPECT_EQ(scan.line_number(), 1);
    ASSERT_TRUE(scan.next_line());
    EXPECT_EQ(scan.field(0), "c");
    EXPECT_EQ(scan.line_number(), 4);
    EXPECT_FALSE(scan.line_is_cut());
    ASSERT_TRUE(scan.next_line());
    EXPECT_EQ(scan.field(1), "e");
    EXPECT_EQ(scan.place(1).line, 5);
    EXPECT_EQ(scan.place(1).column, 4);
    EXPECT_TRUE(scan.line_is_cut());
    EXPECT_FALSE(scan.next_line());
}

TEST(TextScanner, refuses_a_line_beyond_the_limit) {
    const std::string fits(TextScanner::max_line, 'x'), longer(TextScanner::max_line + 1, 'x');
    EXPECT_TRUE(TextScanner(fits, "f").next_line());
    EXPECT_TRUE(TextScanner(fits + "\n", "f").next_line());
    EXPECT_THROW(TextScanner(longer, "f").next_line(), InputError);
    EXPECT_THROW(TextScanner(longer + "\n", "f").next_line(), InputError);
}

TEST(TextScanner, bounds_a_count_by_the_bytes_that_are_left) {
    TextScanner scan("3 4\n123456", "f");
    ASSERT_TRUE(scan.next_line());
    EXPECT_EQ(scan.count(0, "things", 2), 3u);  // two of three bytes each, and a cut third
    EXPECT_EQ(scan.count(1, "things", 2), 4u);
    EXPECT_THROW(scan.count(1, "things", 3), InputError);
    EXPECT_EQ(scan.capacity(1000, 3), 3u);
    scan.set_context("section $A", "$EndA");  // not in the rest: the file is cut off
    EXPECT_EQ(scan.count(1, "things", 3), 4u);
}

}  // namespace
}  // namespace limber
