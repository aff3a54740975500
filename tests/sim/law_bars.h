// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bars of every law, for tests that walk all of them.

#include <string>
#include <variant>
#include <vector>

#include "limber/fem/materials.h"

namespace limber::test {

inline std::vector<std::string> law_names() {
    std::vector<std::string> names;
    [&]<class... Law>(const std::variant<Law...>*) {
        (names.emplace_back(Law::name), ...);
    }(static_cast<const AnyMaterial*>(nullptr));
    return names;
}

/// A bar held at one end, of so many cells; `time` goes into [time].
inline std::string law_bar(const std::string& solver, const std::string& law,
                           const std::string& time, int steps, int cells) {
    const std::string moduli = law == "spline"
                                   ? "f = { at = [0.2, 1, 3], slope = [-1.6e5, 0, 4e5] }\n"
                                     "h = { at = [0, 1, 2], slope = [-1e5, 0, 1e5] }"
                               : law == "projective" ? "young = \"100 kPa\"\npoisson = 0"
                                                     : "young = \"100 kPa\"\npoisson = 0.3";
    return "limber = 1\n[time]\nstep = 0.01\nsteps = " + std::to_string(steps) + '\n' + time +
           "\n[solver]\nkind = \"" + solver + "\"\n[material.m]\nkind = \"" + law + "\"\n" +
           moduli +
           "\ndensity = 1000\ndamping = { mass = 0.1, stiffness = 0.001 }\n"
           "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [1, 0.2, 0.2]\ncells = [" +
           std::to_string(cells) +
           ", 1, 1]\nmaterial = \"m\"\n[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n"
           "[contact]\nmethod = \"none\"\n";
}

}  // namespace limber::test
