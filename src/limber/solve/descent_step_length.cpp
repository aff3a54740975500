// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent_step_length.h"

#include <algorithm>
#include <utility>

namespace limber {

StepLength::StepLength(const DescentOptions& options, bool fixed, double natural)
    : fixed_(fixed),
      shrink_(options.shrink),
      first_(options.step > 0 ? options.step : natural),
      max_(std::max(options.max_step, first_)),
      min_(std::min(options.min_step, first_)) {}

void StepLength::begin() {
    alpha_ = last_ > 0 && !fixed_ ? std::min(last_ / shrink_, max_) : first_;
    rejected_ = false;
}

/// A fixed length gets one more chance, without momentum from before.
bool StepLength::shorten() {
    if (fixed_) return !std::exchange(rejected_, true);
    if (alpha_ * shrink_ < min_) return false;
    alpha_ *= shrink_;
    return true;
}

}  // namespace limber
