// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/units.h"

#include <charconv>
#include <cmath>
#include <numbers>

namespace limber {

namespace {

constexpr double radians_per_degree = std::numbers::pi / 180;
// Exact by definition (international yard and pound, standard gravity).
constexpr double inch = 0.0254, foot = 0.3048;       // [m]
constexpr double pound = 0.45359237;                 // [kg]
constexpr double free_fall = 9.80665;                // [m/s²]
constexpr double pound_force = pound * free_fall;    // [N]
constexpr double psi = pound_force / (inch * inch);  // [Pa]

/// "12.5e3" with its exponent raised by `shift`, read in one rounding.
double shifted(std::string_view number, int shift) {
    const std::size_t e = number.find_first_of("eE");
    int exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view digits = number.substr(e + 1);
        if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    }
    const std::string text =
        std::string(number.substr(0, e)) + 'e' + std::to_string(exponent + shift);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) return exponent + shift < 0 ? 0 : HUGE_VAL;
    return value;
}

}  // namespace

const std::vector<UnitName>& unit_names(Unit unit) {
    static const std::vector<UnitName> none,
        length{{"m"},      {"km", 3},  {"dm", -1},      {"cm", -2},
               {"mm", -3}, {"um", -6}, {"in", 0, inch}, {"ft", 0, foot}};
    static const std::vector<UnitName> time{{"s"}, {"ms", -3}, {"us", -6}, {"min", 0, 60}};
    static const std::vector<UnitName> duration_ms{{"ms"}, {"s", 3}, {"us", -3}};
    static const std::vector<UnitName> mass{
        {"kg"}, {"g", -3}, {"mg", -6}, {"t", 3}, {"lb", 0, pound}};
    static const std::vector<UnitName> angle{
        {"deg", 0, radians_per_degree}, {"rad"}, {"turn", 0, 2 * std::numbers::pi}};
    static const std::vector<UnitName> velocity{
        {"m/s"},           {"cm/s", -2},      {"mm/s", -3},       {"km/h", 0, 1 / 3.6},
        {"in/s", 0, inch}, {"ft/s", 0, foot}, {"mph", 0, 0.44704}};
    static const std::vector<UnitName> acceleration{{"m/s^2"},           {"cm/s^2", -2},
                                                    {"mm/s^2", -3},      {"g", 0, free_fall},
                                                    {"in/s^2", 0, inch}, {"ft/s^2", 0, foot}};
    static const std::vector<UnitName> force{
        {"N"}, {"kN", 3}, {"MN", 6}, {"mN", -3}, {"lbf", 0, pound_force}, {"kip", 3, pound_force}};
    static const std::vector<UnitName> pressure{
        {"Pa"},           {"kPa", 3},
        {"MPa", 6},       {"GPa", 9},
        {"bar", 5},       {"N/mm^2", 6},
        {"psi", 0, psi},  {"ksi", 3, psi},
        {"Mpsi", 6, psi}, {"psf", 0, pound_force / (foot * foot)}};
    static const std::vector<UnitName> density{{"kg/m^3"},
                                               {"g/cm^3", 3},
                                               {"kg/l", 3},
                                               {"t/m^3", 3},
                                               {"lb/ft^3", 0, pound / (foot * foot * foot)},
                                               {"lb/in^3", 0, pound / (inch * inch * inch)}};
    static const std::vector<UnitName> stiffness{{"N/m"},
                                                 {"kN/m", 3},
                                                 {"N/mm", 3},
                                                 {"MN/m", 6},
                                                 {"lbf/in", 0, pound_force / inch},
                                                 {"lbf/ft", 0, pound_force / foot}};
    static const std::vector<UnitName> frequency{{"1/s"}, {"Hz"}, {"kHz", 3}};
    switch (unit) {
        case Unit::none:
            return none;
        case Unit::length:
            return length;
        case Unit::time:
            return time;
        case Unit::duration_ms:
            return duration_ms;
        case Unit::mass:
            return mass;
        case Unit::angle:
            return angle;
        case Unit::velocity:
            return velocity;
        case Unit::acceleration:
            return acceleration;
        case Unit::force:
            return force;
        case Unit::pressure:
            return pressure;
        case Unit::density:
            return density;
        case Unit::stiffness:
            return stiffness;
        case Unit::frequency:
            return frequency;
    }
    return none;
}

std::string_view plain_unit(Unit unit) {
    const auto& names = unit_names(unit);
    return names.empty() ? std::string_view() : names[0].name;
}

Quantity parse_quantity(std::string_view text, Unit unit) {
    const auto trim = [](std::string_view s) {
        while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
        while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
        return s;
    };
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error == std::errc::invalid_argument || !std::isfinite(value)) return {.no_number = true};
    const std::string_view number = text.substr(0, length), name = trim(text.substr(length));
    if (name.empty()) return {.value = plain_to_inside(shifted(number, 0), unit)};
    for (const UnitName& u : unit_names(unit))
        if (u.name == name) return {.value = shifted(number, u.exponent) * u.factor};
    return {.unknown = name};
}

double plain_to_inside(double plain, Unit unit) {
    return unit == Unit::angle ? plain * radians_per_degree : plain;
}

std::optional<double> inside_to_plain(double inside, Unit unit) {
    if (unit != Unit::angle) return inside;
    // The division is off by an ulp at times: then a neighbour, the nearest first, comes back.
    double below = inside / radians_per_degree, above = below;
    for (int k = 0; k <= 3; ++k) {
        if (below * radians_per_degree == inside) return below;
        if (above * radians_per_degree == inside) return above;
        below = std::nextafter(below, -HUGE_VAL);
        above = std::nextafter(above, HUGE_VAL);
    }
    return std::nullopt;
}

}  // namespace limber
