// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace limber {

/// What is printed of many measurements of one thing. All NaN where there are none.
struct Spread {
    std::size_t n = 0;
    double min, p50, p99, max, mean;
    Spread();
};

/// Percentiles by nearest rank; values that are not finite are left out.
Spread spread_of(std::vector<double> values);

/// Root mean square of the finite values; 0 where there are none.
double root_mean_square(const std::vector<double>& values);

/// Step times of one contestant without the steps that only warm caches up.
class StepTimes {
  public:
    /// The next `n` times are not counted: the first steps of a run, or the first after another
    /// world has had the caches.
    void warm_up(std::size_t n = 1) { to_skip_ = n; }
    void add(double ms) {
        if (to_skip_ > 0)
            --to_skip_;
        else
            ms_.push_back(ms);
    }
    Spread spread() const { return spread_of(ms_); }

  private:
    std::vector<double> ms_;
    std::size_t to_skip_ = 0;
};

}  // namespace limber
