// SPDX-License-Identifier: Apache-2.0
#include "limber/study/tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/errors.h"

namespace limber {
namespace {

TEST(MarkdownTable, puts_numbers_right_and_words_left) {
    MarkdownTable table({"solver", "ms"});
    table.add({"a", "1.5"});
    table.add({"bc", "10 (20)"});
    EXPECT_EQ(table.text(),
              "| solver |      ms |\n"
              "| ------ | ------: |\n"
              "| a      |     1.5 |\n"
              "| bc     | 10 (20) |\n");
}

TEST(MarkdownTable, takes_a_name_that_begins_with_a_digit_for_a_word) {
    MarkdownTable table({"run"});
    table.add({"1-zero"});
    EXPECT_EQ(table.text(), "| run    |\n| ------ |\n| 1-zero |\n");
}

TEST(MarkdownTable, keeps_bars_and_line_ends_out_of_its_cells) {
    MarkdownTable table({"why"});
    table.add({"a|b\nc"});
    EXPECT_NE(table.text().find("| a\\|b c |"), std::string::npos) << table.text();
}

TEST(MarkdownTable, refuses_a_row_of_another_length) {
    MarkdownTable table({"a", "b"});
    EXPECT_THROW(table.add({"1"}), Bug);
}

TEST(Digits, are_three_that_matter) {
    EXPECT_EQ(digits(0), "0");
    EXPECT_EQ(digits(1.23456), "1.23");
    EXPECT_EQ(digits(123456), "123456");
    EXPECT_EQ(digits(0.000123456), "1.2e-04");
    EXPECT_EQ(digits(-12.345), "-12.3");
    EXPECT_EQ(digits(std::nan("")), "-");
    EXPECT_EQ(times(2), "2x");
    EXPECT_EQ(times(INFINITY), "-");
}

TEST(ClaimLines, say_what_does_not_hold) {
    EXPECT_EQ(claim_lines({{"cats purr", true, "9 of 9"}, {"dogs purr", false, "0 of 9"}}),
              "- yes: cats purr (9 of 9)\n- not reproduced: dogs purr (0 of 9)\n");
}

}  // namespace
}  // namespace limber
