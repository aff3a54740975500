// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/units.h"

#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace limber {
namespace {

TEST(Units, strings_are_read_with_one_rounding) {
    EXPECT_EQ(parse_quantity("1 MPa", Unit::pressure).value, 1e6);
    EXPECT_EQ(parse_quantity("50kPa", Unit::pressure).value, 5e4);
    EXPECT_EQ(parse_quantity("2 mm", Unit::length).value, 2e-3);
    EXPECT_EQ(parse_quantity("16 ms", Unit::time).value, 0.016);
    EXPECT_EQ(parse_quantity("1.1e1 ms", Unit::time).value, 0.011);
    EXPECT_EQ(parse_quantity("+1E+2 mm", Unit::length).value, 0.1);
    EXPECT_EQ(parse_quantity("1 g/cm^3", Unit::density).value, 1000);
    EXPECT_EQ(parse_quantity("2 s", Unit::duration_ms).value, 2000);
    EXPECT_EQ(parse_quantity("-3", Unit::length).value, -3);
    EXPECT_DOUBLE_EQ(parse_quantity("30 deg", Unit::angle).value, std::numbers::pi / 6);
    EXPECT_EQ(parse_quantity("1.5 rad", Unit::angle).value, 1.5);
    EXPECT_DOUBLE_EQ(parse_quantity("180", Unit::angle).value, std::numbers::pi);
}

TEST(Units, no_angle_is_written_as_none) {
    // Numbers so small that they vanish in the conversion come back as 0 as well.
    EXPECT_EQ(inside_to_plain(0, Unit::angle), 0);
    EXPECT_EQ(inside_to_plain(std::numbers::pi / 2, Unit::angle), 90);
}

TEST(Units, wrong_text_is_told_apart) {
    EXPECT_EQ(parse_quantity("1 mpa", Unit::pressure).unknown, "mpa");
    EXPECT_EQ(parse_quantity("1 m", Unit::pressure).unknown, "m");
    EXPECT_TRUE(parse_quantity("abc", Unit::pressure).no_number);
    EXPECT_TRUE(parse_quantity("", Unit::pressure).no_number);
    EXPECT_TRUE(parse_quantity("nan Pa", Unit::pressure).no_number);
    EXPECT_TRUE(parse_quantity("inf", Unit::pressure).no_number);
}

RC_GTEST_PROP(Units, degrees_come_back_exactly, ()) {
    const double degrees = *rc::gen::inRange(-1000000, 1000000) / 997.0;
    const double inside = plain_to_inside(degrees, Unit::angle);
    const auto back = inside_to_plain(inside, Unit::angle);
    RC_ASSERT(back.has_value());
    RC_ASSERT(plain_to_inside(*back, Unit::angle) == inside);
}

}  // namespace
}  // namespace limber
