// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"

namespace limber {

/// One way to write a quantity: value_inside = number * 10^exponent * factor.
struct UnitName {
    std::string_view name;
    int exponent = 0;   // powers of ten are exact: "16 ms" reads as 0.016, correctly rounded
    double factor = 1;  // for the rest: degrees, minutes, inches
};

/// The unit strings a dimension takes, the plain one first.
const std::vector<UnitName>& unit_names(Unit unit);
/// What a plain number means: "Pa", "m", "deg"; empty for Unit::none.
std::string_view plain_unit(Unit unit);

struct Quantity {
    double value = 0;               // as used inside
    std::string_view unknown = {};  // the unit that was not understood, empty when all is well
    bool no_number = false;         // the text does not begin with a number
};
/// Reads "50 kPa", "2mm", "-1e-3 m/s" or a number alone. Locale-free.
Quantity parse_quantity(std::string_view text, Unit unit);

/// A plain number of the scene as the value inside (degrees become radians), and back. The way
/// back is exact: nullopt where no plain number gives `inside`, which then needs a unit string.
double plain_to_inside(double plain, Unit unit);
std::optional<double> inside_to_plain(double inside, Unit unit);

}  // namespace limber
