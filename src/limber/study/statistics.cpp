// SPDX-License-Identifier: Apache-2.0
#include "limber/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
}

Spread::Spread() : min(nan), p50(nan), p99(nan), max(nan), mean(nan) {}

Spread spread_of(std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    Spread out;
    out.n = values.size();
    if (values.empty()) return out;
    std::sort(values.begin(), values.end());
    const auto n = static_cast<double>(values.size());
    const auto at = [&](double percent) {
        const double rank = std::clamp(std::ceil(percent / 100 * n), 1.0, n);
        return values[static_cast<std::size_t>(rank) - 1];
    };
    out.min = values.front();
    out.p50 = at(50);
    out.p99 = at(99);
    out.max = values.back();
    out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    return out;
}

double root_mean_square(const std::vector<double>& values) {
    double sum = 0, n = 0;
    for (double v : values)
        if (std::isfinite(v)) {
            sum += v * v;
            ++n;
        }
    return n > 0 ? std::sqrt(sum / n) : 0;
}

}  // namespace limber
