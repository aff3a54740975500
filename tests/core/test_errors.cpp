// SPDX-License-Identifier: Apache-2.0
#include "limber/core/errors.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "limber/core/check.h"

namespace limber {
namespace {

TEST(InputError, names_the_place_as_far_as_it_is_known) {
    const auto text = [](const SourcePlace& place) {
        return std::string(InputError(place, "wrong").what());
    };
    EXPECT_EQ(text({"a.toml", 3, 7}), "a.toml:3:7: error: wrong");
    EXPECT_EQ(text({"a.toml", 3, 0}), "a.toml:3: error: wrong");
    EXPECT_EQ(text({"a.toml", 0, 7}), "a.toml: error: wrong");
    EXPECT_EQ(text({"a.bin", 0, 0, 120}), "a.bin:byte 120: error: wrong");
    EXPECT_EQ(text({}), "error: wrong");
    EXPECT_STREQ(InputError("wrong").what(), "error: wrong");
}

TEST(InputError, keeps_place_and_message_apart) {
    const InputError error({"a.toml", 3, 7}, "wrong");
    EXPECT_EQ(error.message(), "wrong");
    EXPECT_EQ(error.place().file, "a.toml");
    EXPECT_EQ(error.place().line, 3);
    EXPECT_EQ(error.place().column, 7);
}

TEST(SystemError, gives_path_action_and_reason) {
    const std::string text = SystemError("out/x.vtu", "write", ENOSPC).what();
    EXPECT_EQ(text, "out/x.vtu: error: cannot write: No space left on device");
    EXPECT_EQ(std::string(SystemError("a\nb", "read", EACCES).what()),
              "a\\x0ab: error: cannot read: Permission denied");
}

TEST(Check, throws_a_bug_that_names_the_condition) {
    try {
        LIMBER_CHECK(1 + 1 == 3, "arithmetic holds");
        FAIL() << "nothing was thrown";
    } catch (const Bug& bug) {
        const std::string text = bug.what();
        EXPECT_NE(text.find("1 + 1 == 3"), std::string::npos);
        EXPECT_NE(text.find("arithmetic holds"), std::string::npos);
        EXPECT_NE(text.find("test_errors.cpp"), std::string::npos);
    }
    EXPECT_NO_THROW(LIMBER_CHECK(true, ""));
}

TEST(Printable, leaves_plain_text_and_utf8_alone) {
    EXPECT_EQ(printable("beam.msh"), "beam.msh");
    EXPECT_EQ(printable("Körper μ → 𝛌"), "Körper μ → 𝛌");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, escapes_what_could_move_a_terminal) {
    EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
    EXPECT_EQ(printable("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\x7f"), "\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // a control character of two bytes
}

TEST(Printable, escapes_invalid_utf8_byte_by_byte) {
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\x80"), "\\x80");
    EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut off
    EXPECT_EQ(printable("\xc3("), "\\xc3(");                  // no continuation
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");  // overlong
    EXPECT_EQ(printable("\xf0\x80\x80\xaf"), "\\xf0\\x80\\x80\\xaf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

TEST(Printable, shortens_long_text_between_characters) {
    EXPECT_EQ(printable(std::string(80, 'x')), std::string(80, 'x'));
    EXPECT_EQ(printable(std::string(81, 'x')), std::string(80, 'x') + "...");
    EXPECT_EQ(printable("μμμ", 3), "μμ...");
}

}  // namespace
}  // namespace limber
