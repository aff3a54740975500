// SPDX-License-Identifier: Apache-2.0
#include "limber/output/text.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>
#include "limber/core/markup.h"

#include <bit>
#include <cmath>
#include <limits>

namespace limber {
namespace {

TEST(Text, a_number_reads_back_to_the_same_bits) {
    EXPECT_TRUE(rc::check([](std::uint64_t bits) {
        const double value = std::bit_cast<double>(bits);
        std::string text;
        if (!append_number(text, value)) {
            RC_ASSERT(!std::isfinite(value));
            RC_ASSERT(text.empty());
            return;
        }
        RC_ASSERT(std::bit_cast<std::uint64_t>(*parse_finite(text)) == bits);
    }));
}

TEST(Text, words_for_infinity_are_not_numbers) {
    for (const char* text : {"inf", "nan", "-inf", "", "1x", " 1"})
        EXPECT_FALSE(parse_finite(text)) << text;
}

TEST(Text, a_file_stem_stays_inside_its_folder) {
    EXPECT_EQ(file_stem("../../etc/passwd"), "_._.._etc_passwd");
    EXPECT_EQ(file_stem(".."), "_.");
    EXPECT_EQ(file_stem(""), "unnamed");
    EXPECT_EQ(file_stem("a b\nc"), "a_b_c");
    EXPECT_EQ(file_stem(std::string(500, 'x')).size(), 64u);
    EXPECT_TRUE(rc::check([](const std::string& name) {
        const std::string stem = file_stem(name);
        RC_ASSERT(stem.find('/') == std::string::npos);
        RC_ASSERT(!stem.empty() && stem[0] != '.');
    }));
}

TEST(Text, file_stems_are_all_different) {
    const std::vector<std::string> names = {"a b", "a/b", "A_B", "a_b-2", "c"};
    EXPECT_EQ(file_stems(names),
              (std::vector<std::string>{"a_b", "a_b-2", "A_B-3", "a_b-2-2", "c"}));
}

TEST(Text, numbered_files_sort_by_number) {
    EXPECT_EQ(numbered_file("bar", 7, "vtu"), "bar_000007.vtu");
    EXPECT_EQ(numbered_file("bar", 1234567, "vtu"), "bar_1234567.vtu");
}

TEST(Text, html_is_escaped) {
    EXPECT_EQ(markup_escaped("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

}  // namespace
}  // namespace limber
