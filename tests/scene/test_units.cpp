// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/units.h"

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

TEST(Units, of_inches_and_pounds_are_read_by_their_definitions) {
    EXPECT_DOUBLE_EQ(parse_quantity("1 ft", Unit::length).value, 0.3048);
    EXPECT_DOUBLE_EQ(parse_quantity("12 in", Unit::length).value, 0.3048);
    EXPECT_DOUBLE_EQ(parse_quantity("1 lb", Unit::mass).value, 0.45359237);
    EXPECT_DOUBLE_EQ(parse_quantity("1 lbf", Unit::force).value, 4.4482216152605);
    EXPECT_DOUBLE_EQ(parse_quantity("2 kip", Unit::force).value, 8896.443230521);
    EXPECT_NEAR(parse_quantity("1 psi", Unit::pressure).value, 6894.757293168, 1e-8);
    EXPECT_NEAR(parse_quantity("1 ksi", Unit::pressure).value, 6894757.293168, 1e-5);
    EXPECT_NEAR(parse_quantity("144 psf", Unit::pressure).value, 6894.757293168, 1e-8);
    EXPECT_NEAR(parse_quantity("62.428 lb/ft^3", Unit::density).value, 1000, 1e-2);
    EXPECT_DOUBLE_EQ(parse_quantity("60 mph", Unit::velocity).value, 26.8224);
    EXPECT_NEAR(parse_quantity("32.174 ft/s^2", Unit::acceleration).value, 9.80665, 1e-4);
    EXPECT_NEAR(parse_quantity("1 lbf/in", Unit::stiffness).value, 175.126835, 1e-6);
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
