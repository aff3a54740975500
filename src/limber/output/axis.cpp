// SPDX-License-Identifier: Apache-2.0
#include "limber/output/axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace limber {

double Axis::operator()(double value) const {
    const double t = log ? (std::log10(value) - std::log10(lo)) / (std::log10(hi) - std::log10(lo))
                         : (value - lo) / (hi - lo);
    return from + t * (to - from);
}

bool Axis::shows(double value) const {
    return std::isfinite(value) && (!log || value > 0);
}

std::vector<double> nice_ticks(double lo, double hi, int wanted) {
    std::vector<double> out;
    if (!(hi > lo) || !std::isfinite(hi - lo)) return out;
    const double raw = (hi - lo) / wanted, power = std::pow(10, std::floor(std::log10(raw)));
    const double digit = raw / power;
    const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    const double first = std::ceil(lo / step - 1e-9), last = std::floor(hi / step + 1e-9);
    for (double k = first; k <= last && out.size() < 50; ++k) out.push_back(k * step);
    return out;
}

std::vector<double> log_ticks(double lo, double hi, int wanted) {
    std::vector<double> out;
    if (!(lo > 0) || !(hi > lo) || !std::isfinite(hi)) return out;
    const int first = static_cast<int>(std::ceil(std::log10(lo) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(hi) + 1e-9));
    const int stride = std::max(1, (last - first + wanted - 1) / wanted);
    for (int k = first; k <= last; k += stride) out.push_back(std::pow(10, k));
    if (out.size() >= 2) return out;
    out.clear();
    for (int k = first - 1; k <= last; ++k)
        for (const double digit : {1, 2, 5}) {
            const double tick = digit * std::pow(10, k);
            if (tick >= lo * (1 - 1e-9) && tick <= hi * (1 + 1e-9)) out.push_back(tick);
        }
    return out;
}

std::string axis_text(double value) {
    return fmt::format("{:.4g}", value == 0 ? 0.0 : value);  // no "-0"
}

}  // namespace limber
