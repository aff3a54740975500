// SPDX-License-Identifier: Apache-2.0
#pragma once

// How an options struct describes itself. Each one has a single function
//
//     template <class Visitor> void fields(Visitor& field, PcgOptions& o) {
//         field("max_iterations", o.max_iterations, at_least(0), "0 returns the initial guess");
//     }
//
// and the scene reader, its error messages, the JSON Schema, the format document and the resolved
// scene all follow from it. Members may be bool, int, std::int64_t, double, std::string, Vec3d, an
// enum with enum_names(), a std::vector or std::optional of these, or another struct with fields().
// The value a member has in a default-constructed struct is the documented default.

#include <limits>
#include <string_view>

namespace limber {

/// The dimension of a number: decides which unit strings are taken ("50 kPa") and what the
/// documents say.
enum class Unit {
    none,
    length,        // m
    time,          // s
    duration_ms,   // ms: a plain number means milliseconds
    mass,          // kg
    angle,         // rad inside; a plain number in a scene means degrees
    velocity,      // m/s
    acceleration,  // m/s²
    force,         // N
    pressure,      // Pa
    density,       // kg/m³
    stiffness,     // N/m
    frequency,     // 1/s
};

struct Rule {
    double lo = -std::numeric_limits<double>::infinity();
    double hi = std::numeric_limits<double>::infinity();
    bool open_lo = false, open_hi = false;
    Unit unit = Unit::none;
    bool required = false;
};

constexpr Rule any_value(Unit unit = Unit::none) {
    return {.unit = unit};
}
constexpr Rule positive(Unit unit = Unit::none) {
    return {.lo = 0, .open_lo = true, .unit = unit};
}
constexpr Rule at_least(double lo, Unit unit = Unit::none) {
    return {.lo = lo, .unit = unit};
}
constexpr Rule between(double lo, double hi, Unit unit = Unit::none) {
    return {.lo = lo, .hi = hi, .unit = unit};
}
constexpr Rule inside(double lo, double hi, Unit unit = Unit::none) {  // open at both ends
    return {.lo = lo, .hi = hi, .open_lo = true, .open_hi = true, .unit = unit};
}
constexpr Rule required(Rule rule = {}) {
    rule.required = true;
    return rule;
}

}  // namespace limber
