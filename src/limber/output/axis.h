// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace limber {

/// Values to pixels along one axis of a chart or plot.
struct Axis {
    double lo = 0, hi = 1;    // values at the ends
    double from = 0, to = 1;  // pixels there
    bool log = false;         // lo and hi are positive

    double operator()(double value) const;
    bool shows(double value) const;  // finite, and positive where the axis is logarithmic
};

/// 1, 2 or 5 times a power of ten, about `wanted` of them inside [lo, hi].
std::vector<double> nice_ticks(double lo, double hi, int wanted);
/// Powers of ten inside [lo, hi], every one or every other or ...: at most about `wanted`. Where
/// there are fewer than two, 1, 2 and 5 times powers of ten.
std::vector<double> log_ticks(double lo, double hi, int wanted);
/// Short text for an axis: 0.002, 15, 3e+06.
std::string axis_text(double value);

}  // namespace limber
